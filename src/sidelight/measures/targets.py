"""Which sensitive values does an attacker want to learn, and which number does a value stand for?

    all             every value of the domain
    `apart_from`    all but some without meaning, such as "Not in universe" or a missing one
    `value`         one value
    a category      any of several values ("any mental disorder"): a list, a name with a list, or a node of a hierarchy

*Apart from.*  A person with such a value still belongs to the group.  Two kinds of measures treat that differently:

- An attacker after a target (implications, negations, acquaintance, prior belief, maximum entropy), and how much
  likelier a value becomes (β-likeness, δ-disclosure): the worst over the *other* values.  Those left out stay what a
  person could have instead, and what may be known about people.
- How values are distributed (diversities, closeness): of the other values alone, as if the people who have none of
  these were not there.  A group in which nobody has another value is skipped.

Both keep the claims about merging groups: every value's share in a union is a mean of its shares in the parts, with
all people as with those alone who have one of the other values.

*Categories.*  A category is treated as one value (`Targets.view`), about which an attacker may know facts:
"if Bob has any of them, so has Ann".  Let n(C) be how many people of a group have any of its values c.

- One value per person: n(C) = Σ n(c), exactly.  Facts about single values c of C add nothing, because "none of these
  people has any of C" rules out all that "… has c" does; facts about single values only, less.
- Multisets: occurrences are independent, so that those of C are occurrences of one value: n(C) = Σ n(c), exactly.
- Sets: n(C) is not published, and lies between max n(c) and min(n, Σ n(c)).  An attacker who knows it counts
  worlds in which these are any people of the group, and the risk grows with their number: n(C) = min(n, Σ n(c)) is the
  worst case, and no less than the risk where all worlds of the published counts are equally likely.

*Numbers.*  A value stands for its own text as a number, or for one that `numbers` names; some have a cost or weight
(`read_rates`).  Numbers are exact: "0.1" is a tenth.  Those beyond `LARGEST_NUMBER`, or nearer to 0 than one by it,
are refused, so that floats that look for the worst group never leave their range.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, cast

import numpy as np

from sidelight.errors import BadMeasure, UnknownValue, as_given, did_you_mean, expect_mapping, parameter
from sidelight.measures.measure import Measure, read, whole_if_possible
from sidelight.rounding import LARGEST_NUMBER, exact_number
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import read_hierarchy
from sidelight.table.labels import MISSING, Column, Label, as_number, in_order, label, listed, shown, written_label
from sidelight.text import fraction_in

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Integers
    from sidelight.measures.criterion import Bound
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release

Values: TypeAlias = Iterable[object]
"""Sensitive values: any of them; after a leading "not", none of them."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A set of sensitive values: a person is in it who has one of the values (or, turned around, none of them).

    >>> print(Predicate.any_of("Ulcer", "Dyspepsia"), "/", Predicate.none_of("Flu"))
    Dyspepsia or Ulcer / not Flu
    >>> print(Predicate.any_of("Ulcer", "Dyspepsia", name="a stomach disease"))
    a stomach disease
    """

    values: tuple[Label, ...]
    all_others: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", in_order(label(value) for value in self.values))
        if not self.values:
            raise BadMeasure(f"predicate '{self.name}' names no values; list at least one sensitive value")

    @classmethod
    def any_of(cls, *values: object, name: str = "") -> Predicate:
        """Return the predicate of people who have one of these values."""
        return cls(tuple(label(value) for value in values), name=name)

    @classmethod
    def none_of(cls, *values: object, name: str = "") -> Predicate:
        """Return the predicate of people who have none of these values."""
        return cls(tuple(label(value) for value in values), all_others=True, name=name)

    @classmethod
    def read(cls, values: object, *, name: str = "") -> Predicate:
        """Read a value, a list of values, or a list that begins with "not"."""
        if isinstance(values, Predicate):
            return values
        if isinstance(values, str) or not isinstance(values, Iterable):
            return cls.any_of(values, name=name)
        listed = list(values)
        if isinstance(values, Sequence) and listed[:1] == ["not"]:  # a set has no beginning
            return cls.none_of(*listed[1:], name=name)
        return cls.any_of(*listed, name=name)

    @classmethod
    def from_node(cls, hierarchy: Hierarchy, node: str) -> Predicate:
        """Return the predicate of the values under a node of a hierarchy, at whichever level it stands."""
        return cls(tuple(hierarchy.under(node)), name=node)

    def indices(self, domain: tuple[Label, ...]) -> list[int]:
        """Return the indices of the set's values in a domain that has all named ones."""
        # a set of the named ones, so that the complement needs one pass
        named = {*self.named_indices({text: index for index, text in enumerate(domain)})}
        return [index for index in range(len(domain)) if (index in named) != self.all_others]

    def named_indices(self, index_of: Mapping[Label, int]) -> list[int]:
        """Return the indices of the named values, in a time that does not depend on the domain."""
        for text in self.values:
            if text not in index_of:
                raise UnknownValue(
                    f"no sensitive value '{shown(text)}' (named by predicate '{self}') in the release or the prior"
                    f"{did_you_mean(shown(text), [*index_of])}"
                )
        return [index_of[text] for text in self.values]

    def as_list(self) -> list[str]:
        """Return the list in a policy file."""
        return ["not"] * self.all_others + [shown(text) for text in self.values]

    def as_written(self) -> list[str] | dict[str, list[str]]:
        """Return what a policy file has of a single predicate: a list, under its name if it has one."""
        return {self.name: self.as_list()} if self.name else self.as_list()

    def __str__(self) -> str:
        texts = [shown(text) for text in self.values]
        if self.name or not self.all_others:
            return self.name or " or ".join(texts)
        return f"not {texts[0]}" if len(texts) == 1 else "neither " + " nor ".join(texts)


