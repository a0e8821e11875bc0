"""Events, by people's cells, group and value, joined by and, or and not; and shares of them.

A share P(E | C) is of two events.  Each is a conjunction of *conditions*; a condition is about what an attacker may
know of people (cells, groups) or about their value, never about both: {q ⊨ conditions} × {s in values} is then a
product, and `P(Flu or sex=male)` is written as `P(Flu) + P(sex=male) - P(Flu, sex=male)`.

    event   = either { "," either }                         a comma binds least
    either  = both { "or" both }
    both    = simple { "and" simple }
    simple  = "not" simple | "(" either ")" | value
            | column "=" cell | column "!=" cell | column [ "not" ] "in" "{" cell { "," cell } "}"
            | "group" "=" "#" number | "group" "!=" "#" number

Invariant   conditions are in negation normal form and flat, and stand in one order, so that what is said in the same
            words is the same event; sets of values are finite or the complement of a finite one, which and, or and not
            never leave.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias, TypeGuard

from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts import Someone, Who, as_label, as_who, person_text
from sidelight.knowledge.tokens import TokenReader, quote, whole_in
from sidelight.release.groups import GroupName
from sidelight.table.labels import Label

_JOINING_WORDS = ("and", "or", "not")

DEEPEST_CONDITION = 50
"""So many parentheses and nots may stand within each other."""

Cell: TypeAlias = tuple[str, Label]
"""What people say in a column."""


@dataclass(frozen=True, slots=True)
class InGroup:
    """To be in a group of the release, by its number (from 1)."""

    number: int


@dataclass(frozen=True, slots=True)
class HasValue:
    """To have one of these values, or, if `others`, none of them."""

    values: tuple[Label, ...]
    others: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """To fulfil one of several conditions (or), all of them (and), or not a single one: a cell or a group (not).

    `and` stands only within `or`, as an event is such a list itself.
    """

    word: Literal["or", "and", "not"]
    conditions: tuple[Condition, ...]


Condition: TypeAlias = Cell | InGroup | HasValue | Joined
"""What people may say, be or have; a cell is a pair of column and label."""

Event: TypeAlias = tuple[Condition, ...]
"""Conditions that all hold."""


def negate(condition: Condition) -> Condition:
    """Return the condition that holds where this one does not.

    >>> condition_text(negate(any_holds([("sex", "male"), ("age", "30")])))
    'age != 30 and sex != male'
    """
    if isinstance(condition, HasValue):
        return HasValue(condition.values, not condition.others)
    if not isinstance(condition, Joined):
        return Joined("not", (condition,))
    if condition.word == "not":
        return condition.conditions[0]
    # De Morgan: negations move inwards until only cells and groups are negated
    return (all_hold if condition.word == "or" else any_holds)(map(negate, condition.conditions))


def any_holds(conditions: Iterable[Condition]) -> Condition:
    """Return conditions joined by or; refuse to join what people have with what they say."""
    listed = _flat(conditions, "or")
    if len(listed) == 1:
        return listed[0]
    values = [each for each in listed if isinstance(each, HasValue)]
    if len(values) == len(listed):
        # A ∪ B = ¬(¬A ∩ ¬B): the cases of finite sets and complements are written once, in _meet
        met = reduce(_meet, (HasValue(each.values, not each.others) for each in values))
        return HasValue(met.values, not met.others)
    # a mixed `or` is no product of people and values, and its share not a single summand
    if values or any(isinstance(part, HasValue) for each in listed for part in parts_of(each)):
        raise BadKnowledge(
            "or joins values with values, and conditions with conditions; write P(Flu) + P(sex=male) - P(Flu, sex=male)"
        )
    return Joined("or", listed)


def all_hold(conditions: Iterable[Condition]) -> Condition:
    """Return conditions joined by and."""
    listed = event_of(conditions)
    return listed[0] if len(listed) == 1 else Joined("and", listed)


def event_of(conditions: Iterable[Condition]) -> Event:
    """List conditions that all hold, in their order: cells by column, then all others, and one set of values last.

    >>> event_of([HasValue(("Flu", "HIV")), ("sex", "male"), ("age", "30"), HasValue(("HIV",), others=True)])
    (('age', '30'), ('sex', 'male'), HasValue(values=('Flu',), others=False))
    """
    listed = _flat(conditions, "and")
    values = [each for each in listed if isinstance(each, HasValue)]
    # invariant: at most one set of values, and it stands last
    return (*(each for each in listed if not isinstance(each, HasValue)), *([reduce(_meet, values)] if values else []))


def _is_joined(condition: Condition, word: str) -> TypeGuard[Joined]:
    return isinstance(condition, Joined) and condition.word == word


def _flat(conditions: Iterable[Condition], word: str) -> Event:
    flat = (part for each in conditions for part in (each.conditions if _is_joined(each, word) else (each,)))
    # without repetition and in one order: what says the same is the same event
    return tuple(sorted(dict.fromkeys(flat), key=_sort_key))


def _sort_key(condition: Condition) -> tuple[int, str, str]:
    if isinstance(condition, HasValue):
        return 0, "", ""  # values stay in the order in which they are said
    if isinstance(condition, tuple):
        return 1, condition[0], condition[1] or ""
    return 2, condition_text(condition), ""


def _meet(one: HasValue, other: HasValue) -> HasValue:
    if one.others and other.others:
        return HasValue(tuple(dict.fromkeys((*one.values, *other.values))), others=True)
    if one.others or other.others:
        kept, excluded = (other, one) if one.others else (one, other)
        values = tuple(each for each in kept.values if each not in excluded.values)
    else:
        values = tuple(each for each in one.values if each in other.values)
    if not values:
        raise BadKnowledge("these sets of values leave none, or all; join values with or")
    return HasValue(values)


def parts_of(condition: Condition) -> Iterator[Cell | InGroup | HasValue]:
    """Yield the cells, groups and values that a condition is made of."""
    if isinstance(condition, Joined):
        for each in condition.conditions:
            yield from parts_of(each)
    else:
        yield condition


def cells_in(conditions: Iterable[Condition]) -> Iterator[Cell]:
    """Yield the cells that conditions name."""
    for each in conditions:
        yield from (part for part in parts_of(each) if isinstance(part, tuple))


def keep_conditions_on_people(event: Event) -> Event:
    """Return an event without what it says about values."""
    return event[:-1] if event and isinstance(event[-1], HasValue) else event


def keep_conditions_on_values(event: Event) -> tuple[HasValue, ...]:
    """Return what an event says about values: at most one set of them, which stands last."""
    return (event[-1],) if event and isinstance(event[-1], HasValue) else ()


# Shares: what statements are about.


@dataclass(frozen=True, slots=True)
class ConditionalProbability:
    """Pr(event | condition): the share of the people of the condition who are of the event, or of one person.

    The event is to have one of the `values`, or any if there are none, and to fulfil the conditions `where`.

    >>> print(ConditionalProbability(("Flu", "HIV"), (("age", "30"),)))
    P(Flu or HIV | age=30)
    >>> print(ConditionalProbability((), (HasValue(("Flu",)),), where=(("sex", "male"),)))
    P(sex=male | Flu)
    """

    values: tuple[Label, ...]
    given: Event = ()
    person: Who | None = None
    where: Event = ()

    @property
    def event(self) -> Event:
        """All that the event is made of."""
        return event_of([*([HasValue(self.values)] if self.values else []), *self.where])

    def __str__(self) -> str:
        who = f"person={person_text(self.person)}" if self.person is not None else event_text(self.given)
        return f"P({event_text(self.event)}{' | ' if who else ''}{who})"


@dataclass(frozen=True, slots=True)
class Headcount:
    """The number of some people with a value."""

    values: tuple[Label, ...]
    people: tuple[Who, ...]

    def __post_init__(self) -> None:
        if not self.values or not self.people:
            raise BadKnowledge("count() needs a value and at least one person; write count(value, person, person)")
        if len({*self.people}) < len(self.people):
            raise BadKnowledge("count() names a person twice; name each one once")

    def __str__(self) -> str:
        return f"count({event_text((HasValue(self.values),))}; {', '.join(map(person_text, self.people))})"


Summand: TypeAlias = ConditionalProbability | Headcount
"""What a statement adds up."""


def conditional_probability(event: Event, given: Event = (), person: object = None) -> ConditionalProbability:
    """Build what a statement is about; refuse events that name no value, and people who are named in two ways."""
    if not event:
        raise BadKnowledge("P() names no value; write P(value, column=cell)")
    if person is not None and (given or keep_conditions_on_people(event)):
        raise BadKnowledge(
            "a statement is about a person or about everybody who says something, not both; leave one out"
        )
    values = next((has.values for has in keep_conditions_on_values(event) if not has.others), ())
    where = keep_conditions_on_people(event) if values else event
    return ConditionalProbability(values, given, None if person is None else as_who(person), where)


def most_of(about: Summand) -> int:
    """Return the largest value that it can have."""
    return len(about.people) if isinstance(about, Headcount) else 1


# Text: what is written is read back as it is.


def event_text(event: Event) -> str:
    """Write an event; values first, as people do.

    >>> event_text(read_event("sex != male, age = 30 or age = 31, not (Flu or HIV)"))
    'not (Flu or HIV), age=30 or age=31, sex != male'
    """
    return ", ".join(map(condition_text, (*keep_conditions_on_values(event), *keep_conditions_on_people(event))))


def condition_text(condition: Condition) -> str:
    """Write a condition."""
    if isinstance(condition, HasValue):
        text = " or ".join(map(quote, condition.values))
        return text if not condition.others else f"not ({text})" if len(condition.values) > 1 else f"not {text}"
    if isinstance(condition, Joined) and condition.word != "not":
        texts = ((each, condition_text(each)) for each in condition.conditions)
        tight = condition.word == "and"
        return f" {condition.word} ".join(
            f"({text})" if tight and _needs_parentheses(each) else text for each, text in texts
        )
    sign = "!=" if isinstance(condition, Joined) else "="
    (of,) = parts_of(condition)
    spaced = f" {sign} " if sign == "!=" else sign
    if isinstance(of, InGroup):
        return f"group{spaced}#{of.number}"
    assert isinstance(of, tuple)
    column, cell = of
    name = '"person"' if column == "person" else quote(column)
    return f"{name}{spaced}{quote(cell)}"


def _needs_parentheses(condition: Condition) -> bool:
    return _is_joined(condition, "or") or (isinstance(condition, HasValue) and len(condition.values) > 1)


def read_event(text: str) -> Event:
    """Read an event.

    >>> read_event("sex = male and age not in {30, 31}")
    (('sex', 'male'), Joined(word='not', conditions=(('age', '30'),)), Joined(word='not', conditions=(('age', '31'),)))
    """
    reader = TokenReader(text)
    event = parse_event(reader)
    reader.end("join conditions with a comma, and, or")
    return event


def parse_event(reader: TokenReader, depth: int = 0) -> Event:
    """Read conditions that all hold."""
    conditions = _parse_several(reader, _parse_any, depth, ",")
    return reader.make(lambda: event_of(conditions))


def _parse_any(reader: TokenReader, depth: int) -> Condition:
    def parse_all() -> Condition:
        parts = _parse_several(reader, _parse_condition, depth, "and")
        return parts[0] if len(parts) == 1 else reader.make(lambda: all_hold(parts))

    conditions = reader.several(parse_all, "or")
    return conditions[0] if len(conditions) == 1 else reader.make(lambda: any_holds(conditions))


def _parse_several(
    reader: TokenReader, parse: Callable[[TokenReader, int], Condition], depth: int, joint: str
) -> list[Condition]:
    """Read conditions that all hold; a column says one thing at most."""
    columns: set[str] = set()

    def read() -> Condition:
        start = reader.next
        condition = parse(reader, depth)
        # the columns of which the condition names one cell
        for column in (named := [part[0] for part in _flat([condition], "and") if isinstance(part, tuple)]):
            if column in columns:
                reader.fail(f"column '{column}' is said twice", at=start)
        columns.update(named)
        return condition

    return reader.several(read, joint)


def _parse_condition(reader: TokenReader, depth: int) -> Condition:
    reader.check_depth(depth, DEEPEST_CONDITION, "statements")
    if reader.accept("not"):
        denied = _parse_condition(reader, depth + 1)
        return reader.make(lambda: negate(denied))
    # (missing) is a value, and no parenthesis
    if reader.next.is_any("(") and not reader.is_missing_next():
        reader.take()
        condition = _parse_any(reader, depth + 1)
        reader.expect(")", "a parenthesis is open")
        return condition
    # what follows the name decides whether it is a column or a value; it ends at a sign, or a word that joins
    ahead = 1 if reader.next.kind == "quoted" else 0
    while (
        reader.next.kind != "quoted"
        and reader.peek(ahead).kind == "word"
        and not reader.peek(ahead).is_any(*_JOINING_WORDS)
    ):
        ahead += 1
    if reader.peek(ahead).is_any("=", "!="):
        return _comparison(reader)
    following = [reader.peek(ahead + steps) for steps in range(3)]
    if following[0].is_any("not") and following[1].is_any("in") and following[2].is_any("{"):
        return negate(_read_list(reader))
    in_list = reader.next.kind == "quoted" and following[0].is_any("in") and following[1].is_any("{")
    if in_list or (following[0].is_any("{") and ahead > 1 and reader.peek(ahead - 1).is_any("in")):
        return _read_list(reader)
    return HasValue((reader.label(),))


def _comparison(reader: TokenReader) -> Condition:
    start = reader.next
    column = reader.name("a column", stop=_JOINING_WORDS)
    equal = reader.take().text == "="
    of: Cell | InGroup
    group = re.fullmatch("#([0-9]+)", reader.next.text) if reader.next.kind == "word" else None
    # in quotes, "group" is a column of the table
    if column == "group" and start.kind == "word" and group is not None:
        number = whole_in(group[1])
        if number is None:
            reader.fail("no release has so many groups; check the number")
        reader.take()
        of = InGroup(number)
    elif column == "person" and start.kind == "word":
        reader.fail("a statement is about a person or about everybody who says something, not both", at=start)
    else:
        of = (column, reader.label())
    return of if equal else negate(of)


def _read_list(reader: TokenReader) -> Condition:
    column = reader.name("a column")
    # the caller has seen `in {` behind the name, and negates the list where `not` comes first
    reader.accept("not")
    reader.take(2)
    cells = reader.several(lambda: (column, reader.label()), ",")
    reader.expect("}", "write age in {30, 31}")
    return any_holds(cells)


# Python: what callers hand in.


def as_event(conditions: object) -> Event:
    """Return an event from a mapping column → cell, or from its text.

    >>> as_event({"sex": "male"}) == as_event("sex = male")
    True
    """
    if conditions is None:
        return ()
    if isinstance(conditions, str):
        return read_event(conditions)
    if isinstance(conditions, Mapping):
        one = "give one label, or write the condition as text: given='age = 30 or age = 31'"
        return event_of((str(column), as_label(cell, one)) for column, cell in conditions.items())
    raise BadKnowledge("conditions are column → cell, or a text such as 'sex = male, age != 30'")


def as_columns(columns: Mapping[str, object]) -> Event:
    """Return an event of column=cell by keyword; group=Someone(3), or a group's name, is a group of the release."""
    group = columns.get("group")
    if not isinstance(group, Someone | GroupName):
        return as_event(columns)
    number = group.number if isinstance(group, GroupName) else group.group
    return event_of([InGroup(number), *as_event({name: cell for name, cell in columns.items() if name != "group"})])
