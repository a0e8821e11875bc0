"""What does a column seem to be, by how its cells are written?  An e-mail address has an @.

Rules of thumb, as those by its name (`table/roles`): nothing here says that a column is harmless.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sidelight.intake.dates import read_written_days
from sidelight.table.labels import as_number
from sidelight.table.roles import Look

# How cells are written that identify a person
WRITTEN_LIKE: Mapping[Look, re.Pattern[str]] = {
    Look("an e-mail address", "it says who somebody is"): re.compile(r"\s*[^@\s]+@[^@\s]+\.[A-Za-z]{2,}\s*"),
    Look("a link", "it may lead to a person"): re.compile(r"\s*(https?://|www\.)\S+\s*"),
    Look("an address on the net", "it leads to whoever uses it"): re.compile(
        r"\s*[0-9]{1,3}(\.[0-9]{1,3}){3}\s*|\s*([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\s*"
    ),
    Look("a social security number", "registers lead from it to a person"): re.compile(
        r"\s*[0-9]{3}-[0-9]{2}-[0-9]{4}\s*"
    ),
    Look("an account", "registers lead from it to a person"): re.compile(
        r"\s*[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?\s*|\s*[0-9]{4}([ -][0-9]{4}){3}\s*"
    ),
    Look("a phone number", "it says who somebody is"): re.compile(  # one hyphen alone is a range, as in 1000-1999
        r"\s*(?=(\D*\d){7,15}\D*$)(\+[0-9][0-9 ./()-]*|\([0-9]+\)[0-9 ./-]+|[0-9]+([ ./-]+[0-9]+){2,})\s*"
    ),
    Look("a number that is given out once", "it points at one row"): re.compile(
        r"\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\s*|\s*[0-9a-fA-F]{32,64}\s*"
    ),
}


def written_like(labels: Sequence[str]) -> Look | None:
    """Return what labels are that identify a person, judged by how they are written.

    >>> written_like(["ann@example.org", "bea@example.org"]).noun, written_like(["Flu", "Cold"])
    ('an e-mail address', None)
    >>> written_like(["(212) 555-0173"]).noun, written_like(["+49 30 901820"]).noun, written_like(["212-555-0173"]).noun
    ('a phone number', 'a phone number', 'a phone number')
    >>> written_like(["2024-03-09"]), written_like(["18-29"]), written_like(["1000-1999"]), written_like(["36.12345"])
    (None, None, None, None)
    """
    # days first: 2020-01-01 would pass for a phone number; plain numbers have no form to judge by
    if not labels or are_days(labels) or all(as_number(text) is not None for text in labels):
        return None
    return next((look for look, pattern in WRITTEN_LIKE.items() if _mostly(pattern, labels)), None)


def are_days(labels: Sequence[str]) -> bool:
    """Return whether labels are days or moments, in any of the usual ways of writing them.

    >>> are_days(["03/09/1984", "9.3.84"]), are_days(["2024-03-09 10:30", "12-Feb-2005"]), are_days(["1984"])
    (True, True, False)
    """
    return read_written_days(labels) is not None


def are_names(labels: Sequence[str]) -> bool:
    """Return whether labels could be the names of people: two to four words that begin like names.

    >>> are_names(["Ann Miller", "O'Brien, Pat"]), are_names(["Flu", "Cold"]), are_names(["came in with a bad cough"])
    (True, False, False)
    """
    return _mostly(re.compile(r"\s*[^\W\d_][\w'’.-]+(,? [^\W\d_][\w'’.-]*){1,3}\s*"), labels) and _mostly(
        re.compile(r"\s*\w*[A-ZÀ-Þ].*\W\w*[A-ZÀ-Þ].*"), labels
    )


def are_sentences(labels: Sequence[str]) -> bool:
    """Return whether labels are free text.

    >>> are_sentences(["came in with a bad cough, then a fever"]), are_sentences(["Machine-op-inspct"])
    (True, False)
    """
    if not labels:
        return False
    letters, words = sum(map(len, labels)), sum(len(text.split()) for text in labels)
    # labels are free text if its labels have so many characters, or words, on average
    return letters >= 40 * len(labels) or words >= 5 * len(labels)


def _mostly(pattern: re.Pattern[str], labels: Sequence[str]) -> bool:
    fitting = sum(pattern.fullmatch(text) is not None for text in labels)
    # the share of labels that must be written in some way for a column to be taken for it
    return bool(labels) and Fraction(fitting, len(labels)) >= Fraction(9, 10)
