"""Roles: which column is what, and what odd cells mean; what kind of labels it has, and what its name suggests.

Whoever says something about the columns of a file says it as `Roles`, each by one conversion: the keywords of Python
(`Roles.of`), the [roles] of a policy file, the options of the command line, the reading of a sidecar.  What nobody said
is None, or an empty tuple, so that one may have the last word over another (`update`).  Before any row is read,
`complete` fills in what is left and refuses what cannot be.

What is a column: a category, an ordered one, a number or a date?  It decides how labels may be put together.

    category   names: printed as they are, as their hierarchy's nodes or as a set {1, 2}; averaged by the commonest
    ordered    names that stand in an order, such as codes of income: cut along it, averaged by the median
    number     cut anywhere, printed as an interval 20-29; averaged by the mean
    date       days, in the same way

Nothing but a number is ever added up: region codes 1 to 4 are no 1-2 and no 1.5.  The kind of a column is, in this
order,

1. what was declared: `kinds={"region": "category"}`, `--kind region=category`, [roles.columns] of a policy;
   `kinds={"size": ["small", "large"]}` (`--kind 'size=small<large'`) is ordered, in the order listed;
2. what its type says: categoricals are categories, those that are ordered (and Enums) stand in their order, and text is
   a category, but for days; a CSV file has no types, nor has text among which marks of missing cells were declared;
3. what all its labels say: days (2024-03-09) are dates; numbers are numbers, unless some are written as codes are (007,
   +49, 1E50) or all are single digits, as codes of sexes and regions are; everything else is a category;
4. whole numbers that come with a hierarchy are a category, as it says how they are recoded, unless what it prints are
   intervals of numbers (`release.printed_labels`).

Whatever was taken is told (`SearchResult.kinds`, the output of `protect`, the sidecar), so that a wrong one is seen.

A column's name is taken apart into words (`dateOfBirth` is date, of, birth) and looked up in three lists: what names a
person by itself, what others know about people, and what people tell in confidence.  Rules of thumb; a person who knows
has the last word, and nothing here says that a column is harmless, only what it resembles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import Any, Literal, TypeAlias, cast, get_args

from sidelight.errors import BadTable, did_you_mean, expect, expect_mapping, parameter
from sidelight.table.labels import ColumnKind, KindOrOrder, Label, Semantics, as_day, as_number, hint_label, label
from sidelight.text import as_names, counted, form, one_or_several

KINDS: tuple[str, ...] = get_args(ColumnKind)


def kind_of_labels(labels: Iterable[Label]) -> ColumnKind:
    """Judge by the labels alone what a column is.

    >>> kind_of_labels(["17", "90", None]), kind_of_labels(["250", "V45"]), kind_of_labels(["00734", "81667"])
    ('number', 'category', 'category')
    >>> kind_of_labels(["1984-03-09"]), kind_of_labels(["1", "4"]), kind_of_labels(["1E50", "2E65"])
    ('date', 'category', 'category')
    """
    present = [text for text in labels if text is not None]
    if not present or are_digits(present):
        return "category"
    if all(as_day(text) is not None for text in present):
        return "date"
    # digits that are written as no number is: with zeros in front, with a plus, or with an exponent like ICD's 1E50
    code = re.compile(r"\s*(\+|-?0[0-9]|.*[0-9.]E[0-9])")
    are_numbers = all(as_number(text) is not None and not code.match(text) for text in present)
    return "number" if are_numbers else "category"


def are_digits(labels: Iterable[Label]) -> bool:
    """Return whether labels are single digits, as many codes are.

    >>> are_digits(["1", "4", None]), are_digits(["9", "10"])
    (True, False)
    """
    return not {*labels} - {*"0123456789", None}


def as_kinds(kinds: object) -> tuple[tuple[str, KindOrOrder], ...]:
    """Parse what was declared, a kind or an order for each column; raise if it is neither.

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
                message = f"'{kind}' is no kind of column '{name}'{did_you_mean(kind, KINDS)}"
                raise BadTable(message)
            declared[name] = cast("ColumnKind", kind)
            continue
        order = tuple(text for each in kind if (text := label(each)) is not None) if isinstance(kind, Iterable) else ()
        if len(order) < 2 or len({*order}) < len(order):
            message = f"{parameter('kinds')} lists for column '{name}' no order; list its labels in order, each once"
            raise BadTable(message)
        declared[name] = order
    return tuple(declared.items())


