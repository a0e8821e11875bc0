"""Every public result that is shown in a notebook has a picture, or a reason not to."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from pathlib import Path

import pytest

import sidelight as sl
from sidelight.report.plots import svg, table_behind, title_of

WITHOUT = {
    "Table": "of rows that are not published nothing is drawn",
    "SuggestedRoles": "a proposal in words, column by column",
    "Hierarchy": "a tree of labels; the page shows it as such",
    "MinimalUniques": "a score per person: of single people nothing is drawn",
    "GeneralisationTable": "a row per choice of levels; found.plot() draws the lattice",
    "Belief": "one number",
    "Posteriors": "one number per question",
    "Criterion": "a question, not an answer",
    "Policy": "a question, not an answer",
    "PublishedNoise": "names of files",
    "Published": "names of files",
    "ExposureWitness": "one person",
    "Simulation": "a number per method and policy; sl.Simulation.curve gives them to any chart",
    "NoisyCounts": "noisy cells without an order",
    "StableCounts": "noisy cells without an order",
    "Ledger": "an account",
    "PrivacySpent": "an account",
    "NoisyExposure": "numbers; promise.plot() draws what noise promises",
    "SideBySide": "two columns of numbers",
}
"""Public results without a picture, and why."""


def public_results() -> dict[str, type]:
    names = Path(sl.__file__).with_name("__init__.pyi").read_text(encoding="utf-8")
    imports = [node for node in ast.parse(names).body if isinstance(node, ast.ImportFrom)]
    public = {alias.asname or alias.name for node in imports for alias in node.names}
    things = {name: getattr(sl, name) for name in public}
    return {name: thing for name, thing in things.items() if inspect.isclass(thing) and hasattr(thing, "_repr_html_")}


def test_every_result_has_a_picture_or_a_reason():
    plain = {name for name, kind in public_results().items() if not hasattr(kind, "plot")}
    assert plain == set(WITHOUT)


def adult() -> sl.Table:
    return sl.datasets.adult(quasi=["sex", "race"]).table


PICTURES = {
    "release": lambda: sl.group(adult(), by=["sex", "race"]).plot(),
    "verdict": lambda: sl.Policy(sl.GroupSize() >= 5, sl.Implications(1) < 0.9).judge(sl.group(adult())).plot(),
    "columns": lambda: sl.identifying_columns(adult()).plot(),
    "rules": lambda: sl.rule_curve(sl.group(adult(), by="sex"), adult(), [0, (10, 0), (0, 10), 20]).plot(),
}


@pytest.mark.parametrize("name", PICTURES)
def test_it_says_its_finding_and_has_its_table(name):
    chart = PICTURES[name]()
    assert title_of(chart)
    assert table_behind(chart).rows
    assert svg(chart).startswith("<svg")


def insiders(limit: float) -> sl.InsiderBeliefs:
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(adult.table, sl.EntropyDiversity() >= limit, method="mondrian", ask="nobody")
    return sl.insider(found, beyond="left out")


def test_an_insider_is_drawn_beside_the_release_alone():
    learnt = insiders(4)
    chart = learnt.plot()
    rows = table_behind(chart).rows
    assert rows[0][2] == learnt.release.size
    assert all(one >= other for one, other in pairwise(row[1] for row in rows))
    assert title_of(chart).startswith("An insider is at least ")
