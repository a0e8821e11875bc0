"""Whatever public functions, classes and methods are given, they raise `SidelightError` or `TypeError`, and nothing else.

`make fuzz` draws more of the calls that `trust.fuzz.python_calls` describes.
"""

import random
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
FRAMES = (ROWS, ROWS.to_pandas(), pl.from_arrow(ROWS), pd.DataFrame(), np.array([1.5, 2.5]))


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
    ],
)
@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__module__)
def test_a_table_where_a_word_or_a_mapping_belongs(call, frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((sl.SidelightError, TypeError)) as refused:
        call(frame)
    assert MARK not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_amounts_that_no_float_holds_are_told():
    for call in (
        lambda: sl.FullDomain(suppress=10**400),
        lambda: sl.FullDomain(suppress=Fraction(10**400, 3)),
        lambda: sl.promise_of([]),
        lambda: sl.write_hierarchy(sl.Hierarchy.suppression("age", ["1"]), "\0"),
    ):
        with pytest.raises(sl.SidelightError):
            call()