def read_kinds(texts: Sequence[str]) -> tuple[tuple[str, KindOrOrder], ...]:
    """Read kinds as the command line has them, `region=category` or `size=small<large`.

    >>> read_kinds(["region=category", "size = small < medium < large"])
    (('region', 'category'), ('size', ('small', 'medium', 'large')))
    """
    declared: dict[str, object] = {}
    for text in texts:
        name, sign, kind = (part.strip() for part in text.rpartition("="))
        if not sign or not name or not kind:
            message = (
                f"'{text}' is no kind of a column; write the column and its kind, such as "
                f"{parameter('kinds', {'region': 'category'})} or {parameter('kinds', {'size': 'small<medium<large'})}"
            )
            raise BadTable(message)
        if name in declared:
            message = f"{parameter('kinds')} says two kinds for '{name}'; say one"
            raise BadTable(message)
        declared[name] = [part.strip() for part in kind.split("<")] if "<" in kind else kind
    return as_kinds(declared)


def check_labels(name: str, kind: KindOrOrder, labels: Iterable[Label]) -> None:
    """Refuse a kind that the labels of a column cannot have.

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
    # numbers, also as codes, and days stand in an order that nobody has to tell
    elif kind == "ordered" and not any(all(read(text) is not None for text in present) for read in (as_number, as_day)):
        listing = parameter("kinds", {name: "lowest<…<highest"})
        message = f"column '{name}' is text, which has no order of its own; list its labels in order, {listing}"
    if message is not None:
        raise BadTable(message)


@dataclass(frozen=True, slots=True)
class Look:
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


def _as_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# By words of a column's name: what names or shows a person by itself, what others know about people, and what people
# tell in confidence
LOOKS = {
    "names somebody": {
        Look("a person's name", "it says who somebody is"): _as_words(
            "surname lastname firstname forename fullname givenname familyname middlename maidenname nickname "
            "username login vorname nachname nom prenom apellido apellidos nombre initials"
        ),
        Look("an e-mail address", "it says who somebody is"): _as_words("email mail"),
        Look("a phone number", "it says who somebody is"): _as_words(
            "phone telephone tel mobile cell fax telefon handy"
        ),
        Look("an address", "it says where somebody lives"): _as_words("address addr street strasse anschrift"),
        Look("the number of a document or an account", "registers lead from it to a person"): _as_words(
            "ssn passport licence license iban account acct card insurance policy nhs nino tin taxid plate vin mrn "
            "certificate npi"
        ),
        Look("a device or a place on the net", "it leads to whoever uses it"): _as_words(
            "ip mac imei url uri website homepage device cookie handle twitter"
        ),
        Look("a picture or a trait of the body", "it shows somebody"): _as_words(
            "photo picture portrait fingerprint iris voice biometric"
        ),
        Look("a place on the map", "it says where somebody lives or was"): _as_words(
            "lat latitude lon lng longitude gps coordinates geohash"
        ),
    },
    "known to others": {
        Look("an age or a birth", "neighbours, colleagues and registers know it"): _as_words(
            "age ages agegroup agegrp ageband agecat birth birthdate birthday birthyear dob yob born geburt "
            "geburtsdatum geburtsjahr alter edad nacimiento naissance"
        ),
        Look("a sex", "everybody who meets somebody knows it"): _as_words("sex gender geschlecht sexo sexe genre"),
        Look("where somebody lives or comes from", "neighbours, employers and registers know it"): _as_words(
            "zip zipcode postcode postal postalcode plz city town village county district municipality region state "
            "province country birthplace residence location neighbourhood neighborhood tract block urban rural ort "
            "stadt land bundesland ciudad pais ville pays native nationality citizenship citizen immigrant"
        ),
        Look("an origin", "those who meet somebody know it, or think so"): _as_words(
            "race ethnicity ethnic origin language lang sprache tribe caste"
        ),
        Look("a family", "friends and neighbours know it"): _as_words(
            "marital married marriage family relationship household hh children kids spouse familienstand"
        ),
        Look("a school or a work", "colleagues and profiles on the net tell it"): _as_words(
            "education school degree college university study occupation job profession employer employment work "
            "workclass industry sector department dept office position title manager supervisor beruf bildung veteran "
            "military"
        ),
        Look("how somebody looks", "everybody who meets somebody sees it"): _as_words(
            "height weight shoe dress bmi hair eye eyes groesse gewicht"
        ),
        Look("a day or an event", "whoever was there knows it"): _as_words(
            "date day time timestamp admission admitted admit readmission readmitted discharge discharged visit "
            "visited stay los arrival departure death died deceased hire hired joined datum fecha"
        ),
        Look("where somebody was treated or served", "whoever was there knows it"): _as_words(
            "hospital clinic ward site branch store doctor physician practice facility provider payer insurer"
        ),
    },
    "told in confidence": {
        Look("health", "it is told to doctors in confidence"): _as_words(
            "disease diseases diagnosis diagnoses diag dx condition conditions illness disorder symptom symptoms icd "
            "treatment therapy drug drugs medication medications medicine prescription procedure surgery hiv aids "
            "cancer tumor tumour genetic genotype mutation disability disabled pregnant pregnancy abortion mental "
            "depression anxiety suicide allergy infection vaccine vaccination diagnose krankheit enfermedad maladie "
            "cholesterol glucose diabetes asthma drg"
        ),
        Look("money", "people keep it to themselves"): _as_words(
            "income salary wage wages earnings earning pay payment wealth assets debt debts credit loan balance "
            "capital bonus commission tax benefit benefits charge charges cost costs rent mortgage einkommen gehalt "
            "salario revenu"
        ),
        Look("a belief or a preference", "people are persecuted for it"): _as_words(
            "religion faith church political politics party vote voted union orientation sexuality belief religione"
        ),
        Look("a crime or a judgement", "it can ruin a life"): _as_words(
            "crime crimes offence offense conviction convicted arrest arrested sentence verdict prison victim violence"
        ),
        Look("a habit", "people keep it to themselves"): _as_words(
            "smoking smoker smokes tobacco alcohol drinking drinks addiction gambling"
        ),
        Look("a result or an opinion", "people keep it to themselves"): _as_words(
            "outcome result results score scores grade grades marks rating complaint opinion answer response "
            "satisfaction trust attitude"
        ),
    },
}

# Words for a person
PEOPLE = _as_words(
    "person people patient subject participant respondent individual member customer client user student pupil "
    "employee worker citizen resident case donor beneficiary insured resp"
)

# Words for what counts rows or people off
NUMBERING = _as_words("id ids nr no num number key index idx uuid guid code identifier record row rowid seq seqn")

# Words for a number that identifies a person
PERSON_NUMBERS = _as_words(
    "patientid personid subjectid userid customerid clientid studentid memberid employeeid participantid respondentid "
    "pid uid seqn mrn empi"
)


def numbers_people(name: str) -> bool:
    """Return whether a column is called a number of people.

    >>> numbers_people("patient_id"), numbers_people("MRN"), numbers_people("patient"), numbers_people("patient_age")
    (True, True, True, False)
    """
    words = {*words_of(name)}
    return bool(words & PERSON_NUMBERS or (words & PEOPLE and (words & NUMBERING or len(words) == 1)))


def _match_words(name: str, lists: Mapping[Look, frozenset[str]]) -> Look | None:
    words = {*words_of(name)}
    return next((look for look, known in lists.items() if words & known), None)


def names_somebody(name: str) -> Look | None:
    """Return what a column is that identifies a person by itself, judged by its name.

    >>> names_somebody("e_mail").noun, names_somebody("Last name").noun, names_somebody("drug name")
    ('an e-mail address', "a person's name", None)
    """
    words = words_of(name)
    if words == ("name",) or (
        "name" in words and {*words} & (_as_words("first last full given family middle maiden sur user nick") | PEOPLE)
    ):
        return next(iter(LOOKS["names somebody"]))
    return _match_words(name, LOOKS["names somebody"])


def known_to_others(name: str) -> Look | None:
    """Return what a column is that others know, judged by its name.

    >>> known_to_others("marital-status").noun, known_to_others("zipcode").noun, known_to_others("x7")
    ('a family', 'where somebody lives or comes from', None)
    """
    return _match_words(name, LOOKS["known to others"])


def sensitive_subject(name: str) -> Look | None:
    """Return what a column is that people tell in confidence, judged by its name.

    >>> sensitive_subject("main_diagnosis").noun, sensitive_subject("salary-class").noun, sensitive_subject("age")
    ('health', 'money', None)
    """
    return _match_words(name, LOOKS["told in confidence"])


def is_called_as_columns_are(name: str) -> bool:
    """Return whether a name is one that columns have and cells hardly do.

    >>> is_called_as_columns_are("ZIP_code"), is_called_as_columns_are("Elm Street"), is_called_as_columns_are("Ann")
    (True, False, False)
    """
    words = {*words_of(name)}
    # what is told about people, which hardly a cell says by itself
    attributes = _as_words(
        "id pid uid seqn name surname lastname firstname forename vorname nachname nombre apellido prenom email phone "
        "telephone address street strasse ssn mrn age agegroup dob yob birth birthdate birthday birthyear alter "
        "geburtsdatum geburtsjahr edad sex gender geschlecht sexo sexe zip zipcode postcode postal postalcode plz "
        "race ethnicity nationality citizenship birthplace residence marital familienstand education occupation "
        "profession beruf workclass employer income salary wage einkommen gehalt salario disease diseases diagnosis "
        "diagnoses dx icd condition illness krankheit diagnose enfermedad maladie religion relationship household"
    )
    beside_attributes = _as_words(
        "code class status group band year date of day number no nr num level main primary person patient people "
        "count total home native first last full given family"
    )
    return bool(words & attributes) and words <= attributes | beside_attributes


def is_age(name: str) -> bool:
    """Return whether a column is called like an age or a birth, whose numbers are no codes.

    >>> is_age("birth_year"), is_age("agency")
    (True, False)
    """
    look = known_to_others(name)
    return look is not None and look.noun == "an age or a birth"


def is_sampling_weight(name: str) -> bool:
    """Return whether a column is named like a sampling weight: how many people a person stands for.

    >>> is_sampling_weight("wgt"), is_sampling_weight("final_weight"), is_sampling_weight("weight")
    (True, True, False)
    """
    words = {*words_of(name)}
    sampling_weights = _as_words(
        "wgt wt wts weights pweight pweights perwt personwt hhwt fnlwgt finalwt finalweight sampleweight "
        "samplingweight surveyweight wtint wtmec"
    )
    sampling = _as_words("sampling sample survey final design analysis household hh person calibrated")
    return bool(words & sampling_weights) or ("weight" in words and bool(words & sampling))


def is_free_text(name: str) -> bool:
    """Return whether a column is called like what people write in their own words.

    >>> is_free_text("Q13_comment"), is_free_text("ward")
    (True, False)
    """
    free_text = _as_words(
        "comment comments note notes remark remarks narrative freetext description bemerkung kommentar"
    )
    return bool({*words_of(name)} & free_text)


Missing: TypeAlias = Literal["an error", "a value", "drop", "no value"]
"""What a missing sensitive value means: nothing we may guess, a value like any other, a row to drop, or, where people
may have several values, that somebody may have none: the person counts, the row does not."""

Suppressed: TypeAlias = Literal["a group", "leave out"]
"""What rows with `*` in every published column are: a group like any other, or not part of the release."""

Domain: TypeAlias = tuple[Label, ...] | Mapping[str, tuple[Label, ...]]
"""The values that there could be: those of one sensitive column, or of several by the column's name."""

