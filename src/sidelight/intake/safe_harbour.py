"""Which columns look like an identifier that the HIPAA safe harbour rule removes?  "Found" or "could not tell".

45 CFR 164.514(b)(2) lists 18 identifiers of an individual, and of relatives, employers and household members, that must
be gone: names; all geographic subdivisions smaller than a state (but the first three digits of a ZIP code where more
than 20,000 people live); all elements of dates but the year, and ages above 89 (but as one category, 90 or older);
numbers of telephones, faxes, social security, medical records, health plans, accounts, certificates, vehicles and
devices; e-mail addresses, URLs and IP addresses; biometric identifiers, full-face photographs, and any other unique
code.  It also asks that the holder does not know how to identify anybody with what is left, which no program can check.

A column is *found* where its name or its cells look like one of them, by the rules of thumb of `column_looks` and those
here.  Where it may be one (free text, codes that differ in nearly every row, three digits of a ZIP code), it *could not
be told*.  Three digits that 20,000 people or fewer of a population have are found; more people than that
prove nothing, as a population may be of other people or of another year.  A column that looks like none of them is not
safe for that, and nothing here ever says that a table is.

A population is a table with one column of ZIP codes and a row for each person, or for each code and a column of how
many live there (`residents`).  Only cells that are written like ZIP codes are counted: five digits, or nine, or three.
Others (2139, which was 02139 before a program took it for a number) are left out, and their three digits are then not
known.

Source: 45 CFR 164.514(b)(2); Office for Civil Rights, Guidance Regarding Methods for De-identification, 2012.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from sidelight.engines.read_stream import distinct_rows
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
from sidelight.table.labels import Label
from sidelight.table.roles import NUMBERING, PEOPLE, PERSON_NUMBERS, Roles, marks_of, names_somebody, words_of
from sidelight.text import counted, form, html_table

# So many people, or fewer, are too few
FEWEST = 20_000

# What stands for three digits of too few people
NOWHERE = "000"

_CODE = re.compile(r"\s*([0-9]{3})([0-9]{2}(-?[0-9]{4})?)?[*xX]{0,2}\s*")


def holds_zip_codes(column: str) -> bool:
    """Return whether a column is called like ZIP codes.

    >>> holds_zip_codes("ZIP code"), holds_zip_codes("city")
    (True, False)
    """
    words = frozenset(("zip", "zipcode", "zcta", "postcode", "postal", "postalcode", "plz"))
    return not {*words_of(column)}.isdisjoint(words)


@dataclass(frozen=True, slots=True)
class ThreeDigits:
    """Counts of the distinct three digits of a column: all, those of too few people, and those that are unknown."""

    different: int
    too_few: int
    unknown: int


@dataclass(frozen=True, slots=True)
class ZipPopulation:
    """The number of people by the first three digits of their ZIP code.

    >>> import pyarrow as pa
    >>> census = pa.table({"zip": ["02139", "02140", "05901"], "people": [15_000, 9_000, 300]})
    >>> ZipPopulation.read(census, residents="people").compare(["021", "059", "000", "999"])
    ThreeDigits(different=4, too_few=1, unknown=1)
    """

    people: Mapping[str, int]

    @classmethod
    def read(cls, source: object, *, residents: str | None = None, reading: Roles | None = None) -> ZipPopulation:
        """Count the people of a table: a row is one, or as many as its column `residents` says."""
        roles = reading or Roles()
        names = names_of_columns(source, roles)
        codes = [name for name in names if holds_zip_codes(name)]
        if len(codes) != 1:
            has = f"several columns of ZIP codes ({listed(codes)})" if codes else "no column called like ZIP codes"
            message = f"the {parameter('population')} has {has}; give a table with one, such as 'zip'"
            raise BadTable(message)
        if residents is not None and residents not in names:
            message = f"the {parameter('population')} has no column '{residents}'{did_you_mean(residents, names)}"
            raise UnknownColumn(message)
        columns, rows = distinct_rows(
            source,
            (codes[0], *(() if residents is None else (residents,))),
            missing_marks=roles.missing_marks,
            encoding=roles.encoding,
            sheet=roles.sheet,
        )
        starts = [_start(_CODE, text) for text in columns[0].labels]
        each = [1] if residents is None else [_whole(text, residents) for text in columns[1].labels]
        living = [0] * len(rows) if residents is None else columns[1].codes.tolist()
        people: Counter[str] = Counter()
        for code, amount, times in zip(columns[0].codes.tolist(), living, rows.tolist(), strict=True):
            start = starts[code]
            if start is not None:
                people[start] += each[amount] * times
        return cls(people)

    def compare(self, labels: Sequence[str]) -> ThreeDigits:
        """Look labels of three digits up."""
        three = re.compile(r"\s*([0-9]{3})[*xX]{0,2}\s*")
        starts = {_start(three, text) or text for text in labels}
        known = [self.people[start] for start in starts if start in self.people and start != NOWHERE]
        too_few = sum(people <= FEWEST for people in known)
        return ThreeDigits(len(starts), too_few, len(starts - {NOWHERE}) - len(known))


def _start(pattern: re.Pattern[str], text: Label) -> str | None:
    match = None if text is None else pattern.fullmatch(text)
    return None if match is None else match.group(1)


def _whole(text: Label, column: str) -> int:
    """Read how many people a row stands for."""
    plain = "" if text is None else text.strip().removesuffix(".0")
    if not (plain.isascii() and plain.isdigit()):
        message = f"column '{column}' of the {parameter('population')} has a cell that is no whole number of people"
        raise BadTable(message)
    return int(plain)


Answer: TypeAlias = Literal["found", "could not tell"]
"""All that the check ever answers."""

SOURCE = "45 CFR 164.514(b)(2), the safe harbour of the HIPAA privacy rule"

NOT_COVERED = (
    "identifiers of relatives, employers and household members in columns that do not look like it",
    "whether whoever publishes knows how to identify somebody with what is left",
    "who is found by combinations of columns that are no identifiers: ask 'sidelight columns' and 'sidelight audit'",
)

# Ages above it must be one category
OLDEST = 89

# A code points at one row where it has so many labels for each row, of at least so many rows
NEARLY_ALL, ENOUGH = Fraction(9, 10), 20

_AGE = frozenset(("age", "ages", "agegroup", "alter", "edad"))
_BIRTH = frozenset(
    ("birth", "birthdate", "birthday", "birthyear", "dob", "yob", "born", "geburt", "geburtsdatum", "geburtsjahr")
)
_DATES = frozenset(
    ("date", "day", "dt", "time", "timestamp", "weekday", "month", "week", "quarter", "datum", "fecha", "admission")
) | {"admitted", "discharge", "discharged", "death", "died", "deceased", "visit", "arrival", "departure"}
_PLACES = frozenset(("residence", "birthplace", "location", "place", "area", "region", "site"))
_MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[A-Za-z]*"
_MONTHS = re.compile(
    rf"\s*([0-9]{{4}}[-/.](0?[1-9]|1[0-2])|(0?[1-9]|1[0-2])[-/.][0-9]{{4}}|{_MONTH}\.?[ -]?[0-9]{{4}})\s*"
)
_YEAR = re.compile(r"\s*(1[89]|20)[0-9]{2}\s*")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)?")
# What identifies a person wherever it stands in a text
_INSIDE = {
    "an e-mail address": re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    "a link": re.compile(r"https?://\S+|www\.\S+\.\S+"),
    "a social security number": re.compile(r"(?<![0-9])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9])"),
    "a phone number": re.compile(r"(?<![0-9])\(?[2-9][0-9]{2}\)?[-. ][0-9]{3}[-. ][0-9]{4}(?![0-9])"),
}


@dataclass(frozen=True, slots=True)
class SuspectColumn:
    """A column that looks like an identifier, or may be one; and why."""

    column: str
    answer: Answer
    reason: str

    def __str__(self) -> str:
        return f"{self.column or '(no name)'}: {self.answer}: {self.reason}"


@dataclass(frozen=True, slots=True, repr=False)
class SafeHarbour:
    """The result of checking columns against the 18 identifiers: never that a table is safe."""

    suspects: tuple[SuspectColumn, ...]
    columns: tuple[str, ...]  # all that were looked at

    @property
    def answer(self) -> Answer:
        """Return whether an identifier was found; if not, nothing is known."""
        return "found" if any(each.answer == "found" for each in self.suspects) else "could not tell"

    @property
    def identifiers(self) -> tuple[SuspectColumn, ...]:
        """The columns that look like an identifier."""
        return tuple(each for each in self.suspects if each.answer == "found")

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that look like none: not safe for that."""
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
    code and a column `residents` of how many live there.  No cell is ever shown.

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
    """Check all columns; of the roles, only how cells are read is used."""
    names = names_of_columns(source, reading)
    living = _population(names, population, residents, reading)
    profiles = column_profiles(source, names, reading)
    suspects = (_suspect(profile, living) for profile in profiles.values() if profile.distinct)
    return SafeHarbour(tuple(each for each in suspects if each is not None), tuple(names))


