"""Limits of a page: read as on the command line, tuned by fields, and never naming a file."""

import sys

import pytest

from sidelight.answers.attackers import complete_limit, read_tunable, read_typed, tune_limit
from sidelight.answers.recipe import write_typed
from sidelight.errors import BadPolicy, SidelightError
from sidelight.measures.criterion import Criterion
from sidelight.policy.limits import read_limit
from sidelight.policy.measure_names import all_measures

DOMAIN = ("Flu", "Ulcer", "Cancer")
EXAMPLES = [example for kind in all_measures() for example in kind.examples(DOMAIN)]


@pytest.mark.parametrize("measure", EXAMPLES, ids=str)
def test_what_is_written_is_read_again_as_the_same(measure):
    if measure.register is None:
        assert read_typed(write_typed(measure), {}) == measure


@pytest.mark.parametrize("measure", EXAMPLES, ids=str)
def test_the_fields_of_a_measure_change_nothing_by_themselves(measure):
    if measure.register is not None:
        return
    tunable = read_tunable(write_typed(measure), {}, DOMAIN)
    fields = {field["name"]: field["text"] for field in tunable.fields}
    assert tune_limit(tunable.text, fields | {"bound": ""}, {}) == tunable.text


def test_fields_tune_settings_and_bound():
    assert tune_limit("implications(k=2) < 2/3", {"k": "5", "value": "Flu", "bound": "0.5"}, {}) == (
        "implications(k=5, value=Flu) < 0.5"
    )
    assert tune_limit("group size >= 5", {"comparison": "above", "bound": "4"}, {}) == "group size > 4"
    assert tune_limit("group size >= 5", {"comparison": "below", "bound": "4"}, {}) == "group size >= 4"
    assert tune_limit("closeness", {"bound": "1/5"}, {}) == "closeness < 1/5"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"k": "many"}, "cannot use 'k' in 'implications'; give a whole number"),
        ({"k": "-1"}, "k"),
        ({"bound": "lots"}, "give a number, a fraction such as '3/4', or 'inf'"),
        ({"bound": "7"}, "between 0 and 1"),
    ],
)
def test_what_is_wrong_is_said_as_on_the_command_line(changes, words):
    with pytest.raises(SidelightError) as refusal:
        tune_limit("implications(k=2) < 2/3", changes, {})
    assert words in str(refusal.value)


def test_fields_that_no_measure_has_are_passed_over():
    assert tune_limit("group size >= 5", {"colour": "red"}, {}) == "group size >= 5"


def test_a_measure_is_added_by_its_name():
    assert complete_limit("implications", DOMAIN, {}).startswith("implications(k=")
    assert complete_limit("group size >= 5", DOMAIN, {}) == "group size >= 5"
    with pytest.raises(BadPolicy, match="k-anonymity is 'group size' here"):
        complete_limit("k-anonymity", DOMAIN, {})
    with pytest.raises(BadPolicy, match="at character"):
        complete_limit("implications(k=,)", DOMAIN, {})


FILES = [
    "closeness(distance=hierarchical, hierarchy='/etc/passwd') <= 0.2",
    "implications(k=1, value={any='/etc/passwd'}) < 0.5",
    "negations(k=1, value={any='/etc/passwd'}) < 0.5",
    "acquaintance(others=1, value={any='/etc/passwd'}) < 0.5",
    "journalist risk(population='/etc/passwd') <= 0.1",
    "marketer risk(population='/etc/passwd') <= 0.1",
    "presence(population='/etc/passwd') <= 0.1",
    "absence(population='/etc/passwd')",
]


@pytest.mark.parametrize("text", FILES)
def test_no_file_that_a_browser_names_is_opened(text):
    opened = []
    listening = True

    def listen(event, arguments):
        if listening and event == "open":
            opened.append(str(arguments[0]))

    sys.addaudithook(listen)
    try:
        for ask in (
            lambda: read_typed(text, {}),
            lambda: tune_limit(text, {"bound": "1/3"}, {}),
            lambda: complete_limit(text, (), {}),
        ):
            with pytest.raises(BadPolicy, match="names a file"):
                ask()
    finally:
        listening = False
    assert [path for path in opened if "passwd" in path] == []


def test_a_file_is_not_named_by_tuning_either():
    with pytest.raises(BadPolicy, match="names a file"):
        tune_limit("journalist risk", {"population": "/etc/passwd"}, {})


def test_a_bound_keeps_its_exact_form():
    criterion = read_typed("implications(k=1) < 2/3", {})
    assert isinstance(criterion, Criterion)
    assert criterion == read_limit("implications(k=1) < 2/3")
