"""Of whom is somebody most sure who knows how a release was made, and why?  As data, in words, to be listed again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sidelight.errors import TooHard
from sidelight.measures.finding import Witness
from sidelight.minimality.group_tables import MOST_TABLES
from sidelight.rounding import in_words
from sidelight.table.labels import Label, shown, shown_in_list
from sidelight.text import counted, form


@dataclass(frozen=True, slots=True)
class FailedCut:
    """A cut that was not made: who has a label before this one in the column would have been on its left."""

    column: str
    before: str
    left: int
    right: int
    atoms: tuple[int, ...]  # those on the left

    def __str__(self) -> str:
        return f"{self.column} before {self.before} ({self.left} and {self.right} people)"


@dataclass(frozen=True, slots=True, repr=False)
class InsiderWitness(Witness):
    """A person, the value that is believed of them and how much, and the failed cuts of the group that say so.

    People whom no cut tells apart are an *atom*: `atoms` are their numbers of people, `atom` is the person's own.
    Without cuts, what is believed is what the group prints.
    """

    belief: Fraction | float = Fraction(0)
    people: int = 0  # of whom the same is believed, for the same reason
    atom: int = 0
    says: tuple[tuple[str, Label], ...] = ()  # one of them, as the roster has it
    cuts: tuple[FailedCut, ...] = ()
    atoms: tuple[int, ...] = ()
    finer: tuple[str, ...] = ()  # releases that were not published (full domain)
    all_fail: Fraction | float = Fraction(1)
    how: str = "counted"
    sensitive: str = "value"

    def explain(self) -> str:
        """Explain it in a sentence."""
        value, amount, sensitive = shown(self.value), in_words(self.belief), self.sensitive
        if not self.cuts and not self.finer and self.how == "bounded":
            return f"Whoever knows how it was made believes nothing of anybody with probability above {amount}."
        if not self.cuts and not self.finer:
            return (
                f"In {self.group} anyone has {sensitive} {value} with probability {amount}, as the release itself says."
            )
        who = ", ".join(f"{column} {shown_in_list(text)}" for column, text in self.says)
        failed = [*map(str, self.cuts), *self.finer]
        most = 3
        named = "; ".join(failed[:most])
        more = f"; and {len(failed) - most} more" if len(failed) > most else ""
        alike = f", and {counted(self.people - 1, 'person')} like them," if self.people > 1 else ""
        estimate = "" if self.how == "counted" else ", by an estimate at most"
        return (
            f"Whoever knows how it was made believes that somebody in {self.group} with {who}{alike} has {sensitive} "
            f"{value} with probability {amount}{estimate}: {self._not_made()} ({named}{more}), which happens "
            f"with probability {in_words(self.all_fail)}."
        )

    def _not_made(self) -> str:
        if self.finer:
            many = len(self.finer)
            return f"{counted(many, 'finer release')} that sizes allow {form('was', many)} not published"
        many = len(self.cuts)
        return f"{counted(many, 'cut')} that the people of the group allow {form('was', many)} not made"

    def list_arrangements(
        self, counts: Sequence[int], place: int, passes: Callable[[tuple[int, ...], tuple[int, ...]], bool]
    ) -> Fraction:
        """List all arrangements of the counts; return the share with the value among those where all cuts fail.

        `place` is the value's among the counts; `passes` says whether two halves with these counts keep the policy.
        """
        decided: dict[tuple[int, ...], bool] = {}

        def cut_passes(left: tuple[int, ...]) -> bool:
            # the right half is what the left one leaves of the counts, so the left one alone is the key
            if left not in decided:
                decided[left] = passes(left, tuple(all_ - here for all_, here in zip(counts, left, strict=True)))
            return decided[left]

        surviving, hits = 0, 0
        for listed, (table, ways) in enumerate(tables_one_by_one(self.atoms, tuple(counts))):
            if listed >= MOST_TABLES:
                message = f"{self.group} has more than {MOST_TABLES:,} arrangements to list; replay smaller groups"
                raise TooHard(message)
            lefts = (tuple(sum(table[at][s] for at in cut.atoms) for s in range(len(counts))) for cut in self.cuts)
            if not any(map(cut_passes, lefts)):
                surviving += ways
                hits += ways * table[self.atom][place]
        return Fraction(hits, surviving * self.atoms[self.atom])


def tables_one_by_one(
    atoms: tuple[int, ...], left: tuple[int, ...]
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """List the tables of atoms × values, and how many arrangements each stands for: one atom after another."""
    if not atoms:
        yield (), 1
        return
    for row in _rows(atoms[0], left):
        ways = math.factorial(atoms[0]) // math.prod(map(math.factorial, row))
        rest = tuple(have - use for have, use in zip(left, row, strict=True))
        for table, more in tables_one_by_one(atoms[1:], rest):
            yield (row, *table), ways * more


def _rows(people: int, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """List the ways to give so many people values out of what is left."""
    if not left:
        if people == 0:
            yield ()
        return
    if people > sum(left):
        return
    for amount in range(min(people, left[0]) + 1):
        for row in _rows(people - amount, left[1:]):
            yield (amount, *row)
