"""The registry of answers as text: read and written, as rows of every engine, with witnesses as data.

The format is in `tests/registry/README.md`; `scripts/registry.py` writes the files, `tests/registry/test_registry.py`
runs them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

import sidelight as sl
from sidelight.measures.about import findings
from sidelight.measures.ck_safety.implications import ImplicationsWitness, NegationsWitness
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.measure import Measure
from sidelight.policy.limits import read_limit, read_measure
from sidelight.release.groups import GroupName
from sidelight.table.labels import MISSING, Label, shown, written_label
from sidelight.worlds.brute_force import Person

FOLDER = Path(__file__).parents[1] / "registry"
Data: TypeAlias = dict[str, Any]
Answer: TypeAlias = Fraction | float | tuple[Decimal, Decimal]
"""A fraction, infinity, or two decimals between which the value lies."""


def documents() -> dict[str, Data]:
    """Read all files of the registry, by their names."""
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}


def digest(files: Mapping[str, Data]) -> str:
    """Give the SHA-256 of what the files say, however they are laid out; of their versions only that they agree."""
    said = {name: {key: each for key, each in file.items() if key != "version"} for name, file in files.items()}
    text = json.dumps(said, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# --- text ----------------------------------------------------------------------------------------------------------


def written(thing: Any) -> str:
    """Write a value as TOML on one line.

    >>> written({"ask": "group size", "is": "2", "witness": {"group": 2}})
    '{ask = "group size", is = "2", witness = {group = 2}}'
    """
    if isinstance(thing, bool):
        return str(thing).lower()
    if isinstance(thing, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {written(each)}" for key, each in thing.items()) + "}"
    if isinstance(thing, str):
        return json.dumps(thing, ensure_ascii=False)
    if isinstance(thing, Sequence):
        return "[" + ", ".join(map(written, thing)) + "]"
    return repr(thing)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


LISTS = ("groups", "answers", "beliefs", "skylines", "people", "population")
"""Lists with a line for each entry."""


def section_text(kind: str, section: Data) -> str:
    """Write one section: a key per line, and of lists an entry per line."""
    lines = [f"[[{kind}]]"]
    for key, value in section.items():
        if key in LISTS:
            lines += [f"{key} = [", *(f"  {written(each)}," for each in value), "]"]
        else:
            lines.append(f"{key} = {written(value)}")
    return "\n".join(lines) + "\n"


def answer_text(answer: Answer) -> str | list[str]:
    """Write an answer: "2/3", "inf", or two decimals."""
    if isinstance(answer, tuple):
        return [f"{each:f}" for each in answer]
    return "inf" if answer == math.inf else str(Fraction(answer))


def read_answer(text: str | list[str]) -> Answer:
    """Read an answer."""
    if isinstance(text, list):
        low, high = map(Decimal, text)
        return low, high
    return math.inf if text == "inf" else Fraction(text)


def same(finding: Finding, value: Answer) -> bool:
    """Whether a finding is what somebody else says: exactly, or the next float on the cautious side."""
    low, high = value if isinstance(value, tuple) else (value, value)
    if math.inf in (low, finding.value) or (isinstance(finding.value, Fraction) and low == high):
        return bool(finding.value == low)
    ours = Fraction(finding.value)
    kind = Fraction(math.nextafter(float(finding.value), -math.inf if finding.measure.large_is_bad else math.inf))
    if finding.measure.large_is_bad:
        return Fraction(low) <= ours and kind <= Fraction(high)
    return ours <= Fraction(high) and kind >= Fraction(low)


# --- releases ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Listed:
    """A release of the registry: what its section says, as Sidelight's own objects and as rows of people."""

    section: Data

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.section["name"])

    @property
    def semantics(self) -> Any:
        """Whether people have one value, a set or a multiset."""
        return self.section["values"]

    @property
    def columns(self) -> list[str]:
        """What is printed of each group."""
        return list(self.section["columns"])

    @property
    def domain(self) -> list[str | None]:
        """The values that could occur."""
        return [written_label(value) for value in self.section["domain"]]

    @property
    def bucketized(self) -> bool:
        """Whether it says who is in which group."""
        return "members" in self.section

    def release(self) -> sl.Release:
        """Make the release from its counts alone, without any rows."""
        groups = self.section["groups"]
        if self.bucketized or "weight" in groups[0]:
            return sl.read_release(self.rows(), **self.roles())
        return sl.Release.from_counts(
            [
                {value: count for value, count in zip(self.domain, each["counts"], strict=True) if count}
                for each in groups
            ],
            sizes=[each["people"] for each in groups],
            values=self.semantics,
            domain=self.domain,
            labels=[dict(zip(self.columns, map(written_label, each["cells"]), strict=True)) for each in groups],
        )

    def roles(self) -> Data:
        """Say what the columns of the rows are."""
        several = self.semantics != "single"
        said: Data = {"group": self.columns, "sensitive": "value", "values": self.semantics, "domain": self.domain}
        said["missing"] = "no value" if several else "a value"
        said |= {"person": "person"} if several else {}
        said |= {"quasi": self.section["members"]} if self.bucketized else {}
        return said | ({"weight": "weight"} if "weight" in self.section["groups"][0] else {})

    def rows(self) -> pa.Table:
        """List people, one row each, or one for each of their values; in an order that tells nothing of groups."""
        rows = [row for number, each in enumerate(self.section["groups"]) for row in self._rows_of(number, each)]
        rows = [rows[at * 7919 % len(rows)] for at in range(len(rows))] if len(rows) % 7919 else rows
        return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in rows[0]})

    def _rows_of(self, number: int, group: Data) -> Iterator[Data]:
        cells = dict(zip(self.columns, map(written_label, group["cells"]), strict=True))
        cells |= {"weight": group["weight"]} if "weight" in group else {}
        values = [value for value, count in zip(self.domain, group["counts"], strict=True) for _ in range(count)]
        if self.semantics == "single":
            for place, value in enumerate(values):
                yield {**cells, **self._says(group, place), "value": value}
            return
        held: dict[int, list[Any]] = {person: [] for person in range(group["people"])}
        for place, (value, count) in enumerate(zip(self.domain, group["counts"], strict=True)):
            for time in range(count):  # in turn, so that nobody has a value of a set twice
                held[(place + time) % group["people"]].append(value)
        for person, mine in held.items():
            for value in mine or [None]:
                yield {**cells, "person": f"{number}-{person}", "value": value}

    def _says(self, group: Data, place: int) -> Data:
        if not self.bucketized:
            return {}
        return dict(zip(self.section["members"], group["members"][place], strict=True))

    def counted_rows(self) -> pa.Table:
        """List groups and values instead of people."""
        rows = []
        for group in self.section["groups"]:
            cells = dict(zip(self.columns, map(written_label, group["cells"]), strict=True))
            for value, count in zip(self.domain, group["counts"], strict=True):
                rows.append({**cells, "value": value, "people": group["people"], "count": count})
        return pa.Table.from_pylist(rows)

    def original(self) -> sl.Table:
        """Give the table that a bucketized release was made from: the first of a bucket has the first value."""
        return sl.read_table(self.rows(), quasi=self.section["members"], sensitive="value", domain=self.domain)

    def measures(self) -> list[Measure]:
        """Read the questions."""
        return [self.measure(each["ask"]) for each in self.section.get("answers", ())]

    @cached_property
    def asked(self) -> tuple[list[Measure], sl.Release, tuple[Finding, ...], list[Witness | None]]:
        """The questions, the release from its counts, what is found of that, and the witnesses that the registry has."""
        measures, release = self.measures(), self.release()
        found = findings(measures, release)
        witnesses = [
            None if "witness" not in entry else read_witness(type(finding.witness), entry["witness"], release)  # type: ignore[arg-type]
            for entry, finding in zip(self.section["answers"], found, strict=True)
        ]
        return measures, release, found, witnesses

    def check_groups(self, release: sl.Release) -> None:
        """See that what an engine read is the release of the registry, of which then all findings are the same."""
        own, groups = self.asked[1].groups, release.groups
        assert (groups.domain, groups.semantics) == (own.domain, own.semantics), self.name
        printed = [[groups.name(row), own.name(row)] for row in range(len(own))]
        assert all(here == there for here, there in printed), self.name
        for one, other in (
            (groups.sizes, own.sizes),
            (groups.counts.dense(), own.counts.dense()),
            (groups.whole, own.whole),
        ):
            assert one.tolist() == other.tolist(), self.name

    def check(self, release: sl.Release | sl.StreamedRelease, *, every: int = 1, first: int = 0) -> int:
        """Ask a release that an engine gave all that it can be asked (or every n-th of it); say how much that is."""
        measures, _, _, expected = self.asked
        entries = list(zip(measures, self.section["answers"], expected, strict=True))[first::every]
        if isinstance(release, sl.StreamedRelease):
            entries = [each for each in entries if each[0].streams]
        same_release = release is self.asked[1]
        found = self.asked[2] if same_release else findings([measure for measure, _, _ in entries], release)
        for (measure, entry, witness), finding in zip(entries, found, strict=True):
            assert same(finding, read_answer(entry["is"])), (self.name, str(measure), finding.value)
            assert finding.witness == witness, (self.name, str(measure))
        return len(entries)

    def measure(self, text: str) -> Measure:
        """Read a question; those about a population get it."""
        measure = read_measure(text)
        if self.bucketized:
            return measure.bind_table(self.original())
        if "population" not in self.section:
            return measure
        register = [row[:-1] for row in self.section["population"] for _ in range(row[-1])]
        columns = {name: pa.array(cells) for name, cells in zip(self.columns, zip(*register, strict=True), strict=True)}
        from sidelight.release.population import Population  # noqa: PLC0415 - few ask

        table = sl.read_table(
            pa.table(columns | {"of": pa.array(["x"] * len(register))}), quasi=self.columns, sensitive="of"
        )
        return measure.compare_with(Population.from_source(table))


