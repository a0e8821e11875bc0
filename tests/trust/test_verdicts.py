"""Nothing that should not matter flips a verdict, a finding or a release.

Here: rounding (counts of up to 10¹² people at, just below and just above limits, however a limit is written), merging in
any tree, the order and chunks of rows, how numbers are stored, threads, and Python's hash seed.  Elsewhere: summaries that
are folded one by one, from either side and after pickling, and the order of groups and values (`claims/test_invariances`);
blocks of groups (`agree/test_findings`); runs and batches on disk (`agree/test_streamed`); what each engine reads of every
type, and that all have the same findings (`engines/test_every_engine`); answers that stay what they are
(`registry/test_registry`).
"""

import math
import os
import random
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.definitions import vouched
from support.examples import examples
from support.waiting import PATIENCE

import sidelight as sl
from conftest import write_samples
from sidelight.measures.about import findings
from sidelight.measures.criterion import Comparison, Criterion, exact
from sidelight.measures.measure import Measure
from sidelight.policy.measure_names import all_measures
from sidelight.policy.policy_file import read_policy_text
from sidelight.search.policy_check import PolicyCheck
from sidelight.testing import measures, releases, splits

# --- rounding ------------------------------------------------------------------------------------------------------

TRILLION = 10**12
A_LITTLE = Fraction(1, 10**30)


