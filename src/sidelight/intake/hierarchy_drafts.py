"""Draft a hierarchy for a column, to start from: by stated rules, else by its values.

| values | draft |
| --- | --- |
| days, in any spelling | month, quarter, year, and decade if there are many years |
| nine or more different numbers | about twenty intervals of 1, 2 or 5 × 10ⁿ, then twice as wide until three are left |
| codes of one length with a digit, such as 00734 or E11 | masks from the right |
| other values, and few numbers, which are often codes | rare ones as one label, then `*` |

Whole numbers are drafted with all numbers between the lowest and the highest, so that the file neither discloses which
of them occur nor fails on next year's table.  Rare labels are known only if people were counted, and then the file
discloses them: keep such a hierarchy private (`publish(private_hierarchies=True)`).  Review every draft before use.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.errors import BadHierarchy, UnknownColumn, did_you_mean, expect, expect_mapping, parameter
from sidelight.files import read_whole
from sidelight.intake.profile import read_written_days
from sidelight.table.hierarchy import Hierarchy, Nested, Period, cap_numbers
from sidelight.table.labels import Column, ColumnKind, Label, as_day, as_number
from sidelight.table.table import Table
from sidelight.text import counted, is_deeply_nested

if TYPE_CHECKING:
    from sidelight.arrays import Integers

Draft: TypeAlias = tuple[Hierarchy, str]
"""A hierarchy, and the rule by which it was drafted, in words."""

# The beginning of rules for numbers whose kind was not declared
NUMBERS = "numbers:"


@dataclass(frozen=True, slots=True)
class DraftRules:
    """Stated rules by column: cuts (finest level first), widths, open ends, masks, trees."""

    cuts: Mapping[str, Sequence[Sequence[float]]] = field(default_factory=dict)
    widths: Mapping[str, Sequence[float]] = field(default_factory=dict)
    bottom: Mapping[str, float] = field(default_factory=dict)
    top: Mapping[str, float] = field(default_factory=dict)
    masks: Collection[str] = ()
    trees: Mapping[str, Nested] = field(default_factory=dict)
    suppress_only: Collection[str] = ()
    kinds: Mapping[str, ColumnKind | None] = field(default_factory=dict)  # declared kinds
    people: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # people by label, if counted

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with rules, each once."""
        rules = (self.cuts, self.widths, self.bottom, self.top, self.masks, self.trees, self.suppress_only)
        return tuple(dict.fromkeys(name for rule in rules for name in rule))

    def check(self, columns: Collection[str]) -> None:
        """Raise if a rule names an unknown column, or if two rules for a column exclude each other."""
        for name in self.columns:
            if name not in columns:
                raise UnknownColumn(f"no column '{name}' to draft a hierarchy for{did_you_mean(name, [*columns])}")
            ways = {"cuts": self.cuts, "masks": self.masks, "trees": self.trees, "suppress_only": self.suppress_only}
            ways["widths"] = {*self.widths, *self.bottom, *self.top}
            both = [way for way, those in ways.items() if name in those]
            if len(both) > 1:
                raise BadHierarchy(
                    f"'{name}' is in {parameter(both[0])} and in {parameter(both[1])}; leave it in one of them"
                )


def draft_hierarchies(
    table: Table,
    *,
    cuts: Mapping[str, Sequence[float] | Sequence[Sequence[float]]] | None = None,
    widths: Mapping[str, Sequence[float]] | None = None,
    bottom: Mapping[str, float] | None = None,
    top: Mapping[str, float] | None = None,
    masks: Collection[str] = (),
    trees: Mapping[str, Nested] | None = None,
    suppress_only: Collection[str] = (),
) -> dict[str, Hierarchy]:
    """Draft a hierarchy for each column of a table, to start from.

    Args:
        table: the table whose quasi-identifiers get a hierarchy each; its sensitive column gets one if `trees` has it.
        cuts: your own cut points, such as {"age": [18, 65]}, or a list of them for each level, the finest first.
        widths: widths of intervals, each a multiple of the one before.
        bottom: numbers below this are one interval (bottom coding).
        top: numbers from this on are one interval (top coding).
        masks: columns of codes, hidden from the right.
        trees: nested mappings of labels, such as {"condition": {"Respiratory": ["Asthma", "Hay fever"]}}.
        suppress_only: columns that are published unchanged or as `*`.

    >>> import sidelight as sl
    >>> drafts = draft_hierarchies(sl.datasets.adult().table, cuts={"age": [18, 65]})
    >>> drafts["age"].labels(1), drafts["race"].labels(2)
    (('<18', '18-64', '65+'), ('other (under 5 %)', 'Black', 'White'))
    """
    expect(Table, table, "what hierarchies are drafted for")
    for name, rule in {"cuts": cuts, "widths": widths, "bottom": bottom, "top": top, "trees": trees}.items():
        expect_mapping({} if rule is None else rule, parameter(name), '{"age": ...}')
    rules = DraftRules(
        cuts={name: _list_levels(at) for name, at in (cuts or {}).items()},
        widths=widths or {},
        bottom=bottom or {},
        top=top or {},
        masks=masks,
        trees=trees or {},
        suppress_only=suppress_only,
        kinds={column.name: column.kind for column in table.quasi},
        people=people_by_label(table.quasi, table.sizes),
    )
    columns: dict[str, tuple[Label, ...]] = {column.name: column.labels for column in table.quasi}
    if table.sensitive in rules.columns:
        columns[table.sensitive] = table.domain
    return {name: hierarchy for name, (hierarchy, _) in drafts(columns, rules).items()}


