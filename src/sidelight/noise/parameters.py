"""The parameters of a promise: ε, δ, whom it is made to, and which data sets must look alike.

A release is (ε, δ)-differentially private when for all neighbouring data sets D, D' and all events O

    Pr(O | D) ≤ e^ε · Pr(O | D') + δ.

Neighbours differ in one `PrivacyUnit`: a person, whose rows were found by a column and checked, or a row, of which the
publisher says that it is a person.  Nobody says so by saying nothing.  How far one unit moves the counts follows from
how many of its values, or of its rows, are counted, c at most:

    counted     cells that change      Σ |change|    Σ change²
    single      1, by 1                1             1
    set         c, by 1 each           c             c
    multiset    1, by c, or several    c             c²
    rows        1, by c, or several    c             c²

and with "replace", where one unit goes and another comes, twice that.

Amounts are read once, kept exactly as they were written (`0.1` is a tenth), and refused where they promise nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from sidelight.errors import BadNoise, as_given, expect, parameter
from sidelight.rounding import whole_number
from sidelight.table.labels import Semantics  # noqa: TC001 - documents read it
from sidelight.table.roles import EACH_ROW
from sidelight.table.table import Events, Table
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.noise.privacy_profile import Neighbours

Amount: TypeAlias = float | int | str | Fraction
"""How much privacy something costs; `0.1` means a tenth, not the binary number next to it."""


def units_changed(neighbours: str) -> int:
    """Return how many come or go between neighbours: one comes or goes, or one goes and another comes."""
    if expect(str, neighbours, parameter("neighbours")) not in ("add or remove", "replace"):
        message = f'no {parameter("neighbours", neighbours)}; choose "add or remove" or "replace"'
        raise BadNoise(message)
    return 1 if neighbours == "add or remove" else 2


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far neighbours are apart at most, as vectors of counts: Σ |change| (ℓ1) and Σ change² (ℓ2, squared)."""

    l1: int = 1
    l2_squared: int = 1

    @property
    def changes_by_ones(self) -> bool:
        """Whether no count changes by more than one, as then the two are the same."""
        return self.l1 == self.l2_squared

    def merge(self, units: int) -> Sensitivity:
        """Return how far these units move sums of the counts: what moves several counts may move one sum as far."""
        # worst case: each unit moves one sum by l1 / units, and units · (l1 / units)² = l1² / units
        return Sensitivity(self.l1, self.l1**2 // units)


ONE_BY_ONE = Sensitivity()  # one count changes by one


# Why there is no promise in beliefs
PEOPLE_NOT_DECLARED = (
    "what a delta means in beliefs depends on how many people there are at most, which nobody declared"
)


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """Whom a promise is made to: a person, checked by a column, or a row that the publisher says is a person."""

    person: str  # the column that names people, or `EACH_ROW`
    values: Semantics = "single"
    values_per_person: int = 1  # how many values of one person are counted at most
    rows_per_person: int | None = None  # how many rows of one person, who may have several; None: everybody has one

    @classmethod
    def of(
        cls,
        table: Table | Events,
        values_per_person: int | None = None,
        *,
        rows_per_person: int | None = None,
        values: int | None = None,
    ) -> PrivacyUnit:
        """Find whom the counts of a table hide; `values` is how many different ones there could be."""
        person = table.intake.roles.get("person")
        if person is None:
            message = (
                "nothing says whose a row is, and noise that hides a row does not hide a person who has several; name "
                f"the column of people with {parameter('person')}, which is checked, or say "
                f"{parameter('person', EACH_ROW)} if every row is a person of their own"
            )
            raise BadNoise(message)
        if rows_per_person is not None:
            rows_per_person = whole_cap("rows_per_person", rows_per_person)
        _check_rows(table, person, rows_per_person)
        if table.semantics == "single":
            if values_per_person is not None and whole_cap("values_per_person", values_per_person) > 1:
                message = (
                    f"people have one value here; {parameter('values_per_person')} is for {parameter('values', 'set')} "
                    'or "multiset"'
                )
                raise BadNoise(message)
            return cls(person, rows_per_person=rows_per_person)
        if values_per_person is None:
            message = (
                f"in {parameter('values', table.semantics)} one person changes several counts; say how many values "
                f"of one person count at most, fixed in advance, such as {parameter('values_per_person', 3)}: beyond "
                "that, some are left out by chance"
            )
            raise BadNoise(message)
        values_per_person = whole_cap("values_per_person", values_per_person)
        # nobody has more different values than there are; of events, each may be in several groups
        bounded = values is not None and table.semantics == "set" and not isinstance(table, Events)
        return cls(person, table.semantics, min(values_per_person, values) if bounded and values else values_per_person)

    @property
    def checked(self) -> bool:
        """Whether a column says whose a row is, so that it is people who are hidden."""
        return self.person != EACH_ROW

    @property
    def word(self) -> str:
        """What the promise is made to."""
        return "person" if self.checked else "row"

    @property
    def at_most(self) -> int:
        """How often one unit is counted at most."""
        return self.values_per_person if self.rows_per_person is None else self.rows_per_person

    @property
    def once(self) -> bool:
        """Whether everybody is counted once at most, so that counts are of people."""
        return self.values == "single" and self.at_most == 1

    @property
    def counted_things(self) -> str:
        """What is counted of one unit, so many at most."""
        return "value" if self.rows_per_person is None else "row"

    @property
    def capped(self) -> bool:
        """Whether something of one unit may have been left out, as it has more than is counted."""
        return self.values != "single" or self.rows_per_person is not None

    def sentence(self) -> str:
        """Return whom the promise is made to, and how that is known.

        >>> PrivacyUnit(EACH_ROW).sentence()
        'to each row; that a row is a person is what the publisher says, and was not checked'
        >>> PrivacyUnit("id", rows_per_person=3).sentence()
        "to each person, by 'id', of whom at most 3 rows were counted"
        """
        was = form("was", self.at_most)
        most = f", of whom at most {counted(self.at_most, self.counted_things)} {was} counted" if self.capped else ""
        if not self.checked:
            return f"to each row{most}; that a row is a person is what the publisher says, and was not checked"
        if not self.capped:
            return f"to each person; that nobody has two rows was checked by '{self.person}'"
        return f"to each person, by '{self.person}'{most}"

    def hidden(self, neighbours: Neighbours) -> str:
        """Return what nobody can tell from the counts."""
        if neighbours == "add or remove":
            return f"whether any one {self.word} is in the table (add or remove one)"
        return f"which one of all possible {form(self.word, 2)} any one {self.word} is (replace one)"

    @property
    def condition(self) -> str:
        """On what a promise to a person holds that is made to this unit; nothing where people were checked."""
        return "" if self.checked else "If no two rows are about one person, which nobody checked"

    def warnings(self, delta: Fraction) -> Iterator[str]:
        """Yield what a reader of counts that hide this unit should not overlook, of noise with this δ."""
        if not self.checked:
            less = "twice epsilon only" + (", and more than twice delta" if delta else "")
            yield (
                "that no two rows are about one person is what the publisher says, and was not checked: whoever has "
                f"two is hidden by {less}"
            )
        if self.capped:
            yield (
                f"where people have more than {counted(self.at_most, self.counted_things)}, some were left out by "
                "chance: such counts are too low, and margins are about what was counted"
            )

    def sensitivity(self, neighbours: str) -> Sensitivity:
        """Return how far neighbours are apart at most.

        >>> PrivacyUnit("id", "set", 3).sensitivity("add or remove")
        Sensitivity(l1=3, l2_squared=3)
        >>> PrivacyUnit("id", "multiset", 3).sensitivity("replace")
        Sensitivity(l1=6, l2_squared=18)
        >>> PrivacyUnit("id", rows_per_person=3).sensitivity("add or remove")
        Sensitivity(l1=3, l2_squared=9)
        """
        units, most = units_changed(neighbours), self.at_most
        changes_by_ones = self.values == "set" and self.rows_per_person is None
        # |a − b|² ≤ |a|² + |b|², as counts are not negative: two units are apart by at most twice the square of one
        return Sensitivity(units * most, units * (most if changes_by_ones else most**2))


def _check_rows(rows: Table | Events, person: str, rows_per_person: int | None) -> None:
    """Refuse a cap on what are no rows; and without one people with several, as the promise rests on that."""
    several = 0
    if rows_per_person is None:
        if isinstance(rows, Events) and rows.semantics == "single" and person != EACH_ROW:
            several = int((rows.count_rows() > 1).sum())
        if not several:
            return
        people = "1 person has" if several == 1 else f"{several:,} people have"
        message = (
            f"{people} more than one row (column '{person}'); say how many rows of one person count at most, fixed in "
            f"advance, such as {parameter('rows_per_person', 3)}, or give one row each"
        )
    elif person == EACH_ROW:
        message = (
            f"{parameter('rows_per_person')} needs to know whose a row is; name the column of people with "
            f"{parameter('person')}"
        )
    elif rows.semantics != "single":
        message = (
            f"{parameter('rows_per_person')} counts rows, and {parameter('values', rows.semantics)} values; say "
            f"{parameter('values_per_person')}, or leave {parameter('values')} out"
        )
    elif isinstance(rows, Table):
        message = (
            f"a table has one row for each person, and {parameter('rows_per_person')} is for people with several; read "
            "them with sl.read_events"
        )
    else:
        return
    raise BadNoise(message)


def whole_cap(name: str, cap: object) -> int:
    """Return the cap as a whole number; refuse anything below 1."""
    return whole_number(cap, BadNoise, parameter(name), least=1)


def exact_amount(amount: Amount, name: str) -> Fraction:
    """Read an amount as it is written."""
    if isinstance(amount, Fraction):
        return amount
    try:
        text = str(amount)
        # ten to the power of a thousand million is no number to compute with
        if re.search(r"[eE][+-]?[0-9_]{5,}\s*$", text):
            message = f"{name} is {as_given(amount)}, which is nothing or everything; give a number such as 1 or 0.5"
            raise BadNoise(message)
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        message = f"{name} is {as_given(amount)}, which is no finite number; give a number such as 1 or 0.5"
        raise BadNoise(message) from None


def exact_epsilon(epsilon: Amount, name: str = "epsilon") -> Fraction:
    """Read an ε, or a ρ: above 0."""
    amount = exact_amount(epsilon, name)
    if amount <= 0:
        message = f"{name} is {as_given(epsilon)}; it must be above 0 (smaller: more noise), such as 1"
        raise BadNoise(message)
    # floats tell every ε between these from 0 and from infinity
    if not Fraction(1, 10**300) <= amount <= 10**300:
        message = f"{name} is {as_given(epsilon)}, which is nothing or everything; give a number such as 1"
        raise BadNoise(message)
    return amount


def exact_delta(delta: Amount, name: str = "delta") -> Fraction:
    """Read a δ: at least 0 and below 1."""
    amount = exact_amount(delta, name)
    if not 0 <= amount < 1:
        message = (
            f"{name} is {as_given(delta)}; it must be at least 0 and below 1, and far below 1 / people, such as 1e-9"
        )
        raise BadNoise(message)
    if 0 < amount < Fraction(1, 10**300):
        message = f"{name} is {as_given(delta)}, which no float tells from 0; give 0, or a number such as 1e-9"
        raise BadNoise(message)
    return amount


def distinguish_amounts(amounts: Sequence[Fraction | float]) -> list[str]:
    """Write amounts with as many digits as it takes to tell those apart that differ, four at least."""
    # seventeen digits tell any two floats apart
    for digits in range(4, 18):
        texts = [round_to_text(each, digits) for each in amounts]
        if len(set(texts)) == len(set(amounts)):
            break
    return texts


def amount_text(amount: Fraction | float, digits: int = 4) -> str:
    """Write an amount so that it is read back exactly; a float, which is a bound already, in so many digits.

    >>> [amount_text(Fraction(each)) for each in ("3", "1/10", "1/3", "1e-9")], amount_text(2 / 3)
    (['3', '0.1', '1/3', '1e-09'], '0.6667')
    """
    if isinstance(amount, float):
        return f"{amount:.{digits}g}"
    near = repr(float(amount))  # the shortest decimal if it is exactly this amount, else the fraction
    return near.removesuffix(".0") if Fraction(near) == amount else str(amount)


def round_to_text(amount: Fraction | float, digits: int | None = None) -> str:
    """Write an amount for people: exactly where that is short, else rounded up to so many digits.

    >>> round_to_text(Fraction(1, 3)), round_to_text(Fraction(1, 3) + Fraction(1, 10**9)), round_to_text(2 / 3)
    ('1/3', '0.333334', '0.6667')
    """
    exact = amount_text(amount, digits or 4)
    if isinstance(amount, float) or len(exact) <= 14:  # more letters are rounded for people to read
        return exact
    figures = digits or 6
    up = Context(prec=figures, rounding=ROUND_CEILING).divide(Decimal(amount.numerator), Decimal(amount.denominator))
    return f"{float(up):.{figures}g}"
