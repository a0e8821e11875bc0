"""What does the name of a column say about people?  Rules of thumb; a person who knows has the last word.

A name is taken apart into words (`dateOfBirth` is date, of, birth) and looked up in the lists of `column_names.toml`.
Nothing here says that a column is harmless, only what it resembles.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Literal, NamedTuple, TypeAlias

from sidelight.text import read_data

LookSubject: TypeAlias = Literal["names_somebody", "known_to_others", "told_in_confidence"]


class Look(NamedTuple):
    """A kind of column, and the reason why it matters."""

    noun: str  # "an age"
    because: str  # "others know it: neighbours, colleagues, registers"


def words_of(name: str) -> tuple[str, ...]:
    """Take a name apart into words, in small letters.

    >>> words_of("dateOfBirth"), words_of("ZIP_code"), words_of("icd10-main"), words_of("Geburtsjahr")
    (('date', 'of', 'birth'), ('zip', 'code'), ('icd', 'main'), ('geburtsjahr',))
    """
    # camelCase hides word ends, so they are marked before letters are folded
    spaced = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", " ", name)
    return tuple(word.casefold() for word in re.findall(r"[^\W\d_]+", spaced))


_lists = partial(read_data, "sidelight.table", "column_names.toml")


@cache
def word_list(*names: str) -> frozenset[str]:
    """Return the words of one of the lists, or of several."""
    return frozenset(word for name in names for word in _lists()[name].split())


@cache
def written_looks() -> tuple[tuple[Look, re.Pattern[str]], ...]:
    """Return how cells are written that identify a person."""
    entries = _lists()["written_like"]
    return tuple((Look(each["noun"], each["because"]), re.compile(each["pattern"])) for each in entries)


def find_look(name: str, subject: LookSubject) -> Look | None:
    """Return what a column looks like that names somebody, is known to others or is told in confidence.

    >>> find_look("marital-status", "known_to_others").noun, find_look("x7", "known_to_others")
    ('a family', None)
    >>> find_look("main_diagnosis", "told_in_confidence").noun, find_look("age", "told_in_confidence")
    ('health', None)
    >>> find_look("e_mail", "names_somebody").noun, find_look("Last name", "names_somebody").noun
    ('an e-mail address', "a person's name")
    """
    words = {*words_of(name)}
    # the first look of all is a person's name
    named = words == {"name"} or ("name" in words and bool(words & word_list("before_name", "people")))
    is_name = named and subject == "names_somebody"
    found = next((each for each in _lists()[subject] if is_name or words & {*each["words"].split()}), None)
    return None if found is None else Look(found["noun"], found["because"])


def numbers_people(name: str) -> bool:
    """Return whether a column is called a number of people.

    >>> numbers_people("patient_id"), numbers_people("MRN"), numbers_people("patient"), numbers_people("patient_age")
    (True, True, True, False)
    """
    words = {*words_of(name)}
    numbered = words & word_list("numbering") or len(words) == 1
    return bool(words & word_list("person_numbers") or (words & word_list("people") and numbered))


def is_called_as_columns_are(name: str) -> bool:
    """Return whether a name is one that columns have and cells hardly do.

    >>> is_called_as_columns_are("ZIP_code"), is_called_as_columns_are("Elm Street"), is_called_as_columns_are("Ann")
    (True, False, False)
    """
    words = {*words_of(name)}
    return bool(words & word_list("attributes")) and words <= word_list("attributes", "beside_attributes")


def is_age(name: str) -> bool:
    """Return whether a column is called like an age or a birth, whose numbers are no codes.

    >>> is_age("birth_year"), is_age("agency")
    (True, False)
    """
    look = find_look(name, "known_to_others")
    return look is not None and look.noun == "an age or a birth"


def is_sampling_weight(name: str) -> bool:
    """Return whether a column is named like a sampling weight: how many people a person stands for.

    >>> is_sampling_weight("wgt"), is_sampling_weight("final_weight"), is_sampling_weight("weight")
    (True, True, False)
    """
    words = {*words_of(name)}
    return bool(words & word_list("sampling_weights") or ("weight" in words and words & word_list("sampling")))