def _list_levels(at: Sequence[float] | Sequence[Sequence[float]]) -> list[Sequence[float]]:
    levels = [each for each in at if isinstance(each, Sequence)]
    return levels or [[each for each in at if not isinstance(each, Sequence)]]


def drafts(columns: Mapping[str, Collection[Label]], rules: DraftRules) -> dict[str, Draft]:
    """Draft a hierarchy for each column, by its labels."""
    rules.check(columns)
    drafted = {}
    for name, own in columns.items():
        labels, people = [text for text in own if text is not None], rules.people.get(name, {})
        if not labels:
            drafted[name] = Hierarchy.suppression(name, ["*"]), "has no values: only *"
            continue
        by_rule = _draft_by_rule(name, labels, rules)
        drafted[name] = by_rule or _draft_by_values(name, labels, rules.kinds.get(name), people)
    return drafted


def _draft_by_rule(column: str, labels: Sequence[str], rules: DraftRules) -> Draft | None:
    if column in rules.cuts:
        levels = rules.cuts[column]
        cuts = "; then ".join(", ".join(f"{cut:g}" for cut in level) for level in levels)
        return Hierarchy.cuts(column, _fill_zeros(labels), at=levels), f"cut at {cuts}"
    if column in rules.widths or column in rules.bottom or column in rules.top:
        return _intervals(column, labels, rules)
    if column in rules.masks:
        return Hierarchy.masks(column, labels), "masks from the right"
    if column in rules.trees:
        hierarchy = Hierarchy.nested(column, rules.trees[column])
        hierarchy.cover(labels)
        return hierarchy, "your tree"
    return (Hierarchy.suppression(column, labels), "only *") if column in rules.suppress_only else None


def _intervals(column: str, labels: Sequence[str], rules: DraftRules) -> Draft:
    """Draft intervals of stated or suitable widths; with an open end also single numbers before it."""
    numbers = [number for number in map(as_number, labels) if number is not None]
    bottom, top = rules.bottom.get(column), rules.top.get(column)
    suitable = suitable_widths(min(numbers, default=0), max(numbers, default=0))
    whole = all(number == int(number) for number in numbers)
    # a level of single numbers below the first interval, where only the open ends are joined
    single = [1.0] if whole and suitable[0] > 1 and suitable[0] == int(suitable[0]) else []
    widths = rules.widths.get(column) or [*single, *suitable]
    hierarchy = Hierarchy.intervals(column, _fill_zeros(labels), widths=widths, bottom=bottom, top=top)
    ends = [f"below {bottom:g}"] if bottom is not None else []
    ends += [f"{top:g} and above"] if top is not None else []
    together = f"; {' and '.join(ends)} together" if ends else ""
    return hierarchy, f"intervals of {', '.join(f'{width:g}' for width in widths)}{together}"


def _draft_by_values(column: str, labels: Sequence[str], kind: ColumnKind | None, people: Mapping[str, int]) -> Draft:
    """Draft by the declared kind or the labels."""
    named = kind in ("category", "ordered")
    if not named and all(as_day(text) is not None for text in labels):
        years = {int(text[:4]) for text in labels}
        # days of birth span lifetimes: decades are a step between a year and all of them
        decade: tuple[Period, ...] = ("decade",) if max(years) - min(years) > 10 else ()
        periods: tuple[Period, ...] = ("month", "quarter", "year", *decade)
        return Hierarchy.dates(column, labels, periods=periods), f"days: {', '.join(periods)}"
    # codes have one length and a digit; numbers are codes where one begins with a zero, or where it was declared
    written_as_code = re.compile(r"(?=.*[0-9])[0-9A-Za-z]{3,}").fullmatch
    code = len({len(text) for text in labels}) == 1 and all(map(written_as_code, labels))
    codes = kind == "category" or any(text.startswith("0") or as_number(text) is None for text in labels)
    if kind != "number" and code and codes:
        return Hierarchy.masks(column, labels), "codes: masks from the right"
    numbers = [] if named else [number for number in map(as_number, labels) if number is not None]
    if len(numbers) < len(labels):
        # days in other ways of writing than 1999-12-31, as far as they can be recognised
        days = read_written_days(labels)
        if days is None:
            return _rare_together(column, labels, people, counted(len(labels), "value"))
        untold = "" if "month" in days else ", of which nobody can tell the day from the month"
        return Hierarchy(column, cap_numbers(tuple(labels), *days.values())), f"days{untold}: {', '.join(days)}"
    if kind is None and len(labels) <= 8:  # few different numbers are often codes
        return _rare_together(column, labels, people, f"{counted(len(labels), 'number')}, perhaps codes")
    # widths that suit, of whole numbers whole ones, and never one that changes nothing
    whole = all(number == int(number) for number in numbers)
    suitable = suitable_widths(min(numbers), max(numbers))
    widths = [width for width in suitable if width != 1 and (not whole or width > 1)] or [2]
    hierarchy = Hierarchy.intervals(column, _fill_zeros(labels), widths=widths)
    return hierarchy, f"{NUMBERS} intervals of {', '.join(f'{width:g}' for width in widths)}"


