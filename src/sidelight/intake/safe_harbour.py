"""Check columns for the identifiers of the HIPAA safe harbour rule; the answer is "found" or undecided, never "safe".

45 CFR 164.514(b)(2) lists 18 identifiers of an individual, and of relatives, employers and household members, that must
be gone: names; all geographic subdivisions smaller than a state (but the first three digits of a ZIP code where more
than 20,000 people live); all elements of dates but the year, and ages above 89 (but as one category, 90 or older);
numbers of telephones, faxes, social security, medical records, health plans, accounts, certificates, vehicles and
devices; e-mail addresses, URLs and IP addresses; biometric identifiers, full-face photographs, and any other unique
code.  It also requires that the holder cannot identify a person by the rest, which no program can check.

A column is *found* if its name or its cells look like one of them, by the rules of thumb of `table.roles` and of this
file.  If it may be one (free text, codes that differ in nearly every row, three digits of a ZIP code), it stays
undecided.  Three digits of 20,000 people or fewer of a population are found; more people prove nothing, as a population
may be of other people or of another year.  No column, and no table, is ever declared safe.

A population is a table with one column of ZIP codes and a row for each person, or for each code and a column of how
many live there (`residents`).  Only cells in the form of ZIP codes are counted: five digits, or nine, or three.  Others
(2139, which was 02139 before a program read it as a number) are left out, and their three digits stay unknown.

Source: 45 CFR 164.514(b)(2); Office for Civil Rights, Guidance Regarding Methods for De-identification, 2012.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from sidelight.engines.read import distinct_rows
from sidelight.errors import BadTable, NotTrueOrFalse, UnknownColumn, did_you_mean, listed, parameter
from sidelight.intake.profile import (
    MOST_LABELS,
    ColumnProfile,
    are_days,
    are_names,
    are_sentences,
    column_profiles,
    names_of_columns,
    written_like,
)
from sidelight.table.roles import Roles, find_look, marks_of, word_list, words_of
from sidelight.text import counted, form, html_table

CheckAnswer: TypeAlias = Literal["found", "could not tell"]
"""The possible answers of the check."""

SOURCE = "45 CFR 164.514(b)(2), the safe harbour of the HIPAA privacy rule"

NOT_COVERED = (
    "identifiers of relatives, employers and household members in columns that do not look like it",
    "whether whoever publishes knows how to identify somebody with what is left",
    "who is found by combinations of columns that are no identifiers: ask 'sidelight columns' and 'sidelight audit'",
)

# The largest number of people that is too few, and the three digits that replace theirs
FEWEST, NOWHERE = 20_000, "000"

# Ages above must be one category
OLDEST = 89


def holds_zip_codes(column: str) -> bool:
    """Return whether a column's name is that of ZIP codes.

    >>> holds_zip_codes("ZIP code"), holds_zip_codes("city")
    (True, False)
    """
    return not word_list("zip_codes").isdisjoint(words_of(column))


def read_zip_population(
    source: object, *, residents: str | None = None, reading: Roles | None = None
) -> Mapping[str, int]:
    """Count the people of a table by the first three digits of their ZIP code.

    A row is one, or as many as its column `residents` says.

    >>> import pyarrow as pa
    >>> census = pa.table({"zip": ["02139", "02140", "05901"], "people": [15_000, 9_000, 300]})
    >>> dict(read_zip_population(census, residents="people"))
    {'021': 24000, '059': 300}
    """
    roles = reading or Roles()
    names = names_of_columns(source, roles)
    zips = [name for name in names if holds_zip_codes(name)]
    if len(zips) != 1:
        has = f"several columns of ZIP codes ({listed(zips)})" if zips else "no column called like ZIP codes"
        raise BadTable(f"the {parameter('population')} has {has}; give a table with one, such as 'zip'")
    if residents is not None and residents not in names:
        message = f"the {parameter('population')} has no column '{residents}'{did_you_mean(residents, names)}"
        raise UnknownColumn(message)
    columns_read = (zips[0], *(() if residents is None else (residents,)))
    choices: Any = {name: getattr(roles, name) for name in ("missing_marks", "encoding", "sheet")}
    columns, rows = distinct_rows(source, columns_read, **choices)
    # only cells in the form of ZIP codes: five digits, or nine, or three
    written = r"\s*([0-9]{3})([0-9]{2}(-?[0-9]{4})?)?[*xX]{0,2}\s*"
    starts = [None if text is None else re.fullmatch(written, text) for text in columns[0].labels]
    each, living = [1], [0] * len(rows)
    if residents is not None:
        plain = ["" if text is None else text.strip().removesuffix(".0") for text in columns[1].labels]
        if not all(text.isascii() and text.isdigit() for text in plain):
            raise BadTable(
                f"column '{residents}' of the {parameter('population')} has a cell that is no whole number of people"
            )
        each, living = [*map(int, plain)], columns[1].codes.tolist()
    people: Counter[str] = Counter()
    for code, amount, times in zip(columns[0].codes.tolist(), living, rows.tolist(), strict=True):
        start = starts[code]
        if start is not None:
            people[start[1]] += each[amount] * times
    return people


def compare_digits(labels: Sequence[str], people: Mapping[str, int]) -> tuple[int, int, int]:
    """Count the distinct three digits of labels: all, those of too few people, and unknown ones.

    >>> compare_digits(["021", "059", "000", "999"], {"021": 24_000, "059": 300})
    (4, 1, 1)
    """
    matches = {text: re.fullmatch(r"\s*([0-9]{3})[*xX]{0,2}\s*", text) for text in labels}
    starts = {match[1] if match else text for text, match in matches.items()}
    known = [people[start] for start in starts if start in people and start != NOWHERE]
    return len(starts), sum(each <= FEWEST for each in known), len(starts - {NOWHERE}) - len(known)


@dataclass(frozen=True, slots=True)
class SuspectColumn:
    """A column that looks like an identifier, or may be one; and why."""

    column: str
    answer: CheckAnswer
    reason: str

    def __str__(self) -> str:
        return f"{self.column or '(no name)'}: {self.answer}: {self.reason}"


@dataclass(frozen=True, slots=True, repr=False)
class SafeHarbour:
    """The result of checking columns for the 18 identifiers, which never proves a table harmless."""

    suspects: tuple[SuspectColumn, ...]
    columns: tuple[str, ...]  # all that were checked

    @property
    def answer(self) -> CheckAnswer:
        """Whether an identifier was found; if not, nothing is known."""
        return "found" if self.identifiers else "could not tell"

    @property
    def identifiers(self) -> tuple[SuspectColumn, ...]:
        """The columns that look like an identifier."""
        return tuple(each for each in self.suspects if each.answer == "found")

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that look like none, which proves nothing."""
        suspects = {each.column for each in self.suspects}
        return tuple(name for name in self.columns if name not in suspects)

    def __str__(self) -> str:
        looked_at = counted(len(self.columns), "column")
        if self.identifiers:
            return f"found: {len(self.identifiers)} of {looked_at} look like an identifier of the safe harbour rule"
        return f"could not tell: none of {looked_at} looks for sure like an identifier, which proves nothing"

    def __bool__(self) -> bool:
        message = "a check of columns is not true or false; ask .answer, which is 'found' or 'could not tell'"
        raise NotTrueOrFalse(message)

    def __repr__(self) -> str:
        return f"<SafeHarbour: {self}>"

    def _repr_html_(self) -> str:
        rows = [(each.column, each.answer, each.reason) for each in self.suspects]
        return html_table("HIPAA safe harbour", ["column", "answer", "because"], rows, total=len(rows), note=str(self))


