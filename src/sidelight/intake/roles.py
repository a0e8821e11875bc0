"""Suggest a role for each column, with a reason.

    person       identifies the person of each row
    quasi        quasi-identifiers: columns that an attacker may know, and link people by
    sensitive    confidential columns
    keep         published unchanged, by your choice; also sampling weights
    leave out    direct identifiers, free text, measurements, constants: not published

The first rule that fits decides (`_suggest`): a stated role; a constant or empty column; the form of a direct
identifier such as an e-mail address; numbers of people or rows; name of a direct identifier; nearly all rows differ;
free text; a sensitive name; the name of a quasi-identifier; days; few labels, which is a quasi-identifier out of
caution; the rest is left out.

These are rules of thumb about names and counts, to be reviewed before use.  Reasons have counts of labels, never
labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias, Unpack

from sidelight.engines.source import Heading, Rows
from sidelight.errors import UnknownColumn, did_you_mean, expect, parameter
from sidelight.intake.profile import (
    ColumnProfile,
    add_marks,
    are_days,
    are_names,
    are_sentences,
    marks_among,
    names_of_columns,
    open_columns,
    people_who_vary,
    profiles_of,
    refuse_no_rows,
    tell_each_other,
    written_like,
)
from sidelight.progress import Progress, quiet
from sidelight.table.cell_lists import list_separator
from sidelight.table.labels import MISSING_MARKS, ColumnKind
from sidelight.table.roles import (
    EACH_ROW,
    ReadingChoices,
    Roles,
    find_look,
    is_sampling_weight,
    numbers_people,
    word_list,
    words_of,
)
from sidelight.text import counted, form, html_table, one_or_several

Role: TypeAlias = Literal["person", "quasi", "sensitive", "keep", "leave out"]
"""The suggested role of a column."""

# The most labels of a category: a few dozen
FEW_LABELS = 60

# With more quasi-identifiers, columns that are so out of caution only are left out: searches would not end
MOST_QUASI = 10

# The labels per row from which nearly all rows differ
NEARLY_ALL = Fraction(9, 10)

# The least rows for which "nearly all differ" means something
ENOUGH = 20

Suggestion: TypeAlias = tuple[Role, str]
"""A role, and its reason."""

_OUT_OF_CAUTION = "nothing says what it is: taken for known to others, out of caution"
_ROWS_DIFFER = "but it differs between the rows"


@dataclass(frozen=True, slots=True)
class SuggestedRole:
    """A suggested role of a column, and its reason."""

    profile: ColumnProfile
    role: Role
    reason: str
    stated: bool = False  # whether the user stated it
    codes: bool = False  # whether its numbers are codes, such as those of places

    @property
    def column(self) -> str:
        """The name of the column."""
        return self.profile.name

    @property
    def kind(self) -> ColumnKind:
        """The kind of its labels: numbers, dates or categories."""
        return "category" if self.codes else self.profile.kind


@dataclass(frozen=True, slots=True)
class SuggestedRoles:
    """Suggested roles for the columns of a table, each with its reason, and the `Roles` that they make."""

    columns: tuple[SuggestedRole, ...]
    roles: Roles
    notes: tuple[str, ...] = ()

    def __getitem__(self, column: str) -> SuggestedRole:
        """Return the suggestion for a column."""
        for each in self.columns:
            if each.column == column:
                return each
        raise UnknownColumn(f"no column '{column}'{did_you_mean(column, [each.column for each in self.columns])}")

    def named(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role."""
        expect(str, role, "a role")
        return tuple(each.column for each in self.columns if each.role == role)

    @property
    def differing(self) -> tuple[str, ...]:
        """The quasi-identifiers that are left out because the rows of some people differ in them."""
        return tuple(each.column for each in self.columns if _ROWS_DIFFER in each.reason)

    @property
    def keywords(self) -> dict[str, Any]:
        """The keywords of `read_table`, if there are a quasi-identifier and a sensitive column."""
        stated = self.roles.stated()
        return {name: dict(value) if name == "kinds" else value for name, value in stated.items()}

    def __repr__(self) -> str:
        return "\n".join(f"{each.column}: {each.role}: {each.reason}" for each in self.columns)

    def _repr_html_(self) -> str:
        rows = [(each.column, each.role, each.kind, each.reason) for each in self.columns]
        return html_table("Suggested roles", ["column", "role", "kind", "because"], rows, total=len(rows))


