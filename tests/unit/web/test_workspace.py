"""What the explorer holds: the file is read as the address says, once, and only with columns that it has."""

import pytest
from support.explorer import opened

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
    with pytest.raises(UnknownColumn, match=r"no column 'agee' in .*; did you mean 'age'\?"):
        held.release(held.start.but(quasi=("agee",)))
    with pytest.raises(SidelightError, match="zap"):
        held.release(held.start.but(levels=(("zap", 1),)))
    with pytest.raises(SidelightError, match="level"):
        held.release(held.start.but(levels=(("age", 9),)))


def test_without_roles_it_says_what_to_choose(held):
    with pytest.raises(BadTable, match="choose at least one column that others know"):
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