Predicates: TypeAlias = Mapping[str, Values] | Iterable[Values | Predicate]
"""Sets of values, with or without names."""


def read_predicates(predicates: Predicates) -> tuple[Predicate, ...]:
    """Read a list of sets of values, or a mapping name → set of values."""
    # a dataframe is iterated by the names of its columns, which are no sets of values
    if isinstance(predicates, str) or not isinstance(predicates, Sequence | AbstractSet | Mapping | Iterator):
        raise BadMeasure(
            'predicates= wants a list of lists of values, such as [["Ulcer", "Dyspepsia"], ["not", "Flu"]]'
        )
    if isinstance(predicates, Mapping):
        return tuple(Predicate.read(values, name=name) for name, values in predicates.items())
    return tuple(Predicate.read(values) for values in predicates)


def predicates_as_written(predicates: tuple[Predicate, ...]) -> dict[str, list[str]] | list[list[str]]:
    """Return what a policy file has of predicates: lists, under their names if they have any."""
    if any(each.name for each in predicates):
        return {str(each): each.as_list() for each in predicates}
    return [each.as_list() for each in predicates]


Value: TypeAlias = str | Sequence[Label] | Mapping[str, Sequence[Label] | Hierarchy | str] | Predicate | None
"""A value; several (any of them); or several with a name: a list, or those under a node of that name in a hierarchy (or
its file)."""


def read_value(value: Value) -> Label | Predicate:
    """Read a target: a value stays one, several are a category.

    >>> read_value("Flu"), str(read_value(["Ulcer", "Dyspepsia"])), str(read_value({"a stomach disease": ["Ulcer"]}))
    ('Flu', 'Dyspepsia or Ulcer', 'a stomach disease')
    >>> organs = Hierarchy.nested("disease", {"stomach": ["Ulcer", "Dyspepsia"], "lung": ["Flu"]})
    >>> read_value({"stomach": organs}).values
    ('Dyspepsia', 'Ulcer')
    """
    if value is None or isinstance(value, Predicate):
        return value
    if isinstance(value, Mapping):
        if len(value) != 1:
            raise BadMeasure(
                'value= has one name with its values, such as {"a stomach disease": ["Ulcer", "Dyspepsia"]}'
            )
        ((name, values),) = value.items()
        # a text in place of a list is the file of a hierarchy
        if isinstance(values, str):
            values = read_hierarchy(values)
        if isinstance(values, Hierarchy):
            return Predicate.from_node(values, name)
        return Predicate.read([*map(written_label, values)], name=str(name))
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        category = Predicate.read([*map(written_label, value)])
        alone = len(category.values) == 1 and not category.all_others and category.values[0] is not None
        return category.values[0] if alone else category
    # a cell that is missing, such as NaN, is asked about; only None leaves it open
    return Predicate.any_of(None) if written_label(value) is None else label(value)


