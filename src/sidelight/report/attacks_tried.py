"""What did somebody come to who tried an attack on a release?  Its own numbers, in words, for whoever decides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sidelight.errors import SidelightError
from sidelight.report.page import Block, Grid, PageSection, Paragraph, Points
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.report.picture_data import CheckedBeliefs
    from sidelight.report.release_report import AttackTried

ONLY_FOR_WHOEVER_DECIDES = (
    "How right the claims are was checked against the table: this part is for whoever decides, and not to be published "
    "with the file."
)


def attack_section(attack: AttackTried) -> PageSection:
    """Build the section of one attack: its sentences, how right it was, and its numbers in words."""
    sources = attack.source if isinstance(attack.source, tuple) else (attack.source,) if attack.source else ()
    kind = attack.kind[:1].upper() + attack.kind[1:]
    title = f"{kind}: {', '.join(sources)}" if sources else kind
    blocks: list[Block] = [Points(attack.notes)] if attack.notes else []
    if attack.checked is not None:
        blocks += _calibration(attack.checked)
    if attack.checked is None and any(name.startswith("truth: ") for name in attack.facts):
        blocks.append(Paragraph(ONLY_FOR_WHOEVER_DECIDES))
    rows = tuple((_fact_words(name), _fact(value)) for name, value in attack.facts.items())
    return PageSection(title, (*blocks, Grid(("what", "is"), rows, figures=frozenset({1}))) if rows else tuple(blocks))


FACT_WORDS = {
    "rounds": "rounds in which the model was trained",
    "largest: value": "the largest belief about anybody",
    "claimed": "how sure it claims to be, on average",
    "by release": "how sure the file alone makes one, on average",
    "right": "the share of people whose value it guesses",
    "calibration error": "how far its claims are from the truth, on average",
    "could not tell": "people of whom it could not be told",
    "groups": "groups about which the making of the file tells something",
    "perfect: value": "the share of people whose value is given away",
    "if present: value": "the share who would be given away as well, if they are in all releases",
    "vulnerable: value": "the share to whom all together leave fewer values than the best alone",
    "contradicted: value": "the share about whom the releases contradict each other",
    "located nowhere": "people who are found in no release",
    "open: value": "the share who may be given away as well, of which nobody can tell",
    "values left: before: mean": "values that the best release leaves, on average",
    "values left: after: mean": "values that all together leave, on average",
    "truth: people": "people whose true value is known",
    "truth: hits: value": "the share whose true value is among those that are left",
    "truth: given away: value": "the share whose true value is given away",
    "truth: guessed: value": "the share whose likeliest value is the true one",
    "truth: belief": "how much the true value is believed, on average",
    "truth: belief before": "how much it is believed without the releases, on average",
    "truth: log belief": "the logarithm of that belief, on average",
    "truth: calibration: people": "people about whom somebody is sure of something",
    "truth: calibration: claimed": "how sure, on average",
    "truth: calibration: right: value": "the share of them about whom that is right",
    "truth: calibration: expected error": "how far such claims are from the truth, on average",
}
"""What the numbers of attacks are called."""

VALUES_LEFT = re.compile(r"values left: (before|after): people: (\d+)")


def _fact_words(name: str) -> str:
    # there is a name for each number of values left, which no dictionary can list
    left = VALUES_LEFT.fullmatch(name)
    if left is None:
        return FACT_WORDS.get(name, name)
    by_whom = {"before": "the best release leaves", "after": "all together leave"}[left[1]]
    return f"people to whom {by_whom} {counted(int(left[2]), 'value')}"


def _fact(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)


def _calibration(beliefs: CheckedBeliefs) -> Iterator[Block]:
    yield Paragraph(
        f"Of {counted(beliefs.people, 'person')}, the {beliefs.model} model guesses {beliefs.right:.1%} right, and "
        f"claims to be {beliefs.claimed:.1%} sure on average. {ONLY_FOR_WHOEVER_DECIDES}"
    )
    try:
        from sidelight.report.pictures import calibration_picture  # noqa: PLC0415 - slow, and an extra

        yield calibration_picture(beliefs)
    # without the extra for charts, the same numbers as a table
    except (ImportError, SidelightError):
        yield Grid(
            ("claimed from", "claimed to", "people", "claimed on average", "right"),
            tuple(
                (f"{each.low:g}", f"{each.high:g}", f"{each.people:,}", f"{each.claimed:.4f}", f"{each.right:.4f}")
                for each in beliefs.calibration
            ),
            figures=frozenset(range(5)),
        )
    if beliefs.withheld:
        yield Paragraph(
            f"{counted(beliefs.withheld, 'person')} {form('is', beliefs.withheld)} left out: too few claims alike.",
            "quiet",
        )
