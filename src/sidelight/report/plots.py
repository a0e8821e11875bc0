"""Charts: what was found, drawn by Altair (Vega-Lite) from plain data.

First the numbers (`…_rows`: the table behind a chart), then the ink (`…_chart`), which does no arithmetic of its own.
A title says the finding, axes are words, lines are labelled where they are.  Colours are those of Okabe and Ito, which
colour-blind readers tell apart, and never the only difference.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight._files import write_whole
from sidelight.dp.disclosure_risk import percent, plain_percent, two_digits
from sidelight.dp.privacy_profile import Neighbours, largest_posterior
from sidelight.errors import SidelightError, needs_extra

if TYPE_CHECKING:
    import altair as alt

    from sidelight.dp.semantic_privacy import SemanticPrivacy

INK, GREY, PALE, BLUE, VERMILION = "#222222", "#767676", "#DCE9F2", "#0072B2", "#D55E00"

SHARES: tuple[float, ...] = (0.0, 0.0001, 0.0003, 0.001, 0.003, *np.linspace(0.01, 1, 100).round(2).tolist())
"""Where curves over shares are read: at every hundredth, and finer near 0."""

WIDTH = 340

OUT_OF_REACH_ENDS = 0.36
"""Up to where the words below a curve go; below curves that are lower there is no room for them."""


@dataclass(frozen=True, slots=True)
class _Words:
    """How a chart speaks of those whom a promise tells apart."""

    others: str
    at_most: str
    always: str
    false_alarms: str
    missed: str
    believed: str


WORDS: dict[Neighbours, _Words] = {
    "add or remove": _Words(
        others="those who are not in",
        at_most="nobody recognises more than {} of those who are",
        always="somebody may recognise all of those who are",
        false_alarms="Those who are not in, and are taken for being in",
        missed="Those who are in, and are not recognised",
        believed="That you are in",
    ),
    "replace": _Words(
        others="others in your place",
        at_most="nobody recognises you in more than {} of cases",
        always="somebody may always recognise you",
        false_alarms="Others in your place who are taken for you",
        missed="How often you are in, and are not recognised",
        believed="That it is you, and not another in your place,",
    ),
}


def promise_rows(promise: SemanticPrivacy) -> list[dict[str, float]]:
    """Give the table behind `promise_chart`: for every share, what a test misses at least and beliefs reach at most.

    >>> from sidelight import semantic_privacy
    >>> row = next(row for row in promise_rows(semantic_privacy(1)) if row["share"] == 0.05)
    >>> {name: round(each, 3) for name, each in row.items()}
    {'share': 0.05, 'missed': 0.864, 'coin': 0.95, 'in': 0.125, 'value': 0.28}
    """
    # where the lines of one pair meet, so that no chord is drawn above them
    corners = (
        []
        if len(promise.profile.pairs) > 1
        else [(1 - delta) / (1 + np.exp(epsilon)) for epsilon, delta in promise.profile.pairs if epsilon < 40]
    )
    shares = sorted({*SHARES, *map(float, corners)})
    missed = np.maximum(1 - promise.profile.powers(np.array(shares)), 0).tolist()
    being_in, value = (promise.disclosure_risk(0.5, known_to_be_in=known).odds_factor for known in (False, True))
    return [
        {
            "share": share,
            "missed": miss,
            "coin": 1 - share,
            "in": largest_posterior(share, being_in),
            "value": largest_posterior(share, value),
        }
        for share, miss in zip(shares, missed, strict=True)
    ]


def promise_chart(promise: SemanticPrivacy, *, false_alarms: float = 0.05, prior: float = 0.1) -> alt.HConcatChart:
    """Draw a promise: which tests of who is in are possible, and how likely that can become."""
    library = altair()
    data = library.Data(values=promise_rows(promise))
    panels = library.hconcat(
        _test_panel(library, data, promise, false_alarms), _belief_panel(library, data, promise, prior), spacing=56
    )
    title = library.TitleParams(
        "What the noise promises", subtitle=wrap(_subtitle(promise), 110), anchor="start", offset=18
    )
    chart: alt.HConcatChart = panels.properties(
        title=title, description=promise.explain(false_alarms=false_alarms, prior=prior)
    )
    return in_our_look(chart)


def _subtitle(promise: SemanticPrivacy) -> str:
    """Say the promise, and for how many people a chance is: a picture goes about by itself."""
    if not promise.chance or promise.vacuous:
        return promise.sentence()
    return f"{promise.sentence()} That is for at most {promise.among}; nobody checked how many there are."


def _test_panel(library: Any, data: Any, promise: SemanticPrivacy, false_alarms: float) -> Any:  # noqa: ANN401
    rates = promise.error_rates(false_alarms)
    missed = percent(1 - rates.recognised, up=False)
    words = WORDS[promise.neighbours]
    most = words.at_most.format(percent(rates.recognised))
    reached = most if rates.recognised < 0.999 else words.always
    title = f"Wrong about {plain_percent(false_alarms)} of {words.others}, {reached}"
    x = _axis(library.X("share:Q"), library, words.false_alarms)
    curve = _axis(library.Y("missed:Q"), library, words.missed)
    coin = _axis(library.Y("coin:Q"), library, words.missed)
    base = library.Chart(data, width=WIDTH, height=WIDTH)
    share = max(1 - rates.recognised, 0.0)
    # where there is room: above the coin's line, or for a point far down between the lines
    above = min(false_alarms + 0.2, 0.55), min(1.05 - false_alarms, 0.93)
    room = 1 - promise.profile.power(OUT_OF_REACH_ENDS) > 0.1
    out_of_reach = [_label(library, (0.03, 0.05), ["no test gets here"], color=BLUE)] if room else []
    label = above if share > 0.3 else (min(false_alarms + 0.08, 0.55), share + 0.12)
    return library.layer(
        base.mark_area(color=PALE, opacity=1).encode(x, curve),
        base.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x, coin),
        base.mark_line(color=BLUE, strokeWidth=2.5).encode(x, curve),
        _label(library, (0.64, 0.40), ["guessing by a coin"], color=GREY),
        *out_of_reach,
        *_marked(
            library,
            (false_alarms, share),
            [f"{plain_percent(false_alarms)} wrong,", f"at least {missed} missed"],
            label,
        ),
    ).properties(title=wrap(title, 52))


def _belief_panel(library: Any, data: Any, promise: SemanticPrivacy, prior: float) -> Any:  # noqa: ANN401
    risk = promise.disclosure_risk(prior)
    holds = f", except with a chance of {two_digits(risk.chance)}" if risk.chance else ""
    rise = f"can rise from {plain_percent(prior)} to at most {percent(risk.posterior)} likely{holds}"
    unbounded = math.isinf(risk.odds_factor)
    title = f"{WORDS[promise.neighbours].believed} {'may become certain: nothing bounds it' if unbounded else rise}"
    x = _axis(library.X("share:Q"), library, "How likely somebody thought it before")
    after = _axis(library.Y("in:Q"), library, "How likely they can think it after, at most")
    before = _axis(library.Y("share:Q"), library, "How likely they can think it after, at most")
    base = library.Chart(data, width=WIDTH, height=WIDTH)
    across = min(prior + 0.25, 0.5)
    # below the line of what was thought before, or for a point far up between the lines
    between = min(prior + 0.08, 0.4), min(risk.posterior, 0.86)
    label = (across, across - 0.22) if risk.posterior < 0.65 else between
    return library.layer(
        base.mark_area(color=PALE, opacity=1).encode(x, after, y2="share:Q"),
        base.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x, before),
        base.mark_line(color=BLUE, strokeWidth=2.5).encode(x, after),
        _label(library, (0.66, 0.60), ["as before"], color=GREY),
        *_marked(
            library,
            (prior, risk.posterior),
            [f"{plain_percent(prior)} → {'' if unbounded else 'at most '}{percent(risk.posterior)}"],
            label,
        ),
    ).properties(title=wrap(title, 52))


# The look, for all charts.


def altair() -> Any:  # noqa: ANN401 - it makes its classes as it is imported
    """Import Altair: a grammar of charts."""
    with needs_extra("plot", package="altair", what="a picture"):
        import altair as alt  # noqa: PLC0415 - an extra, and slow to import
    return alt


def in_our_look(chart: alt.HConcatChart) -> alt.HConcatChart:
    """Calm: thin rules, dark text, titles at the left."""
    looked: alt.HConcatChart = (
        chart.configure(background="white", font="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif", padding=16)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            titleFontWeight="normal",
            titleFontSize=13,
            labelFontSize=12,
            grid=True,
            gridColor="#EEEEEE",
            domainColor=GREY,
            tickColor=GREY,
            titlePadding=10,
        )
        .configure_title(
            anchor="start",
            color=INK,
            fontSize=14,
            fontWeight="bold",
            subtitleColor=INK,
            subtitleFontSize=13,
            subtitlePadding=6,
            offset=12,
        )
    )
    return looked


PICTURES = (".svg", ".png", ".html", ".json")


def save_chart(chart: alt.HConcatChart, path: Path, *, force: bool = False) -> None:
    """Write a chart as a picture (.svg, .png), a page that needs nothing from outside (.html) or Vega-Lite (.json)."""
    refuse_other_pictures(path)
    write_whole(path, _drawn(chart, path.suffix.lower()), force=force)


def _drawn(chart: alt.HConcatChart, ending: str) -> str | bytes:
    if ending == ".json":
        return chart.to_json() + "\n"
    with needs_extra("plot", package="vl-convert-python", what="a picture"):
        import vl_convert  # noqa: F401, PLC0415 - an extra; Altair draws by it
    buffer = io.BytesIO() if ending == ".png" else io.StringIO()
    if ending == ".png":
        chart.save(buffer, format="png", ppi=144)
    elif ending == ".html":
        chart.save(buffer, format="html", inline=True)
    else:
        chart.save(buffer, format="svg")
    return buffer.getvalue()


def refuse_other_pictures(path: Path) -> None:
    """Refuse what no picture is called, before any work is done."""
    if path.suffix.lower() not in PICTURES:
        message = f"'{path.name}' is no picture; end its name in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}"
        raise SidelightError(message)


def _axis(channel: Any, library: Any, title: str) -> Any:  # noqa: ANN401
    axis = library.Axis(format=".0%", title=title, tickCount=6, labelFlush=False)
    return channel.scale(domain=[0, 1]).axis(axis)


def _marked(
    library: Any,  # noqa: ANN401
    point: tuple[float, float],
    text: list[str],
    at: tuple[float, float],
) -> Iterator[Any]:
    """Mark a point, and say what it is where there is room, with a line between the two."""
    data = library.Data(values=[{"x": point[0], "y": point[1], "x2": at[0], "y2": at[1]}])
    base = library.Chart(data).encode(x="x:Q", y="y:Q")
    yield base.mark_rule(color=VERMILION, strokeWidth=1).encode(x2="x2:Q", y2="y2:Q")
    yield base.mark_point(color=VERMILION, filled=True, size=90, opacity=1)
    yield _label(library, at, text, color=VERMILION, dx=5, fontWeight="bold", fontSize=13)


def _label(library: Any, at: tuple[float, float], text: list[str], **style: Any) -> Any:  # noqa: ANN401
    base = library.Chart(library.Data(values=[{"x": at[0], "y": at[1], "text": text}]))
    marked = base.mark_text(align="left", baseline="middle", **{"fontSize": 12, "lineHeight": 16, **style})
    return marked.encode(x="x:Q", y="y:Q", text="text:N")
