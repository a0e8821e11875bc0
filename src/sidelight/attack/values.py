"""One domain of sensitive values for several releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from sidelight.errors import BadRelease
from sidelight.release.groups import Groups
from sidelight.table.columns import Integers
from sidelight.table.counts import Counts
from sidelight.table.labels import Label, label, shown


class Values:
    """The values that occur in at least one of the releases, and what each release calls them."""

    def __init__(self, releases: Sequence[Groups], same_values: Mapping[str, str] | None) -> None:
        self._same = {label(one): label(other) for one, other in (same_values or {}).items()}
        named = [dict.fromkeys(self.called(groups.domain)) for groups in releases]
        if same_values is None:
            _refuse_strangers(named)
        occurring = {
            self.called((text,))[0]
            for groups in releases
            for text, total in zip(groups.domain, groups.whole.tolist(), strict=True)
            if total
        }
        self._declared = {text for names in named for text in names}
        self.domain: tuple[Label, ...] = tuple(
            text for text in dict.fromkeys(text for names in named for text in names) if text in occurring
        )
        self._code = {text: code for code, text in enumerate(self.domain)}

    def called(self, texts: Sequence[Label]) -> list[Label]:
        """Give the common name of each value."""
        return [self._same.get(text, text) for text in texts]

    def counts(self, groups: Groups) -> Counts:
        """Count a release's values under their common names."""
        codes = np.array([self._code.get(text, 0) for text in self.called(groups.domain)], np.int64)
        row, value, count = groups.counts.entries()
        return Counts.from_entries(row, codes[value], count, (len(groups), len(self.domain)))

    def codes(self, texts: tuple[Label, ...]) -> Integers:
        """Find true values, −1 for one that no release has; one that none has ever heard of is an error."""
        called = self.called(texts)
        strange = [text for text in called if text is not None and text not in self._declared]
        if strange:
            message = (
                f"'{strange[0]}' is true of somebody and no release has such a value; "
                f"say what it is called there with same_values={{'{strange[0]}': …}}"
            )
            raise BadRelease(message)
        return np.array([self._code.get(text, -1) for text in called], np.int64)


def _refuse_strangers(named: list[dict[Label, None]]) -> None:
    """A release may lack values of another; but when each lacks some of the other's, names may differ."""
    for (i, one), (j, other) in combinations(enumerate(named, start=1), 2):
        mine, its = [text for text in one if text not in other], [text for text in other if text not in one]
        if mine and its:
            first, second = shown(mine[0]), shown(its[0])
            message = (
                f"releases {i} and {j} have different sensitive values: '{first}' is only in {i}, '{second}' only in "
                f"{j}; say which are the same, as in same_values={{'{first}': '{second}'}}, or same_values={{}} if none"
            )
            raise BadRelease(message)


def bits(counts: Counts) -> np.typing.NDArray[np.uint64]:
    """Set a bit for each value that a group has: groups × words of 64 values.

    >>> bits(Counts.from_cells([[1, 0, 2], [0, 4, 0]])).tolist()
    [[5], [2]]
    """
    row, value, _ = counts.entries()
    words = np.zeros((counts.rows, counts.width // 64 + 1), np.uint64)
    np.bitwise_or.at(words, (row, value // 64), np.uint64(1) << (value % 64).astype(np.uint64))
    return words


def flags(words: np.typing.NDArray[np.uint64], width: int) -> np.typing.NDArray[np.bool_]:
    """Spread words of bits out, one flag per value.

    >>> flags(np.array([[5]], np.uint64), 3).tolist()
    [[True, False, True]]
    """
    value = np.arange(width)
    spread: np.typing.NDArray[np.bool_] = (words[:, value // 64] >> (value % 64).astype(np.uint64)) & np.uint64(1) == 1
    return spread