@dataclass(frozen=True, slots=True)
class Targets:
    """The values that an attacker wants to learn: all, all apart from some, one, or any of a category.

    >>> release = Release.from_counts([{"Flu": 1, "Ulcer": 2, "Dyspepsia": 3}])
    >>> Targets(apart_from=("Flu",)).indices(release.groups).tolist()
    [0, 2]
    >>> Targets(read_value(["Ulcer", "Dyspepsia"])).view(release.groups).value_counts(0)
    {'Dyspepsia or Ulcer': 5, 'Flu': 1}
    """

    value: Label | Predicate = None
    apart_from: tuple[Label, ...] = ()
    are_the_rest: bool = False  # whether other values have limits of their own (see `Targeted.ask_the_rest`)

    def view(self, groups: Groups) -> Groups:
        if not isinstance(self.value, Predicate):
            return groups
        if self.value.all_others and groups.semantics != "single":
            raise BadMeasure(
                f"'{self.value}' is a category where people have one value; list the values that are in it"
            )
        merged = groups.recode(_as_one(self.value, groups.domain))
        if groups.semantics != "set":
            return merged
        return replace(merged, counts=merged.counts.at_most(merged.sizes))  # no more people have any than there are

    def view_release(self, release: Release) -> Release:
        if not isinstance(self.value, Predicate):
            return release
        return replace(release, groups=self.view(release.groups))

    def indices(self, seen: Groups) -> Integers:
        if self.value is not None:
            return np.array([seen.code_of(str(self.value))])
        indices = np.arange(len(seen.domain))
        # a missing value may be a text in the domain
        apart = [MISSING if text is None and None not in seen.domain else text for text in self.apart_from]
        return np.delete(indices, [seen.code_of(text) for text in apart]) if apart else indices

    def required_indices(self, seen: Groups) -> Integers:
        """Return the targets; raise if there are none, as a limit on nothing would hold whatever is published.

        The rest that other limits leave may be empty.
        """
        indices = self.indices(seen)
        if len(indices) == 0 and not self.are_the_rest:
            raise BadMeasure(f"{parameter('apart_from')} leaves no value to ask about; leave one of them out")
        return indices

    def coding(self, seen: Groups) -> Integers:
        """Return the index of each value that is a target, and -1 for the others (see `group_by_group.share_runs`).

        A release in which nobody has a value has no targets, and is not refused.
        """
        indices = self.required_indices(seen) if self.apart_from else self.indices(seen)
        coding = np.full(len(seen.domain), -1)
        coding[indices] = indices
        return coding

    @property
    def every_value(self) -> bool:
        return self.value is None and not self.apart_from

    def members(self, domain: tuple[Label, ...]) -> tuple[Label, ...]:
        """Return the values of a category that are in a domain; none where the target is not a category."""
        if not isinstance(self.value, Predicate):
            return ()
        return tuple(domain[index] for index in _members(self.value, domain))

    def notes(self, domain: tuple[Label, ...]) -> tuple[str, ...]:
        if self.are_the_rest and not {shown(text) for text in domain} - {shown(text) for text in self.apart_from}:
            return ("every value has a limit of its own or is left out, so this limit applies to no value",)
        if not isinstance(self.value, Predicate):
            return ()
        absent = [text for text in self.value.values if text not in domain]
        return (f"the release does not have these values of '{self.value}': {listed(absent)}",) if absent else ()

    def nobody(self) -> str:
        if self.value is None:
            return "nobody has any of the values asked about"
        return f"nobody in the release has '{shown(str(self.value))}'"


@lru_cache(maxsize=64)
def _as_one(category: Predicate, domain: tuple[Label, ...]) -> Column:
    """Return the column that maps each value to itself, or to the category, in place of its first value."""
    members = set(_members(category, domain))
    name = str(category)
    texts = [name if index in members else text for index, text in enumerate(domain)]
    if name in (text for index, text in enumerate(domain) if index not in members):
        raise BadMeasure(f"'{name}' is also a value of the release that is not in this category; give it another name")
    # in the order of first occurrence: ties among values are settled as before
    labels = tuple(dict.fromkeys(texts))
    return Column("value", labels, np.array([labels.index(text) for text in texts], np.int32))