def suggest_roles(
    source: object,
    *,
    quasi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    weight: str | None = None,
    **reading: Unpack[ReadingChoices],
) -> SuggestedRoles:
    """Suggest a role for each column, with its reason; stated roles stay.

    Rules of thumb by names and counts: review them before you rely on them.  No label is ever shown.

    Args:
        source: files or a dataframe, as in `read_table`.
        quasi: the quasi-identifiers, if you know them: these and no others.
        sensitive: the sensitive column, or several, if you know them.
        keep: columns that are published unchanged: no role is suggested for them.
        weight: a column of sampling weights, likewise.
        reading: other keywords of `read_table`: `person`, `values`, `missing`, `kinds`, `encoding`, `sheet`;
            `missing_marks`, and the `split` of cells with several values, are searched for unless stated.

    >>> import sidelight as sl
    >>> suggested = suggest_roles(sl.datasets.nhefs().path)
    >>> suggested.named("quasi")
    ('age', 'sex', 'race', 'marital', 'education', 'birthplace')
    >>> suggested["condition"].role, suggested["condition"].reason
    ('sensitive', 'called like health, with 14 values: it is told to doctors in confidence')
    >>> sl.read_table(sl.datasets.nhefs().path, **suggested.keywords)
    <Table of 1,629 people: age, sex, race, marital, education, birthplace → condition (14 values)>
    """
    if reading.get("split") is not None:
        expect(str, reading["split"], parameter("split"))
    choices: Mapping[str, Any] = reading
    return suggestions_for(source, Roles.of(quasi=quasi, sensitive=sensitive, keep=keep, weight=weight, **choices))


def suggestions_for(source: object, stated: Roles, progress: Progress = quiet) -> SuggestedRoles:
    """Suggest roles beside the stated ones; `progress` is called with each column."""
    names = names_of_columns(source, stated)
    person = () if stated.person_column is None else (stated.person_column,)
    meant = (*stated.quasi, *stated.value_columns, *person, *stated.carried, *dict(stated.kinds))
    for name in meant:
        if name not in names:
            raise UnknownColumn(
                f"no column '{name}' to suggest a role for in the table{Heading(names).name_nearest(name, meant)}"
            )
    with open_columns(source, names, stated) as unmarked:
        profiles = profiles_of(unmarked, names, progress)
        refuse_no_rows(unmarked, profiles)
        marks = () if stated.missing_marks else _marks_in(unmarked, profiles)
        rows = add_marks(unmarked, marks) if marks else unmarked
        if marks:  # missing marks are not labels, so columns whose counts or kinds change are counted again
            changed = [
                name
                for name, profile in profiles.items()
                if profile.distinct > len(profile.labels)
                or name in rows.source.texts
                or not {*marks}.isdisjoint(profile.labels)
            ]
            profiles |= profiles_of(rows, changed, progress)
        columns = [_suggest(profile, stated) for profile in profiles.values()]
        columns = _ensure_sensitive(_keep_one_person(columns, stated), stated)
        columns, several = _compare_rows_of_people(_keep_one_of_equals(columns, rows), rows)
    roles = _join_roles(columns, replace(stated, missing_marks=stated.missing_marks or marks), several=several)
    if roles.split is not None and stated.split is None:
        reason = f"its cells seem to hold several values, with '{roles.split}' between them"
        columns = [_add_reason(each, reason) if each.role == "sensitive" else each for each in columns]
    return SuggestedRoles(tuple(columns), roles, tuple(_list_notes(columns, marks)))


# The role of one column by itself.