def section_of(name: str, release: sl.Release, **more: Any) -> Data:
    """Write a release down."""
    groups = release.groups
    listed = [
        {
            "cells": [shown(column.cell(row)) for column in groups.columns],
            "people": int(groups.sizes[row]),
            "counts": groups.counts.row(row).tolist(),
        }
        for row in range(len(groups))
    ]
    return {
        "name": name,
        "values": release.semantics,
        "columns": [column.name for column in groups.columns],
        "domain": [shown(value) for value in release.domain],
        "groups": listed,
        **more,
    }


# --- witnesses -----------------------------------------------------------------------------------------------------


def witness_data(thing: Any, release: sl.Release) -> Any:
    """Reduce a witness to plain data: groups to their numbers, fractions to text; what is as by default is left out."""
    if thing is None:
        return MISSING
    if isinstance(thing, GroupName):
        there = thing.number <= len(release) and release.groups.name(thing.number - 1) == thing
        return thing.number if there else {"number": thing.number, "says": dict(thing.printed)}
    if isinstance(thing, Enum):
        return thing.value
    if isinstance(thing, Fraction):
        return str(thing)
    if dataclasses.is_dataclass(thing):
        kept = [each for each in dataclasses.fields(thing) if getattr(thing, each.name) != each.default]
        return {each.name: witness_data(getattr(thing, each.name), release) for each in kept}
    if isinstance(thing, tuple | list):
        return [witness_data(each, release) for each in thing]
    return thing