@lru_cache(maxsize=64)
def _members(category: Predicate, domain: tuple[Label, ...]) -> tuple[int, ...]:
    """Return the indices of the values of a category.

    A category with a name may list values that a release does not have, but no misspelt ones: they would make the
    category smaller, and its risk too low.
    """
    known = [text for text in category.values if text in domain]
    others = [text for text in domain if text not in category.values]
    for text in category.values:
        hint = did_you_mean(shown(text), others)
        if text not in domain and (not category.name or not known or hint.startswith("; did you mean")):
            raise UnknownValue(f"no sensitive value '{shown(text)}' (named by '{category}') in the release{hint}")
    return tuple(index for index, text in enumerate(domain) if (text in category.values) != category.all_others)


def _read_labels(values: object) -> tuple[Label, ...]:
    listed = (values,) if isinstance(values, str) else cast("Iterable[object]", values)
    return tuple(dict.fromkeys(map(written_label, listed)))


@dataclass(frozen=True, kw_only=True)
class Targeted(Measure):
    """A measure of values: all, all `apart_from` some, or, where it has a `value`, that one alone."""

    # values that no attacker wants to learn
    apart_from: Sequence[Label] = field(default=(), metadata=read(_read_labels))

    _about_the_rest: ClassVar[bool] = False  # of one measure: set by `ask_the_rest`

    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self, "value", None) is not None and self.apart_from:
            raise BadMeasure(f"'{self.name}' has both value= and apart_from=; give one of them")

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Return the example settings, and each of them without the first value where there are others."""
        settings = cls.example_settings or ({},)
        left_out: list[dict[str, Any]] = [{}, {"apart_from": domain[:1]}] if len(domain) > 1 else [{}]
        return tuple(cls(**each, **apart) for apart in left_out for each in settings)

    @property
    def left_out_in_words(self) -> str:
        """The values that are left out, in words."""
        return f"apart from {listed(self.apart_from, most=3)}"

    @property
    def targets(self) -> Targets:
        return Targets(getattr(self, "value", None), tuple(self.apart_from), self._about_the_rest)

    @property
    def single_value(self) -> tuple[Label, ...]:
        """The one value that it is about; none where it is about several."""
        value = self.targets.value
        if isinstance(value, Predicate):
            return value.values if len(value.values) == 1 and not value.all_others else ()
        return () if value is None else (value,)

    def ask_the_rest(self) -> Self:
        """Return the measure as the default beside others of single values, which may leave it none.

        Alone, it would be a limit on nothing, and is refused (`Targets.required_indices`).
        """
        # not a field, so that the text and the settings of the measure stay as they are
        default = copy(self)
        default.__dict__["_about_the_rest"] = True
        return default

    def check(self, release: Release) -> None:
        super().check(release)
        seen = self.targets.view(release.groups)
        self.targets.required_indices(seen) if self.apart_from else self.targets.indices(seen)

    def include_values(self, values: AbstractSet[Label]) -> Self:
        return self.replace_settings(apart_from=tuple(text for text in self.apart_from if text not in values))

    def names_values(self, domain: tuple[Label, ...]) -> Flags:
        category = self.targets.value.values if isinstance(self.targets.value, Predicate) else ()
        named: Flags = np.array([text in self.apart_from or text in category for text in domain], bool)
        return named | super().names_values(domain)

    def settings(self) -> dict[str, object]:
        settings = super().settings()
        apart = settings.pop("apart_from", ())
        return settings | {"apart_from": apart} if apart else settings


def drop_values(groups: Groups, apart_from: Sequence[Label]) -> Groups:
    """Return the groups as if nobody had these values."""
    return groups.only(Targets(apart_from=tuple(apart_from)).required_indices(groups)) if apart_from else groups


def examples_of_targets(domain: tuple[Label, ...]) -> list[dict[str, Any]]:
    """Return targets of every kind that suit these values, as settings of a measure."""
    named = [{"value": text} for text in domain if text is not None][:1]
    several: list[dict[str, Any]] = [{"apart_from": domain[:1]}, {"value": domain[:2]}] if len(domain) > 1 else []
    return [{}, *named, *several]


class NumberByValue(dict[Label, Fraction]):
    """An exact number for some values, such as a cost or a weight: hashable, and never changed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def as_written(self) -> dict[str, int | Fraction | float]:
        return {shown(text): whole_if_possible(number) for text, number in self.items()}

    def rate(self, value: Label, otherwise: Fraction) -> Fraction:
        """Return the number of a value, `otherwise` where it is not named."""
        return self.get(written_label(value), otherwise)

    def classes(self, domain: tuple[Label, ...], otherwise: Fraction) -> dict[Fraction, tuple[int, ...]]:
        """Return the indices of a domain by their value's number, the largest first."""
        indices: dict[Fraction, tuple[int, ...]] = {}
        for index, value in enumerate(domain):
            number = self.rate(value, otherwise)
            indices[number] = (*indices.get(number, ()), index)
        return dict(sorted(indices.items(), reverse=True))

    def check(self, domain: tuple[Label, ...]) -> None:
        for value in (value for value in self if value not in set(map(written_label, domain))):
            raise UnknownValue(
                f"no sensitive value '{shown(value)}' in the release{did_you_mean(shown(value), domain)}"
            )