def safe_harbour(
    source: object,
    *,
    population: object = None,
    residents: str | None = None,
    missing_marks: str | Sequence[object] = (),
    encoding: str | None = None,
    sheet: str | None = None,
) -> SafeHarbour:
    """Return the columns that look like an identifier that the HIPAA safe harbour rule removes.

    `source`, `missing_marks`, `encoding` and `sheet` are those of `read_table`.  A `population`, a table with a column
    of ZIP codes, says of three digits whether 20,000 people or fewer have them: with a row for each person, or for each
    code and a column `residents` of its people.  No cell is ever shown.

    >>> import pyarrow as pa
    >>> check = safe_harbour(pa.table({"zip": ["02139", "94110"], "age": [34, 91], "sex": ["f", "m"]}))
    >>> check
    <SafeHarbour: found: 2 of 3 columns look like an identifier of the safe harbour rule>
    >>> print(check.identifiers[1])
    age: found: ages above 89, which must be one category, 90 or older
    >>> census = pa.table({"zip": ["02139", "05901"], "people": [36_000, 300]})
    >>> print(safe_harbour(pa.table({"zip": ["021", "059"]}), population=census, residents="people").suspects[0])
    zip: found: 1 of its 2 three digits of ZIP codes has 20,000 people of the population or fewer, and must be 000

    Source: 45 CFR 164.514(b)(2).
    """
    reading = Roles(missing_marks=marks_of(missing_marks), encoding=encoding, sheet=sheet)
    return check_columns(source, reading, population=population, residents=residents)


