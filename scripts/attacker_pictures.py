"""Draw the pictures of docs/learn/attackers.md: one release of the census, and what each of ten readers makes of it.

Run by `make pictures`; takes about a minute.  The sentences of the page are those that it prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numpy.random import default_rng

import sidelight as sl
from sidelight.report.plots import Change, dumbbell_chart, save_chart, title_of

FOLDER = Path(__file__).parents[1] / "docs" / "pictures" / "attackers"
COLUMNS = ["age", "sex", "education", "race"]
OTHER_COLUMNS = ["age", "workclass", "marital-status", "native-country"]
POLICY = sl.Policy(sl.GroupSize() >= 10, sl.RecursiveDiversity(3) <= 3)
VALUE = "Exec-managerial"
FACT = "#508.2 = Other-service -> #508 = Other-service"
STATED = "P(Craft-repair | sex=Female) = 0.02"


def main() -> None:
    """Make the release, and draw what each reader makes of it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    adult = sl.datasets.adult(quasi=COLUMNS)
    found = sl.protect(adult.table, POLICY, method="mondrian", by=without_age(adult), ask="nobody")
    print(found.release)
    for name, chart in pictures(adult, found):
        print(f"{name}: {title_of(chart)}")
        save_chart(chart, FOLDER / f"{name}.svg", force=True)


def pictures(adult: Any, found: sl.SearchResult) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """A name and a chart for each reader."""
    release = found.release
    yield "looker-up", sl.identifying_columns(adult.table).plot()
    yield "neighbour", sl.RecursiveDiversity(3).measure(release).plot(release)
    yield "worst-case", sl.disclosure_curve(release, sl.Implications, {"k": range(5)}).plot(limit=0.75)
    yield "acquaintance", sl.knowledge_skyline(release, VALUE, below=0.9).plot()
    yield "realist", realist(release)
    buckets = sl.protect(
        adult.table, sl.DistinctValues() >= 4, method=sl.Anatomy(l=4, random=default_rng(3)), ask="nobody"
    )
    yield "statistician", sl.maxent(buckets.release, STATED).plot()
    yield "someone", someone(release)
    other = sl.datasets.adult(quasi=OTHER_COLUMNS).table
    second = sl.protect(other, POLICY, method="mondrian", by=without_age(adult), ask="nobody")
    everybody = sl.datasets.adult(quasi=[*dict.fromkeys(COLUMNS + OTHER_COLUMNS)]).table
    yield "collector", sl.intersect([found, second], people=everybody, by=adult.hierarchies).plot("belief", belief=0.9)


def without_age(adult: Any) -> dict[str, sl.Hierarchy]:  # noqa: ANN401
    """Hierarchies to go by; ages have an order, and need none."""
    return {name: hierarchy for name, hierarchy in adult.hierarchies.items() if name != "age"}


def realist(release: sl.Release) -> Any:  # noqa: ANN401 - Altair makes its classes as it is imported
    """What is believed of whoever is worst off, left out of the release and in it, by how stubborn somebody is."""
    answers = (20, 100, 1_000, 10_000)
    about = {"a professional": ["Prof-specialty"]}
    minds = [
        sl.PriorBelief(shape="uniform", stubbornness=each, least_stubbornness="same", predicates=about)
        for each in answers
    ]
    worst = [mind.measure(release).witness for mind in minds]
    changes = [
        Change(f"as sure as {each:,} answers", one.p_out, one.p_in) for each, one in zip(answers, worst, strict=True)
    ]
    top = changes[-1]
    return dumbbell_chart(
        changes,
        title=f"Being in it moves a stubborn mind from {float(top.before):.1%} to {float(top.after):.1%}",
        subtitle="Is somebody a professional? Before: all occupations are taken for alike, as surely as so many "
        "answers to a survey make one. Drawn: of whoever is worst off, left out of the release and in it.",
        ends=("left out", "in the release"),
        axis="how sure somebody is",
    )


def someone(release: sl.Release) -> Any:  # noqa: ANN401
    """What one fact about two people of a group makes of the values that one of them may have."""
    values = [value for value in release.domain if sl.posterior(release, sl.Has(sl.Someone(508), value))]
    changes = [
        Change(value, *(sl.posterior(release, sl.Has(sl.Someone(508), value), given=fact) for fact in ([], FACT)))
        for value in values
    ]
    top = max(changes, key=lambda each: each.moved)
    return dumbbell_chart(
        changes,
        title=f"One fact moves {top.name} from {top.before} to {top.after}",
        subtitle="A young man of group 508 (age 17-19), and somebody who knows: if that other one works in a service "
        "occupation, so does he.",
        ends=("by the release alone", "with the fact"),
        axis="how sure somebody is of his occupation",
        top=top.name,
    )


if __name__ == "__main__":
    main()