def _population(
    names: Sequence[str], population: object, residents: str | None, reading: Roles
) -> ZipPopulation | None:
    """Read the population, and refuse one that nothing is compared with."""
    if population is None:
        if residents is not None:
            message = f"{parameter('residents')} is a column of a {parameter('population')}; give both, or none"
            raise BadTable(message)
        return None
    if not any(map(holds_zip_codes, names)):
        message = f"no column is called like ZIP codes, to compare with {parameter('population')}; leave it out"
        raise BadTable(message)
    return ZipPopulation.read(population, residents=residents, reading=replace(reading, sheet=None))


def _suspect(profile: ColumnProfile, living: ZipPopulation | None) -> SuspectColumn | None:
    """Prefer what was found to what could not be decided."""
    reasons = [*_reasons(profile, living)]
    if profile.distinct > len(profile.labels):
        reasons.append(("could not tell", f"it has more than {MOST_LABELS:,} labels, of which not all were looked at"))
    reasons.sort(key=lambda each: each[0] != "found")
    return SuspectColumn(profile.name, *reasons[0]) if reasons else None


def _reasons(profile: ColumnProfile, living: ZipPopulation | None) -> Iterator[tuple[Answer, str]]:
    words, labels = {*words_of(profile.name)}, profile.labels
    named, written = names_somebody(profile.name), written_like(labels)
    if (
        written is not None
        and written.noun == "a phone number"
        and any(len(re.findall("[0-9]", each)) < 7 for each in labels)
    ):
        written = None  # 2020-03 and 85-94 are none
    if named is not None:
        yield "found", f"it is called like {named.noun}"
    if written is not None:
        yield "found", f"its cells are written like {written.noun}"
    else:
        inside = next((noun for noun, pattern in _INSIDE.items() if any(map(pattern.search, labels))), None)
        if inside is not None and not are_days(labels):
            yield "found", f"some of its cells hold {inside}"
    if holds_zip_codes(profile.name):
        yield _zip_codes(labels, living)
    else:
        yield from _places(words)
    yield from _times(words, labels, profile)
    yield from _codes(words, profile)