def _suggest(profile: ColumnProfile, stated: Roles) -> SuggestedRole:
    by_role: dict[Role, Sequence[str | None]] = {
        "quasi": stated.quasi,
        "sensitive": stated.value_columns,
        "keep": stated.carried,
        "person": (stated.person_column,),
    }
    own = next((role for role, names in by_role.items() if profile.name in names), None)
    if own is not None:
        return SuggestedRole(profile, own, "you said so", stated=True)
    role, reason = (
        # the first that answers decides: direct identifiers are left out before they could be sensitive
        _leave_empty_out(profile)
        or _suggest_identifier(profile)
        or _leave_weight_out(profile)
        or _leave_fine_out(profile)
        or _suggest_sensitive(profile)
        or _suggest_quasi(profile)
    )
    # whole numbers may be codes of places and the like: region 11 is not between regions 10 and 12
    look = find_look(profile.name, "known_to_others")
    are_whole = profile.kind == "number" and profile.name not in dict(stated.kinds) and not _has_decimals(profile)
    # never an amount, even if it is numbers
    nouns = ("a sex", "where somebody lives or comes from", "an origin", "where somebody was treated or served")
    codes = are_whole and role == "quasi" and look is not None and look.noun in nouns
    return SuggestedRole(profile, role, reason, codes=codes)


def _leave_empty_out(profile: ColumnProfile) -> Suggestion | None:
    if profile.distinct > 1 or (profile.present and profile.missing):
        return None
    same = "the same in every row: it tells nothing about anybody"
    return "leave out", same if profile.present else "empty: no row says anything"


