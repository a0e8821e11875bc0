"""Roles of columns, the meaning of odd cells, and the kinds of labels; and what the names of columns suggest.

Every description of a file's columns becomes `Roles`: the keywords of Python (`Roles.of`), the [roles] of a policy
file, the options of the command line, the reading of a sidecar.  Unstated roles are None, or an empty tuple, so that
one description may override another (`update`).  Before any row is read, `complete` fills in defaults and raises for
contradictions.

The kind of a column decides how its labels may be combined:

    category   names: printed unchanged, as their hierarchy's nodes or as a set {1, 2}; averaged by the commonest
    ordered    names in an order, such as codes of income: cut along it, averaged by the median
    number     cut anywhere, printed as an interval 20-29; averaged by the mean
    date       days, in the same way

Only numbers are added up: region codes 1 to 4 are never printed as 1-2 or averaged to 1.5.  The kind of a column is
decided by the first of

1. the declaration: `kinds={"region": "category"}`, `--kind region=category`, [roles.columns] of a policy;
   `kinds={"size": ["small", "large"]}` (`--kind 'size=small<large'`) is ordered, in the order listed;
2. its type: categoricals are categories, ordered ones (and Enums) are ordered, and text is a category, except for days;
   a CSV file has no types, nor has text with declared marks of missing cells;
3. all its labels: days (2024-03-09) are dates; numbers are numbers, unless some are written as codes are (007,
   +49, 1E50) or all are single digits, as codes of sexes and regions are; everything else is a category;
4. a hierarchy: whole numbers with one are a category, unless it prints intervals of numbers (`release.printed_labels`).

The kinds are reported (`SearchResult.kinds`, the output of `protect`, the sidecar), so that a wrong one is seen.

A name is split into words (`dateOfBirth` is date, of, birth), which are looked up in `column_names.toml`.  These rules
of thumb never show that a column is harmless, only what it resembles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, cast, get_args

from sidelight.errors import BadTable, as_names, did_you_mean, expect, expect_mapping, parameter
from sidelight.table.labels import ColumnKind, KindOrOrder, Label, Semantics, as_day, as_number, hint_label, label
from sidelight.text import counted, first_repeated, form, one_or_several, read_data

KINDS: tuple[str, ...] = get_args(ColumnKind)


def as_kinds(kinds: object) -> tuple[tuple[str, KindOrOrder], ...]:
    """Parse a declared kind or order for each column; raise `BadTable` for anything else.

    >>> as_kinds({"region": "category", "size": ["small", "large"]})
    (('region', 'category'), ('size', ('small', 'large')))
    >>> as_kinds({"region": "categories"})
    Traceback (most recent call last):
    sidelight.errors.BadTable: 'categories' is no kind of column 'region'; did you mean 'category'?
    """
    declared: dict[str, KindOrOrder] = {}
    for name, kind in expect_mapping(
        {} if kinds is None else kinds, parameter("kinds"), '{"region": "category"}'
    ).items():
        if isinstance(kind, str):
            if kind not in KINDS:
                raise BadTable(f"'{kind}' is no kind of column '{name}'{did_you_mean(kind, KINDS)}")
            declared[name] = cast("ColumnKind", kind)
            continue
        order = tuple(text for each in kind if (text := label(each)) is not None) if isinstance(kind, Iterable) else ()
        if len(order) < 2 or len({*order}) < len(order):
            raise BadTable(
                f"{parameter('kinds')} lists for column '{name}' no order; list its labels in order, each once"
            )
        declared[name] = order
    return tuple(declared.items())


def read_kinds(texts: Sequence[str]) -> tuple[tuple[str, KindOrOrder], ...]:
    """Parse the kinds of the command line, `region=category` or `size=small<large`.

    >>> read_kinds(["region=category", "size = small < medium < large"])
    (('region', 'category'), ('size', ('small', 'medium', 'large')))
    """
    declared: dict[str, object] = {}
    for text in texts:
        name, sign, kind = (part.strip() for part in text.rpartition("="))
        if not sign or not name or not kind:
            raise BadTable(
                f"'{text}' is no kind of a column; write the column and its kind, such as "
                f"{parameter('kinds', {'region': 'category'})} or {parameter('kinds', {'size': 'small<medium<large'})}"
            )
        if name in declared:
            raise BadTable(f"{parameter('kinds')} says two kinds for '{name}'; say one")
        declared[name] = [part.strip() for part in kind.split("<")] if "<" in kind else kind
    return as_kinds(declared)


def check_labels(name: str, kind: KindOrOrder, labels: Iterable[Label]) -> None:
    """Raise `BadTable` if the labels of a column contradict its kind.

    >>> check_labels("icd", "number", ["250", "V45"])
    Traceback (most recent call last):
    sidelight.errors.BadTable: column 'icd' is no number: 1 of 2 labels is none, such as V45; say kinds={'icd': ...
    """
    present = [text for text in labels if text is not None]
    message = None
    if isinstance(kind, tuple):
        unlisted = next((text for text in present if text not in kind), None)
        if unlisted is not None:
            message = f"'{hint_label(unlisted)}' occurs in '{name}' but is not in the order declared in "
            message += f"{parameter('kinds')}; add it there"
    elif kind in ("number", "date"):
        others = [text for text in present if (as_day(text) if kind == "date" else as_number(text)) is None]
        if others:
            such = f"{len(others):,} of {counted(len(present), 'label')} {form('is', len(others))} none"
            remedy = f"say {parameter('kinds', {name: 'category'})}, or that they mean missing"
            message = f"column '{name}' is no {kind}: {such}, such as {hint_label(others[0])}; {remedy}"
    # numbers, also as codes, and days have an order of their own
    elif kind == "ordered" and not any(all(read(text) is not None for text in present) for read in (as_number, as_day)):
        listing = parameter("kinds", {name: "lowest<…<highest"})
        message = f"column '{name}' is text, which has no order of its own; list its labels in order, {listing}"
    if message is not None:
        raise BadTable(message)


Missing: TypeAlias = Literal["an error", "a value", "drop", "no value"]
"""What a missing sensitive value means: an error, a value like any other, a row to drop, or, if people may have several
values, none: the person counts, the row does not."""

Suppressed: TypeAlias = Literal["a group", "leave out"]
"""Rows with `*` in every published column: a group like any other, or not part of the release."""

Domain: TypeAlias = tuple[Label, ...] | Mapping[str, tuple[Label, ...]]
"""All possible values: those of one sensitive column, or of several by name."""

# The value of `person` if every row is another person: declared by the publisher, unchecked
EACH_ROW = "each row"

# Roles with a choice of words, the first of which is the default
CHOICES = {"values": Semantics, "missing": Missing, "suppressed": Suppressed}


class ReadingChoices(TypedDict, total=False):
    """The keywords of `read_table` about counting rows, beside `quasi` and `sensitive`."""

    person: str | None
    values: Semantics
    missing: Missing
    missing_marks: str | Sequence[object]
    domain: Sequence[object] | Mapping[str, Sequence[object]] | None
    split: str | None
    encoding: str | None
    sheet: str | None
    kinds: Mapping[str, object] | None


def marks_of(missing_marks: str | Sequence[object]) -> tuple[str, ...]:
    """Return the labels of one missing mark or several, texts or numbers.

    >>> marks_of("?"), marks_of(["NA", -9])
    (('?',), ('NA', '-9'))
    """
    marks = (missing_marks,) if isinstance(missing_marks, str) else missing_marks
    return tuple(text for mark in marks if (text := label(mark)) is not None)


@dataclass(frozen=True, slots=True)
class Roles:
    """The used columns, and the choices that decide how their rows are counted."""

    quasi: tuple[str, ...] = ()  # the quasi-identifiers: columns that an attacker may know
    sensitive: str | tuple[str, ...] | None = None  # the sensitive column, or several
    person: str | None = None  # the column that identifies the person of a row, or `EACH_ROW`
    values: Semantics | None = None
    missing: Missing | None = None
    suppressed: Suppressed | None = None
    missing_marks: tuple[str, ...] = ()  # texts that mean missing
    domain: Domain | None = None  # all possible sensitive values; None: those that occur
    keep: tuple[str, ...] = ()  # columns that are published unchanged, beside what was protected
    weight: str | None = None  # the column of sampling weights, kept like those
    split: str | None = None  # the separator of values in a cell that holds several
    encoding: str | None = None  # the encoding of text files; None: UTF-8
    sheet: str | None = None  # the sheet of a spreadsheet; None: the only one that is not empty
    sensitive_level: int | Mapping[str, int] | None = None  # the level at which sensitive values are published
    kinds: tuple[tuple[str, KindOrOrder], ...] = ()  # declared kinds of columns
    quasi_word: str = field(default="quasi", compare=False)  # the caller's word for the first, for messages

    def __post_init__(self) -> None:
        # One column is its name, however it was written, so that no caller has to handle a list of one.
        names = () if self.sensitive is None else as_names(self.sensitive)
        object.__setattr__(self, "sensitive", one_or_several(names) if names else None)
        for name in (self.person, self.weight, self.split):
            if name is not None:
                expect(str, name, "what names a column, or stands between values,")
        for choice, kind in CHOICES.items():
            if not isinstance(getattr(self, choice), str | None):
                self._choose(choice, get_args(kind))  # raises with the possible words
        if isinstance(self.domain, Mapping) and len(names) == 1:
            object.__setattr__(self, "domain", self.domain.get(names[0]))

    @classmethod
    def of(
        cls,
        *,
        quasi: str | Sequence[str],
        sensitive: str | Sequence[str],
        missing_marks: str | Sequence[object] = (),
        domain: Sequence[object] | Mapping[str, Sequence[object]] | None = None,
        kinds: Mapping[str, object] | None = None,
        keep: str | Sequence[str] = (),
        **choices: Any,  # noqa: ANN401 - the other fields, as they are
    ) -> Roles:
        """Build roles from the keywords of `read_table`: one name or several, any values for labels.

        >>> Roles.of(quasi="age", sensitive="disease", missing_marks=["?", -9]).missing_marks
        ('?', '-9')
        >>> Roles.of(quasi="age", sensitive=["disease", "income"]).value_columns
        ('disease', 'income')
        """
        return cls(
            quasi=as_names(quasi),
            sensitive=as_names(sensitive),
            missing_marks=marks_of(missing_marks),
            domain=_domain_labels(domain),
            kinds=as_kinds(kinds),
            keep=as_names(keep),
            **choices,
        )

    @classmethod
    def from_keywords(cls, keywords: Mapping[str, Any], **columns: Any) -> Roles:  # noqa: ANN401 - the fields
        """Build roles from those keywords of a function that are roles; `columns` override them."""
        names = {each.name for each in fields(cls)}
        return cls.of(**{name: each for name, each in keywords.items() if name in names} | columns)

    def stated(self) -> dict[str, Any]:
        """Return the stated roles by name."""
        # `quasi_word` is a caller's word for messages, not a role
        roles = (each for each in fields(self) if each.compare)
        return {each.name: value for each in roles if (value := getattr(self, each.name)) != each.default}

    def update(self, by: Roles) -> Roles:
        """Return roles overridden by those that `by` states, kinds column by column."""
        return replace(self, **by.stated() | {"kinds": tuple({**dict(self.kinds), **dict(by.kinds)}.items())})

    def complete(self, *, rows_of_people: bool = True) -> Roles:
        """Fill in defaults; raise `BadTable` for contradictions.  Rows of counts are not `rows_of_people`."""
        choices: dict[str, Any] = {name: self._choose(name, get_args(kind)) for name, kind in CHOICES.items()}
        values = choices["values"]
        split = self._mistakes_in_as_words(values, rows_of_people=rows_of_people)
        message = next(chain(self._mistakes_in_columns(), split, self._mistakes_in_values(values)), None)
        if message is not None:
            raise BadTable(message)
        return replace(self, domain=_domain_labels(self.domain), **choices)

    def _mistakes_in_values(self, values: Semantics) -> Iterator[str]:
        if values == "single" and self.missing == "no value":
            yield (
                f"{parameter('missing', 'no value')} is for people who may have several values or none; "
                f'say {parameter("values", "set")} or "multiset" too, or {parameter("missing", "a value")}'
            )
        if len(self.value_columns) == 1:
            return
        names = " and ".join(self.value_columns)
        if values != "single":
            yield (
                f"{parameter('values', values)} is for one sensitive column, and {names} are several; read one at a "
                f"time, or put the others into {parameter(self.quasi_word)}, as columns that outsiders know"
            )
        if self.domain is not None and not isinstance(self.domain, Mapping):
            yield (
                f"{parameter('domain')} lists the values of one sensitive column, and {names} are several; "
                f"write which column's they are, as in {{{self.value_columns[0]} = [...]}}"
            )
        for name in self.domain or ():
            if name not in self.value_columns:
                nearest = did_you_mean(str(name), self.value_columns)
                yield f"{parameter('domain')} is about sensitive columns, and '{name}' is none{nearest}"

    def _choose(self, name: str, words: tuple[str, ...]) -> str:
        chosen = getattr(self, name)
        if chosen is None:
            return words[0]
        if not isinstance(chosen, str) or chosen not in words:
            *others, last = (f'"{word}"' for word in words)
            raise BadTable(f"no {parameter(name, chosen)}; choose {', '.join(others)} or {last}")
        return str(chosen)

    def _mistakes_in_columns(self) -> Iterator[str]:
        if not self.quasi:
            yield f"{parameter(self.quasi_word)} names no columns; name at least one"
        repeated = first_repeated(self.quasi)
        if repeated is not None:
            yield f"column '{repeated}' is listed twice in {parameter(self.quasi_word)}; list it once"
        if not self.value_columns:
            yield f"{parameter('sensitive')} names no column; name the one that nobody should learn"
        repeated = first_repeated(self.value_columns)
        if repeated is not None:
            yield f"column '{repeated}' is {parameter('sensitive')} twice; name it once"
        # a column in two roles would let an attacker know a sensitive value
        for role, name in (*(("sensitive", name) for name in self.value_columns), ("person", self.person)):
            if name in self.quasi:
                both = f"{parameter(role)} and also in {parameter(self.quasi_word)}"
                yield f"column '{name}' is {both}; take it out of one of them"
        for name in self.carried:
            if name in (*self.quasi, *self.value_columns, self.person):
                role = parameter("weight" if name == self.weight else "keep")
                yield f"column '{name}' has a role already, and is also in {role}; take it out of one of them"
        if self.person in self.value_columns:
            both = f"{parameter('sensitive')} and {parameter('person')}"
            yield f"column '{self.person}' is both {both}; name two columns"

    @property
    def carried(self) -> tuple[str, ...]:
        """The carried columns, including the weight."""
        return tuple(dict.fromkeys((*self.keep, *([self.weight] if self.weight is not None else []))))

    def _mistakes_in_as_words(self, values: str, *, rows_of_people: bool) -> Iterator[str]:
        if self.split is None:
            if values != "single" and self.person_column is None and rows_of_people:
                needs = f"{parameter('values', self.values)} needs {parameter('person')}"
                yield f"{needs}, the column that says whose row it is"
            return
        expect(str, self.split, parameter("split"))
        if not self.split.strip():
            yield f"{parameter('split')} is empty; give what stands between the values of a cell, such as |"
        if values == "single":
            several = f'{parameter("values", "set")} or "multiset"'
            yield f"{parameter('split', self.split)} is for people with several values in a cell; say {several} too"
        if self.person_column is not None:
            both = f"{parameter('split', self.split)} and {parameter('person')}"
            yield f"{both} do not go together: a cell lists all values of a person, who has one row; leave one out"

    def choices(self) -> dict[str, Any]:
        """Return the choices that a table does not store in its columns."""
        chosen = {"person": self.person, "missing": self.missing, "suppressed": self.suppressed, "split": self.split}
        return {name: word for name, word in chosen.items() if word is not None}

    @property
    def person_column(self) -> str | None:
        """The column that identifies the person of a row, if there is one."""
        return None if self.takes_each_row else self.person

    @property
    def takes_each_row(self) -> bool:
        """Whether each row was declared to be a person."""
        return self.person == EACH_ROW

    @property
    def value_columns(self) -> tuple[str, ...]:
        """The sensitive columns, at least one in complete roles."""
        return () if self.sensitive is None else as_names(self.sensitive)

    @property
    def values_used(self) -> dict[str, str]:
        """Our own name for each sensitive column → its name in the source."""
        return {f"value{number or ''}": name for number, name in enumerate(self.value_columns)}

    def domain_of(self, column: str) -> tuple[Label, ...] | None:
        """Return the declared domain of a sensitive column, if any."""
        return self.domain.get(column) if isinstance(self.domain, Mapping) else self.domain

    @property
    def used(self) -> dict[str, str]:
        """Our own name for each used column → its name in the source."""
        columns = {f"q{number}": name for number, name in enumerate(self.quasi)} | self.values_used
        further = {"person": self.person_column, "weight": self.weight}
        return columns | {ours: name for ours, name in further.items() if name is not None}

    @property
    def coded(self) -> tuple[str, ...]:
        """Our own names for the columns of a row's key and value."""
        return tuple(ours for ours in self.used if ours not in ("person", "weight"))

    def add_types(self, kinds: Mapping[str, KindOrOrder | None]) -> Roles:
        """Add the kinds of columns' types where none is declared; declared "ordered" columns take the type's order."""
        declared = dict(self.kinds)
        typed = {
            name: kind
            for name, kind in kinds.items()
            if kind is not None and (name not in declared or (declared[name] == "ordered" and isinstance(kind, tuple)))
        }
        return replace(self, kinds=tuple((declared | typed).items()))

    def kind_of(self, name: str) -> ColumnKind | None:
        """Return the kind of a column, declared or by its type, if any."""
        declared = dict(self.kinds).get(name)
        return "ordered" if isinstance(declared, tuple) else declared

    def order_of(self, name: str) -> tuple[str, ...]:
        """Return the labels of an ordered column in their order, declared or by its type; empty for others."""
        declared = dict(self.kinds).get(name)
        return declared if isinstance(declared, tuple) else ()

    def label(self, cell: object) -> Label:
        """Return the label of a cell, None for missing marks."""
        text = label(cell)
        return None if text in self.missing_marks else text


def _domain_labels(domain: Sequence[object] | Mapping[str, Sequence[object]] | None) -> Domain | None:
    """Return a declared domain as distinct labels: of one column, or of each column by name."""
    if isinstance(domain, Mapping):
        return {name: tuple(dict.fromkeys(map(label, values))) for name, values in domain.items()}
    return None if domain is None else tuple(dict.fromkeys(map(label, domain)))


LookSubject: TypeAlias = Literal["names_somebody", "known_to_others", "told_in_confidence"]


class Look(NamedTuple):
    """A kind of column, and the reason why it matters."""

    noun: str  # "an age"
    because: str  # why attackers know it, or why it is confidential


def words_of(name: str) -> tuple[str, ...]:
    """Split a name into words, in small letters.

    >>> words_of("dateOfBirth"), words_of("ZIP_code"), words_of("icd10-main"), words_of("Geburtsjahr")
    (('date', 'of', 'birth'), ('zip', 'code'), ('icd', 'main'), ('geburtsjahr',))
    """
    # camelCase hides word ends, so they are marked before letters are folded
    spaced = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", " ", name)
    return tuple(word.casefold() for word in re.findall(r"[^\W\d_]+", spaced))


_word_lists = partial(read_data, "sidelight.table", "column_names.toml")


@cache
def word_list(*names: str) -> frozenset[str]:
    """Return the words of one of the lists, or of several."""
    return frozenset(word for name in names for word in _word_lists()[name].split())


@cache
def written_looks() -> tuple[tuple[Look, re.Pattern[str]], ...]:
    """Return the patterns of cells that identify a person."""
    entries = _word_lists()["written_like"]
    return tuple((Look(each["noun"], each["because"]), re.compile(each["pattern"])) for each in entries)


def find_look(name: str, subject: LookSubject) -> Look | None:
    """Return what a column's name resembles among direct identifiers, quasi-identifiers or sensitive columns.

    >>> find_look("marital-status", "known_to_others").noun, find_look("x7", "known_to_others")
    ('a family', None)
    >>> find_look("main_diagnosis", "told_in_confidence").noun, find_look("age", "told_in_confidence")
    ('health', None)
    >>> find_look("e_mail", "names_somebody").noun, find_look("Last name", "names_somebody").noun
    ('an e-mail address', "a person's name")
    """
    words = {*words_of(name)}
    # the first look of all is a person's name
    called_name = words == {"name"} or ("name" in words and bool(words & word_list("before_name", "people")))
    is_name = called_name and subject == "names_somebody"
    look = next((each for each in _word_lists()[subject] if is_name or words & {*each["words"].split()}), None)
    return None if look is None else Look(look["noun"], look["because"])


def numbers_people(name: str) -> bool:
    """Return whether a column's name is that of a number for people.

    >>> numbers_people("patient_id"), numbers_people("MRN"), numbers_people("patient"), numbers_people("patient_age")
    (True, True, True, False)
    """
    words = {*words_of(name)}
    numbered = words & word_list("numbering") or len(words) == 1
    return bool(words & word_list("person_numbers") or (words & word_list("people") and numbered))


def is_called_as_columns_are(name: str) -> bool:
    """Return whether a name is usual for columns, and hardly for cells.

    >>> is_called_as_columns_are("ZIP_code"), is_called_as_columns_are("Elm Street"), is_called_as_columns_are("Ann")
    (True, False, False)
    """
    words = {*words_of(name)}
    return bool(words & word_list("attributes")) and words <= word_list("attributes", "beside_attributes")


def is_age(name: str) -> bool:
    """Return whether a column's name is that of an age or a birth, whose numbers are not codes.

    >>> is_age("birth_year"), is_age("agency")
    (True, False)
    """
    look = find_look(name, "known_to_others")
    return look is not None and look.noun == "an age or a birth"


def is_sampling_weight(name: str) -> bool:
    """Return whether a column's name is that of a sampling weight: the people whom a person represents.

    >>> is_sampling_weight("wgt"), is_sampling_weight("final_weight"), is_sampling_weight("weight")
    (True, True, False)
    """
    words = {*words_of(name)}
    return bool(words & word_list("sampling_weights") or ("weight" in words and words & word_list("sampling")))
