"""The chart of a promise of noise: which tests of who is in are possible, and how likely that can become."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from sidelight.noise.privacy_profile import largest_posterior
from sidelight.noise.semantic_privacy import SemanticPrivacy, plain_percent, round_percent, two_digits
from sidelight.report.plots import (
    BLUE,
    GREY,
    PALE,
    Drawing,
    TableBehind,
    altair,
    annotate_point,
    draw_rows,
    finish_chart,
    share_axis,
    text_at,
)

if TYPE_CHECKING:
    import altair as alt

    from sidelight.noise.mechanism import Neighbours


WORDS: dict[Neighbours, dict[str, str]] = {
    "add or remove": {
        "others": "those who are not in",
        "at most": "nobody recognises more than {} of those who are",
        "always": "somebody may recognise all of those who are",
        "false alarms": "Those who are not in, and are taken for being in",
        "missed": "Those who are in, and are not recognised",
        "believed": "That you are in",
    },
    "replace": {
        "others": "others in your place",
        "at most": "nobody recognises you in more than {} of cases",
        "always": "somebody may always recognise you",
        "false alarms": "Others in your place who are taken for you",
        "missed": "How often you are in, and are not recognised",
        "believed": "That it is you, and not another in your place,",
    },
}
"""The words of a chart for the two that a promise makes hard to distinguish."""


def promise_rows(promise: SemanticPrivacy) -> list[dict[str, float]]:
    """Return the table behind `promise_chart`: for every share, what a test misses at least and beliefs reach at most.

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
    # every hundredth, and finer near 0
    even = [0.0, 0.0001, 0.0003, 0.001, 0.003, *np.linspace(0.01, 1, 100).round(2).tolist()]
    shares = sorted({*even, *map(float, corners)})
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


def promise_chart(promise: SemanticPrivacy, *, false_alarms: float = 0.05, prior: float = 0.1) -> alt.TopLevelMixin:
    """Draw a promise: which tests of who is in are possible, and how likely that can become."""
    # with the number of people that its chance is for, as pictures are passed on without their report
    subtitle = promise.sentence()
    if promise.chance and not promise.vacuous:
        subtitle = f"{subtitle} That is for at most {promise.among}; nobody checked how many there are."
    rows = promise_rows(promise)
    base = draw_rows(rows, 340, 340)
    panels = altair().hconcat(_test_panel(base, promise, false_alarms), _belief_panel(base, promise, prior), spacing=56)
    return finish_chart(
        panels,
        title="What the noise promises",
        subtitle=subtitle,
        description=promise.explain(false_alarms=false_alarms, prior=prior),
        table=TableBehind(
            (
                "share",
                "missed at least",
                "missed by a coin",
                "believed to be in, at most",
                "believed to have a value, at most",
            ),
            tuple(tuple(row.values()) for row in rows),
        ),
    )


def _test_panel(base: Drawing, promise: SemanticPrivacy, false_alarms: float) -> Drawing:
    library = altair()
    rates = promise.error_rates(false_alarms)
    missed = round_percent(1 - rates.recognised, up=False)
    words = WORDS[promise.neighbours]
    most = words["at most"].format(round_percent(rates.recognised))
    reached = most if rates.recognised < 0.999 else words["always"]
    title = f"Wrong about {plain_percent(false_alarms)} of {words['others']}, {reached}"
    x = share_axis(library.X("share:Q"), words["false alarms"])
    curve = share_axis(library.Y("missed:Q"), words["missed"])
    coin = share_axis(library.Y("coin:Q"), words["missed"])
    share = max(1 - rates.recognised, 0.0)
    # where there is room: above the coin's line, or for a point far down between the lines
    above = min(false_alarms + 0.2, 0.55), min(1.05 - false_alarms, 0.93)
    # up to 0.36 go the words below a curve; below curves that are lower there is no room for them
    room = 1 - promise.profile.power(0.36) > 0.1
    out_of_reach = [text_at((0.03, 0.05), ["no test gets here"], color=BLUE)] if room else []
    label = above if share > 0.3 else (min(false_alarms + 0.08, 0.55), share + 0.12)
    return library.layer(
        base.mark_area(color=PALE, opacity=1).encode(x, curve),
        base.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x, coin),
        base.mark_line(color=BLUE, strokeWidth=2.5).encode(x, curve),
        text_at((0.64, 0.40), ["guessing by a coin"], color=GREY),
        *out_of_reach,
        *annotate_point(
            (false_alarms, share), [f"{plain_percent(false_alarms)} wrong,", f"at least {missed} missed"], label
        ),
    ).properties(title=wrap(title, 52))


def _belief_panel(base: Drawing, promise: SemanticPrivacy, prior: float) -> Drawing:
    library = altair()
    risk = promise.disclosure_risk(prior)
    holds = f", except with a chance of {two_digits(risk.chance)}" if risk.chance else ""
    rise = f"can rise from {plain_percent(prior)} to at most {round_percent(risk.posterior)} likely{holds}"
    unbounded = math.isinf(risk.odds_factor)
    title = f"{WORDS[promise.neighbours]['believed']} {'may become certain: nothing bounds it' if unbounded else rise}"
    x = share_axis(library.X("share:Q"), "How likely somebody thought it before")
    after = share_axis(library.Y("in:Q"), "How likely they can think it after, at most")
    before = share_axis(library.Y("share:Q"), "How likely they can think it after, at most")
    across = min(prior + 0.25, 0.5)
    # below the line of what was thought before, or for a point far up between the lines
    between = min(prior + 0.08, 0.4), min(risk.posterior, 0.86)
    label = (across, across - 0.22) if risk.posterior < 0.65 else between
    return library.layer(
        base.mark_area(color=PALE, opacity=1).encode(x, after, y2="share:Q"),
        base.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x, before),
        base.mark_line(color=BLUE, strokeWidth=2.5).encode(x, after),
        text_at((0.66, 0.60), ["as before"], color=GREY),
        *annotate_point(
            (prior, risk.posterior),
            [f"{plain_percent(prior)} → {'' if unbounded else 'at most '}{round_percent(risk.posterior)}"],
            label,
        ),
    ).properties(title=wrap(title, 52))