# What `person` says instead of a column, when every row is a person of their own: the publisher's word, unchecked
EACH_ROW = "each row"

# Roles that are one of a few words; the first word is the default
CHOICES = {"values": Semantics, "missing": Missing, "suppressed": Suppressed}


def marks_of(missing_marks: str | Sequence[object]) -> tuple[str, ...]:
    """Take one text that means missing, or several, or numbers.

    >>> marks_of("?"), marks_of(["NA", -9])
    (('?',), ('NA', '-9'))
    """
    marks = (missing_marks,) if isinstance(missing_marks, str) else missing_marks
    return tuple(text for mark in marks if (text := label(mark)) is not None)


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns that are used, and the choices that decide how their rows are counted."""

    quasi: tuple[str, ...] = ()  # the columns that an outsider may know
    sensitive: str | tuple[str, ...] | None = None  # the column that nobody should learn, or several
    person: str | None = None  # the column that says whose row it is, or `EACH_ROW`
    values: Semantics | None = None
    missing: Missing | None = None
    suppressed: Suppressed | None = None
    missing_marks: tuple[str, ...] = ()  # texts that mean missing
    domain: Domain | None = None  # all sensitive values that there could be; None: those that occur
    keep: tuple[str, ...] = ()  # columns that are published as they are, beside what was protected
    weight: str | None = None  # a column that says how many people of a population somebody stands for; kept like those
    split: str | None = None  # what stands between the values of a cell that holds several
    encoding: str | None = None  # how the letters of text files are written; None: UTF-8
    sheet: str | None = None  # which sheet of a spreadsheet; None: the only one with something on it
    sensitive_level: int | Mapping[str, int] | None = None  # how coarsely sensitive values are to be published
    kinds: tuple[tuple[str, KindOrOrder], ...] = ()  # what columns are, where somebody said it
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
                self._choose(choice, get_args(kind))  # says which words there are
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
        """Take the keywords of `read_table`: one name or several, any values for labels.

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

    def stated(self) -> dict[str, Any]:
        """Return what was said, and nothing that was not, by name."""
        # `quasi_word` is how a caller phrases messages, not something that was said about the data
        roles = (each for each in fields(self) if each.compare)
        return {each.name: value for each in roles if (value := getattr(self, each.name)) != each.default}

    def update(self, by: Roles) -> Roles:
        """Let other roles have the last word where they say something, of kinds column by column."""
        return replace(self, **by.stated() | {"kinds": tuple({**dict(self.kinds), **dict(by.kinds)}.items())})

    def complete(self, *, rows_of_people: bool = True) -> Roles:
        """Fill in what nobody said, and refuse roles by which no table can be read; rows of counts are nobody's."""
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
            message = f"no {parameter(name, chosen)}; choose {', '.join(others)} or {last}"
            raise BadTable(message)
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
        # a column in two roles would let an attacker know what is to be kept from them
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
        """The columns that are carried along, the weight among them."""
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
        """Return what was chosen besides the columns that a table keeps anyway."""
        chosen = {"person": self.person, "missing": self.missing, "suppressed": self.suppressed, "split": self.split}
        return {name: word for name, word in chosen.items() if word is not None}

    @property
    def person_column(self) -> str | None:
        """The column that says whose row it is, if there is one."""
        return None if self.person == EACH_ROW else self.person

    @property
    def value_columns(self) -> tuple[str, ...]:
        """The sensitive columns, of which complete roles have at least one."""
        return () if self.sensitive is None else as_names(self.sensitive)

    @property
    def values_used(self) -> dict[str, str]:
        """Our own name for each sensitive column → its name in the source."""
        return {f"value{number or ''}": name for number, name in enumerate(self.value_columns)}

    def domain_of(self, column: str) -> tuple[Label, ...] | None:
        """Return all values that a sensitive column could have, where they were declared."""
        return self.domain.get(column) if isinstance(self.domain, Mapping) else self.domain

    @property
    def used(self) -> dict[str, str]:
        """Our own name for each column that is used → its name in the source."""
        columns = {f"q{number}": name for number, name in enumerate(self.quasi)} | self.values_used
        further = {"person": self.person_column, "weight": self.weight}
        return columns | {ours: name for ours, name in further.items() if name is not None}

    @property
    def coded(self) -> tuple[str, ...]:
        """Our own names for the columns that make a row's key and value."""
        return tuple(ours for ours in self.used if ours not in ("person", "weight"))

    def add_types(self, kinds: Mapping[str, KindOrOrder | None]) -> Roles:
        """Take what the types of columns say, where nobody declared anything; "ordered" as the type orders it."""
        declared = dict(self.kinds)
        typed = {
            name: kind
            for name, kind in kinds.items()
            if kind is not None and (name not in declared or (declared[name] == "ordered" and isinstance(kind, tuple)))
        }
        return replace(self, kinds=tuple((declared | typed).items()))

    def kind_of(self, name: str) -> ColumnKind | None:
        """Return the kind of a column that was declared, or that its type has, if any."""
        declared = dict(self.kinds).get(name)
        return "ordered" if isinstance(declared, tuple) else declared

    def order_of(self, name: str) -> tuple[str, ...]:
        """Return the labels of an ordered column in the order that was declared, or that its type has; else none."""
        declared = dict(self.kinds).get(name)
        return declared if isinstance(declared, tuple) else ()

    def label(self, cell: object) -> Label:
        """Return the label of a cell; the marks of missing cells say nothing."""
        text = label(cell)
        return None if text in self.missing_marks else text


def _domain_labels(domain: Sequence[object] | Mapping[str, Sequence[object]] | None) -> Domain | None:
    """Take declared values as labels, each once: those of one column, or of each column by its name."""
    if isinstance(domain, Mapping):
        return {name: tuple(dict.fromkeys(map(label, values))) for name, values in domain.items()}
    return None if domain is None else tuple(dict.fromkeys(map(label, domain)))


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that there is more than once.

    >>> first_repeated(["age", "sex", "age"])
    'age'
    """
    return next((name for name, times in Counter(names).items() if times > 1), None)
