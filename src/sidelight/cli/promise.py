"""`sidelight promise`: what noise promises, in beliefs, as error rates of a test and as a risk, and as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from sidelight._files import refuse_existing, refuse_input
from sidelight._text import counted
from sidelight.cli.inputs import inputs_of
from sidelight.cli.ledger import spendings_of
from sidelight.cli.options import PromiseOptions
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.dp.accountant import Spending, promise_of
from sidelight.dp.ledger import Ledger
from sidelight.dp.semantic_privacy import SemanticPrivacy, semantic_privacy
from sidelight.errors import BadNoise
from sidelight.report.plots import refuse_other_pictures, save_chart
from sidelight.report.report import Envelope

SCHEMA_VERSION = 1
"""Raised whenever a reader of the JSON would have to change."""


def promise(files: Sequence[str], options: PromiseOptions, output: Output) -> Status:
    """Read what was released, or take an epsilon and delta; say what that promises, and draw it if asked."""
    inputs = (*inputs_of(*files), *(each for file in files for each in Ledger(Path(file)).files))
    output.refuse(inputs)
    _refuse_picture(options.plot, inputs, output)
    spendings = _spendings(files, options)
    if spendings:
        promised = promise_of(spendings, people=options.people, chance=options.chance)
    else:
        promised = semantic_privacy(
            options.epsilon,
            options.delta,
            people=options.people,
            chance=options.chance,
            neighbours=options.neighbours or "add or remove",
        )
    text = promised.explain(false_alarms=options.false_alarms, prior=options.prior)
    if options.plot is not None:
        save_chart(
            promised.plot(false_alarms=options.false_alarms, prior=options.prior), options.plot, force=output.force
        )
    notes = (*promised.warnings, *_to_whom(spendings), *_planned(spendings, options.chance))
    answer = {
        "epsilon": promised.epsilon,
        "delta": promised.delta,
        "people": promised.people,
        "neighbours": promised.neighbours,
        "condition": promised.condition or None,
        **_three_ways(promised, options.false_alarms, options.prior),
    }
    envelope = Envelope(
        kind="promise", schema_version=SCHEMA_VERSION, source=tuple(files) or None, answer=answer, notes=notes
    )
    output.write(envelope, _page(text, notes, options.plot))
    return Status.WITHIN_POLICY


def _three_ways(promised: SemanticPrivacy, false_alarms: float, prior: float) -> dict[str, Any]:
    rates = promised.error_rates(false_alarms)
    risks = {
        name: asdict(promised.disclosure_risk(prior, known_to_be_in=known))
        for name, known in (("being_in", False), ("a_value", True))
    }
    for risk in risks.values():
        del risk["about"], risk["neighbours"], risk["condition"]
        risk["odds_factor"] = risk["odds_factor"] if math.isfinite(risk["odds_factor"]) else None
    return {
        "shift": promised.shift,
        "chance": promised.chance,
        "error_rates": {
            "false_alarms": rates.false_alarms,
            "recognised": rates.recognised,
            "advantage": rates.advantage,
            "right": rates.right,
        },
        "disclosure_risk": risks,
    }


def _refuse_picture(path: Path | None, inputs: Sequence[Path], output: Output) -> None:
    if path is None:
        return
    refuse_other_pictures(path)
    refuse_input(path, (*inputs, *([] if output.file is None else [output.file])))
    refuse_existing(path, force=output.force)


def _spendings(files: Sequence[str], options: PromiseOptions) -> list[Spending]:
    if not files:
        if options.epsilon is None:
            message = "what promises something? give ledgers or noisy counts, or an epsilon with --epsilon"
            raise BadNoise(message)
        return []
    if options.epsilon is not None or options.delta != "0" or options.neighbours is not None:
        message = "files say themselves what they cost; leave out --epsilon, --delta and --neighbours, or the files"
        raise BadNoise(message)
    spendings = spendings_of(files)
    if not spendings:
        message = "nothing was spent yet; there is nothing that promises anything"
        raise BadNoise(message)
    return spendings


def _to_whom(spendings: Sequence[Spending]) -> Iterator[str]:
    """Say to whom it is promised, as far as the releases say so."""
    units = dict.fromkeys(each.counted.unit.sentence() for each in spendings if each.counted is not None)
    yield from (f"promised {sentence}" for sentence in units)
    if len(spendings) > 1:
        yield f"for {counted(len(spendings), 'release')} together"


def _planned(spendings: Sequence[Spending], chance: str | None) -> Iterator[str]:
    """Sums of epsilons hold however the releases came about; what is read off the noise of several does not."""
    if len(spendings) > 1 and chance is not None:
        yield (
            "this holds if the releases were planned in advance; where later ones were chosen after seeing earlier "
            "ones, leave out --chance"
        )


def _page(text: str, notes: Sequence[str], picture: Path | None) -> Iterator[RenderableType]:
    yield Text(text)
    if notes:
        yield Text("")
    for note in notes:
        yield Text(f" • {note}")
    if picture is not None:
        yield Text(f"Drawn: {picture}", no_wrap=True)
