"""A short run of what `make verify WHAT=fuzz` does at length: inputs near valid ones for every parser, and the bars that they try."""

import pytest
from hypothesis import strategies as st
from trust.fuzz.bars import MARK, STORY, Target, run
from trust.fuzz.targets import TARGETS

import sidelight as sl

SEED = 21


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", [each for each in TARGETS if each.short], ids=lambda target: target.name)
def test_no_input_breaks_a_bar(target, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tally = run(target, target.short, SEED)
    assert tally.inputs >= target.short // 2
    assert [(failure.bar, failure.words, failure.given) for failure in tally.failures.values()] == []


def _raises(error):
    def ask(_):
        raise error

    return ask


def _works_for_ever(_):
    while True:
        pass


@pytest.mark.parametrize(
    ("bar", "ask"),
    [
        ("traceback", _raises(KeyError("x"))),
        ("traceback", lambda _: open("no such file")),  # noqa: PTH123, SIM115
        ("leak", _raises(sl.SidelightError(f"no column 'x'; did you mean '{MARK}itis'?"))),
        ("leak", lambda _: f"'came in with a rash of {STORY}' occurs in 'x' but is not in domain"),
        ("hang", _works_for_ever),
    ],
    ids=["an error", "an error of the system", "a cell", "the end of a long cell", "for ever"],
)
def test_the_bars_notice_what_they_are_for(bar, ask, monkeypatch):
    monkeypatch.setattr("trust.fuzz.bars.SECONDS", 0.2)
    tally = run(Target("broken", st.integers(0, 1), ask, share=1, short=1), 1, SEED)
    assert tally.broken[bar] == tally.inputs > 0
