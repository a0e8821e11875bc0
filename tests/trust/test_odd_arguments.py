"""Whatever public functions, classes and methods are given, they raise `SidelightError` or `TypeError`, and nothing else.

`make verify WHAT=fuzz` draws more of the calls that `trust.fuzz.python_calls` describes.
"""

import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from trust.fuzz.bars import MARK, Tally, judge
from trust.fuzz.python_calls import TARGET, everything, told

import sidelight as sl

ROUNDS, SEED = 1, 20


@pytest.mark.filterwarnings("ignore")
def test_odd_arguments_are_refused_in_our_own_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chance, tally = random.Random(SEED), Tally(TARGET.name)
    wrong = []
    for _ in range(ROUNDS):
        for which in range(len(everything())):
            call, before = (which, chance.randbytes(6)), sum(tally.broken.values())
            judge(TARGET, call, tally)
            if sum(tally.broken.values()) > before:
                wrong.append(told(call)[:300])
    assert wrong == [], [failure.words for failure in tally.failures.values()]


ROWS = pa.table({"age": ["1", "2"], "disease": [f"{MARK}itis", "Cold"]})
FRAMES = (
    ROWS,
    ROWS.to_pandas(),
    pl.from_arrow(ROWS),
    pd.DataFrame(),
    np.array([1.5, 2.5]),
    np.array([1, 2]),
    pd.Series([1, 2]),
    pl.Series([1, 2]),
)

TABLE = sl.read_table(ROWS, quasi=["age"], sensitive="disease", person="each row")
RELEASE = sl.group(TABLE)
BY = {"age": sl.Hierarchy.suppression("age", ["1", "2"])}
POLICY = sl.Policy(sl.GroupSize() >= 1)
CHOICE = {
    "by": BY,
    "among": [{"age": 0}, {"age": 1}],
    "domain": TABLE.domain,
    "epsilon": 1,
    "ledger": "no ledger",
}
NOISE = {"by": BY, "levels": {"age": 0}, "domain": TABLE.domain, "epsilon": 1, "ledger": "no ledger"}
STABLE = {"columns": ["age"], "epsilon": 1, "delta": 1e-6, "ledger": "no ledger"}


def stream(**roles):
    return sl.stream_table(ROWS, **{"quasi": ["age"], "sensitive": "disease"} | roles)


def read(**roles):
    return sl.read_table(ROWS, **{"quasi": ["age"], "sensitive": "disease"} | roles)


def read_release(**roles):
    return sl.read_release(ROWS, **{"group": ["age"], "sensitive": "disease"} | roles)


def intersect(**options):
    return sl.intersect([RELEASE], **{"people": ROWS, "quasi": ["age"]} | options)


def simulate(**options):
    return sl.simulate_composition(TABLE, **{"overlap": 1, "policies": {"a": POLICY}, "seed": 1} | options)


def side_by_side(**options):
    return sl.side_by_side(TABLE, **{"by": BY, "levels": {"age": 0}, "overlap": 1, "seed": 1} | options)


def ledger():
    return sl.Ledger.begin("ledger.json", epsilon=1)