def _suggest_identifier(profile: ColumnProfile) -> Suggestion | None:
    """Leave out direct identifiers, by the form of labels, then by the name; a number of people is the person."""
    look, words = written_like(profile.labels), {*words_of(profile.name)}
    if look is not None:
        return "leave out", f"written like {look.noun}: {look.because}"
    labels = profile.distinct > FEW_LABELS
    # a number of people is in every row, and few rows have the same one
    if numbers_people(profile.name) and not profile.missing and (labels or profile.differing > Fraction(1, 3)):
        people = f"{profile.distinct:,} people have {profile.rows:,} rows"
        all_differ = f"all {profile.rows:,} differ, a row for each"
        numbers = all_differ if profile.distinct == profile.rows else people
        return "person", f"numbers people: {numbers}; it is not published"
    many = labels or profile.differing > Fraction(1, 2)
    called_a_number = words & word_list("numbering") or not profile.name
    numbers_rows = called_a_number and profile.differing >= NEARLY_ALL and not _has_decimals(profile)
    if numbers_rows or (
        (many or profile.distinct > FEW_LABELS // 4) and words & {"id", "ids", "uuid", "guid", "identifier"}
    ):
        return (
            "leave out",
            f"numbers rows or something else ({_different(profile)}): it points at few of them",
        )
    look = find_look(profile.name, "names_somebody")
    # names of columns that decide even if there are few labels
    if look is not None and (many or look.noun in ("a person's name", "an e-mail address", "a phone number")):
        return "leave out", f"called like {look.noun}: {look.because}"
    if labels and profile.differing > Fraction(1, 2) and are_names(profile.labels):
        return "leave out", "written like people's names: it says who somebody is"
    return None


def _leave_weight_out(profile: ColumnProfile) -> Suggestion | None:
    """Leave sampling weights out unless they are stated: published unchanged, they point at people."""
    numbers = f"{profile.distinct:,} different numbers"
    if profile.kind == "number" and is_sampling_weight(profile.name):
        return "leave out", f"called like a sampling weight, {numbers}: published as it is, if you say that it is one"
    if profile.kind == "number" and "weight" in words_of(profile.name) and _nearly_all_differ(profile):
        return "leave out", f"{numbers}: could not tell whether a body's weight or a sampling weight; say what it is"
    return None


def _different(profile: ColumnProfile) -> str:
    return f"{profile.distinct:,} different in {counted(profile.present, 'row')}"


def _nearly_all_differ(profile: ColumnProfile) -> bool:
    return profile.differing >= NEARLY_ALL and profile.present >= ENOUGH


def _leave_fine_out(profile: ColumnProfile) -> Suggestion | None:
    """Leave out columns that single nearly all people out, unless they can be published more coarsely."""
    sentences = profile.distinct > FEW_LABELS // 2 and are_sentences(profile.labels)
    if profile.kind == "category" and (sentences or word_list("free_text").intersection(words_of(profile.name))):
        return "leave out", "free text: nobody can tell what stands in it about whom"
    coarser = find_look(profile.name, "known_to_others") or profile.kind == "date" or are_days(profile.labels)
    if coarser or not _nearly_all_differ(profile):
        return None
    if _has_decimals(profile):
        return "leave out", _word_measurement(profile)
    return (
        "leave out",
        f"nearly all rows differ ({_different(profile)}): it identifies people by itself",
    )


def _has_decimals(profile: ColumnProfile) -> bool:
    """Return whether numbers have decimals, as measurements have and numbers of people have not."""
    return profile.kind == "number" and any("." in text or "e" in text.casefold() for text in profile.labels)


def _word_measurement(profile: ColumnProfile) -> str:
    singled = f", {profile.once:,} of them in one row only" if profile.once else ""
    numbers = f"{profile.distinct:,} different numbers{singled}"
    what = "a measurement" if _has_decimals(profile) else "amounts or codes, and nothing says which"
    return f"{what}: {numbers}; add it as quasi if others know it, or as sensitive"


def _suggest_sensitive(profile: ColumnProfile) -> Suggestion | None:
    look = find_look(profile.name, "told_in_confidence")
    if look is None:
        return None
    called = f"called like {look.noun}"
    if profile.kind in ("number", "date") and profile.distinct > FEW_LABELS:
        many = f"{profile.distinct:,} different {form(profile.kind, 2)}"
        cut = "cut into a few dozen intervals, it can be sensitive"
        return "leave out", f"{called}, with {many}: {look.because}; {cut}"
    if profile.distinct > 2_000:  # few people share a value
        return "leave out", f"{called}, with {profile.distinct:,} different values: too many to hide among"
    return "sensitive", f"{called}, with {counted(profile.distinct, 'value')}: {look.because}"


def _suggest_quasi(profile: ColumnProfile) -> Suggestion:
    look = find_look(profile.name, "known_to_others")
    if look is not None:
        return "quasi", f"called like {look.noun}: {look.because}"
    if profile.kind == "date" or are_days(profile.labels):
        return "quasi", "written like days: whoever was there knows when"
    if profile.kind == "number" and profile.distinct > FEW_LABELS // 4:
        return "leave out", _word_measurement(profile)
    if profile.distinct <= FEW_LABELS:
        return "quasi", f"{counted(profile.distinct, 'label')}, and {_OUT_OF_CAUTION}"
    return "leave out", f"{profile.distinct:,} labels, and nothing says what it is; add it as quasi if others know it"


# The roles of the columns together.


def _add_reason(each: SuggestedRole, reason: str, **changes: Any) -> SuggestedRole:  # noqa: ANN401 - any field
    return replace(each, reason=f"{each.reason}; {reason}", **changes)


def _keep_one_person(columns: list[SuggestedRole], stated: Roles) -> list[SuggestedRole]:
    """Keep one column that identifies people: the stated one, else that of most people with several rows."""
    people = [each for each in columns if each.role == "person"]
    if not people or (len(people) == 1 and stated.person is None):
        return columns
    # a stated one first, then numbers of people with several rows, of those the one of most people
    chosen = min(
        people, key=lambda each: (not each.stated, each.profile.distinct == each.profile.rows, -each.profile.distinct)
    )

    def judge(each: SuggestedRole) -> SuggestedRole:
        if each.role != "person" or (each is chosen and stated.person != EACH_ROW):
            return each
        reason = "numbers people too, and one column is enough: it is not published"
        if stated.person == EACH_ROW:
            many = f"{each.profile.distinct:,} people have {counted(each.profile.rows, 'row')}"
            reason = f"numbers people ({many}), and you said that each row is one: rows are protected, and not people"
        return replace(each, role="leave out", reason=reason)

    return [*map(judge, columns)]


def _ensure_sensitive(columns: list[SuggestedRole], stated: Roles) -> list[SuggestedRole]:
    """Restrict roles to stated columns, choose a sensitive one if none was found, and limit the others.

    If there are many quasi-identifiers, those that are so out of caution only are left out.
    """
    for role, named in (("sensitive", stated.sensitive is not None), ("quasi", bool(stated.quasi))):
        reason = f"but you named the columns that are {role}, and not this one"
        columns = [
            _add_reason(each, reason, role="leave out") if named and each.role == role and not each.stated else each
            for each in columns
        ]
    if stated.sensitive is None and not any(each.role == "sensitive" for each in columns):
        quasi = [each for each in columns if each.role == "quasi" and not each.stated]
        # known to others, and still confidential in a table without another sensitive column
        work = [each for each in quasi if word_list("work").intersection(words_of(each.column))]
        # the finest of them, as a coarser one discloses less
        kept = min(work, key=lambda each: -each.profile.distinct, default=None)
        reason = "nothing is called like a secret; of what there is, people may keep their work to themselves"
        columns = [replace(each, role="sensitive", reason=reason) if each is kept else each for each in columns]
    many = sum(each.role == "quasi" for each in columns) > MOST_QUASI
    reason = "nothing says what it is, and there are many columns: left out to begin with; add it as quasi"
    return [
        replace(each, role="leave out", reason=reason)
        if many and each.reason.endswith(_OUT_OF_CAUTION) and each.role == "quasi"
        else each
        for each in columns
    ]


def _keep_one_of_equals(columns: list[SuggestedRole], rows: Rows) -> list[SuggestedRole]:
    """Keep one of several columns that determine each other, label by label: the sensitive one, else the first."""

    def are_equal(one: ColumnProfile, other: ColumnProfile) -> bool:
        # only if it is no accident: any two columns in which all rows differ determine each other
        enough = one.present >= max(ENOUGH, 2 * one.distinct) or one.labels == other.labels
        return enough and tell_each_other(rows, one, other)

    judged = [each for each in columns if each.role in ("quasi", "sensitive") and each.profile.distinct > 1]
    # stated columns come first and are never left out for another one
    judged.sort(key=lambda each: (not each.stated, each.role != "sensitive"))
    kept: list[SuggestedRole] = []
    same: dict[str, str] = {}
    for each in judged:
        first = next((one for one in kept if are_equal(one.profile, each.profile)), None)
        if first is None or each.stated:
            kept.append(each)
        else:
            same[each.column] = first.column
    return [
        replace(each, role="leave out", reason=f"tells what {same[each.column]} tells, label by label", codes=False)
        if each.column in same
        else each
        for each in columns
    ]


def _compare_rows_of_people(columns: list[SuggestedRole], rows: Rows) -> tuple[list[SuggestedRole], bool]:
    """Leave out quasi-identifiers that differ between the rows of a person; also return whether people have several."""
    person = next((each for each in columns if each.role == "person"), None)
    if person is None:
        return columns, False
    labels = person.profile.labels
    # one person may be written in two ways, as 7 and 7.0
    written_once = len({text.strip().removesuffix(".0") for text in labels}) == len(labels)
    if person.profile.distinct == person.profile.rows and written_once:
        return columns, False
    others = [each.column for each in columns if each.role in ("quasi", "sensitive")]
    vary = people_who_vary(rows, person.column, others) if others else {}
    secrets = [each for each in columns if each.role == "sensitive" and not each.stated]
    kept = next((each for each in secrets if each.column in vary), secrets[0] if secrets else None)

    def judge(each: SuggestedRole) -> SuggestedRole:
        if each.role == "quasi" and each.column in vary and not each.stated:
            reason = f"{_ROWS_DIFFER} of {counted(vary[each.column], 'person')}"
            return _add_reason(each, reason, role="leave out", codes=False)
        if each.role == "sensitive" and each is not kept and not each.stated:
            return _add_reason(each, "but where people have several rows, one column is sensitive", role="leave out")
        return each

    return [*map(judge, columns)], True


def _join_roles(columns: Sequence[SuggestedRole], reading: Roles, *, several: bool) -> Roles:
    quasi, secrets = ([each for each in columns if each.role == role] for role in ("quasi", "sensitive"))
    split = reading.split
    # the separator of values in cells of a single sensitive column, unless stated
    if split is None and not several and len(secrets) == 1 and reading.values is None:
        split = list_separator(secrets[0].profile.labels)
    values = reading.values or ("set" if several or split is not None else None)
    unsaid = any(each.profile.missing for each in secrets)
    codes: tuple[tuple[str, ColumnKind], ...] = tuple((each.column, "category") for each in quasi if each.codes)
    return replace(
        reading,
        quasi=tuple(each.column for each in quasi),
        sensitive=one_or_several(tuple(each.column for each in secrets)) if secrets else None,
        person=next((each.column for each in columns if each.role == "person"), reading.person),
        values=values,
        split=split,
        missing=reading.missing or (("no value" if values in ("set", "multiset") else "a value") if unsaid else None),
        kinds=(*reading.kinds, *codes),
    )


def _list_notes(columns: Sequence[SuggestedRole], marks: Sequence[str]) -> Iterable[str]:
    if marks:
        listing = ", ".join(f"'{mark}'" for mark in marks)
        yield f"{listing} {form('is', len(marks))} taken for missing; name the texts that are, if that is wrong"
    roles = Counter(each.role for each in columns)
    if not roles["sensitive"]:
        yield "no column looks as if it were told in confidence; name the one that is, as sensitive"
    differing = sum(_ROWS_DIFFER in each.reason for each in columns)
    if differing:
        yield (
            f"{counted(differing, 'column')} that others know {form('is', differing)} left out, as rows of "
            "one person say different things there: mend them, or keep one row per person; or let each row be a "
            "person (person 'each row'), which protects rows and not people"
        )
    elif not roles["quasi"]:
        yield "no column looks as if others knew it; name those that they know, as quasi"
    if roles["quasi"] > MOST_QUASI:
        yield (
            f"{roles['quasi']} columns are taken for known to others: the more of them are published, the coarser all "
            "become; leave out what readers do not need"
        )
    if not roles["person"]:
        yield "each row is taken for a person; if people have several rows, name the column that says whose they are"
    unanswered = []
    for each in columns:
        # numbers that programs write for missing answers, if no other label is negative
        others = [text for text in each.profile.labels if text not in ("-9", "-99", "-999", "-9999")]
        if 0 < len(others) < len(each.profile.labels) and not any(text.startswith("-") for text in others):
            unanswered.append(each.column)
    if unanswered:
        yield (
            f"{', '.join(unanswered)} {form('has', len(unanswered))} numbers such as -9 or -99, which often mean that "
            "nothing was answered; if so, name them as texts that mean missing"
        )


def _marks_in(rows: Rows, profiles: Mapping[str, ColumnProfile]) -> tuple[str, ...]:
    """Return the texts that mean missing, without those that may be a code like the others (NA, Namibia)."""

    def may_be_code(mark: str, among: set[str]) -> bool:
        others = among - {*MISSING_MARKS}
        alike = (text.isalpha() and len(text) == len(mark) and text.isupper() == mark.isupper() for text in others)
        return mark in among and mark.isalpha() and bool(others) and all(alike)

    unseen = [name for name, profile in profiles.items() if profile.distinct > len(profile.labels)]
    labels = [{*profile.labels} for profile in profiles.values()]
    hidden = marks_among(rows, MISSING_MARKS, unseen)
    occurring = [mark for mark in MISSING_MARKS if mark in hidden or any(mark in each for each in labels)]
    return tuple(mark for mark in occurring if not any(may_be_code(mark, each) for each in labels))
