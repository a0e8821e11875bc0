"""Every answer of the registry, on every engine, with every witness replayed; and its version and digest fit.

Entries are asked many at a time, release by release: the registry has thousands.
"""

import re
from fractions import Fraction

import duckdb
import polars as pl
import pytest
from hypothesis import settings
from support.examples import QUICK
from support.registry import (
    FOLDER,
    Listed,
    digest,
    documents,
    made,
    noise_numbers,
    read_answer,
    table_of,
    tally_table,
    together,
)

import sidelight as sl
from sidelight.errors import Contradiction
from sidelight.policy.measure_names import all_measures
from sidelight.rounding import round_up
from sidelight.streams import sorted_runs
from sidelight.streams.memory import Memory

FILES = documents()
LISTED = [Listed(section) for file in FILES.values() for section in file.get("release", ())]
ASKED = [listed for listed in LISTED if "answers" in listed.section]
SLICE = [listed for listed in ASKED if listed.name == "drawn 4" or listed.bucketized]
"""For engines that take long to start with a table: one release of each semantics, and those with buckets."""

CROWD = 10_000
"""Of more people than that, groups and values are counted in the rows."""


def rows_and_roles(listed):
    if sum(group["people"] for group in listed.section["groups"]) <= CROWD or listed.bucketized:
        return listed.rows(), listed.roles()
    roles = {name: said for name, said in listed.roles().items() if name not in ("person", "missing")}
    return listed.counted_rows(), roles | {"rows": "counts"}


def in_duckdb(table):
    connection = duckdb.connect()
    connection.register("mine", table)
    return connection.table("mine")


ENGINES = {"arrow": lambda table: table, "pandas": lambda table: table.to_pandas(), "polars": pl.from_arrow}
ENGINES["duckdb"] = in_duckdb


def test_the_counts_alone_give_every_answer():
    for listed in ASKED:
        assert listed.check(listed.asked[1]) == len(listed.section["answers"])


EVERY = 1 if settings().max_examples > QUICK else 10
"""A release that is the same has the same findings, as those are of it alone: of each release one in so many is asked again."""


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_reads_every_release_and_gives_its_answers(engine):
    for number, listed in enumerate(ASKED):
        table, roles = rows_and_roles(listed)
        release = sl.read_release(ENGINES[engine](table), **roles)
        listed.check_groups(release)
        listed.check(release, every=EVERY, first=number % EVERY)


def test_out_of_core_gives_every_answer_that_streams(monkeypatch):
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 5)
    monkeypatch.setattr(sorted_runs.SortedRuns.batches, "__defaults__", (3,))
    resolve = 0
    for listed in ASKED:
        table, roles = rows_and_roles(listed)
        if not listed.bucketized and "rows" not in roles:
            resolve += listed.check(
                sl.stream_release(table, **roles), every=min(EVERY, 2), first=resolve % min(EVERY, 2)
            )
    assert resolve > 1_000


def test_postgresql_gives_the_answers_of_a_few_releases(postgres):
    for listed in SLICE:
        table, roles = rows_and_roles(listed)
        postgres.put("registry", table)
        listed.check(sl.read_release(postgres.address("registry"), **roles))


def test_every_witness_replays_from_its_data():
    for listed in ASKED:
        measures, release, found, expected = listed.asked
        for measure, finding, witness in zip(measures, found, expected, strict=True):
            if witness is not None:
                assert measure.replay(witness, release) == finding.value, (listed.name, str(measure))


def test_beliefs_from_facts():
    for listed in LISTED:
        release = listed.release() if "beliefs" in listed.section else None
        for entry in listed.section.get("beliefs", ()):
            if entry["is"] == "impossible":
                with pytest.raises(Contradiction):
                    sl.posterior(release, entry["target"], given=entry["knowing"])
            else:
                assert sl.posterior(release, entry["target"], given=entry["knowing"]) == Fraction(entry["is"]), entry


def test_skylines():
    for listed in LISTED:
        for entry in listed.section.get("skylines", ()):
            points = sl.knowledge_skyline(listed.release(), entry["value"], Fraction(entry["below"]))
            assert [list(point) for point in points] == entry["is"], (listed.name, entry)


def test_several_releases_together():
    for section in FILES["together"]["together"]:
        exposure = together(section)
        for person in section["people"]:
            says = {name: person[name] for name in section["columns"]}
            believed = exposure.witness(says).beliefs
            assert {value: str(each) for value, each in believed.items()} == person["is"], section["name"]


def test_insiders():
    for section in FILES["methods"]["making"]:
        learnt = sl.insider(made(table_of(section), section["policy"]))
        assert learnt.worst == read_answer(section["is"]), section["name"]
        assert learnt.witness is None or learnt.replay(learnt.witness) == learnt.worst, section["name"]


def test_promises_of_noise():
    """Upper bounds: never below the number, and above it by rounding only."""
    for section in FILES["noise"]["promise"]:
        for name, found in noise_numbers(section).items():
            low, high = (Fraction(each) for each in section[name])
            assert low <= Fraction(found) <= high * (1 + Fraction(1, 10**9)), (section["epsilon"], name)
    for section in FILES["noise"]["composition"]:
        spent = sl.privacy_spent([sl.Spending("a", epsilon) for epsilon in section["epsilons"]])
        assert spent.basic == round_up(Fraction(section["basic"]))


# --- what it covers, and how it changes ----------------------------------------------------------------------------


def test_every_measure_is_asked_of_all_semantics_that_it_is_defined_for():
    resolve = {(type(measure).name, listed.semantics) for listed in ASKED for measure in listed.asked[0]}
    apart = {("learner", "set"), ("learner", "multiset"), ("individual risk", "set"), ("individual risk", "multiset")}
    apart |= {(risk, several) for risk in ("journalist risk", "presence", "absence") for several in ("set", "multiset")}
    for kind in all_measures():
        if kind is not sl.Insider:  # it asks about a method: see `methods.toml`
            assert {(kind.name, each) for each in kind.semantics} - resolve <= apart, kind.name


README = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_readme_counts_what_there_is():
    assert tally_table(FILES) in README, "run scripts/registry.py --tally, and put its table into the README"


def test_a_changed_number_has_a_version_and_a_reason():
    """Whoever changes an entry raises the version and adds a line to the README with the digest and what changed."""
    versions = re.findall(r"^\| (\d+) \| `([0-9a-f]{64})` \| \S", README, flags=re.MULTILINE)
    assert [int(version) for version, _ in versions] == list(range(1, len(versions) + 1))
    newest, said = versions[-1]
    assert {file["version"] for file in FILES.values()} == {int(newest)}
    assert digest(FILES) == said, "entries changed: raise VERSION in scripts/registry.py, and follow its README"
