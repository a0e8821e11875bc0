"""The experiments of Du, Teng and Zhu (Privacy-MaxEnt, SIGMOD 2008, section 7) on Adult, run again.

14,210 people with education as the sensitive value and eight quasi-identifiers, in 2,842 buckets of five; people and
buckets are drawn anew for each repetition.  What an attacker would believe who knows the strongest rules of the
original table is compared with the truth: against how many rules are known and of which kind (Figure 5), against the
number T of columns in a rule (Figure 6); and how long solving takes against the number of statements and of buckets
(Figure 7), with and without cutting the problem into parts.

The K strongest rules are not determined by their strength: far more rules than K hold without exception.  So Figure 5
is run with two orders of equally strong rules: those that most people follow first, and any first, by lot.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy: small systems run best so

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TypeVar

import curves
import experiment
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from whole_dual import MOST_ITERATIONS, NEAR, WholeDual

import sidelight as sl
from sidelight.attack.simulation import MeanEstimate
from sidelight.knowledge.statements import Statement
from sidelight.report.plots import BLUE, INK, VERMILION
from sidelight.search.anatomy import deal
from sidelight.table.labels import number_equal_rows

QUASI = ["age", "workclass", "marital-status", "relationship", "race", "sex", "native-country", "hours-per-week"]
SUPPORT = 3
KINDS = {"“has”": BLUE, "“has not”": VERMILION, "half of each": INK}
ORDERS = {"most followed": "most followed first", "by lot": "by lot"}


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiments run."""

    people: int = 14_210
    repetitions: int = 10
    rules: tuple[int, ...] = (10, 30, 50, 100, 300, 1_000, 3_000)
    bounds: tuple[int, ...] = (100, 500, 1_000)  # of Figure 6
    sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    certain: tuple[int, ...] = (10, 30, 100, 300, 1_000, 3_000)  # statements of Figure 7 (a)
    between: tuple[int, ...] = (10, 30, 100, 300)
    buckets: tuple[int, ...] = (500, 1_000, 2_000, 4_000, 8_000)  # of Figure 7 (b)


WHOLE = Size()
QUICK = Size(500, 2, (10, 100), (100,), (1, 8), (10, 100), (10,), (50, 100))