def read_witness(kind: type[Witness], data: Data, release: sl.Release) -> Witness:
    """Make a witness of a class from its data."""
    witness: Witness = _read(kind, data, release)
    return witness


def _read(kind: Any, data: Any, release: sl.Release) -> Any:
    """Read data as what a type hint says."""
    if kind is Witness and data.keys() - {"group", "value"}:  # what is known to whoever a cost is about
        kind = ImplicationsWitness if "implications" in data else NegationsWitness
    if kind is GroupName:  # of a view by fewer columns, what it prints is said
        return (
            release.groups.name(data - 1)
            if isinstance(data, int)
            else GroupName(data["number"], (*data["says"].items(),))
        )
    if dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _read(hints[name], each, release) for name, each in data.items()})
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _read_either(parts, data, release)
    if origin is tuple:
        each_kind = [parts[0]] * len(data) if parts[-1:] == (Ellipsis,) else parts
        return tuple(_read(one, each, release) for one, each in zip(each_kind, data, strict=True))
    if isinstance(kind, type) and issubclass(kind, Enum | Fraction):
        return kind(data)
    return data


def _read_either(parts: tuple[Any, ...], data: Any, release: sl.Release) -> Any:
    if isinstance(data, dict | list) or (isinstance(data, int) and GroupName in parts):
        (kind,) = (each for each in parts if each is not types.NoneType)
        return _read(kind, data, release)
    if isinstance(data, str):
        return Fraction(data) if Fraction in parts else written_label(data)
    return data


