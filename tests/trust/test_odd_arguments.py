"""Whatever public functions, classes and methods are given, they raise `SidelightError` or `TypeError`, and nothing else.

`make fuzz` draws more of the calls that `trust.fuzz.python_calls` describes.
"""

import random

import pytest
from trust.fuzz.bars import Tally, judge
from trust.fuzz.python_calls import TARGET, everything, told

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
