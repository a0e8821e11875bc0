"""People of whom some are in a table, along hierarchies: populations for tests, and what is true of them by counting."""

from collections import Counter
from fractions import Fraction

from hypothesis import strategies as st

import sidelight as sl
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

AGES = [str(age) for age in range(20, 40)]
HIERARCHIES = {
    "age": sl.Hierarchy.intervals("age", AGES, widths=[5, 10]),
    "city": sl.Hierarchy.nested("city", {"South": ["Ulm", "Freiburg"], "North": ["Kiel", "Bremen"]}),
}
CELLS = st.tuples(st.sampled_from(AGES[:12]), st.sampled_from(["Ulm", "Freiburg", "Kiel", "Bremen", None]))
LEVELS = st.fixed_dictionaries({"age": st.integers(0, 3), "city": st.integers(0, 2)})


def as_table(people):
    keys = Counter(people)
    columns = [Column.of(name, cells) for name, cells in zip(("age", "city"), zip(*keys, strict=True), strict=True)]
    counts = Counts.from_cells([[times] for times in keys.values()])
    return Table(tuple(columns), "value", ("a",), counts.per_row(), counts)


@st.composite
def samples(draw, *, inside=True):
    """People of a table, and a population that has them, or perhaps not all of them."""
    people = draw(st.lists(CELLS, min_size=1, max_size=12))
    others = draw(st.lists(CELLS, min_size=0 if inside else 1, max_size=12))
    return people, people + others if inside else others


def recoded(people, levels):
    """Count people by their cells at some levels, one by one."""
    return Counter(
        tuple(
            HIERARCHIES[name].generalise(cell, levels[name]) for name, cell in zip(("age", "city"), each, strict=True)
        )
        for each in people
    )


def sizes(people, population, levels):
    """Give (f, F) of each group of the release, F at least f; and how many people of the population are in none."""
    here, there = recoded(people, levels), recoded(population, levels)
    pairs = [(f, max(there[cells], f)) for cells, f in here.items()]
    return pairs, sum(F for cells, F in there.items() if cells not in here)


def by_definition(pairs, nowhere, threshold):
    """Say what each measure finds, from (f, F) of the groups."""
    people = sum(f for f, _ in pairs)
    marketer = sum(Fraction(f, F) for f, F in pairs) / people
    return {
        "highest": Fraction(1, min(F for _, F in pairs)),
        "average": max(Fraction(len(pairs), sum(F for _, F in pairs)), marketer),
        "share above": Fraction(sum(f for f, F in pairs if Fraction(1, F) > threshold), people),
        "marketer": marketer,
        "presence": max(Fraction(f, F) for f, F in pairs),
        "absence": Fraction(1) if nowhere else max(1 - Fraction(f, F) for f, F in pairs),
    }


def measures_against(population, threshold, **settings):
    """Give the measures by the same names."""
    return {
        "highest": sl.JournalistRisk(population, **settings),
        "average": sl.JournalistRisk(population, "average", **settings),
        "share above": sl.JournalistRisk(population, "share above", threshold, **settings),
        "marketer": sl.MarketerRisk(population, **settings),
        "presence": sl.Presence(population, **settings),
        "absence": sl.Absence(population, **settings),
    }