def _zip_codes(labels: Sequence[str], living: ZipPopulation | None) -> tuple[Answer, str]:
    if any(sum(letter.isalnum() for letter in text.strip().rstrip("*xX")) > 3 for text in labels):
        return "found", "ZIP codes with more than their first three digits"
    rule = f"the first three digits of a ZIP code are {NOWHERE} where {FEWEST:,} people or fewer live"
    if living is None:
        return "could not tell", rule
    digits = living.compare(labels)
    of_all = f"of its {digits.different:,} three digits of ZIP codes"
    if digits.too_few:
        has = f"{digits.too_few:,} {of_all} {form('has', digits.too_few)}"
        return "found", f"{has} {FEWEST:,} people of the population or fewer, and must be {NOWHERE}"
    if digits.unknown:
        lacks = f"{digits.unknown:,} {of_all} {form('is', digits.unknown)} not in the population"
        return "could not tell", f"{lacks}; {rule}"
    more = f"more than {FEWEST:,} people of the population have each of its three digits of ZIP codes"
    return "could not tell", f"{more}, but need not be those whom the Census counts now"


def _places(words: set[str]) -> Iterator[tuple[Answer, str]]:
    small_places = frozenset(
        ("city", "town", "village", "county", "district", "precinct", "municipality", "neighbourhood", "neighborhood")
    ) | {"tract", "block", "parish", "borough", "geocode", "ort", "stadt", "ciudad", "ville"}
    if words & small_places:
        yield "found", "it is called like a place that is smaller than a state"
    elif words & _PLACES:
        yield "could not tell", "places that are smaller than a state must be gone"