def check_columns(
    source: object, reading: Roles, *, population: object = None, residents: str | None = None
) -> SafeHarbour:
    """Check all columns; of the roles, only those about reading cells are used."""
    names, living = names_of_columns(source, reading), None
    if population is None and residents is not None:
        raise BadTable(f"{parameter('residents')} is a column of a {parameter('population')}; give both, or none")
    if population is not None:
        if not any(map(holds_zip_codes, names)):
            message = f"no column is called like ZIP codes, to compare with {parameter('population')}; leave it out"
            raise BadTable(message)
        living = read_zip_population(population, residents=residents, reading=replace(reading, sheet=None))
    suspects: list[SuspectColumn] = []
    for profile in column_profiles(source, names, reading).values():
        reasons = [*_judge_column(profile, living)] if profile.distinct else []
        if profile.distinct > len(profile.labels):
            many = f"it has more than {MOST_LABELS:,} labels, of which not all were looked at"
            reasons.append(("could not tell", many))
        # identifiers that were found come before undecided ones
        reasons.sort(key=lambda each: each[0] != "found")
        suspects += [SuspectColumn(profile.name, *reason) for reason in reasons[:1]]
    return SafeHarbour(tuple(suspects), tuple(names))


def _judge_column(profile: ColumnProfile, living: Mapping[str, int] | None) -> Iterator[tuple[CheckAnswer, str]]:
    words, labels = {*words_of(profile.name)}, profile.labels
    named, written = find_look(profile.name, "names_somebody"), written_like(labels)
    phone = written is not None and written.noun == "a phone number"
    if phone and any(len(re.findall("[0-9]", each)) < 7 for each in labels):
        written = None  # 2020-03 and 85-94 are none
    if named is not None:
        yield "found", f"it is called like {named.noun}"
    if written is not None:
        yield "found", f"its cells are written like {written.noun}"
    elif not are_days(labels):
        # identifiers anywhere in a text
        patterns = {
            "an e-mail address": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
            "a link": r"https?://\S+|www\.\S+\.\S+",
            "a social security number": r"(?<![0-9])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9])",
            "a phone number": r"(?<![0-9])\(?[2-9][0-9]{2}\)?[-. ][0-9]{3}[-. ][0-9]{4}(?![0-9])",
        }
        inside = (noun for noun, each in patterns.items() if any(map(re.compile(each).search, labels)))
        yield from (("found", f"some of its cells hold {noun}") for noun in [*inside][:1])
    if holds_zip_codes(profile.name):
        yield _judge_zip_codes(labels, living)
    elif words & word_list("places"):
        yield "found", "it is called like a place that is smaller than a state"
    elif words & word_list("perhaps_places"):
        yield "could not tell", "places that are smaller than a state must be gone"
    yield from _judge_times(words, labels, profile)
    yield from _judge_codes(words, profile)


def _judge_zip_codes(labels: Sequence[str], living: Mapping[str, int] | None) -> tuple[CheckAnswer, str]:
    if any(sum(letter.isalnum() for letter in text.strip().rstrip("*xX")) > 3 for text in labels):
        return "found", "ZIP codes with more than their first three digits"
    rule = f"the first three digits of a ZIP code are {NOWHERE} where {FEWEST:,} people or fewer live"
    if living is None:
        return "could not tell", rule
    different, too_few, unknown = compare_digits(labels, living)
    of_all = f"of its {different:,} three digits of ZIP codes"
    if too_few:
        has = f"{too_few:,} {of_all} {form('has', too_few)}"
        return "found", f"{has} {FEWEST:,} people of the population or fewer, and must be {NOWHERE}"
    if unknown:
        return "could not tell", f"{unknown:,} {of_all} {form('is', unknown)} not in the population; {rule}"
    more = f"more than {FEWEST:,} people of the population have each of its three digits of ZIP codes"
    return "could not tell", f"{more}, but need not be those whom the Census counts now"


