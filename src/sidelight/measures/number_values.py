"""Which number does a sensitive value stand for?  Its own text as a number, or what somebody says it stands for.

Numbers are exact: "0.1" is a tenth.  Those beyond `LARGEST_NUMBER`, or nearer to 0 than one by it, are refused, so that
floats that look for the worst group never leave their range.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure, UnknownValue, as_given, did_you_mean, expect_mapping, parameter
from sidelight.rounding import LARGEST_NUMBER, exact_number, fraction_in
from sidelight.table.labels import MISSING, Label, as_number, in_order, label, shown, written_label

if TYPE_CHECKING:
    from sidelight.measures.criterion import Bound


class NumberByValue(dict[Label, Fraction]):
    """An exact number for some values: a mapping that can be hashed and never changes."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def as_written(self) -> dict[str, int | Fraction | float]:
        return {shown(text): whole_if_possible(number) for text, number in self.items()}


class NumberValues(NumberByValue):
    """The number that each value stands for."""

    def __init__(self, numbers: Mapping[str, Bound] | Mapping[Label, Bound]) -> None:
        numbers = expect_mapping(numbers, parameter("numbers"), '{"low": 0, "high": 40}')
        exact = {label(text): finite(number, f"the number of '{text}'") for text, number in numbers.items()}
        super().__init__((text, Fraction(exact[text])) for text in in_order(exact))


def has_sensible_size(number: Fraction | float) -> bool:
    """Return whether a number is neither too large nor too near to 0."""
    return Fraction(1, LARGEST_NUMBER) <= max(number, -number) <= LARGEST_NUMBER


def finite(number: object, name: str) -> int | Fraction:
    """Return a number exactly; raise `BadMeasure` unless it is 0 or of a sensible size."""
    exact = exact_number(number, BadMeasure, name)
    if exact and not has_sensible_size(exact):
        message = f"{name} is {as_given(number)}; give 0 or a number between 1e-30 and 1e30 in size"
        raise BadMeasure(message)
    return whole_if_possible(exact)  # type: ignore[return-value]


def whole_if_possible(number: Fraction | float) -> int | Fraction | float:
    """Return a whole number as such.

    >>> whole_if_possible(Fraction(5)), whole_if_possible(Fraction(1, 2)), whole_if_possible(float("inf"))
    (5, Fraction(1, 2), inf)
    """
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


def seeming_thousands(domain: Iterable[Label]) -> str | None:
    """Return a value whose point seems to separate thousands, among such as have none below a thousand."""
    texts = [text for text in domain if text is not None]
    pointed = [text for text in texts if "." in text]
    others = [text for text in texts if "." not in text]
    below = all(text.isascii() and text.isdigit() and len(text) <= 3 for text in others)
    thousands = re.compile(r"[1-9]\d{0,2}\.\d{3}")
    if not below or max(map(len, others), default=0) < 3 or not all(map(thousands.fullmatch, pointed)):
        return None
    return next(iter(pointed), None)


def numbers_of(
    domain: tuple[Label, ...], known: NumberValues | None, *, missing: Fraction | None = None
) -> tuple[Fraction, ...]:
    """Return the number of each value of a domain; a missing one stands for `missing`, or is refused."""
    return tuple(_number_of(text, known, missing) for text in domain)


def _number_of(text: Label, known: NumberValues | None, missing: Fraction | None) -> Fraction:
    if known is not None and text in known:
        return known[text]
    if missing is not None and text in (None, MISSING):
        return missing
    if as_number(text) is None:
        leave_out = " or leave out who has it" if text in (None, MISSING) else ""
        message = f"'{shown(text)}' is no number; say what it stands for in numbers={leave_out}"
        raise BadMeasure(message)
    number = fraction_in(str(text).strip())
    if number is None or (number and not has_sensible_size(number)):
        message = f"'{shown(text)}' is not between 1e-30 and 1e30 in size; say what it stands for in numbers="
        raise BadMeasure(message)
    return number


class Tariff(NumberByValue):
    """What some values cost or weigh, in the order in which they were named."""

    @classmethod
    def read(cls, name: str, numbers: object, *, above: int = -1) -> Tariff:
        """Read a mapping of values to finite numbers, each larger than `above` and at least 0."""
        if isinstance(numbers, Tariff):
            return numbers
        if not isinstance(numbers, Mapping):
            message = f'{name}= wants a mapping value → number, such as {{"AIDS": 1, "Flu": 0.1}}'
            raise BadMeasure(message)
        entries = {written_label(value): read_rate(name, number, above=above) for value, number in numbers.items()}
        return cls(entries)

    def rate(self, value: Label, otherwise: Fraction) -> Fraction:
        """Return the number of a value; `otherwise` that of all which are not named."""
        return self.get(written_label(value), otherwise)

    def classes(self, domain: tuple[Label, ...], otherwise: Fraction) -> dict[Fraction, tuple[int, ...]]:
        """List the values of a domain (places) by their number, the largest first."""
        numbers = [self.rate(value, otherwise) for value in domain]
        return {
            number: tuple(place for place, own in enumerate(numbers) if own == number)
            for number in sorted({*numbers}, reverse=True)
        }

    def check(self, domain: tuple[Label, ...]) -> None:
        known = {written_label(value) for value in domain}
        for value in self:
            if value not in known:
                message = f"no sensitive value '{shown(value)}' in the release{did_you_mean(shown(value), domain)}"
                raise UnknownValue(message)


def read_rate(name: str, number: object, *, above: int = -1) -> Fraction:
    """Parse a number of a sensible size, above 0, or 0 too unless `above` is 0."""
    exact = exact_number(number, BadMeasure, f"a number in {name}=")
    # `above` is −1 where 0 is allowed (weights), and 0 where it is not (prices)
    if isinstance(exact, float) or exact < 0 or exact <= above or exact > LARGEST_NUMBER:
        finite = f"finite ones {'above 0' if above >= 0 else 'of at least 0'}"
        message = f"a number in {name}= is {as_given(number)}; give {finite}, and at most 1e30"
        raise BadMeasure(message)
    return exact
