"""Errors say in one line what is wrong and how to mend it, and carry the parameters that they name."""

import importlib
import pickle

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import (
    BadKnowledge,
    BadTable,
    NotAvailable,
    SidelightError,
    WrongKind,
    did_you_mean,
    expect,
    expect_several,
    in_python,
    listed,
    needs_extra,
    parameter,
    shortened,
)

ROWS = {"age": ["20", "30"], "disease": ["Flu", "Cold"]}


@pytest.mark.parametrize(
    ("thing", "described"),
    [
        (pd.DataFrame(ROWS), "a pandas DataFrame"),
        (pl.DataFrame(ROWS), "a polars DataFrame"),
        (pa.table(ROWS), "a pyarrow Table"),
        ("patients.csv", "a str"),
        (None, "None"),
    ],
)
def test_a_dataframe_is_no_table_but_can_be_read(thing, described):
    with pytest.raises(WrongKind) as caught:
        expect(sl.Table, thing, "what is protected")
    message = str(caught.value)
    assert mentions(message, "what is protected", "a Table", f"not {described}", "sl.read_table")
    assert "\n" not in message
    assert "Flu" not in message


def test_a_table_is_no_release_but_can_be_grouped_and_the_other_way_round():
    table = sl.read_table(pa.table(ROWS), quasi=["age"], sensitive="disease")
    with pytest.raises(TypeError, match=r"not a Table; .*: sl\.group\(table\)"):
        expect(sl.Release, table, "the release")
    with pytest.raises(WrongKind, match=r"not a Release; .*no longer"):
        expect(sl.Table, sl.group(table), "the table")
    assert expect(sl.Table, table, "the table") is table


def test_a_missing_package_says_how_to_install_it():
    assert str(NotAvailable.without(package="polars", what="to_polars()")).endswith("pip install polars")
    assert 'pip install "sidelight[dp]"' in str(NotAvailable.without(package="opendp", what="noise", extra="dp"))


def test_near_names_and_long_lists():
    assert did_you_mean("AGE", ["age", "zip"]) == "; did you mean 'age'?"
    assert did_you_mean("age", []) == ""
    assert listed([f"column{number}" for number in range(99)]).endswith("… (99 in all)")


def as_option(each):
    return f"--{each.name} {each.in_shell}".rstrip() if each.name else ""


@pytest.mark.parametrize(
    ("message", "in_words", "in_options"),
    [
        ("just words", "just words", "just words"),
        (f"{parameter('values', 'set')} needs {parameter('person')}", 'values="set" needs person=', '--values "set" needs --person'),
        (f"{parameter('suppress', -1.5)} is no share", "suppress=-1.5 is no share", "--suppress -1.5 is no share"),
        (f"as in {parameter('same', {'a': 'b'})}", "as in same={'a': 'b'}", "as in --same 'a=b'"),
        (f"or {parameter('same', {})} if none", "or same={} if none", "or --same '=' if none"),
        (f"with {parameter('same', {'a': ...})}", "with same={'a': …}", "with --same 'a=…'"),
        (f"give a path{in_python(', or a dataframe')}", "give a path (in Python, or a dataframe)", "give a path"),
        ("somebody's own missing= stays", "somebody's own missing= stays", "somebody's own missing= stays"),
    ],
)  # fmt: skip
def test_a_message_in_words_of_python_and_of_the_command_line(message, in_words, in_options):
    error = BadTable(message)
    assert str(error) == in_words
    assert error.reword(as_option) == in_options


def test_an_error_says_which_parameters_it_is_about():
    assert BadTable(f"{parameter('values', 'set')} needs {parameter('person')}").parameters == ("values", "person")
    assert SidelightError("nothing of the kind").parameters == ()


def test_an_error_survives_being_sent_to_another_process():
    error = BadKnowledge(f"say {parameter('person')}", position=3)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.parts, again.position) == (str(error), error.parts, 3)


@pytest.mark.parametrize("odd", ["\x02", "a\x02b\x03", "\x03", "\x02\x1f\x1f"])
def test_texts_with_odd_signs_are_no_parameters(odd):
    assert BadTable(odd).parameters == ()


def test_several_things_are_a_list_and_nothing_that_only_happens_to_be_iterable():
    assert expect_several(str, ["a", "b"], "names", each="name") == ("a", "b")
    assert expect_several(int, {"a": 1}.values(), "numbers", each="number") == (1,)
    assert expect_several(int, [1, 2.0], "numbers", each="number", also=(float,)) == (1, 2.0)
    for things in (None, {"a": 1}, "12", 3.0):
        with pytest.raises(WrongKind, match=r"numbers .*a list, .*a int, not"):
            expect_several(int, things, "numbers", each="number")
    with pytest.raises(WrongKind, match=r"several, not one.*: \[number\]"):
        expect_several(int, 1, "numbers", each="number")
    with pytest.raises(WrongKind, match=r"number 2 .*a int, not a str"):
        expect_several(int, [1, "2"], "numbers", each="number")


def test_a_library_of_an_extra_is_asked_for_by_name():
    with pytest.raises(NotAvailable, match=r'noise needs opendp; .*pip install "sidelight\[dp\]"'):
        use("nothing_such")
    with pytest.raises(KeyError):
        use(None)


def use(module):
    with needs_extra("dp", package="opendp", what="noise"):
        importlib.import_module(module) if module else {}["broken"]


def test_a_long_text_is_one_short_line():
    assert shortened("one\ntwo", 20) == "one two"
    assert shortened("x" * 50, 10) == "x" * 9 + "…"
