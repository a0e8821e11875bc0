"""What the explorer holds: the file is read as the address says, once, and only with columns that it has."""

import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.explorer import opened
from support.waiting import PATIENCE

from sidelight.errors import BadTable, SidelightError, UnknownColumn
from sidelight.web.workspace import Answers


@pytest.fixture
def held(sample_files):
    return opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")


def test_it_begins_with_what_was_said_and_the_first_limits(held):
    assert (held.start.quasi, held.start.sensitive) == (("age", "sex"), ("disease",))
    assert held.start.limits == ("group size >= 5", "implications(k=1) < 1/2")


def test_a_release_is_read_once_for_each_reading(held):
    assert held.release(held.start) is held.release(held.start.but(limits=()))
    assert held.release(held.start) is not held.release(held.start.but(quasi=("sex",)))
    assert len(held.release(held.start.but(quasi=("sex",)))) == 2


def test_levels_make_it_coarser(held):
    assert len(held.release(held.start.but(levels=(("age", 3), ("sex", 1))))) == 1


def test_columns_that_are_not_there_are_refused(held):
    with pytest.raises(UnknownColumn, match=r"no column 'agee' .*'age'"):
        held.release(held.start.but(quasi=("agee",)))
    with pytest.raises(SidelightError, match="zap"):
        held.release(held.start.but(levels=(("zap", 1),)))
    with pytest.raises(SidelightError, match="level"):
        held.release(held.start.but(levels=(("age", 9),)))


def test_without_roles_it_says_what_to_choose(held):
    with pytest.raises(BadTable, match="choose at least one column"):
        held.release(held.start.but(quasi=()))


def test_given_hierarchies_come_before_drafted_ones(held):
    by = held.hierarchies(held.start.but(quasi=("age", "zip"), sensitive=("disease",)))
    assert by["age"].generalise("25", 2) == "20+"
    assert held.hierarchies(held.start.but(quasi=("id",), sensitive=("disease",)))["id"].height > 1


def test_answers_are_kept_errors_too_and_not_for_ever():
    asked = []

    def ask():
        asked.append(1)
        message = "no"
        raise BadTable(message)

    answers = Answers(most=2)
    for _ in range(2):
        with pytest.raises(BadTable):
            answers.of("x", ask)
    assert len(asked) == 1
    assert [answers.of(n, lambda n=n: n) for n in (1, 2)] == [1, 2]
    with pytest.raises(BadTable):
        answers.of("x", ask)
    assert len(asked) == 2


def test_many_who_ask_the_same_at_once_ask_once_and_nobody_waits_for_who_was_interrupted():
    answers, asked, go_on = Answers(), [], threading.Event()

    def interrupted():
        asked.append("interrupted")
        go_on.wait(PATIENCE)
        raise KeyboardInterrupt

    def ask():
        asked.append("asked")
        return 7

    def first():
        with pytest.raises(KeyboardInterrupt):
            answers.of("x", interrupted)

    with ThreadPoolExecutor(9) as threads:
        ahead = threads.submit(first)
        while not asked:
            time.sleep(0.001)
        others = [threads.submit(answers.of, "x", ask) for _ in range(8)]
        go_on.set()
        assert ([each.result(PATIENCE) for each in others], ahead.result(PATIENCE)) == ([7] * 8, None)
    assert asked == ["interrupted", "asked"]


def test_an_error_that_is_told_again_does_not_grow():
    def ask():
        message = "no"
        raise BadTable(message)

    answers, depths = Answers(), []
    for _ in range(20):
        with pytest.raises(BadTable) as told:
            answers.of("x", ask)
        depths.append(sum(1 for _ in traceback.walk_tb(told.value.__traceback__)))
    assert max(depths[1:]) == min(depths[1:])


def test_few_tables_are_kept_whatever_columns_are_asked_for(held, monkeypatch):
    monkeypatch.setattr(held.tables, "_most", 2)
    for quasi in (("age",), ("sex",), ("zip",), ("age", "sex")):
        held.release(held.start.but(quasi=quasi))
        held.table(held.start.but(quasi=quasi))
    assert len(held.tables) == 2
