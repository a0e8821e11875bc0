"""Two releases about the same people: what is counted, who is worst off, and that what the page prints runs as it stands."""

import io
import shlex
from fractions import Fraction

import pytest
from support.command_line import invoke
from support.explorer import opened
from support.words import mentions, says

import sidelight as sl
from sidelight.answers.exposure import OtherRelease, describe_worst
from sidelight.table.roles import Roles
from sidelight.web.uploads import Uploads
from sidelight.web.views.other_releases import gather

PEOPLE = "age,sex,disease\n30,m,Flu\n30,m,AIDS\n40,f,Flu\n40,f,Cold\n"
OTHER = "age,sex,disease\n30,m,AIDS\n30,m,Ulcer\n40,f,Flu\n40,f,Cold\n"
ROLES = Roles(quasi=("age", "sex"), sensitive="disease")


@pytest.fixture
def two(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "other.csv").write_text(OTHER)
    held = opened("people.csv", ROLES)
    upload = Uploads(tmp_path).keep([("other.csv", io.BytesIO(OTHER.encode()))])
    return held, held.start, OtherRelease(upload, None, ROLES, Fraction(1), Fraction(0), None)


def test_each_alone_and_both_together_are_counted_of_the_same_people(two):
    answer = gather(*two)(lambda *_: None)
    assert (answer.people, answer.given_away, answer.alone, answer.by_the_other_alone) == (4, 2, 0, 0)
    assert answer.holds is False
    assert answer.coarser
    assert answer.coarser[-1].given_away <= 2
    assert mentions(answer.sentence, "Together", "give away", "at least 2 of 4 people", "50.0 %")


def test_whoever_is_describe_worst_is_told_by_what_is_printed():
    labels = [{"zip": "130**"}, {"zip": "148**"}]
    one = sl.Release.from_counts([{"a": 1, "b": 2}, {"b": 3}], labels=labels)
    two = sl.Release.from_counts([{"a": 2, "c": 2}, {"b": 1, "c": 1}], labels=labels)
    exposure = sl.intersect([one, two], people=sl.read_table(people(), quasi="zip", sensitive="v"))
    words = describe_worst(exposure)
    who, where = words.splitlines()[:2]
    assert mentions(who, "2 people", "alike")
    assert where.startswith("release 1: group 1 (zip 130**)")
    assert "13012" not in words


def people():
    import pyarrow as pa  # noqa: PLC0415

    return pa.table({"zip": ["13012", "13099", "14801"], "v": ["a", "a", "b"]})


def test_the_command_and_the_python_run_as_they_stand(two, capsys):
    held, state, beside = two
    sample = beside.recipe(held.recipe(state), held.column_names)
    program, *words = shlex.split(sample.command.replace("\\\n", " "))
    assert program == "sidelight"
    outcome = invoke(words)
    assert outcome.exit_code == 1
    assert says(" ".join(outcome.stdout.split()), "give away", "at least 2 of 4 people")
    exec(sample.python, {})
    assert says(" ".join(capsys.readouterr().out.split()), "give away", "at least 2 of 4 people")