@dataclass(frozen=True, eq=False, slots=True)
class Setting:
    """People, and the release of them in buckets of five."""

    table: sl.Table
    release: sl.Release

    @classmethod
    def drawn(cls, everybody: pa.Table, people: int, seed: int) -> Setting:
        """Draw people, and deal them into buckets value by value, those of a value in any order."""
        chance = np.random.default_rng(seed)
        some = everybody.take(np.sort(chance.permutation(len(everybody))[:people]))
        education = some["education"].dictionary_encode().combine_chunks()
        value = education.indices.to_numpy()
        bucket = np.empty(people, np.int64)
        in_line = np.argsort(value + chance.random(people) / 2, kind="stable")
        bucket[in_line] = deal(np.bincount(value, minlength=len(education.dictionary)), people // 5)
        dealt = some.append_column("bucket", pa.array(bucket))
        return cls(
            sl.read_table(some, quasi=QUASI, sensitive="education"),
            sl.read_release(dealt, group="bucket", quasi=QUASI, sensitive="education"),
        )

    def error(self, rules: Sequence[object]) -> float:
        """How far from the truth somebody is who knows these rules."""
        return sl.maxent(self.release, rules).estimation_error(self.table)

    def strongest(self, most: int, **options: object) -> tuple[list[Statement], list[Statement]]:
        """Give the strongest rules "has" and "has not", those first that most people follow."""
        rules = sl.strongest_rules(self.table, positive=most, negative=most, support=SUPPORT, **options)
        return [each for each in rules if each.kind == "has"], [each for each in rules if each.kind == "has not"]


@dataclass(frozen=True, eq=False, slots=True)
class CertainRules:
    """All rules of a table without an exception, by place: subset of columns, key that says it, value."""

    table: sl.Table
    subsets: tuple[tuple[int, ...], ...]
    subset: np.ndarray
    key: np.ndarray
    value: np.ndarray
    share: int  # 1: everybody has the value; 0: nobody has

    @classmethod
    def of(cls, table: sl.Table, share: int) -> CertainRules:
        """Look at every condition on every subset of the columns."""
        subsets = tuple(subset for size in range(1, len(QUASI) + 1) for subset in combinations(range(len(QUASI)), size))
        found = []
        for number, subset in enumerate(subsets):
            row, first = number_equal_rows(tuple(table.quasi[at] for at in subset), len(table.sizes))
            counts = table.counts.roll_up(row, groups=len(first)).dense()
            people = counts.sum(axis=1, keepdims=True)
            condition, value = np.nonzero((counts == share * people) & (people >= SUPPORT))
            found.append((np.full(len(condition), number), first[condition], value))
        return cls(table, subsets, *(np.concatenate(each) for each in zip(*found, strict=True)), share)

    def __len__(self) -> int:
        return len(self.value)

    def by_lot(self, most: int, chance: np.random.Generator) -> list[object]:
        """Draw some of them."""
        return [self._statement(at) for at in chance.permutation(len(self))[:most].tolist()]

    def _statement(self, at: int) -> object:
        columns = (self.table.quasi[place] for place in self.subsets[self.subset[at]])
        given = {column.name: column.cell(int(self.key[at])) for column in columns}
        return sl.P(self.table.domain[int(self.value[at])], given=given) == self.share


def knowledge(settings: Sequence[Setting], size: Size) -> Iterator[dict[str, object]]:
    """Figure 5: a row per draw, order of equally strong rules, kind and number of rules."""
    for draw, setting in enumerate(settings):
        has, has_not = setting.strongest(size.rules[-1])
        chance = np.random.default_rng((2008, draw))
        certain, never = CertainRules.of(setting.table, 1), CertainRules.of(setting.table, 0)
        lot, lot_not = certain.by_lot(len(has), chance), never.by_lot(len(has_not), chance)
        # where fewer rules are certain than are known, the strongest others come behind them
        lot += has[len(certain) :]
        for order, positive, negative in (("most followed", has, has_not), ("by lot", lot, lot_not)):
            for rules in (0, *size.rules):
                half = rules // 2
                known = (positive[:rules], negative[:rules], [*positive[:half], *negative[:half]])
                for kind, each in zip(KINDS, known, strict=True):
                    yield {
                        "draw": draw,
                        "order": order,
                        "kind": kind,
                        "rules": rules,
                        "error": setting.error(each),
                        "certain": len(certain),
                        "never": len(never),
                    }


def columns(settings: Sequence[Setting], size: Size) -> Iterator[dict[str, object]]:
    """Figure 6: a row per draw, number of columns in a rule and number of rules, half of each kind."""
    for draw, setting in enumerate(settings):
        for wide in size.sizes:
            has, has_not = setting.strongest(max(size.bounds) // 2, sizes=[wide])
            for rules in size.bounds:
                known = [*has[: rules // 2], *has_not[: rules // 2]]
                yield {"draw": draw, "columns": wide, "rules": rules, "error": setting.error(known)}


def in_between(setting: Setting, most: int) -> list[Statement]:
    """Draw rules about one or two columns and at least thirty people, with probabilities of 2 to 98 %."""
    rules = sl.strongest_rules(setting.table, positive=5_000, sizes=[1, 2], support=30)
    rules = tuple(rule for rule in rules if 0.02 < rule.low < 0.98)
    return [rules[at] for at in np.random.default_rng(1).permutation(len(rules))[:most].tolist()]


def timed(setting: Setting, rules: Sequence[object]) -> dict[str, object]:
    """Solve the same problem in three ways; seconds of the processor, iterations, the farthest sum in people."""
    whole = WholeDual.of(setting.release, rules)
    whole_seconds, by_whole = _seconds(whole.solve)
    parts_seconds, by_parts = _seconds(whole.solve_by_parts)
    tries = [_seconds(lambda: sl.maxent(setting.release, rules)) for _ in range(2)]
    our_seconds, beliefs = min(tries, key=lambda each: each[0])
    return {
        "whole": whole_seconds,
        "parts": parts_seconds,
        "ours": our_seconds,
        "iterations": by_whole.iterations,
        "steps": beliefs.solution.steps,
        "number of parts": by_parts.parts,
        "residual": by_whole.residual,
        "our residual": beliefs.solution.residual,
    }


Answer = TypeVar("Answer")


def _seconds(job: Callable[[], Answer]) -> tuple[float, Answer]:
    start = time.process_time()
    answer = job()
    return time.process_time() - start, answer


# What is shown


def show_knowledge(run: experiment.Experiment, rows: Sequence[dict[str, object]], size: Size) -> None:
    """Figure 5."""

    def errors(order: str, kind: str, rules: int) -> list[float]:
        return [r["error"] for r in rows if (r["order"], r["kind"], r["rules"]) == (order, kind, rules)]

    lines = {
        order: {
            kind: [(rules, MeanEstimate.estimate(errors(order, kind, rules))) for rules in size.rules] for kind in KINDS
        }
        for order in ORDERS
    }
    table = []
    for order, words in ORDERS.items():
        for at, rules in enumerate(size.rules):
            one, other, mix = (errors(order, kind, rules) for kind in KINDS)
            lowest = sum(m < min(a, b) for a, b, m in zip(one, other, mix, strict=True))
            shown = {kind: curves.give_or_take(lines[order][kind][at][1], 4) for kind in KINDS}
            ahead = MeanEstimate.estimate([m - min(a, b) for a, b, m in zip(one, other, mix, strict=True)])
            table.append(
                {
                    "equally strong rules": words,
                    "K": rules,
                    **shown,
                    "half of each − the better kind": curves.give_or_take(ahead, 4),
                    "half of each is lowest": f"{lowest} of {len(mix)} draws",
                }
            )
    run.table("knowledge", table)
    steps = list(pairwise((0, *size.rules)))
    run.table(
        "pace",
        [
            {
                "from K": few,
                "to K": many,
                **{
                    f"{words}": curves.give_or_take(
                        MeanEstimate.estimate(
                            [
                                100 * (before - after) / (many - few)
                                for before, after in zip(
                                    errors(order, "half of each", few), errors(order, "half of each", many), strict=True
                                )
                            ]
                        ),
                        4,
                    )
                    for order, words in ORDERS.items()
                },
            }
            for few, many in steps
        ],
    )
    nothing = MeanEstimate.estimate(errors("most followed", "half of each", 0))
    pool = {
        name: MeanEstimate.estimate([float(r[name]) for r in rows if r["rules"] == 0]) for name in ("certain", "never")
    }
    run.table(
        "rules",
        [
            {"": "estimation error with nothing known", "mean of the draws": curves.give_or_take(nothing, 4)},
            {"": "rules “has” without an exception", "mean of the draws": curves.give_or_take(pool["certain"], 0)},
            {"": "rules “has not” without an exception", "mean of the draws": curves.give_or_take(pool["never"], 0)},
        ],
    )
    x = curves.Axis("rules known, K", log=True, format=",d", values=size.rules)
    means = [each.mean for order in lines.values() for line in order.values() for _, each in line]
    y = curves.Axis("estimation error", domain=(min(means) - 0.01, max(means) + 0.005))
    panels = [
        curves.panel(lines[order], x=x, y=y, title=f"equally strong rules: {words}", colours=KINDS, first=not at)
        for at, (order, words) in enumerate(ORDERS.items())
    ]
    draws = len(errors("by lot", "half of each", 0))
    run.figure(
        "knowledge",
        curves.drawing(
            panels,
            title="Each further rule tells something; half of each kind is not what tells most, until “has” runs out",
            subtitle=f"Means of {draws} draws of {size.people:,} people of Adult, and their 95 % intervals. "
            f"Nothing known: {nothing.mean:.3f}.",
            columns=tuple(table[0]),
            rows=[tuple(row.values()) for row in table],
        ),
    )


def show_columns(run: experiment.Experiment, rows: Sequence[dict[str, object]], size: Size) -> None:
    """Figure 6."""

    def errors(rules: int, wide: int) -> list[float]:
        return [row["error"] for row in rows if (row["rules"], row["columns"]) == (rules, wide)]

    lines = {
        f"{n:,} rules": [(wide, MeanEstimate.estimate(errors(n, wide))) for wide in size.sizes] for n in size.bounds
    }
    table = [
        {"T": wide, **{name: curves.give_or_take(line[at][1], 4) for name, line in lines.items()}}
        for at, wide in enumerate(size.sizes)
    ]
    run.table("columns", table)
    draws = range(1 + max(row["draw"] for row in rows))

    def turn(rules: int, draw: int) -> int:
        """Where rules tell least."""
        at = {row["columns"]: row["error"] for row in rows if (row["rules"], row["draw"]) == (rules, draw)}
        return max(at, key=lambda wide: at[wide])

    turns = {rules: [turn(rules, draw) for draw in draws] for rules in size.bounds}
    run.table(
        "turns",
        [
            {
                "T that tells least": wide,
                **{f"{n:,} rules": f"{turns[n].count(wide)} of {len(draws)}" for n in size.bounds},
            }
            for wide in sorted({each for every in turns.values() for each in every})
        ],
    )
    commonest = max(size.sizes, key=lambda wide: sum(each.count(wide) for each in turns.values()))
    run.figure(
        "columns",
        curves.drawing(
            [
                curves.panel(
                    lines,
                    x=curves.Axis("columns in a rule, T", format="d", values=size.sizes),
                    y=curves.Axis("estimation error"),
                    width=480,
                )
            ],
            title=f"Rules about one column tell most, about {commonest} columns most often least",
            subtitle=f"Half of the rules “has”, half “has not”. Means of {len(draws)} draws and their 95 % intervals.",
            columns=tuple(table[0]),
            rows=[tuple(row.values()) for row in table],
        ),
    )


WAYS = {"whole": "L-BFGS, whole", "parts": "L-BFGS, part by part", "ours": "Sidelight"}
WAY_COLOURS = dict(zip(WAYS.values(), (VERMILION, INK, BLUE), strict=True))


def show_times(run: experiment.Experiment, everybody: pa.Table, size: Size) -> None:
    """Figure 7."""
    setting = Setting.drawn(everybody, size.people, seed=2008)
    sl.maxent(setting.release, in_between(setting, 5))  # so that imports are not timed
    has, has_not = setting.strongest(max(size.certain) // 2)
    between = in_between(setting, max(size.between))
    of_statements = {
        "the strongest rules, half of each kind": [
            (rules, timed(setting, [*has[: rules // 2], *has_not[: rules // 2]])) for rules in size.certain
        ],
        "rules with probabilities in between": [(rules, timed(setting, between[:rules])) for rules in size.between],
    }
    run.table(
        "statements", [_line(kind, "statements", *each) for kind, every in of_statements.items() for each in every]
    )
    x = curves.Axis("statements", log=True, format=",d", values=size.certain)
    _draw_times(
        run,
        "statements",
        of_statements,
        x,
        "Statements that hold without exception cost little; others link all buckets",
    )
    of_buckets: dict[str, list[tuple[int, dict[str, object]]]] = {
        "100 of the strongest rules": [],
        "10 rules in between": [],
    }
    for buckets in size.buckets:
        larger = Setting.drawn(everybody, 5 * buckets, seed=2008)
        has, has_not = larger.strongest(50)
        of_buckets["100 of the strongest rules"].append((buckets, timed(larger, [*has, *has_not])))
        of_buckets["10 rules in between"].append((buckets, timed(larger, in_between(larger, 10))))
    run.table("buckets", [_line(kind, "buckets", *each) for kind, every in of_buckets.items() for each in every])
    x = curves.Axis("buckets of five people", log=True, format=",d", values=size.buckets)
    _draw_times(
        run,
        "buckets",
        of_buckets,
        x,
        "Time grows about as the number of buckets does, except where parts are left alone",
    )


def _line(kind: str, what: str, number: int, took: dict[str, object]) -> dict[str, object]:
    stopped = took["residual"] > NEAR
    return {
        "rules": "in between" if "between" in kind else "strongest",
        what: number,
        **{
            f"{name}, s": f"{took[way]:.2f}" + ("*" if stopped and way == "whole" else "") for way, name in WAYS.items()
        },
        "iterations": took["iterations"],
        "parts": took["number of parts"],
        "our Newton steps": took["steps"],
    }


def _draw_times(
    run: experiment.Experiment,
    name: str,
    kinds: dict[str, list[tuple[int, dict[str, object]]]],
    x: curves.Axis,
    title: str,
) -> None:
    took = [each[way] for every in kinds.values() for _, each in every for way in WAYS]
    y = curves.Axis(
        "seconds", log=True, domain=(min(took) / 1.2, max(took) * 1.2), values=(0.01, 0.03, 0.1, 0.3, 1, 3, 10)
    )
    panels = []
    for at, (kind, every) in enumerate(kinds.items()):
        lines = {
            words: [(number, MeanEstimate(each[way], None, None)) for number, each in every]
            for way, words in WAYS.items()
        }
        panels.append(curves.panel(lines, x=x, y=y, title=kind, colours=WAY_COLOURS, first=not at, width=330))
    rows = [_line(kind, name, *each) for kind, every in kinds.items() for each in every]
    subtitle = (
        f"Seconds of one processor. L-BFGS stops when every sum is within {NEAR} people, or after {MOST_ITERATIONS:,} "
        "iterations; Sidelight's sums are within a billionth of a person."
    )
    run.figure(
        name,
        curves.drawing(
            panels, title=title, subtitle=subtitle, columns=tuple(rows[0]), rows=[tuple(r.values()) for r in rows]
        ),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    run = experiment.begin("du", __doc__, arguments)
    size = QUICK if run.quick else WHOLE
    everybody = pq.read_table(sl.datasets.adult().path, columns=[*QUASI, "education"]).drop_null()
    show_times(run, everybody, size)
    settings = [Setting.drawn(everybody, size.people, 2008 + draw) for draw in range(size.repetitions)]
    show_knowledge(run, list(knowledge(settings, size)), size)
    show_columns(run, list(columns(settings, size)), size)


if __name__ == "__main__":
    main()
