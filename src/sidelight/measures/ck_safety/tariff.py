"""A number for each sensitive value: how bad it is to learn it, or what it costs to.

A tariff names some values; all others have one number in common.  Values with the same number are a class, and within a
class the more frequent value is never the better one for a group, so programs look at classes and not at values.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sidelight.errors import BadMeasure, UnknownValue, as_given, did_you_mean
from sidelight.rounding import LARGEST_NUMBER, exact_number
from sidelight.table.labels import Label, shown, written_label


class Tariff(dict[Label, Fraction]):
    """An exact number for some values, in the order in which they were named."""

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

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

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
        """Raise `UnknownValue` if a release lacks a value: misspelt, it would leave the right one at another number."""
        known = {written_label(value) for value in domain}
        for value in self:
            if value not in known:
                message = f"no sensitive value '{shown(value)}' in the release{did_you_mean(shown(value), domain)}"
                raise UnknownValue(message)

    def as_setting(self) -> dict[str, int | Fraction]:
        """Write it as a policy does."""
        return {shown(value): rate_as_setting(number) for value, number in self.items()}


def read_rate(name: str, number: object, *, above: int = -1) -> Fraction:
    """Parse a number of a sensible size, above 0, or 0 too unless `above` is 0."""
    exact = exact_number(number, BadMeasure, f"a number in {name}=")
    # `above` is −1 where 0 is allowed (weights), and 0 where it is not (prices)
    if isinstance(exact, float) or exact < 0 or exact <= above or exact > LARGEST_NUMBER:
        finite = f"finite ones {'above 0' if above >= 0 else 'of at least 0'}"
        message = f"a number in {name}= is {as_given(number)}; give {finite}, and at most 1e30"
        raise BadMeasure(message)
    return exact


def rate_as_setting(number: Fraction) -> int | Fraction:
    """Write a whole number as such."""
    return int(number) if number.denominator == 1 else number