def spend(what="counts", **options):
    return ledger().spend(sl.Spending(what, epsilon=1), **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda frame: sl.FullDomain(suppressed=frame),
        lambda frame: sl.FullDomain(suppress=frame),
        lambda frame: sl.Mondrian(resists=frame),
        lambda frame: sl.Microaggregation(labels=frame),
        lambda frame: sl.BetaLikeness(kind=frame),
        lambda frame: sl.DeltaDisclosure(absent=frame),
        lambda frame: sl.Closeness(distance=frame),
        lambda frame: sl.PriorBelief(stubbornness=3, least_stubbornness=frame),
        lambda frame: sl.Release.from_counts([{"Flu": 2}], values=frame),
        lambda frame: sl.Ledger.begin("ledger.json", epsilon=1, accounting=frame),
        lambda frame: sl.maxent(sl.Release.from_counts([{"Flu": 2}]), people=frame),
        lambda frame: sl.maxent(sl.Release.from_counts([{"Flu": 2}])).probability("Flu", given=frame),
        sl.promise_of,
        lambda frame: sl.PrivacyProfile.of_curve(len, smallest=frame),
        lambda frame: sl.PriorBelief(stubbornness=3, shape=frame),
        lambda frame: sl.PriorBelief(stubbornness=3, predicates=frame),
        lambda frame: sl.PriorBelief(stubbornness=3, wishes=frame),
        lambda frame: sl.PriorBelief(stubbornness=3, decided_by=frame),
        lambda frame: sl.PriorBelief.from_counts({"Flu": 2}, plus_one=frame),
        lambda frame: sl.PriorBelief.from_release(RELEASE, by=frame),
        lambda frame: sl.NumericBelief(expects=1, stubbornness=1, within=1, family=frame),
        lambda frame: sl.Inference(secret=frame),
        lambda frame: sl.MaxEnt(vagueness=frame),
        lambda frame: sl.MaxEnt(conditions=frame),
        lambda frame: sl.MaxEntGain(vagueness=frame),
        lambda frame: sl.MaxEntGain(conditions=frame),
        lambda frame: sl.Closeness.from_settings(hierarchy=frame),
        lambda frame: (sl.GroupSize() >= 2).about(of=frame),
        lambda frame: sl.Mondrian(towards=frame),
        lambda frame: sl.Anatomy(random=frame),
        lambda frame: sl.FullDomain(nodes=frame),
        lambda frame: read(values=frame),
        lambda frame: read(missing=frame),
        lambda frame: read_release(rows=frame),
        lambda frame: read_release(keep_people=frame),
        lambda frame: sl.read_events(ROWS, person="each row", quasi=["age"], sensitive="disease", missing=frame),
        lambda frame: sl.suggest_roles(ROWS, values=frame),
        lambda frame: sl.suggest_roles(ROWS, missing=frame),
        lambda frame: sl.read_domain("values.csv", column=frame),
        lambda frame: sl.posterior(RELEASE, "#1 = Cold", effort=frame),
        lambda frame: sl.posterior(RELEASE, "#1 = Cold", approximate=frame),
        lambda frame: intersect(person=frame),
        lambda frame: intersect(truth=frame),
        lambda frame: intersect().within(1, located_alone=frame),
        lambda frame: sl.attack_noise([sl.noisy_counts(TABLE, **NOISE)], people=TABLE, by=BY, prior=frame),
        lambda frame: sl.rule_curve(RELEASE, TABLE, [1], support=frame),
        lambda frame: simulate(repetitions=frame),
        lambda frame: sl.protect(TABLE, POLICY, by=BY, levels=frame, ask="nobody"),
        lambda frame: sl.protect(TABLE, POLICY, by=BY, method="mondrian", suppress=frame, ask="nobody"),
        lambda frame: sl.protect(TABLE, POLICY, by=BY, ask="nobody").publish("release.csv", force=frame),
        lambda frame: sl.protect(TABLE, POLICY, by=BY, ask="nobody").publish("release.csv", written_as=frame),
        lambda frame: sl.noisy_counts(TABLE, **NOISE).publish("counts.csv", force=frame),
        lambda frame: sl.stable_counts(TABLE, **STABLE, values_per_person=frame),
        lambda frame: sl.stable_counts(TABLE, **STABLE | {"ledger": frame}),
        lambda frame: sl.choose_levels(TABLE, **CHOICE, values_per_person=frame),
        lambda frame: sl.choose_levels(TABLE, **CHOICE | {"ledger": frame}),
        lambda frame: sl.choose_levels(TABLE, **CHOICE, cells=frame),
        lambda frame: sl.semantic_privacy(1).disclosure_risk(known_to_be_in=frame),
        lambda frame: spend(receipt=frame),
        lambda frame: sl.release_report(RELEASE, frame),
        lambda frame: sl.release_report(RELEASE, measures=frame),
    ],
)
@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__module__)
def test_a_table_where_a_word_or_a_mapping_belongs(call, frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((sl.SidelightError, TypeError)) as refused:
        call(frame)
    assert MARK not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: read(sensitive=[]),
        lambda: read_release(sensitive=[]),
        lambda: sl.read_events(ROWS, person="each row", quasi=["age"], sensitive=[]),
        lambda: stream(sensitive=[]),
        lambda: sl.stream_release(ROWS, group=["age"], sensitive=[]),
        lambda: read(quasi=[RELEASE]),
        lambda: intersect(truth=(each for each in ["disease"])),
        lambda: intersect(present=math.inf),
        lambda: sl.protect(TABLE, POLICY, by=BY, suppress=True, ask="nobody"),
        lambda: sl.posterior(RELEASE, "#1 = Cold", effort=5),
        lambda: sl.posteriors(RELEASE, person=sl.Someone(1), effort=True),
        lambda: sl.posterior(RELEASE, "#1 = Cold", approximate=True, rng=-1),
        lambda: sl.Effort(seconds=10**400),
        lambda: sl.Estimate.from_hits(1, 10**400, 0.95),
        lambda: sl.maxent(RELEASE).probability([]),
        lambda: sl.maxent(RELEASE).riskiest(-1),
        lambda: sl.maxent(RELEASE).riskiest(1.5),
        lambda: sl.maxent(RELEASE).moved_most(sl.maxent(RELEASE), -1),
        lambda: sl.maxent(RELEASE, seconds=Decimal("sNaN")),
        lambda: sl.release_report(RELEASE, measures="x"),
        lambda: sl.disclosure_curve(RELEASE, lambda k: None, [1]),
        lambda: sl.disclosure_curve(RELEASE, sl.Implications, [1]).plot(limit=10**400),
        lambda: simulate(releases=0),
        lambda: simulate(releases=10**30),
        lambda: simulate(overlap=10**400),
        lambda: simulate(repetitions=Decimal("NaN")),
        lambda: side_by_side(releases=0),
        lambda: side_by_side(releases=-1),
        lambda: sl.strongest_rules(TABLE, positive=1, support=Decimal("NaN")),
        lambda: sl.strongest_rules(TABLE, positive=1, vagueness=10**400),
        lambda: sl.rule_curve(RELEASE, TABLE, [1], support=Decimal("NaN")),
        lambda: sl.noisy_counts(TABLE, **NOISE, cells=Decimal("NaN")),
        lambda: sl.choose_levels(TABLE, **CHOICE, cells=Decimal("NaN")),
        lambda: sl.choose_levels(TABLE, **CHOICE, above=10**30),
        lambda: sl.attack_noise([sl.noisy_counts(TABLE, **NOISE)], people=TABLE, by=BY, prior={"Cold": 10**400}),
        lambda: sl.learn(RELEASE, exact_up_to=10**400),
        lambda: sl.promise_of([sl.Spending("x", epsilon=1)], people=""),
        lambda: sl.semantic_privacy(1, people=""),
        lambda: sl.PrivacyProfile.of_pair("1"),
        lambda: sl.Acquaintance(others=10**30),
        lambda: sl.Acquaintance(family=10**30),
        lambda: sl.belief_skyline(RELEASE, sl.PriorBelief(stubbornness=3), 2, known_people=10**30),
        lambda: sl.PriorBelief(stubbornness=10**5000),
        lambda: sl.DisclosureCost(1, {"Cold": 10**400}),
        lambda: sl.CheapestKnowledge(0.9, {"Cold": 10**400}),
        lambda: sl.ExpectedCandidates(borrowed=10**400),
        lambda: sl.Implications(10**5000),
        lambda: sl.Has("Ann", "Flu").with_probability(10**400),
        lambda: sl.Has("Ann", 10**5000),
        lambda: sl.Hierarchy.intervals("age", ["1", "2"], widths=[5], bottom=10**400),
        lambda: sl.Release.from_counts([{"Flu": 2}], values="set", sizes=["age"]),
        lambda: sl.Release.from_counts([{"Flu": 2}], values="set", sizes=[10**30]),
        lambda: sl.Release.from_counts([{"Flu": 2}], labels=["age"]),
        lambda: spend("\ud800"),
        lambda: spend(None),
        lambda: spend(using="abc"),
        lambda: spend(receipt="\ud800"),
        lambda: sl.Spending("x", epsilon=1, mechanism=True),
        lambda: sl.GroupSize() >= True,
    ],
)
def test_numbers_out_of_range_and_lists_of_nothing(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sl.SidelightError) as refused:
        call()
    assert MARK not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_numbers_of_half_precision_are_read():
    """pandas does not group by NumPy's, and narwhals took Arrow's for missing ones."""
    for kind in ("float16", "halffloat[pyarrow]"):
        rows = ROWS.to_pandas().assign(age=pd.array([0.5, None], dtype="float32")).astype({"age": kind})
        table = sl.read_table(rows, quasi=["age"], sensitive="disease")
        assert table.quasi[0].labels == ("0.5", None)


def test_a_seed_and_a_time_of_any_size_are_taken():
    assert sl.maxent(RELEASE, seconds=10**400).probability("Cold") == 0.5
    assert sl.posterior(RELEASE, "#1 = Cold", approximate=True, rng=10**30).value == 0
    assert sl.knowledge_skyline(RELEASE, "Cold", Fraction(1, 10**400)) is not None
    assert sl.CheapestKnowledge(Fraction(1, 10**400)).measure(RELEASE).value is not None


def test_amounts_that_no_float_holds_are_told():
    for call in (
        lambda: sl.FullDomain(suppress=10**400),
        lambda: sl.FullDomain(suppress=Fraction(10**400, 3)),
        lambda: sl.promise_of([]),
        lambda: sl.write_hierarchy(sl.Hierarchy.suppression("age", ["1"]), "\0"),
    ):
        with pytest.raises(sl.SidelightError):
            call()