def _rare_together(column: str, labels: Sequence[str], people: Mapping[str, int], what: str) -> Draft:
    """Draft levels that print rare labels as one, if people were counted; else only `*`.

    A level needs at least two rare labels, not all of them, and a change from the level before.
    """
    total = sum(people.values())
    levels: list[tuple[str, ...]] = []
    shares: list[str] = []
    before: set[str] = set()
    for share in (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20), Fraction(1, 5)):
        rare = {text for text in labels if people.get(text, 0) < share * total}
        if len(rare) < 2 or rare in (before, {*labels}):
            continue
        before, name = rare, f"{float(100 * share):g} %"
        levels.append(tuple(f"other (under {name})" if text in rare else text for text in labels))
        shares.append(name)
    if not levels:
        return Hierarchy.suppression(column, labels), f"{what}: only *"
    rule = f"{what}: those that fewer than {', '.join(shares)} of the people have together"
    return Hierarchy(column, cap_numbers(tuple(labels), *levels)), rule


def people_by_label(columns: Sequence[Column], sizes: Integers) -> dict[str, dict[str, int]]:
    """Count how many people have each label of each column; missing cells are no label."""
    counts: dict[str, dict[str, int]] = {}
    for column in columns:
        people = np.bincount(column.codes, weights=sizes, minlength=len(column.labels))
        pairs = zip(column.labels, people.tolist(), strict=True)
        counts[column.name] = {text: int(number) for text, number in pairs if text is not None}
    return counts


def suitable_widths(low: float, high: float) -> list[float]:
    """Choose round widths: about twenty intervals first, then twice as wide until three are left.

    >>> suitable_widths(17, 90), suitable_widths(0, 99_999), suitable_widths(0.1, 0.9)
    ([5, 10, 20], [5000, 10000, 20000], [0.05, 0.1, 0.2])
    """
    span = (high - low) or 1
    # the smallest of 1, 2, 5 times a power of ten of which twenty cover the span
    exponent = math.floor(math.log10(span / 20)) if span else 0
    finest = next(
        base * 10.0**at for at in (exponent, exponent + 1) for base in (1, 2, 5) if base * 10.0**at * 20 >= span
    )
    widths = [finest]
    while span / (2 * widths[-1]) >= 3:
        widths.append(2 * widths[-1])
    return [int(width) if width == int(width) else round(width, 12) for width in widths]


def _fill_zeros(labels: Sequence[str]) -> Sequence[str]:
    """List all whole numbers between the lowest and the highest, if all labels are such and few enough."""
    if not all(re.fullmatch("0|-?[1-9][0-9]{0,17}", text) for text in labels):
        return labels
    low, high = min(map(int, labels)), max(map(int, labels))
    return [str(number) for number in range(low, high + 1)] if high - low < 10_000 else labels


def read_tree(file: Path) -> Nested:
    """Read a nested mapping from a JSON or TOML file."""
    try:
        text = read_whole(file).decode("utf-8-sig")
        text = "" if is_deeply_nested(text) else text
        tree = tomllib.loads(text) if file.suffix.lower() == ".toml" else json.loads(text)
    except (ValueError, OSError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is neither JSON nor TOML"
        raise BadHierarchy(
            f"cannot read the tree '{file.name}': {why}; write it as {{'coarse label': ['value', …], …}} in JSON"
        ) from None
    if not _is_tree(tree):
        raise BadHierarchy(f"'{file.name}' is no tree of labels; nest mappings, and end with lists of values")
    branches: Nested = tree
    return branches


def _is_tree(tree: object) -> bool:
    if isinstance(tree, Mapping):
        return all(map(_is_tree, tree.values()))
    return isinstance(tree, list) and all(isinstance(each, str | int | float) for each in tree)
