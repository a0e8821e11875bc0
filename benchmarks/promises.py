"""What was promised of speed, and where RESULTS.md says how it came out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from results import Part, number


@dataclass(frozen=True)
class Promise:
    """At most (or at least) so much, of the rows that begin so, in one column of a part.

    Of several rows the worst counts.  `column` is a name, or name and place where several columns are called so.
    `against` begins another row, whose figure divides.
    """

    words: str
    part: str
    row: str
    column: str
    bound: float
    place: int = 0
    at_least: bool = False
    against: str = ""
    unit: str = "×"

    def values(self, parts: Mapping[str, Part]) -> list[float]:
        """Read the figures of its rows."""
        base = self._cells(parts, self.against)[0] if self.against else 1.0
        return [cell / base for cell in self._cells(parts, self.row)]

    def measured(self, parts: Mapping[str, Part]) -> float | None:
        """The worst of them, or nothing where it was not measured."""
        values = self.values(parts) if self.part in parts else []
        return (min if self.at_least else max)(values, default=None)

    def kept(self, value: float) -> bool:
        """Tell whether a figure is within the bound."""
        return value >= self.bound if self.at_least else value <= self.bound

    def _cells(self, parts: Mapping[str, Part], row: str) -> list[float]:
        cells = []
        for grid in parts[self.part].grids:
            places = [at for at, name in enumerate(grid.columns) if name == self.column]
            if len(places) > self.place:
                rows = [line for line in grid.rows if re.match(row, " ".join(line[:2])) and len(line) > places[-1]]
                cells += [number(line[places[self.place]]) for line in rows]
        return [cell for cell in cells if cell is not None]


WALL, PROCESSOR, MEMORY = 0, 1, 2
PROMISES = (
    Promise("a whole audit of 20 million rows, times the bare GROUP BY", "audit", "read_release and all", "ratio", 1.1),
    Promise("… in memory, times the bare GROUP BY", "audit", "read_release and all", "ratio", 1.0, place=MEMORY),
    Promise(
        "the named risks on top of it, times the audit without them",
        "audit",
        "read_release, all classic measures and the named",
        "CPU s",
        1.05,
        against="read_release and all",
    ),
    Promise(
        "a release against a register, times the GROUP BY of it", "population", "journalist|all four", "ratio", 1.5, 1
    ),
    Promise("all 2,047 subsets of 11 columns, 20 million rows", "columns", "read_table and all", "ratio", 3.0),
    Promise("… their memory", "columns", "read_table and all", "peak MB", 2_000, unit=" MB"),
    Promise("minimal uniques of Adult, 7 columns", "columns", "bundled Adult", "CPU s", 0.5, unit=" s"),
    Promise("learner, a million people", "learner", "learn,", "CPU s", 60, unit=" s"),
    Promise("learner, Adult, naive Bayes", "learner", "bundled Adult: naive", "CPU s", 1.95, unit=" s"),
    Promise("learner, Adult, logistic", "learner", "bundled Adult: log", "CPU s", 21, unit=" s"),
    Promise("insider, Adult, 7 columns", "insider", r"insider, 7 columns \(", "CPU s", 10.5, unit=" s"),
    Promise(
        "Mondrian that resists an insider, 7 columns",
        "insider",
        "Mondrian that resists an insider, 7",
        "CPU s",
        1.5,
        unit=" s",
    ),
    Promise("an audit in bounded memory, times the bare GROUP BY", "scale", ".* audit", "ratio", 1.3),
    Promise("… in processor time", "scale", ".* audit", "ratio", 1.3, place=PROCESSOR),
    Promise("… in memory", "scale", ".* audit", "ratio", 1.0, place=MEMORY),
    Promise(
        "… cost of a row at 100 million, times that at 10 million, repeating",
        "scale",
        "10 million, repeating audit",
        "million rows/s",
        1.25,
        against="100 million, repeating audit",
    ),
    Promise(
        "… the same, nearly all different",
        "scale",
        "10 million, nearly unique audit",
        "million rows/s",
        1.25,
        against="100 million, nearly unique audit",
    ),
    Promise(
        "Mondrian out of core, (0,1000,0): the most that a row costs, times that at 10 million",
        "scale",
        r"mondrian \(0,1000,0\).*wall",
        "most / first",
        1.25,
    ),
    Promise("… at (3,1000,10)", "scale", r"mondrian \(3,1000,10\).*wall", "most / first", 1.25),
    Promise("… its memory, of 2 GB", "scale", ".* mondrian", "peak MB", 2_000, unit=" MB"),
    Promise(
        "Mondrian of 2 million different people, a person",
        "mondrian",
        "groups of at least 10",
        "µs a person",
        4,
        unit=" µs",
    ),
    Promise("Mondrian at tight limits, times k-anonymity", "tight limits", ".", "against group size ≥ 5", 10),
    Promise("judging again after an edit, times from scratch", "incremental", ".", "ratio", 0.1),
    Promise(
        "worst case of 12 implications, times the GROUP BY",
        "worst case: implications",
        r"Implications \(12\) 50,000",
        "times the GROUP BY of 5 million records",
        1.0,
    ),
    Promise("smallest ε of 72 generalisations, times their groupings", "prior belief", "`smallest", "ratio", 2.0),
    Promise(
        "maximum entropy: L-BFGS takes so many times as long",
        "maximum entropy",
        ".*L-BFGS",
        "× our solver",
        10,
        at_least=True,
    ),
    Promise("… cvxpy, where it comes within 1e-6", "peers", "cvxpy .*strongest", "times as long", 10, at_least=True),
    Promise("… of 1,000 people by name", "maximum entropy", "the value of", "CPU s", 5, unit=" s"),
    Promise("… 100 rules, 100,000 buckets", "maximum entropy", "100,000 buckets", "CPU s", 30, unit=" s"),
    Promise(
        "the page, Adult: from slider to screen",
        "the page: from a slider to its effect on the screen",
        "Adult",
        "Skyline: other people",
        150,
        unit=" ms",
    ),
    Promise(
        "the page, a million rows",
        "the page: from a slider to its effect on the screen",
        "a million",
        "Skyline: other people",
        400,
        unit=" ms",
    ),
)