def read_numbers(numbers: Mapping[str, Bound] | Mapping[Label, Bound]) -> NumberByValue:
    """Parse the number that each value stands for."""
    numbers = expect_mapping(numbers, parameter("numbers"), '{"low": 0, "high": 40}')
    exact = {label(text): finite(number, f"the number of '{text}'") for text, number in numbers.items()}
    return NumberByValue((text, Fraction(exact[text])) for text in in_order(exact))


def has_sensible_size(number: Fraction | float) -> bool:
    """Return whether a number is neither too large nor too near 0."""
    return Fraction(1, LARGEST_NUMBER) <= max(number, -number) <= LARGEST_NUMBER


def finite(number: object, name: str) -> int | Fraction:
    """Return a number exactly; raise `BadMeasure` unless it is 0 or between 1e-30 and 1e30 in size."""
    exact = exact_number(number, BadMeasure, name)
    if exact and not has_sensible_size(exact):
        raise BadMeasure(f"{name} is {as_given(number)}; give 0 or a number between 1e-30 and 1e30 in size")
    return whole_if_possible(exact)  # type: ignore[return-value]


def seeming_thousands(domain: Iterable[Label]) -> str | None:
    """Return a value whose point seems to separate thousands, if those without a point are all below a thousand."""
    texts = [text for text in domain if text is not None]
    pointed = [text for text in texts if "." in text]
    others = [text for text in texts if "." not in text]
    below = all(text.isascii() and text.isdigit() and len(text) <= 3 for text in others)
    thousands = re.compile(r"[1-9]\d{0,2}\.\d{3}")
    if not below or max(map(len, others), default=0) < 3 or not all(map(thousands.fullmatch, pointed)):
        return None
    return next(iter(pointed), None)


def look_up_numbers(
    domain: tuple[Label, ...], known: NumberByValue | None, *, missing: Fraction | None = None
) -> tuple[Fraction, ...]:
    """Return the number of each value of a domain; that of a missing value is `missing`, or it is refused."""

    def number_of(text: Label) -> Fraction:
        if known is not None and text in known:
            return known[text]
        if missing is not None and text in (None, MISSING):
            return missing
        if as_number(text) is None:
            leave_out = " or leave out who has it" if text in (None, MISSING) else ""
            raise BadMeasure(f"'{shown(text)}' is no number; say what it stands for in numbers={leave_out}")
        number = fraction_in(str(text).strip())
        if number is None or (number and not has_sensible_size(number)):
            raise BadMeasure(
                f"'{shown(text)}' is not between 1e-30 and 1e30 in size; say what it stands for in numbers="
            )
        return number

    return tuple(map(number_of, domain))


def read_rates(name: str, numbers: object, *, above: int = -1) -> NumberByValue:
    """Parse a mapping of values to finite numbers, each larger than `above` and at least 0, in its order."""
    if not isinstance(numbers, Mapping):
        raise BadMeasure(f'{name}= wants a mapping value → number, such as {{"AIDS": 1, "Flu": 0.1}}')
    return NumberByValue(
        (written_label(value), read_rate(name, number, above=above)) for value, number in numbers.items()
    )


def read_rate(name: str, number: object, *, above: int = -1) -> Fraction:
    """Parse a number of at most 1e30, above 0, or 0 too unless `above` is 0."""
    exact = exact_number(number, BadMeasure, f"a number in {name}=")
    # `above` is −1 where 0 is allowed (weights), and 0 where it is not (prices)
    if isinstance(exact, float) or exact < 0 or exact <= above or exact > LARGEST_NUMBER:
        finite = f"finite ones {'above 0' if above >= 0 else 'of at least 0'}"
        raise BadMeasure(f"a number in {name}= is {as_given(number)}; give {finite}, and at most 1e30")
    return exact
