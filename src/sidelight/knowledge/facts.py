"""Facts: what an attacker may know about who has which value, as formulas of propositional logic.

People are named, are someone of a group, or are described; `worlds/identify` finds them in a release.  Atoms are `Has`,
`OneOf` and `Same`; a `Compound` joins facts by a word (not, and, or, ->).  A fact is a frozen value: two that read the
same are equal.  A `SoftFact` has a probability; it is joined with others by and only (`worlds/reports` gives it
meaning).  Two functions give meaning to all others:

    holds(fact, values)   is it true, when everybody's values are known?  (the definition)
    fold(fact, …)         build something else from it in negation normal form, where only atoms are negated:
                          ¬(a ∧ b) = ¬a ∨ ¬b,  ¬(a ∨ b) = ¬a ∧ ¬b,  a → b = ¬a ∨ b

Everything that works on facts (counting, satisfiability, basic implications) goes through `fold`.  Facts stand within
each other at most `DEEPEST` deep, so that recursion over them is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import index
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias, TypeVar

from sidelight.errors import BadKnowledge, NotTrueOrFalse, as_given, shortened
from sidelight.knowledge.tokens import TokenReader, number_text, quote, whole_in
from sidelight.rounding import exact_number, round_up
from sidelight.table.labels import Label, label

if TYPE_CHECKING:
    from sidelight.knowledge.basic_implications import BasicImplication


@dataclass(frozen=True, slots=True)
class Someone:
    """Anyone of a group; with a `number`, to speak of several people of the same group.

    They are different people, and none of those whom the same facts name.

    >>> print(Someone(17), Someone(17, 2))
    #17 #17.2
    """

    group: int
    number: int = 1

    def __post_init__(self) -> None:
        for name in ("group", "number"):
            number = getattr(self, name)
            # whatever Python takes for an index: numbers of NumPy too
            whole = index(number) if hasattr(number, "__index__") else 0
            if whole < 1:
                raise BadKnowledge(
                    f"groups and their people are numbered 1, 2, 3 and so on; there is no {as_given(number)}"
                )
            object.__setattr__(self, name, whole)

    def __str__(self) -> str:
        return f"#{self.group}" if self.number == 1 else f"#{self.group}.{self.number}"


@dataclass(frozen=True, slots=True)
class Described:
    """The person with these cells; the release must have only one group where such people may be.

    >>> print(Described.of({"zip": "81667", "age": 34}))
    {age = 34, zip = 81667}
    """

    cells: tuple[tuple[str, Label], ...]  # column, what is known of the person there; sorted by column

    def __post_init__(self) -> None:
        columns = [column for column, _ in self.cells]
        if not columns:
            raise BadKnowledge("a description of a person says something in at least one column")
        if len({*columns}) < len(columns):
            raise BadKnowledge("a description of a person says one thing in each column")
        # sorted, so that the same description in another order is equal
        object.__setattr__(self, "cells", tuple(sorted(self.cells, key=lambda cell: cell[0])))

    @classmethod
    def of(cls, row: Mapping[str, object]) -> Described:
        """Return the description of a mapping column → cell."""
        one = "a description says one thing in each column"
        return cls(tuple((str(column), as_label(cell, one)) for column, cell in row.items()))

    def __str__(self) -> str:
        return "{" + ", ".join(f"{quote(column)} = {quote(text)}" for column, text in self.cells) + "}"


Who: TypeAlias = str | Someone | Described
"""A person in a fact: a name, someone of a group, or a description."""


def as_who(person: object) -> Who:
    """Return a person as given in Python: also a mapping of columns, or a number that is a name.

    >>> as_who("Bob"), as_who(4711), as_who({"age": 34})
    ('Bob', '4711', Described(cells=(('age', '34'),)))
    """
    if isinstance(person, str | Someone | Described):
        return person
    if isinstance(person, Mapping):
        return Described.of(person)
    name = as_label(person, "name one person in each simple fact")
    if name is None:
        raise BadKnowledge("a fact is about a person; give a name, sl.Someone(group) or a mapping of columns")
    return name


def as_label(cell: object, instead: str) -> Label:
    """Return one name or value; refuse several at once."""
    if isinstance(cell, Iterable) and not isinstance(cell, str | bytes):
        raise BadKnowledge(f"a {type(cell).__name__} is not one name or value; {instead}")
    return label(cell)


def person_text(person: Who) -> str:
    """Write a person so that it is read again as it is."""
    return quote(person) if isinstance(person, str) else str(person)


def read_person(text: str) -> Who:
    """Read a person as facts write them: a name, #17, or {column = cell}.

    >>> read_person("#17.2"), read_person("Ann Lee")
    (Someone(group=17, number=2), 'Ann Lee')
    """
    reader = TokenReader(text)
    person = parse_person(reader)
    reader.end("name one person")
    return person


def parse_person(reader: TokenReader) -> Who:
    """Read whom a fact is about."""
    if reader.accept("{"):
        cells: dict[str, Label] = {}
        reader.several(lambda: _read_cell(reader, cells), ",")
        reader.expect("}", "a description ends with it")
        return Described(tuple(cells.items()))
    someone = re.fullmatch(r"#([0-9]+)(?:\.([0-9]+))?", reader.next.text) if reader.next.kind == "word" else None
    if someone:
        return _someone(reader, *someone.groups(default="1"))
    ahead = [reader.peek(steps) for steps in range(4)]
    words = [token.text.lower() for token in ahead if token.kind == "word"]
    if words[:3] == ["someone", "in", "group"] and re.fullmatch("[0-9]+", words[-1]):
        reader.take(3)
        return _someone(reader, words[-1])
    return reader.name("a person")


def _someone(reader: TokenReader, group: str, number: str = "1") -> Someone:
    """Parse the token that numbers someone."""
    of_group, of_person = whole_in(group), whole_in(number)
    if of_group is None or of_person is None:
        reader.fail("no release has so many groups or people; check the number")
    if not of_group or not of_person:
        reader.fail("groups and their people are numbered from 1")
    reader.take()
    return Someone(of_group, of_person)


def _read_cell(reader: TokenReader, cells: dict[str, Label]) -> None:
    """Read "column = cell", of a column that did not come before."""
    start = reader.next
    column = reader.name("a column", stop=())
    if column in cells:
        reader.fail(f"column '{column}' is said twice", at=start)
    reader.expect("=", "write {column = cell, column = cell}")
    cells[column] = reader.label()


DEEPEST = 100
"""How many parentheses, nots and ifs may stand within each other."""

Result = TypeVar("Result")


class Fact:
    """A fact that an attacker may know: `Has`, `OneOf`, `Same`, combined by `&`, `|`, `~` and `.implies()`.

    Its text (`str`) is read back by `read_fact` as the same fact.
    """

    __slots__ = ()
    depth: int = 0  # how many parentheses, nots and ifs of its text stand within each other

    def __and__(self, other: Fact) -> Fact:
        return Compound("and", (self, other))

    def __or__(self, other: Fact) -> Fact:
        return Compound("or", (self, other))

    def __rand__(self, other: object) -> NoReturn:
        _refuse_operand(other)

    __ror__ = __rand__

    def __invert__(self) -> Fact:
        return Compound("not", (self,))

    def implies(self, other: Fact) -> Fact:
        """Return the fact that the other one holds if this one does.

        >>> from sidelight.knowledge.facts import Has
        >>> print(Has("Hannah", "Flu").implies(Has("Charlie", "Flu")))
        Hannah = Flu -> Charlie = Flu
        """
        return Compound("->", (self, other))

    def with_probability(self, probability: float | Fraction) -> SoftFact:
        """Return a soft fact of this probability, which may be joined with others by `&` only.

        >>> print(Has("Ann", "Flu").with_probability(0.9) & ~Has("Bob", "Flu"))
        Ann = Flu with 0.9 and Bob != Flu
        """
        number = exact_number(probability, BadKnowledge, "a probability")
        if isinstance(number, float):
            raise BadKnowledge(f"a probability lies between 0 and 1, not {as_given(probability)}")
        return SoftFact(self, number)

    @property
    def precedence(self) -> int:
        """How tightly its text holds together: -> 0, or 1, and 2, all others 3."""
        return 3

    def is_soft(self) -> bool:
        """Return whether it is a soft fact, or joins one with others."""
        return False

    def negated_text(self) -> str | None:
        """Return the text of its negation, where there is a sign of its own for it (!=, not in)."""
        return None

    def parts(self) -> tuple[Fact, ...]:
        """Return the facts that this one is made of."""
        return ()

    def people(self) -> tuple[Who, ...]:
        """Return who is mentioned, in the order of mention, once each."""
        return tuple(dict.fromkeys(who for atom in self.atoms() for who in atom.about()))

    def about(self) -> tuple[Who, ...]:
        """Return whom an atom is about."""
        return tuple(getattr(self, name) for name in ("person", "other") if hasattr(self, name))

    def atoms(self) -> Iterator[Fact]:
        """Yield its atoms (`Has`, `OneOf`, `Same`), from left to right."""
        parts = self.parts()
        if not parts:
            yield self
        for part in parts:
            yield from part.atoms()

    def basic_implications(
        self, values: Iterable[object] | Mapping[object, Iterable[object]] | None = None
    ) -> tuple[BasicImplication, ...]:
        """Return equivalent basic implications: if all of these, then one of those.

        Their number is the k of `Implications(k)` that covers an attacker who knows this fact.  `values` are those that
        a person may have, for all people alike or per person; where the fact itself names enough of them, it is not
        needed.  One value per person; see `docs/understand/facts.md`.

        >>> from sidelight.knowledge.facts import Has
        >>> for each in (~Has("Ed", "Heart") & Has("Hannah", "Flu").implies(Has("Ed", "Flu"))).basic_implications():
        ...     print(each)
        Ed = Heart -> Ed = Flu
        Hannah = Flu -> Ed = Flu
        """
        from sidelight.knowledge.basic_implications import basic_implications  # noqa: PLC0415 - it builds on facts

        return basic_implications(self, values)

    def _part_text(self, part: Fact) -> str:
        return f"({part})" if self._needs_parentheses(part) else str(part)

    def _needs_parentheses(self, part: Fact) -> bool:
        # of several parts also at equal precedence, so that the text is read back as the fact was built
        return part.precedence < self.precedence + (len(self.parts()) > 1)

    def __lt__(self, other: object) -> NoReturn:
        self.__bool__()

    __le__ = __gt__ = __ge__ = __lt__

    def __bool__(self) -> NoReturn:
        raise NotTrueOrFalse(
            f"'{shortened(str(self))}' is something that somebody may know, not true or false here; "
            "join facts with & | ~ and .implies(), and ask posterior() how likely it is"
        )


@dataclass(frozen=True, slots=True, init=False)
class Has(Fact):
    """A person has a value; where people have several, at least once.

    >>> print(Has("Bob", "Flu") & ~Has({"age": 34, "zip": 81667}, "Lung cancer"))
    Bob = Flu and {age = 34, zip = 81667} != Lung cancer
    """

    person: Who
    value: Label

    def __init__(self, person: object, value: object) -> None:
        object.__setattr__(self, "person", as_who(person))
        object.__setattr__(self, "value", as_label(value, "sl.OneOf takes several values"))

    def negated_text(self, sign: str = "!=") -> str:
        """Return the text that the person does not have the value."""
        return f"{person_text(self.person)} {sign} {quote(self.value)}"

    def __str__(self) -> str:
        return self.negated_text("=")


@dataclass(frozen=True, slots=True, init=False)
class OneOf(Fact):
    """A person has one of some values (at least one of them).

    >>> print(OneOf("Bob", ["Flu", "Cold"]))
    Bob in {Flu, Cold}
    """

    person: Who
    values: tuple[Label, ...]

    def __init__(self, person: object, values: Iterable[object]) -> None:
        object.__setattr__(self, "person", as_who(person))
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise BadKnowledge("sl.OneOf takes a list of values; a person who has one value is sl.Has")
        different = dict.fromkeys(as_label(value, "sl.OneOf takes one list of values") for value in values)
        object.__setattr__(self, "values", tuple(different))
        if not self.values:
            raise BadKnowledge(f"'{person_text(self.person)} in {{}}' is never so; name at least one value")

    def negated_text(self, sign: str = "not in") -> str:
        """Return the text that the person has none of the values."""
        return f"{person_text(self.person)} {sign} {{{', '.join(map(quote, self.values))}}}"

    def __str__(self) -> str:
        return self.negated_text("in")


@dataclass(frozen=True, slots=True, init=False)
class Same(Fact):
    """Two people have the same value; where people have several, the same set of values.

    >>> print(Same("Ann", "Tom"))
    same(Ann, Tom)
    """

    person: Who
    other: Who

    def __init__(self, person: object, other: object) -> None:
        object.__setattr__(self, "person", as_who(person))
        object.__setattr__(self, "other", as_who(other))

    def __str__(self) -> str:
        return f"same({person_text(self.person)}, {person_text(self.other)})"


def named_values(atom: Fact) -> tuple[Label, ...]:
    """Return the values that an atom names.

    >>> named_values(Has("Bob", "Flu")), named_values(OneOf("Bob", ["Flu", None])), named_values(Same("Bob", "Ed"))
    (('Flu',), ('Flu', None), ())
    """
    if isinstance(atom, Has):
        return (atom.value,)
    return atom.values if isinstance(atom, OneOf) else ()


@dataclass(frozen=True, slots=True)
class Compound(Fact):
    """Facts joined by a word, at most `DEEPEST` deep: `a -> b` is "if a, then b"; nested `and`s, or `or`s, are one."""

    word: Literal["not", "and", "or", "->"]
    facts: tuple[Fact, ...]
    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.word in ("and", "or"):
            # (a and b) and c is one fact of three parts, as its text reads
            level = tuple(part for fact in self.facts for part in conjuncts(fact, self.word))
            object.__setattr__(self, "facts", level)
            if len(self.facts) < 2:
                raise BadKnowledge(f"'{self.word}' joins at least two facts")
        _check_parts(self, soft=self.word == "and")
        depths = [part.depth + self._needs_parentheses(part) for part in self.facts]
        if self.word == "not":
            # != and `not in` negate without a `not` of their own, and so add no depth
            depths[0] += self.facts[0].negated_text() is None
        elif self.word == "->":
            # a conclusion needs no parentheses, as -> associates to the right, but is parsed one level deeper
            depths[1] = self.facts[1].depth + 1
        _set_depth(self, max(depths))

    @property
    def precedence(self) -> int:
        """How tightly its text holds together."""
        return ("->", "or", "and", "not").index(self.word)

    def is_soft(self) -> bool:
        """Return whether one of them is soft."""
        return self.word == "and" and any(part.is_soft() for part in self.facts)

    def parts(self) -> tuple[Fact, ...]:
        """Return the facts."""
        return self.facts

    def __str__(self) -> str:
        if self.word == "not":
            return self.facts[0].negated_text() or f"not {self._part_text(self.facts[0])}"
        if self.word == "->":
            return f"{self._part_text(self.facts[0])} -> {self.facts[1]}"
        return f" {self.word} ".join(map(self._part_text, self.facts))


@dataclass(frozen=True, slots=True)
class SoftFact(Fact):
    """A fact with a probability.

    >>> print(SoftFact(Has("Ann", "Flu"), Fraction(9, 10)))
    Ann = Flu with 0.9
    """

    fact: Fact
    probability: Fraction
    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        exact = exact_number(self.probability, BadKnowledge, "a probability")
        if not 0 <= exact <= 1:
            raise BadKnowledge(f"a probability lies between 0 and 1, and {round_up(exact):g} does not")
        _check_parts(self, soft=False)
        _set_depth(self, self.fact.depth + self._needs_parentheses(self.fact))

    def is_soft(self) -> bool:
        """Return true."""
        return True

    def parts(self) -> tuple[Fact, ...]:
        """Return the fact."""
        return (self.fact,)

    def __str__(self) -> str:
        return f"{self._part_text(self.fact)} with {number_text(self.probability)}"


def _check_parts(fact: Fact, *, soft: bool) -> None:
    for part in fact.parts():
        if not isinstance(part, Fact):
            _refuse_operand(part)
        if part.is_soft() and not soft:
            raise BadKnowledge(
                f"'{shortened(str(part))}' is only so sure, and joins with other facts by and alone; "
                "put what it is about into parentheses, such as (Ann = Flu -> Bob = Flu) with 0.8"
            )


def _set_depth(fact: Fact, depth: int) -> None:
    object.__setattr__(fact, "depth", depth)
    # a deeper fact could not be read back, and recursion over facts would have no bound
    if depth > DEEPEST:
        raise BadKnowledge(f"more than {DEEPEST} facts stand within each other; say it in several facts")


def expect_hard(facts: Iterable[Fact], what: str) -> None:
    """Refuse soft facts where only facts that hold, or do not, make sense."""
    for fact in facts:
        if fact.is_soft():
            raise BadKnowledge(
                f"{what} is about facts that hold; '{shortened(str(fact))}' is only so sure, so leave it out"
            )


def all_of(facts: Sequence[Fact]) -> Fact:
    """Return the conjunction of one or more facts."""
    return facts[0] if len(facts) == 1 else Compound("and", tuple(facts))


def any_of(facts: Sequence[Fact]) -> Fact:
    """Return the disjunction of one or more facts."""
    return facts[0] if len(facts) == 1 else Compound("or", tuple(facts))


def _refuse_operand(other: object) -> NoReturn:
    raise BadKnowledge(
        f"a fact joins with facts, not with a {type(other).__name__}; read a text with sl.read_fact first"
    )


def conjuncts(fact: Fact, word: str = "and") -> tuple[Fact, ...]:
    """Return the facts that a fact joins by a word; itself alone if it joins none.

    >>> [str(each) for each in conjuncts(Has("Ann", "Flu") & ~Has("Bob", "Flu"))]
    ['Ann = Flu', 'Bob != Flu']
    """
    return fact.facts if isinstance(fact, Compound) and fact.word == word else (fact,)


def holds(fact: Fact, values: Mapping[Who, frozenset[Label]]) -> bool:  # noqa: PLR0911 - one line per kind of fact
    """Return whether a fact holds, by the values of the people it mentions.

    >>> holds(Has("Bob", "Flu").implies(Same("Bob", "Ed")), {"Bob": frozenset(["Flu"]), "Ed": frozenset(["Cold"])})
    False
    """
    match fact:
        case Has(person=person, value=value):
            return value in values[person]
        case OneOf(person=person, values=several):
            return not values[person].isdisjoint(several)
        case Same(person=person, other=other):
            return values[person] == values[other]
        case Compound("not", (inner,)):
            return not holds(inner, values)
        case Compound("and", parts):
            return all(holds(part, values) for part in parts)
        case Compound("or", parts):
            return any(holds(part, values) for part in parts)
        case Compound("->", (premise, conclusion)):
            return not holds(premise, values) or holds(conclusion, values)
    raise TypeError(f"no such kind of fact: {type(fact).__name__}")


Atom: TypeAlias = Has | OneOf | Same


def fold(
    fact: Fact,
    literal: Callable[[Atom, bool], Result],
    *,
    conjunction: Callable[[list[Result]], Result],
    disjunction: Callable[[list[Result]], Result],
    positive: bool = True,
) -> Result:
    """Fold a fact (or, if not `positive`, its negation) in negation normal form.

    `literal` takes an atom and whether it holds; the others what was made of several parts.

    >>> fact = Has("Ann", "Flu").implies(~(Has("Bob", "Flu") | Same("Ann", "Bob")))
    >>> def literal(atom, positive):
    ...     return str(atom) if positive else f"not {atom}"
    >>> fold(fact, literal, conjunction=" and ".join, disjunction=" or ".join)
    'not Ann = Flu or not Bob = Flu and not same(Ann, Bob)'
    """
    results: list[Result] = []  # of the parts that were folded and not yet joined
    stack = [(fact, positive, False)]
    while stack:
        part, sign, parts_folded = stack.pop()
        if isinstance(part, Has | OneOf | Same):
            results.append(literal(part, sign))
        elif not isinstance(part, Compound):
            raise BadKnowledge(f"no such kind of fact: {type(part).__name__}")
        elif part.word == "not":
            stack.append((part.facts[0], not sign, False))
        elif parts_folded:
            # De Morgan: under a negation `and` becomes `or`; a → b is an `or` as well
            join = conjunction if (part.word == "and") == sign else disjunction
            several = [results.pop() for _ in part.facts]
            # popped from the last part to the first
            results.append(join(several[::-1]))
        else:
            # it comes up again when all of its parts are folded; they come up from left to right
            stack.append((part, sign, True))
            # a → b = ¬a ∨ b, so the premise has the opposite sign
            signs = (not sign, sign) if part.word == "->" else (sign,) * len(part.facts)
            stack += [(inner, own, False) for inner, own in zip(part.facts[::-1], signs[::-1], strict=True)]
    return results[0]