# what witnesses name in annotations, and their modules import for type checking alone
_ANNOTATED = {"Amount": Amount, "GroupName": GroupName, "Label": Label, "Person": Person}
_HINTS: dict[Any, Data] = {}


def _hints(kind: Any) -> Data:
    if kind not in _HINTS:
        _HINTS[kind] = typing.get_type_hints(kind, localns=_ANNOTATED)
    return _HINTS[kind]


# --- questions that are not of one release -------------------------------------------------------------------------


def together(section: Data) -> sl.Exposure:
    """Put releases about the same people together."""
    releases = [
        sl.Release.from_counts(
            [dict(zip(section["domain"], group["counts"], strict=True)) for group in groups],
            labels=[dict(zip(section["columns"], group["cells"], strict=True)) for group in groups],
            domain=section["domain"],
        )
        for groups in section["releases"]
    ]
    people = pa.table({name: [person[name] for person in section["people"]] for name in section["columns"]})
    return sl.intersect(releases, people=people, prior=section["prior"], evidence="independent", locate="intervals")


def made(table: sl.Table, limits: Sequence[str]) -> sl.SearchResult:
    """Publish a table by Mondrian's method within limits."""
    return sl.protect(table, [read_limit(each) for each in limits], method="mondrian", ask="nobody")


def table_of(section: Data) -> sl.Table:
    """Make the table that a section lists key by key."""
    return sl.read_table(Listed({**section, "values": "single"}).rows(), quasi=section["columns"], sensitive="value")


def noise_numbers(section: Data) -> dict[str, float]:
    """Say a promise of pure differential privacy in three ways."""
    promise = sl.semantic_privacy(Fraction(section["epsilon"]))
    return {
        "shift": promise.shift,
        "recognised": promise.error_rates(float(Fraction(section["false_alarms"]))).recognised,
        "posterior": promise.disclosure_risk(float(Fraction(section["prior"]))).posterior,
    }


# --- what there is -------------------------------------------------------------------------------------------------


def tally_table(files: Mapping[str, Data]) -> str:
    """Count the entries by question, semantics and what vouches for them, as a Markdown table."""
    kinds = ("brute force", "definition", "paper", "code")
    rows: dict[str, Data] = {}

    def add(question: str, semantics: str, by: str) -> None:
        row = rows.setdefault(question, dict.fromkeys(("single", "set", "multiset", *kinds), 0))
        row[semantics] += 1
        row[next((kind for kind in ("brute force", "definition", "code") if by.startswith(kind)), "paper")] += 1

    for file in files.values():
        for section in file.get("release", ()):
            for entry in section.get("answers", ()):
                add(entry["ask"].partition("(")[0], section["values"], entry["by"])
            for name, question in (("beliefs", "beliefs from facts"), ("skylines", "knowledge skylines")):
                for entry in section.get(name, ()):
                    add(question, section["values"], entry["by"])
        for section in file.get("together", ()):
            for entry in section["people"]:
                add("several releases", "single", entry["by"])
        for section in file.get("making", ()):
            add("insider", "single", section["by"])
        for kind, question in (("promise", "promises of noise"), ("composition", "noise added up")):
            for section in file.get(kind, ()):
                add(question, "single", section["by"])
    totals = {name: sum(row[name] for row in rows.values()) for name in next(iter(rows.values()))}
    lines = ["| question | single | set | multiset | brute force | definition | paper | code |"]
    lines.append("| --- |" + " ---: |" * 7)
    for question, row in [*sorted(rows.items()), ("**all**", totals)]:
        lines.append(f"| {question} | " + " | ".join(str(count or "") for count in row.values()) + " |")
    return "\n".join(lines) + "\n"
