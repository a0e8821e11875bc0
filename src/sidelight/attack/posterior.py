"""One release as the attacker sees it: where people are, and which values they may have there."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.attack.located import Located
from sidelight.attack.values import bits
from sidelight.measures.exact import Floats
from sidelight.release.groups import Groups
from sidelight.table.columns import Integers
from sidelight.table.counts import Counts

Words: TypeAlias = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """A release with everybody located in it; `counts` are of the values that all releases have in common names.

    `may_have` has the values of each place as bits (S_ij: of several groups, the union), all of them where nobody
    could be located; `choices` counts them (|S_ij|).
    """

    groups: Groups
    counts: Counts
    located: Located
    may_have: Words
    choices: Integers
    right: Fraction | None = None  # the share of people who were looked for in the right group

    @classmethod
    def of(cls, groups: Groups, counts: Counts, located: Located, right: Fraction | None = None) -> View:
        """Look up the values of every place."""
        words = _united(bits(counts), located)
        words[located.matches == 0] = bits(Counts.from_cells(np.ones((1, counts.width))))
        return cls(groups, counts, located, words, np.bitwise_count(words).sum(axis=1).astype(np.int64), right)

    def words(self, rows: Integers | slice) -> Words:
        """Give the values that rows of people may have, as bits."""
        return self.may_have[self.located.place[rows]]

    def before(self) -> Integers:
        """Give |S_ij| for every row of people."""
        return self.choices[self.located.place]

    def group_sizes(self) -> Integers:
        """Give the people among whom every row of people stands; 0 where it is not located."""
        return self.located.summed(self.groups.sizes)[self.located.place]

    def shares(self, rows: Integers) -> Floats:
        """Give Pr_j(s) for rows of people: n_g(s)/n_g; of several groups, the mean by their weights.

        A row that is not located has 0 throughout.
        """
        at = self.located.place[rows]
        matches = self.located.matches[at]
        made = np.zeros((len(rows), self.counts.width))
        alone = matches == 1
        group = self.located.group[self.located.starts[at[alone]]]
        made[alone] = self.counts.take(group).dense() / self.groups.sizes[group, np.newaxis]
        several = np.flatnonzero(matches > 1)
        if len(several):
            made[several] = self._mixed(at[several])
        return made

    def _mixed(self, places: Integers) -> Floats:
        matches = self.located.matches[places]
        starts = np.concatenate(([0], np.cumsum(matches)[:-1]))
        inside = np.arange(matches.sum()) - np.repeat(starts, matches) + np.repeat(self.located.starts[places], matches)
        group, weight = self.located.group[inside], self.located.weight[inside]
        parts = self.counts.take(group).dense() * (weight / self.groups.sizes[group])[:, np.newaxis]
        mixed: Floats = np.add.reduceat(parts, starts) / np.add.reduceat(weight, starts)[:, np.newaxis]
        return mixed


def _united(words: Words, located: Located) -> Words:
    """Take the union over the groups of each place."""
    united = np.zeros((len(located), words.shape[1]), np.uint64)
    some = np.flatnonzero(located.matches)
    if len(some):
        united[some] = np.bitwise_or.reduceat(words[located.group], located.starts[some])
    return united