def _times(words: set[str], labels: Sequence[str], profile: ColumnProfile) -> Iterator[tuple[Answer, str]]:
    eight_digits = re.compile(r"\s*(19|20)[0-9]{2}(0[1-9]|1[0-2])([0-2][0-9]|3[01])\s*")
    written_days = re.compile(
        rf"\s*([0-9]{{1,2}}\.?[ -]?{_MONTH}|{_MONTH} [0-9]{{1,2}},?)\.?[ -]?([0-9]{{2}}){{1,2}}\s*"
    )
    written = any(map(written_days.fullmatch, labels)) or all(map(eight_digits.fullmatch, labels))
    if are_days(labels) or profile.kind == "date" or written:
        yield "found", "dates finer than a year"
    elif any(map(_MONTHS.fullmatch, labels)):
        yield "found", "months, which are finer than a year"
    elif words & _BIRTH:
        if all(map(_YEAR.fullmatch, labels)):
            yield "could not tell", "years of birth tell ages above 89, which must be one category"
        else:
            yield "could not tell", "it is called like a birth, of which only the year may stay"
    elif words & _DATES and not all(map(_YEAR.fullmatch, labels)):
        yield "could not tell", "it is called like a date, of which only the year may stay"
    units = {word for text in labels for word in words_of(text)} | words
    other_units = frozenset(("month", "months", "week", "weeks", "day", "days", "hours"))
    if words & _AGE and units & other_units:
        yield "could not tell", f"ages above {OLDEST} years must be one category, and these are not years"
    elif words & _AGE:
        yield from _ages(labels)


def _ages(labels: Sequence[str]) -> Iterator[tuple[Answer, str]]:
    above = [text for text in labels if (numbers := _NUMBERS.findall(text)) and float(numbers[-1]) > OLDEST]
    open_ended = re.compile(
        r"\s*(\+|or (older|over|more|above)|and (older|over|above)|years and (older|over))\s*$|^\s*[>≥]"
    )
    together = [text for text in above if open_ended.search(text)]
    across = [text for text in above if text not in together and float(_NUMBERS.findall(text)[0]) <= OLDEST]
    if len(together) > 1 or len(above) > len(together) + len(across):
        yield "found", f"ages above {OLDEST}, which must be one category, {OLDEST + 1} or older"
    elif across:
        yield "could not tell", f"ages up to {OLDEST} and above it stand together, and not as {OLDEST + 1} or older"


def _codes(words: set[str], profile: ColumnProfile) -> Iterator[tuple[Answer, str]]:
    if words & PERSON_NUMBERS or (words & PEOPLE and words <= PEOPLE | NUMBERING) or words == {"id"}:
        yield "found", "it is called like somebody's number"
    elif words & {"id", "ids", "identifier", "serial", "key", "uuid", "guid"}:
        yield "could not tell", "it is called like a number that may be somebody's"
    if any(map(re.compile(r"(?<![0-9.])[0-9]{9,}(?![0-9.])").search, profile.labels)):
        yield "could not tell", "it holds long numbers, as telephones, accounts and documents have"
    if are_sentences(profile.labels):
        yield "could not tell", "free text, in which anything may stand"
    elif are_names(profile.labels):
        yield "could not tell", "its cells could be the names of people"
    if profile.present >= ENOUGH and profile.differing >= NEARLY_ALL:
        yield "could not tell", "nearly all rows differ in it, as they do in a unique code"