def _judge_times(words: set[str], labels: Sequence[str], profile: ColumnProfile) -> Iterator[tuple[CheckAnswer, str]]:
    eight_digits = re.compile(r"\s*(19|20)[0-9]{2}(0[1-9]|1[0-2])([0-2][0-9]|3[01])\s*")
    month = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[A-Za-z]*"
    written_days = re.compile(rf"\s*([0-9]{{1,2}}\.?[ -]?{month}|{month} [0-9]{{1,2}},?)\.?[ -]?([0-9]{{2}}){{1,2}}\s*")
    written_months = re.compile(
        rf"\s*([0-9]{{4}}[-/.](0?[1-9]|1[0-2])|(0?[1-9]|1[0-2])[-/.][0-9]{{4}}|{month}\.?[ -]?[0-9]{{4}})\s*"
    )
    written = any(map(written_days.fullmatch, labels)) or all(map(eight_digits.fullmatch, labels))
    years = all(map(re.compile(r"\s*(1[89]|20)[0-9]{2}\s*").fullmatch, labels))
    if are_days(labels) or profile.kind == "date" or written:
        yield "found", "dates finer than a year"
    elif any(map(written_months.fullmatch, labels)):
        yield "found", "months, which are finer than a year"
    elif words & word_list("births"):
        of_birth = "years of birth tell ages above 89, which must be one category"
        yield "could not tell", of_birth if years else "it is called like a birth, of which only the year may stay"
    elif words & word_list("dates") and not years:
        yield "could not tell", "it is called like a date, of which only the year may stay"
    if not words & word_list("ages"):
        return
    units = {word for text in labels for word in words_of(text)} | words
    if units & word_list("short_units"):
        yield "could not tell", f"ages above {OLDEST} years must be one category, and these are not years"
    else:
        yield from _judge_ages(labels)


def _judge_ages(labels: Sequence[str]) -> Iterator[tuple[CheckAnswer, str]]:
    numbers = {text: [*map(float, re.findall(r"[0-9]+(?:\.[0-9]+)?", text))] for text in labels}
    above = [text for text in labels if numbers[text] and numbers[text][-1] > OLDEST]
    open_ended = re.compile(
        r"\s*(\+|or (older|over|more|above)|and (older|over|above)|years and (older|over))\s*$|^\s*[>≥]"
    )
    together = [text for text in above if open_ended.search(text)]
    across = [text for text in above if text not in together and numbers[text][0] <= OLDEST]
    if len(together) > 1 or len(above) > len(together) + len(across):
        yield "found", f"ages above {OLDEST}, which must be one category, {OLDEST + 1} or older"
    elif across:
        yield "could not tell", f"ages up to {OLDEST} and above it stand together, and not as {OLDEST + 1} or older"


def _judge_codes(words: set[str], profile: ColumnProfile) -> Iterator[tuple[CheckAnswer, str]]:
    people = words & word_list("people") and words <= word_list("people", "numbering")
    if words & word_list("person_numbers") or people or words == {"id"}:
        yield "found", "it is called like somebody's number"
    elif words & word_list("perhaps_numbers"):
        yield "could not tell", "it is called like a number that may be somebody's"
    if any(map(re.compile(r"(?<![0-9.])[0-9]{9,}(?![0-9.])").search, profile.labels)):
        yield "could not tell", "it holds long numbers, as telephones, accounts and documents have"
    if are_sentences(profile.labels):
        yield "could not tell", "free text, in which anything may stand"
    elif are_names(profile.labels):
        yield "could not tell", "its cells could be the names of people"
    # a code points at one row where nearly every row has a label of its own, of enough rows
    if profile.present >= 20 and profile.differing >= Fraction(9, 10):
        yield "could not tell", "nearly all rows differ in it, as they do in a unique code"