@st.composite
def crowds(draw):
    """A few groups of nearly equal shares, of up to a million of millions of people; values are numbers."""
    semantics = draw(st.sampled_from(["single", "single", "set", "multiset"]))
    # what is known of multisets is to the power of their counts
    scale = draw(st.sampled_from([1, 1000, 10**9, TRILLION // 6] if semantics != "multiset" else [1, 20]))
    near = st.integers(0, 3).flatmap(lambda n: st.integers(-1, 1).map(lambda more: max(n * scale + more, 0)))
    bags = draw(st.lists(st.lists(near, min_size=3, max_size=3).filter(any), min_size=1, max_size=3))
    sizes = [sum(bag) if semantics == "single" else max(bag) + draw(st.integers(0, 1)) for bag in bags]
    return sl.Release.from_counts([dict(zip("123", bag, strict=True)) for bag in bags], sizes=sizes, values=semantics)


def limits_near(value, draw):
    """A limit at a value or as near as can be, as a fraction, a decimal, a float or a whole number."""
    exactly = Fraction(value)
    beside = draw(st.sampled_from([exactly, exactly + A_LITTLE, exactly - A_LITTLE, Fraction(round(exactly))]))
    ways = [beside, Decimal(f"{float(beside):.25f}"), float(beside)]
    ways += [math.nextafter(float(beside), math.inf), math.nextafter(float(beside), -math.inf)]
    ways += [int(beside)] if beside.denominator == 1 else []
    return draw(st.sampled_from(ways))


@examples(100)
@given(st.data())
def test_no_rounding_flips_a_verdict(data):
    release = data.draw(crowds())
    measure = data.draw(measures(release))
    assume(not measure.estimate and not isinstance(measure, sl.Learner))
    finding = measure.measure(release)
    assume(finding.value != math.inf)
    bound = limits_near(finding.value, data.draw)
    assume(measure.limits[0] <= exact(bound) <= measure.limits[1])
    comparison = data.draw(st.sampled_from([each for each in Comparison if each.from_above == measure.large_is_bad]))
    policy = sl.Policy(Criterion(measure, comparison, bound))
    holds = comparison.holds(finding.value, Fraction(str(bound)))
    assert policy.judge(release).safe == holds
    assert read_policy_text(policy.to_toml()).policy.judge(release).safe == holds  # as the file says it
    if measure.mergeable and type(measure).screen is not Measure.screen:
        assert PolicyCheck.from_policy(policy, release.size).holds(release.groups) == holds  # as a search decides it
    if isinstance(finding.value, float):  # irrational: rounded towards caution, so never kinder than the truth
        twin = vouched(measure, release) if release.size < 10_000 else None
        if holds and twin is not None and isinstance(twin.value, tuple):
            kind_end = Fraction(twin.value[0 if measure.large_is_bad else 1])
            assert comparison.holds(kind_end, Fraction(str(bound)))


@pytest.mark.parametrize("people", [11, 10**6, TRILLION, 2**53 + 1, 10**15 + 1])
def test_one_person_more_or_less_decides(people):
    """Counts are whole numbers however large: `n` people are within `at least n`, and one fewer are not."""
    for size, holds in ((people - 1, False), (people, True), (people + 1, True)):
        release = sl.Release.from_counts([{"a": size}])
        assert sl.Policy(sl.GroupSize() >= people).judge(release).safe == holds
        assert sl.Policy(sl.ProsecutorRisk() <= Fraction(1, people)).judge(release).safe == holds
        assert PolicyCheck.from_policy(sl.Policy(sl.GroupSize() >= people), size).holds(release.groups) == holds
    half = sl.Release.from_counts([{"a": people, "b": people}])
    more = sl.Release.from_counts([{"a": people + 1, "b": people}])
    for limit in (
        sl.Implications(0) <= 0.5,
        sl.Negations(0) <= 0.5,
        sl.Acquaintance() <= 0.5,
        sl.RecursiveDiversity(1) <= 0.5,
    ):
        assert [sl.Policy(limit).judge(each).safe for each in (half, more)] == [True, False], limit
        assert [PolicyCheck.from_policy(sl.Policy(limit), each.size).holds(each.groups) for each in (half, more)] == [
            True,
            False,
        ]
    assert [(sl.EntropyDiversity() >= 2).judge(each).holds for each in (half, more)] == [True, False]


def test_limits_beside_whole_numbers_are_no_whole_numbers():
    """Searches decide in floats where those are sure: 5 people are not more than 5 + 10⁻³⁰."""
    for measure, release in ((sl.GroupSize(), {"a": 5}), (sl.DistinctValues(), dict.fromkeys("abcde", 1))):
        five = sl.Release.from_counts([release])
        for limit, holds in (
            (measure >= 5 + A_LITTLE, False), (measure > 5 - A_LITTLE, True), (measure >= 5 - A_LITTLE, True),
            (measure >= 5, True), (measure > 5, False),
        ):  # fmt: skip
            assert limit.judge(five).holds == holds, limit
            assert PolicyCheck.from_policy(sl.Policy(limit), five.size).holds(five.groups) == holds, limit


# --- merging -------------------------------------------------------------------------------------------------------


def merged_by(summaries, rnd):
    """Merge summaries two by two, any two of those that are left, in either order."""
    left = list(summaries)
    while len(left) > 1:
        one, other = (left.pop(rnd.randrange(len(left))) for _ in range(2))
        left.append(one.merge(other))
    return left[0].finding()


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_any_tree_of_merges_gives_the_same_finding_and_witness(semantics):
    @examples(15)
    @given(st.data(), st.integers(0, 2**32))
    def hunt(data, seed):
        release = data.draw(releases(semantics=semantics, max_groups=6))
        parts, rnd = data.draw(splits(release)), random.Random(seed)
        every = (measure for kind in all_measures() if kind.mergeable for measure in kind.examples(release.domain))
        for measure in (each for each in every if semantics in each.semantics):
            summaries = [measure.summarize(part) for part in parts]
            one, other = (merged_by(summaries, rnd) for _ in range(2))
            assert one == other, measure

    hunt()


# --- rows, chunks, types -------------------------------------------------------------------------------------------

AGES = [20 + i * i % 37 for i in range(60)]
CODES = [1 + i * i // 3 % 4 for i in range(60)]
PEOPLE = {"place": [("North", "South", "East")[i % 3] for i in range(60)], "age": AGES, "code": CODES}
ROLES = {"sensitive": "code", "domain": ["1", "2", "3", "4"]}


def said(source):
    """What is found of rows, by measures of all kinds, and what two methods publish of them."""
    release = sl.read_release(source, group=["place", "age"], **ROLES)
    asked = [measure for kind in all_measures() for measure in kind.examples(release.domain) if measure.streams]
    told = findings([each for each in asked if "single" in each.semantics], release)
    table = sl.read_table(source, quasi=["place", "age"], kinds={"age": "number"}, **ROLES)
    policy = sl.Policy(sl.GroupSize() >= 3, sl.DistinctValues() >= 2)
    found = sl.protect(table, policy, method="mondrian", ask="nobody")
    return told, [str(group) for group in found.release], found.verdict


@pytest.fixture(scope="module")
def expected():
    return said(pa.table({name: pa.array([str(cell) for cell in cells]) for name, cells in PEOPLE.items()}))


def in_pandas(kind):
    frame = pd.DataFrame(PEOPLE)
    return frame.assign(age=frame["age"].astype(kind), code=frame["code"].astype(kind))


def in_polars(kind):
    return pl.DataFrame(PEOPLE).with_columns(pl.col("age").cast(kind), pl.col("code").cast(kind))


STORED = {
    **{f"pandas {kind}": partial(in_pandas, kind) for kind in ("int8", "int16", "int32", "int64", "uint8", "uint64")},
    **{
        f"pandas {kind}": partial(in_pandas, kind)
        for kind in ("float32", "float64", "Int8", "Int64", "UInt16", "Float64")
    },
    **{
        f"pandas {kind}": partial(in_pandas, kind) for kind in ("object", "str", "string", "category", "int16[pyarrow]")
    },
    "pandas categories of text": lambda: in_pandas("str").astype("category"),
    **{f"polars {kind}": partial(in_polars, kind) for kind in (pl.Int8, pl.UInt32, pl.Int64, pl.Float32, pl.String)},
    "polars decimals": lambda: in_polars(pl.Decimal(10, 2)),
    "polars categories": lambda: in_polars(pl.String).with_columns(pl.all().cast(pl.Categorical)),
    "arrow dictionaries": lambda: pa.table(
        {name: pa.array(cells).dictionary_encode() for name, cells in PEOPLE.items()}
    ),
    "arrow in chunks": lambda: pa.concat_tables(pa.table(PEOPLE).slice(start, 7) for start in range(0, 60, 7)),
}


@pytest.mark.parametrize("stored", STORED)
def test_how_numbers_are_stored_does_not_matter(stored, expected):
    assert said(STORED[stored]()) == expected


@examples(8)
@given(order=st.permutations(range(60)), cuts=st.sets(st.integers(1, 59), max_size=5))
def test_neither_the_order_of_rows_nor_their_chunks_matter(expected, order, cuts):
    table = pa.table(PEOPLE).take(order)
    ends = [0, *sorted(cuts), 60]
    chunked = pa.concat_tables(table.slice(start, stop - start) for start, stop in pairwise(ends))
    assert said(chunked) == expected


def test_the_number_of_threads_of_duckdb_does_not_matter():
    """Two row groups and more, which several threads count beside each other."""

    def asked(threads):
        connection = duckdb.connect(config={"threads": threads})
        rows = connection.sql(
            "select (i * 7919 % 4001) % 97 as place, i % 13 as age, (i * i) % 5 as code from range(300000) t(i)"
        )
        release = sl.read_release(rows, group=["place", "age"], sensitive="code")
        measures_ = (
            sl.GroupSize(),
            sl.Closeness(),
            sl.Implications(2),
            sl.Acquaintance(others=2),
            sl.EntropyDiversity(),
        )
        return findings(measures_, release), release.groups.counts.dense().tolist()

    assert asked(1) == asked(4)


# --- hash seed and threads of linear algebra -----------------------------------------------------------------------

VERBS = """
import sys
sys.path[:0] = {paths!r}
from support.command_line import invoke
limits = ["-l", "group size >= 5", "-l", "distinct values >= 2", "-l", "implications(k=1) <= 0.9"]
columns = ["-g", "age", "-g", "sex", "-g", "zip", "-s", "disease"]
quasi = ["--quasi", "age", "--quasi", "sex", "--quasi", "zip"]
tree = ["--hierarchies", "hierarchies"]
for arguments in (
    ["audit", "published.csv", *columns, *limits, "--json"],
    ["audit", "published.csv", *columns, "--measure", "maximum entropy", "--json"],
    ["columns", "patients.parquet", *quasi, "--json"],
    ["protect", "patients.parquet", *columns, *limits, *tree, "-o", "levels.csv"],
    ["protect", "patients.parquet", *columns, *limits, "--method", "mondrian", "-o", "cuts.csv"],
    ["protect", "patients.parquet", *columns, "-l", "group size >= 4", "--method", "microaggregation", "-o", "near.csv"],
    ["attack", "levels.csv", "cuts.csv", "--people", "patients.parquet", *quasi, *tree, "--json"],
    ["believe", "levels.csv", "--know", "P(Flu | sex=m) <= 0.3", "--json"],
):
    outcome = invoke(arguments)
    print("ended", arguments[0], outcome.exit_code)
    print(outcome.stdout, outcome.stderr)
"""


def ran(folder, seed, threads):
    """What verbs print, and the files that they leave, under a hash seed and so many threads."""
    folder.mkdir()
    write_samples(folder)
    tests = Path(__file__).parents[1]
    surroundings = os.environ | {"PYTHONHASHSEED": str(seed), "OPENBLAS_NUM_THREADS": str(threads), "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-c", VERBS.format(paths=[str(tests), str(tests.parent / "src")])],
        cwd=folder, env=surroundings, capture_output=True, text=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    # rows are published in an order drawn by lot, which tells nothing
    return done.stdout, {path.name: sorted(path.read_text().splitlines()) for path in sorted(folder.glob("*.csv"))}


def test_neither_hash_seed_nor_threads_of_linear_algebra_matter(tmp_path):
    (printed, files), (again, others) = ran(tmp_path / "a", 1, 1), ran(tmp_path / "b", 4_000_000_001, 4)
    assert printed == again
    assert files == others
    ends = [line.split()[1:] for line in printed.splitlines() if line.startswith("ended ")]
    assert len(ends) == 8
    assert {status for _, status in ends} <= {"0", "1"}, ends


def test_sums_of_floats_do_not_depend_on_their_order():
    """Where averages are taken over groups, they are taken in whole numbers or fractions."""
    sizes = np.random.default_rng(7).integers(1, 50, 400).tolist()
    labels = [{"ward": f"{number:03}"} for number in range(400)]
    one = sl.Release.from_counts([{"a": size} for size in sizes], labels=labels)
    other = sl.Release.from_counts([{"a": size} for size in sizes[::-1]], labels=labels)
    for measure in (sl.MarketerRisk(), sl.ProsecutorRisk("average"), sl.ProsecutorRisk("share above", threshold=0.1)):
        assert measure.measure(one).value == measure.measure(other).value
