"""Draw the pictures of docs/understand/own-making.md: what a learner and an insider believe of Adult, and how right.

Run by `make pictures`; takes a minute. The figures on the page are those that it prints.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

import sidelight as sl
from sidelight.errors import UnnamedAttackerWarning
from sidelight.report.plots import (
    BLUE,
    GREY,
    INK,
    VERMILION,
    TableBehind,
    altair,
    finish_chart,
    share_axis,
    svg,
    text_at,
)

PAGE = Path(__file__).parents[1] / "docs" / "understand"
COLUMNS = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
LIMITS = [sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1]
SIDE = 380


def main() -> None:
    """Attack both releases, and draw."""
    warnings.simplefilter("ignore", UnnamedAttackerWarning)  # that is what the page is about
    adult = sl.datasets.adult(quasi=COLUMNS)
    along = {name: hierarchy for name, hierarchy in adult.hierarchies.items() if name != "age"}
    random = np.random.default_rng(3)
    buckets = sl.protect(adult.table, sl.DistinctValues() >= 4, method=sl.Anatomy(l=4, random=random))
    learned = {model: sl.learn(buckets.release, model, truth=buckets) for model in ("logistic", "naive bayes")}
    for model, each in learned.items():
        print(model, each.explain())
    write("own-making-learner.svg", learner_chart(learned))
    groups = sl.protect(adult.table, LIMITS, by=along, method="mondrian")
    inside = sl.insider(groups)
    print(inside.explain())
    write("own-making-insider.svg", insider_chart(inside))


def write(name: str, chart: Any) -> None:  # noqa: ANN401 - Altair makes its classes as it is imported
    """Put a picture beside the page."""
    (PAGE / name).write_text(svg(chart), encoding="utf-8")


def learner_chart(learned: dict[str, sl.Learned]) -> Any:  # noqa: ANN401
    """Two models, what they claim and how right they are, by how sure they are."""
    rows = [
        {"who": model, "claimed": each.claimed, "right": each.right, "people": each.people}
        for model, beliefs in learned.items()
        for each in beliefs.calibration
    ]
    sure = learned["logistic"]
    title = f"Trained on “one in four”, a model is right about {sure.right:.0%} of people"
    return calibration(
        rows,
        {"logistic": (BLUE, (0.36, 0.62)), "naive bayes": (VERMILION, (0.62, 0.34))},
        title=title,
        subtitle=f"Adult, anatomy with l = 4, {sure.release.size:,} people; dots are as large as the people they stand "
        f"for. Of {sure.people_above(0.9):,} people the logistic model is at least 90 % sure, and right about "
        f"{sure.right_above(0.9):.0%} of them.",
        printed=0.25,
        says=["what the release says", "by itself"],
    )


DRAWN = 0.52
"""Beliefs that are drawn are off by less than two hundredths."""

EDGES = (0.3, 0.4, 0.45, 0.5, 0.525, 0.55, 0.6, 0.7, 1.0)


def insider_chart(inside: sl.InsiderBeliefs) -> Any:  # noqa: ANN401
    """What is believed of people in groups that could be counted or drawn, and how right that is."""
    above = [inside.claims_above(edge) for edge in (*EDGES[:-1], 0.999999)]
    rows = []
    for here, beyond in zip(above, [*above[1:], None], strict=True):
        people = here.people - (beyond.people if beyond else 0)
        if not people:
            continue
        claimed, right = (
            here.people * getattr(here, name)
            - (beyond.people * getattr(beyond, name) if beyond and beyond.people else 0)
            for name in ("claimed", "right")
        )
        rows.append({"who": "insider", "claimed": claimed / people, "right": right / people, "people": people})
    over = inside.claims_above(DRAWN)
    right = f"right about {over.right:.0%} of them"
    title = f"“At most one half”: an insider is surer than {DRAWN:.0%} of {over.people:,} people, and {right}"
    return calibration(
        rows,
        {"insider": (BLUE, (0.62, 0.45))},
        title=title,
        subtitle=f"Adult by Mondrian, no value above 1/2 in a group of 5 or more; {len(inside.telling):,} of "
        f"{len(inside.release):,} groups tell something by the cuts that were not made. Some beliefs are drawn.",
        printed=0.5,
        says=["what the policy", "promises at most"],
    )


def calibration(
    rows: list[dict[str, Any]],
    looks: dict[str, tuple[str, tuple[float, float]]],
    *,
    title: str,
    subtitle: str,
    printed: float,
    says: list[str],
) -> Any:  # noqa: ANN401
    """Claimed against right; the limit that the policy promises is a line."""
    library = altair()
    x = share_axis(library.X("claimed:Q"), "how sure somebody claims to be")
    y = share_axis(library.Y("right:Q"), "how often that is right")
    most = max(row["people"] for row in rows)
    size = library.Size("people:Q").scale(domain=[0, most], range=[35, 500]).legend(None)
    diagonal = library.Chart(library.Data(values=[{"claimed": 0, "right": 0}, {"claimed": 1, "right": 1}]))
    limit = library.Chart(library.Data(values=[{"claimed": printed}]), width=SIDE, height=SIDE)
    layers = [
        diagonal.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x, y),
        text_at((0.04, 0.16), ["as right as claimed"], color=GREY, angle=315),
        limit.mark_rule(color=INK, strokeWidth=1).encode(x),
        text_at((printed + 0.015, 0.08), says, color=INK),
    ]
    for who, (colour, place) in looks.items():
        base = library.Chart(library.Data(values=[row for row in rows if row["who"] == who]), width=SIDE, height=SIDE)
        layers += [
            base.mark_line(color=colour, strokeWidth=1.5).encode(x, y),
            base.mark_point(color=colour, filled=True, opacity=1).encode(x, y, size=size),
            text_at(place, [who], color=colour),
        ]
    table = TableBehind(
        ("who", "claimed on average", "right", "people"),
        tuple((row["who"], row["claimed"], row["right"], row["people"]) for row in rows),
    )
    return finish_chart(library.layer(*layers), title=title, subtitle=subtitle, table=table, width=470)


if __name__ == "__main__":
    main()
