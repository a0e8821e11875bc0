"""Write the registry of answers: `python scripts/registry.py`, or `--check` to see whether it would be the same.

Each question is answered by a slow, obvious twin where there is one (`tests/support/definitions.py`, and those of
`tests/agree`), then by Sidelight; where they differ nothing is written.  An answer that nothing else vouches for says
"code".  Whoever changes an entry raises VERSION and gives the reason in tests/registry/README.md.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from agree.test_facts import investigation_probability  # noqa: E402
from agree.test_intersection import joint_worlds  # noqa: E402
from agree.test_maxent import Twin  # noqa: E402
from support.definitions import DIGITS, vouched, worlds_in  # noqa: E402
from support.every_making import SmallTable, every_making, signature  # noqa: E402
from support.registry import (  # noqa: E402
    FOLDER,
    Answer,
    Data,
    Listed,
    answer_text,
    digest,
    documents,
    made,
    noise_numbers,
    same,
    section_of,
    section_text,
    tally_table,
    together,
    witness_data,
)
from support.worst_cases import worst_acquaintance  # noqa: E402

import sidelight as sl  # noqa: E402
from sidelight.errors import BadMeasure, Contradiction  # noqa: E402
from sidelight.knowledge.facts import (  # noqa: E402
    Fact,
    Has,
    OneOf,
    Same,
    Someone,
)
from sidelight.measures.criterion import Finding  # noqa: E402
from sidelight.measures.measure import Measure  # noqa: E402
from sidelight.policy.measure_names import all_measures  # noqa: E402
from sidelight.rounding import round_up  # noqa: E402

VERSION = 1

Line: TypeAlias = dict[str, str]
Ward: TypeAlias = list[tuple[str, str, str]]
"""People of a bucket by sex and town, each with their value."""

WHOLE_ASKED = (sl.Learner, sl.Insider, sl.EstimationError)
"""Asked where a release says who is in which group, or how it was made."""

EDGES = {
    "one person": [{"Flu": 1}],
    "all alike": [{"Flu": 3}, {"Flu": 2}],
    "two values, evenly": [{"Cold": 2, "Flu": 2}],
    "two values, a few": [{"Cold": 1, "Flu": 3}, {"Cold": 2, "Flu": 1}],
    "alone and together": [{"Flu": 1}, {"Cold": 1, "Flu": 1}, {"Cold": 1}],
    "numbers": [{"9": 1, "10": 2}, {"9": 2, "10": 1, "250": 1}],
    "a missing value": [{"Flu": 2, None: 1}, {"Cold": 1, "Flu": 1, None: 2}],
    "quotes and signs": [{"Ulcer, bleeding": 2, "né = 'x'": 1}, {"Ulcer, bleeding": 1, "né = 'x'": 2}],
    "a value of nobody": [{"Cold": 2, "Flu": 1, "HIV": 0}, {"Cold": 1, "Flu": 1, "HIV": 0}],
    "Martin's hospital": [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ],
}
SEVERAL = {
    "one person": (["1"], [{"Flu": 1, "Cold": 1}]),
    "nobody has any": ([2, 2], [{"Flu": 0}, {"Flu": 1}]),
    "everybody has all": ([2], [{"Flu": 2, "Cold": 2}]),
    "rare and frequent": ([3, 2], [{"Flu": 3, "Cold": 1}, {"Cold": 2}]),
}
COUNTS = {"single": 8, "set": 7, "multiset": 6}
"""How many releases of each semantics are drawn."""


# --- releases ------------------------------------------------------------------------------------------------------


def labelled(bags: list[Any], semantics: str, sizes: list[int] | None = None) -> sl.Release:
    """Make a release that prints a ward."""
    domain = sl.Release.from_counts(bags, sizes=sizes, values=semantics).domain  # type: ignore[arg-type]
    return sl.Release.from_counts(
        bags,
        sizes=sizes,
        values=semantics,  # type: ignore[arg-type]
        domain=domain,
        labels=[{"ward": str(number)} for number in range(1, len(bags) + 1)],
    )


def drawn(semantics: str, number: int) -> sl.Release:
    """Draw a small release: the larger the number, the more groups, people and values."""
    chance = random.Random(f"{semantics} {number}")
    groups, most, values = 1 + number % 3, 2 + number % 3, 2 + number % 3
    names = ["AIDS", "Cold", "Flu", "Heart"][:values]
    sizes = [chance.randint(2, most + 1) for _ in range(groups)]
    if semantics == "single":
        bags = [dict.fromkeys(names, 0) for _ in sizes]
        for bag, size in zip(bags, sizes, strict=True):
            for _ in range(size):
                bag[chance.choice(names)] += 1
    else:
        bags = [{name: chance.randint(0, min(size, 2)) for name in names} for size in sizes]
    bags[0][names[0]] = max(bags[0][names[0]], 1)
    sizes = [sum(bag.values()) if semantics == "single" else size for bag, size in zip(bags, sizes, strict=True)]
    return labelled(bags, semantics, sizes)


def releases_of(semantics: str) -> Iterator[tuple[str, sl.Release]]:
    """Give the releases of one file: edges, drawn ones, and one that is too large for brute force."""
    if semantics == "single":
        yield from ((name, labelled(bags, semantics)) for name, bags in EDGES.items())
    else:
        for name, (sizes, bags) in SEVERAL.items():
            yield name, labelled(bags, semantics, [int(size) for size in sizes])
    yield from ((f"drawn {number}", drawn(semantics, number)) for number in range(1, COUNTS[semantics] + 1))
    large = [{"Cold": 31, "Flu": 57, "HIV": 12}, {"Cold": 20, "Flu": 20, "HIV": 2}, {"Cold": 300, "HIV": 1}]
    yield "hundreds", labelled(large, semantics, [100, 42, 301])


DISAGREE: list[str] = []
"""Where the code and its twin differ: then nothing is right."""

# --- answers -------------------------------------------------------------------------------------------------------


def questions(release: sl.Release) -> Iterator[Measure]:
    """Give every measure in the settings that its contract is tested with."""
    for kind in all_measures():
        if kind not in WHOLE_ASKED:
            yield from (each for each in kind.examples(release.domain) if release.semantics in each.semantics)


def answered(measure: Measure, release: sl.Release, *, paper: str = "", expected: Answer | None = None) -> Data:
    """Ask a question, see that the twin (or the paper) says the same, and write the answer down."""
    finding = measure.measure(release)
    twin = vouched(measure, release)
    value, by = (twin.value, twin.by) if twin is not None else (expected, paper)
    if twin is not None and paper:
        by = f"{twin.by}, and {paper}"
        assert expected is None or same(finding, expected), (measure, finding.value, expected)
    if value is None:
        value, by = in_decimals(finding), "code"
    elif not same(finding, value):
        DISAGREE.append(f"{measure} finds {finding.value}, and {by} says {value}: {list(release)}")
    if isinstance(value, tuple) and isinstance(finding.value, Fraction):
        value, by = finding.value, f"code, and a {by} to 7 digits"
    entry: Data = {"ask": str(measure), "is": answer_text(value), "by": by}
    if finding.witness is not None:
        assert finding.replay(release) == finding.value, measure
        entry["witness"] = witness_data(finding.witness, release)
    return entry


def in_decimals(finding: Finding) -> Answer:
    """Write what only the code says: exactly, or between the float and its kinder neighbour."""
    if isinstance(finding.value, Fraction) or finding.value == math.inf:
        return finding.value
    kind = math.nextafter(finding.value, -math.inf if finding.measure.large_is_bad else math.inf)
    low, high = sorted((Decimal(finding.value), Decimal(kind)))
    return low, high


def measured(semantics: str) -> Iterator[Data]:
    """Ask everything of every release of these semantics."""
    for name, release in releases_of(semantics):
        print(f"  {semantics}: {name}", flush=True)
        yield section_of(name, release, answers=list(filter(None, map(partial(tried, release), questions(release)))))


def tried(release: sl.Release, measure: Measure) -> Data | None:
    """Ask what can be asked; priors that are too weak for as many values are not."""
    try:
        return answered(measure, release)
    except BadMeasure:
        return None


def crowd() -> Iterator[Data]:
    """Ask of more people than rows can be listed; the rows of such a release are counts."""
    bags = [
        {"Cold": 10**12, "Flu": 10**12 + 1, "HIV": 7},
        {"Cold": 333_333_333_333, "Flu": 333_333_333_334, "HIV": 333_333_333_333},
    ]
    release = labelled(bags, "single")
    asked = (
        sl.GroupSize(), sl.DistinctValues(), sl.RecursiveDiversity(l=2), sl.RecursiveDiversity(l=3), sl.Closeness(),
        sl.BetaLikeness(), sl.ProsecutorRisk(), sl.MarketerRisk(), sl.Implications(0), sl.Implications(1),
        sl.Implications(2), sl.Negations(1), sl.Negations(1, "HIV"), sl.Acquaintance(rules_out=1),
        sl.Acquaintance(others=2), sl.PriorBelief(counts={"Cold": 10**9, "Flu": 10**9, "HIV": 5}),
        sl.PriorBelief(stubbornness=10**15), sl.PriorBelief(shape="uniform", stubbornness=math.inf),
    )  # fmt: skip
    yield section_of("millions of millions", release, answers=[answered(each, release) for each in asked])


# --- columns, populations, weights ---------------------------------------------------------------------------------

PEOPLE = {
    "three columns": (
        ["age", "sex", "town"],
        ["30 f Kiel", "30 f Ulm", "30 m Kiel", "41 m Kiel", "41 m Ulm"],
        [1, 2, 1, 1, 1],
    ),
    "two columns": (["age", "sex"], ["20-29 f", "20-29 m", "30-39 f", "30-39 m"], [1, 1, 3, 2]),
    "one column": (["town"], ["Kiel", "Rom", "Ulm"], [2, 1, 4]),
}
REGISTER = [
    ["20", "f", 3],
    ["25", "m", 2],
    ["27", "m", 1],
    ["31", "f", 4],
    ["38", "f", 2],
    ["39", "m", 5],
    ["70", "m", 2],
]


def by_columns() -> Iterator[Data]:
    """Ask who is singled out, linked and guessed, by which columns."""
    for name, (columns, cells, sizes) in PEOPLE.items():
        for semantics in ("single", "set", "multiset"):
            chance = random.Random(name + semantics)
            bags: list[dict[str, int]] = []
            for size in sizes:
                flu = chance.randint(0, size)
                bags.append({"Cold": size - flu, "Flu": flu})
            labels = [dict(zip(columns, each.split(), strict=True)) for each in cells]
            release = sl.Release.from_counts(
                bags,
                sizes=sizes,
                values=semantics,
                domain=["Cold", "Flu"],
                labels=labels,  # type: ignore[arg-type]
            )
            asked: list[Measure] = [sl.SinglingOut(facts) for facts in range(4)]
            asked += [sl.Linkability(columns[:one]) for one in range(len(columns) + 1)]
            asked += [sl.Linkability(one, other) for one, other in product(columns, columns) if one != other]
            if semantics == "single":
                asked += [sl.Inference(), *(sl.Inference([each]) for each in columns), sl.Inference([])]
            asked += [sl.Inference([one], other) for one, other in product(columns, columns) if one != other]
            asked += [sl.ProsecutorRisk(), sl.ProsecutorRisk("average"), sl.UniqueMatch(fraction=Fraction(1, 20))]
            yield section_of(f"{name}, {semantics}", release, answers=[answered(each, release) for each in asked])


def against_populations() -> Iterator[Data]:
    """Ask who is found in a register, whole and with people missing."""
    columns, cells, sizes = PEOPLE["two columns"]
    labels = [dict(zip(columns, each.split(), strict=True)) for each in cells]
    release = sl.Release.from_counts([{"Flu": size} for size in sizes], labels=labels)
    texts = [f"{risk}{settings}" for risk, settings in product(
        ("journalist risk",),
        ("", "(statistic=average)", "(statistic=share above, threshold=1/4)", "(statistic=share above, threshold=1/3)"),
    )] + ["marketer risk", "presence", "absence"]  # fmt: skip
    for name, register in (("a register", REGISTER), ("a register of no others", REGISTER[:-1])):
        listed = Listed(section_of(name, release, population=register))
        answers = [answered(listed.measure(text), release) | {"ask": text} for text in texts]
        yield {**listed.section, "answers": answers}


def with_weights() -> Iterator[Data]:
    """Ask what sampling weights say of people."""
    release = labelled([{"Flu": 1}, {"Flu": 2}, {"Flu": 4}], "single")
    section = section_of("a sample with weights", release)
    for group, weight in zip(section["groups"], ("12.5", "40", "3"), strict=True):
        group["weight"] = weight
    seen = Listed(section).release()
    asked = (sl.IndividualRisk(), sl.IndividualRisk("average"))
    yield {**section, "answers": [answered(measure, seen) for measure in asked]}


# --- papers --------------------------------------------------------------------------------------------------------

MARTIN = "Martin et al., Worst-case background knowledge, ICDE 2007, the ten patients of Figures 1 to 3"
LI = "Li et al., t-Closeness, ICDE 2007, section 4.2, salaries"
LDIV = "Machanavajjhala et al., l-Diversity, ICDE 2006, Figure 3, the 3-diverse inpatients"
GOTHAM = (
    "Machanavajjhala et al., Data publishing against realistic adversaries, VLDB 2009, Table 3 and Example 3, corrected"
)


def of_papers() -> Iterator[Data]:
    """Write the numbers that papers print, or that follow from what they print."""
    hospital = labelled(EDGES["Martin's hospital"], "single")
    yield paper(
        "ten patients",
        hospital,
        MARTIN,
        {"implications(k=0)": "2/5", "implications(k=1)": "2/3", "implications(k=2)": "1"},
    )
    low = [["3", "4", "5"], ["6", "8", "11"], ["7", "9", "10"]]
    mixed = [["3", "5", "9"], ["6", "8", "11"], ["4", "7", "10"]]
    for name, groups, distance in (("salaries, low ones together", low, "3/8"), ("salaries, mixed", mixed, "1/6")):
        release = labelled([dict.fromkeys(group, 1) for group in groups], "single")
        yield paper(name, release, LI, {"closeness(distance=ordered)": distance})
    two_with_cancer = {"heart disease": 1, "viral infection": 1, "cancer": 2}
    two_infected = {"cancer": 1, "heart disease": 1, "viral infection": 2}
    inpatients = labelled([two_with_cancer, two_infected, two_with_cancer], "single")
    yield paper("inpatients", inpatients, LDIV, {"group size": "4", "distinct values": "3"})
    young, men, women = {"Flu": 200, "Cancer": 300}, {"Flu": 1800, "Cancer": 2700}, {"Flu": 18000, "Cancer": 2000}
    class_one, shape = "prior belief(counts={Cancer=18000, Flu=12000})", "{Cancer=3/5, Flu=2/5}"
    yield paper(
        "Rachel", labelled([women], "single"), GOTHAM,
        {
            class_one: "200000/49999", "prior belief(stubbornness=30000)": "319990/49999",
            f"prior belief(shape={shape}, stubbornness=inf)": "6", "prior belief(stubbornness=inf)": "inf",
        },
    )  # fmt: skip
    yield paper(
        "Gotham", labelled([young, men, women], "single"), GOTHAM,
        {
            class_one: "200000/49999", "prior belief(stubbornness=30000)": "30499/500",
            "prior belief(stubbornness=1000)": "1499/500", f"prior belief(shape={shape}, stubbornness=inf)": "6",
            "prior belief(stubbornness=1000, decided_by=closed conditions)": "3",
            "prior belief(stubbornness=30000, decided_by=closed conditions)": "61",
        },
    )  # fmt: skip


def paper(name: str, release: sl.Release, place: str, expected: dict[str, str]) -> Data:
    """Ask what a paper answers."""
    listed = Listed(section_of(name, release))
    answers = []
    for text, value in expected.items():
        wanted = math.inf if value == "inf" else Fraction(value)
        answers.append(answered(listed.measure(text), release, paper=place, expected=wanted))
    return {**listed.section, "answers": answers}


# --- exactly these facts -------------------------------------------------------------------------------------------


def beliefs() -> Iterator[Data]:
    """Ask what follows from facts, and how much anybody may know: by every world."""
    for semantics in ("single", "set", "multiset"):
        for number in range(1, 13):
            release = drawn(semantics, number)
            if worlds_in(release) > 600:
                continue
            chance = random.Random(f"facts {semantics} {number}")
            everybody = [
                Someone(row + 1, place + 1) for row, n in enumerate(release.groups.sizes.tolist()) for place in range(n)
            ]
            told = []
            while len(told) < 12:
                target, known = (
                    any_fact(chance, everybody, release, 1),
                    [any_fact(chance, everybody, release, 2) for _ in range(chance.randint(0, 3))],
                )
                expected = investigation_probability(release, target, known)
                told.append(
                    {
                        "target": str(target),
                        "knowing": [str(each) for each in known],
                        "is": _belief(release, target, known, expected),
                        "by": "brute force",
                    }
                )
            print(f"  {semantics}: facts {number}", flush=True)
            section = section_of(f"facts about {semantics} {number}", release, beliefs=told)
            if worlds_in(release) <= 12 and release.size <= 4:
                section["skylines"] = list(skylines(release))
            yield section


def _belief(release: sl.Release, target: Fact, known: list[Fact], expected: Fraction | None) -> str:
    try:
        found = sl.posterior(release, target, given=known)
    except Contradiction:
        assert expected is None
        return "impossible"
    assert found == expected, (release, target, known)
    return str(found)


def any_fact(chance: random.Random, people: list[Someone], release: sl.Release, depth: int) -> Fact:
    """Draw a fact."""
    if depth == 0 or chance.random() < 0.3:
        who, values = chance.choice(people), list(release.domain)
        kinds = [lambda: Has(who, chance.choice(values)), lambda: OneOf(who, chance.sample(values, 2))]
        kinds += [lambda: Same(who, chance.choice(people))]
        return chance.choice(kinds)()
    one, other = (any_fact(chance, people, release, depth - 1) for _ in range(2))
    return chance.choice([~one, one & other, one | other, one.implies(other)])


def skylines(release: sl.Release) -> Iterator[Data]:
    """Ask how much somebody may know of values, trying every amount in every world."""
    largest, steps = int(release.groups.sizes.max()) + 1, ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    amounts = list(product(range(len(release.domain)), range(largest + 1), range(largest + 1)))
    for value in (each for each, n in zip(release.domain, release.groups.whole.tolist(), strict=True) if n):
        names = ("rules_out", "others", "family")
        risks = {each: worst_acquaintance(release, value, **dict(zip(names, each, strict=True))) for each in amounts}
        for below in (Fraction(1, 2), Fraction(3, 4), Fraction(1)):
            safe = {knows for knows, risk in risks.items() if risk < below}
            beyond = {knows: [tuple(map(sum, zip(knows, step, strict=True))) for step in steps] for knows in safe}
            top = sorted(knows for knows in safe if not any(more in safe for more in beyond[knows]))
            assert tuple(top) == sl.knowledge_skyline(release, value, below), (release, value, below)
            yield {"value": value, "below": str(below), "is": [list(each) for each in top], "by": "brute force"}


# --- statisticians and learners ------------------------------------------------------------------------------------

WARDS = {
    "two buckets": [[("f", "x", "a"), ("m", "x", "b")], [("m", "y", "b"), ("m", "x", "c"), ("f", "y", "a")]],
    "three buckets": [
        [("f", "x", "a"), ("m", "y", "b")],
        [("m", "y", "b"), ("m", "x", "a"), ("f", "y", "a")],
        [("f", "y", "c"), ("m", "x", "b"), ("f", "x", "b")],
    ],
}
STATEMENTS = {
    "two buckets": (["P(a | sex=m) = 0"], ["P(b | town=x) <= 1/2"], ["P(a | sex=f) >= 3/4", "P(c | town=y) <= 1/8"]),
    "three buckets": (["P(a | sex=f) = 1/2"], ["P(c | sex=m) = 0"], ["P(b | town=y) >= 1/2", "P(a | sex=m) <= 1/3"]),
}


def statistics() -> Iterator[Data]:
    """Ask statisticians and learners of buckets whose people are told apart."""
    for name, wards in WARDS.items():
        bags = [{value: [each[2] for each in ward].count(value) for value in "abc"} for ward in wards]
        section = section_of(name, labelled(bags, "single"))
        for group, ward in zip(section["groups"], wards, strict=True):
            ward.sort(key=lambda each: each[2])  # in the order of the values, as rows are listed
            group["members"] = [list(each[:2]) for each in ward]
        section["members"] = ["sex", "town"]
        listed = Listed(section)
        release = listed.release()
        lines = [([{"sex": sex, "town": town} for sex, town, _ in ward], [each[2] for each in ward]) for ward in wards]
        answers = _alone(listed, release)
        answers += [_solved(listed, release, lines, known) for known in STATEMENTS[name]]
        answers += [_error(listed, release, wards), _learnt(listed, release, wards)]
        yield {**section, "answers": answers}


def _with_code(
    listed: Listed, release: sl.Release, text: str, *, near: float, within: float, by: str, step: str
) -> Data:
    """Write what the code finds, where another way is as near as floats allow; `step` is how coarsely it rounds."""
    measure = listed.measure(text)
    finding = measure.measure(release)
    assert abs(float(finding.value) - near) <= within, (text, finding.value, near)
    kind = -1 if measure.large_is_bad else 1
    value: Any = finding.value
    if not isinstance(value, Fraction):
        ends = Decimal(repr(float(value))), Decimal(repr(float(value))) + kind * Decimal(step)
        value = tuple(sorted(ends))
    entry = {"ask": text, "is": answer_text(value), "by": f"code, and {by} to {within:g}"}
    return entry | ({"witness": witness_data(finding.witness, release)} if finding.witness is not None else {})


def _solved(listed: Listed, release: sl.Release, lines: list[tuple[list[Line], list[str]]], known: list[str]) -> Data:
    twin = Twin(lines, {})
    near = twin.surest(twin.solve([sl.read_statement(each) for each in known]))
    text = str(sl.MaxEnt(knowing=known))
    return _with_code(listed, release, text, near=near, within=5e-5 * twin.size, by="a general solver", step="1e-9")


def _shares(listed: Listed) -> Iterator[tuple[int, Fraction]]:
    """Give the share of each value that is believed of those who say the same: of all groups that they may be in."""
    groups = listed.section["groups"]
    for key in {tuple(each) for group in groups for each in group["members"]}:
        own = [group for group in groups for each in group["members"] if tuple(each) == key]
        for at in range(len(listed.domain)):
            yield at, sum(Fraction(group["counts"][at], group["people"]) for group in own) / len(own)


def _alone(listed: Listed, release: sl.Release) -> list[Data]:
    """Ask statisticians who know nothing else."""
    whole, people = release.groups.whole.tolist(), release.size
    surest = max(share for _, share in _shares(listed))
    gain = max(share - Fraction(whole[at], people) for at, share in _shares(listed))
    numbers = (("maximum entropy", surest), ("maximum entropy gain", gain))
    return [
        _with_code(listed, release, text, near=float(near), within=1e-9, by="its definition", step="1e-9")
        for text, near in numbers
    ]


def _error(listed: Listed, release: sl.Release, wards: list[Ward]) -> Data:
    people = [(b, (sex, town), value) for b, ward in enumerate(wards) for sex, town, value in ward]
    error = 0.0
    for key in {key for _, key, _ in people}:
        mine = [(b, value) for b, other, value in people if other == key]
        for value in {value for _, value in mine}:
            true = sum(own == value for _, own in mine) / len(mine)
            believed = sum([each[2] for each in wards[b]].count(value) / len(wards[b]) for b, _ in mine) / len(mine)
            error += len(mine) / len(people) * true * math.log(true / believed)
    return _with_code(listed, release, "estimation error", near=error, within=2e-9, by="its definition", step="1e-9")


def _learnt(listed: Listed, release: sl.Release, wards: list[Ward]) -> Data:
    """Ask a learner of so few people that no model predicts groups held out: it believes the largest share."""
    values = [[value for _, _, value in ward] for ward in wards]
    near = max(ward.count(value) / len(ward) for ward in values for value in ward)
    return _with_code(
        listed, release, "learner(model=naive bayes)", near=near, within=2e-6, by="plain Python", step="1e-6"
    )


# --- several releases, the method, noise ---------------------------------------------------------------------------


def several() -> Iterator[Data]:
    """Ask what releases about the same people give away together."""
    for number in range(1, 9):
        chance = random.Random(f"together {number}")
        parts = []
        for cut in (chance.choice([30, 35, 40]), chance.choice([32, 45])):
            groups = [
                {"cells": [f"20-{cut - 1}"], "counts": _dealt(chance, 4)},
                {"cells": [f"{cut}-60"], "counts": _dealt(chance, 4)},
            ]
            parts.append(groups)
        people = [{"age": str(age)} for age in (21, 33, 41, 59)]
        prior = chance.choice(["uniform", "pooled"])
        section: Data = {
            "name": f"together {number}",
            "domain": ["AIDS", "Cold", "Flu"],
            "columns": ["age"],
            "releases": parts,
            "prior": prior,
            "people": people,
        }
        exposure = together(section)
        before = dict(zip(exposure.domain, exposure.prior, strict=True))
        for row, person in enumerate(people):
            expected = joint_worlds(exposure.views, before, row)
            found = exposure.witness(person).beliefs
            assert found == {value: each for value, each in (expected or {}).items() if each}
            person["is"] = {str(value): str(each) for value, each in found.items()}
            person["by"] = "brute force"
        yield section


def _dealt(chance: random.Random, people: int) -> list[int]:
    values = [chance.randrange(3) for _ in range(people)]
    return [values.count(each) for each in range(3)]


MAKINGS = (
    (["0", "1", "2"], [1, 2, 1], 2, ["group size >= 2", "distinct values >= 2"]),
    (["0", "1", "2", "3"], [1, 1, 1, 1], 2, ["group size >= 2", "implications(k=0) <= 1/2"]),
    (["0", "1", "2"], [2, 1, 2], 2, ["group size >= 2", "implications(k=0) < 2/3"]),
    (["0", "1"], [2, 3], 3, ["recursive diversity(l=2) <= 2"]),
)


def methods() -> Iterator[Data]:
    """Ask what somebody believes who knows the method and the policy: by every assignment, sent through the method."""
    for number, (labels, sizes, values, limits) in enumerate(MAKINGS, 1):
        small = SmallTable((tuple(labels),), tuple(sizes), values)
        makings = every_making(small, lambda table, limits=limits: made(table, limits))
        for at, making in enumerate(sorted(makings.values(), key=lambda each: sorted(signature(each.found)))[:6], 1):
            cells = making.worlds[0][0]
            learnt = sl.insider(making.found)
            exact = max(making.belief(key, value) for key, value in product(range(len(labels)), range(values)))
            by = "brute force" if learnt.worst == exact else "code"
            rows = [
                {"cells": [label], "people": size, "counts": list(row)}
                for label, size, row in zip(labels, sizes, cells, strict=True)
            ]
            yield {
                "name": f"made {number}.{at}", "columns": ["q0"], "domain": list("abc"[:values]), "groups": rows,
                "method": "mondrian", "policy": limits, "is": answer_text(learnt.worst), "by": by,
            }  # fmt: skip


PROMISES = ("0.1", "1/2", "1", "2", "10")


def noise() -> Iterator[Data]:
    """Ask what pure differential privacy promises, by the formulas, and what releases cost together."""
    for epsilon in PROMISES:
        section: Data = {"epsilon": epsilon, "false_alarms": "1/20", "prior": "1/10"}
        with localcontext(prec=2 * DIGITS):
            e = (Decimal(Fraction(epsilon).numerator) / Fraction(epsilon).denominator).exp()
            alpha, prior = Decimal("0.05"), Decimal("0.1")
            answers = {
                "shift": (e - 1) / (e + 1),
                "recognised": min(e * alpha, 1 - (1 - alpha) / e),
                "posterior": prior * e / (prior * e + 1 - prior),
            }
        for name, found in noise_numbers(section).items():
            low, high = _thirty(answers[name])
            assert Fraction(low) <= Fraction(found) <= Fraction(high) * (1 + Fraction(1, 10**9)), (epsilon, name)
            section[name] = answer_text((low, high))
        yield section | {"by": "definition"}


def _thirty(value: Decimal) -> tuple[Decimal, Decimal]:
    with localcontext(prec=2 * DIGITS):
        step = Decimal(10) ** -DIGITS
        return value.quantize(step) - step, value.quantize(step) + step


SPENT = (["1/10"] * 10, ["1/3", "1/6", "1/2"], ["0.1", "0.2"], ["1"] * 3, ["1/1000"] * 7)


def compositions() -> Iterator[Data]:
    """Ask what several releases cost together, added up."""
    for epsilons in SPENT:
        spent = sl.privacy_spent([sl.Spending("a", epsilon) for epsilon in epsilons])
        total = sum(map(Fraction, epsilons))
        assert spent.basic == round_up(total)
        yield {"epsilons": epsilons, "basic": str(total), "by": "definition"}


FILES: dict[str, Any] = {
    "single": [("release", lambda: measured("single")), ("release", crowd)],
    "set": [("release", lambda: measured("set"))],
    "multiset": [("release", lambda: measured("multiset"))],
    "columns": [("release", by_columns), ("release", against_populations), ("release", with_weights)],
    "papers": [("release", of_papers)],
    "beliefs": [("release", beliefs)],
    "statistics": [("release", statistics)],
    "together": [("together", several)],
    "methods": [("making", methods)],
    "noise": [("promise", noise), ("composition", compositions)],
}


def main() -> None:
    """Write all files (or those named), or say whether they are as they would be written."""
    if "--tally" in sys.argv:
        print(tally_table(documents()))
        return
    differ = []
    for name in [each for each in sys.argv[1:] if each in FILES] or FILES:
        sections = [section_text(kind, section) for kind, make in FILES[name] for section in make()]
        text, path = f"version = {VERSION}\n\n" + "\n".join(sections), FOLDER / f"{name}.toml"
        print(f"{name}: {len(text.splitlines()):,} lines", *DISAGREE, sep="\n", flush=True)
        if DISAGREE:
            sys.exit(1)
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            differ.append(name)
    if differ:
        sys.exit(f"these would be written differently: {', '.join(differ)}")
    print(f"version {VERSION}, digest {digest(documents())}")


if __name__ == "__main__":
    main()
