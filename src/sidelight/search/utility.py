"""What is a release still good for?  Each utility is a function of how the table was recoded; smaller is better.

A utility that needs only the sizes of groups costs nothing beside the search; those that rebuild the table or answer
queries may take longer than it.  So `Utilities` computes each when it is first looked up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeAlias

import numpy as np

from sidelight.arrays import Floats
from sidelight.errors import NoRoom, parameter
from sidelight.search.recoding import Recoding, random_queries
from sidelight.table.table import held

UtilityName: TypeAlias = Literal[
    "balanced loss",
    "discernibility",
    "average group size",
    "loss",
    "non-uniform entropy",
    "KL divergence",
    "query error",
    "suppressed",
]

MEANINGS: Mapping[str, str] = {
    "balanced loss": "what the columns no longer tell, the first bits of each most: 0 nothing is lost, 1 all",
    "loss": "the share of a column that a printed cell covers, on average: 0 as it was, 1 all are *",
    "non-uniform entropy": "how hard it is to guess the original cells: 0 they are known, 1 as if all were *",
    "discernibility": "how many people somebody looks like, added up over all people",
    "average group size": "people per group",
    "KL divergence": "how far a table rebuilt from the release is from the true one, in nats",
    "query error": "how far off counts made from the release are, on average: 0.1 is 10 %",
}
"""What each utility counts; of all of them, less is better."""


def discernibility(recoding: Recoding) -> float:
    """Return how many people each person looks like, added up over all people (DM*).

    Σ_g n_g², and a suppressed person looks like everybody.

    Source: Bayardo and Agrawal, 2005.
    """
    return float(recoding.pairs() + recoding.suppressed * recoding.table.people)


def average_group_size(recoding: Recoding) -> float:
    """Return how many people a group has on average."""
    return (recoding.table.people - recoding.suppressed) / recoding.groups if recoding.groups else math.inf


def loss(recoding: Recoding) -> float:
    """Return how much of a column a printed cell covers on average: from 0 (all as it was) to 1 (nothing left).

    For numbers the range covered / the whole range, for other labels (labels covered − 1) / (labels − 1), the average
    over people and columns; a suppressed cell covers all.  Also known as NCP, the normalised certainty penalty.

    Source: Iyengar, 2002; Xu et al., 2006.
    """
    return (recoding.detail_lost() + recoding.suppressed) / recoding.table.people


def non_uniform_entropy(recoding: Recoding) -> float:
    """Return how hard it is to guess the original cells: from 0 (they are known) to 1 (as if all were `*`).

    Σ log₂ (people whose labels the printed one covers / people with the original label), over people and columns, as
    a share of what suppressing everything would give: 1 − Σ_j h_j / Σ_j H_j, where the printed labels of column j tell
    h_j of its H_j bits.

    Source: De Waal and Willenborg, 1999; Gionis and Tassa, 2009.
    """
    return _share_lost(recoding.bits_told(), recoding.bits_held())


def balanced_loss(recoding: Recoding) -> float:
    """Return how much of what columns tell is lost, first bits counting most: from 0 (none) to 1 (all).

    1 − Σ_j log₂(1 + h_j) / Σ_j log₂(1 + H_j), where the printed labels of column j tell h_j of its H_j bits.  The
    logarithm is what balances: to tell one column twice as finely is worth less than to tell another one at all, and a
    column that says much, such as age, counts more than one that says little, but not as much more.

    Source: ours; bits as in `non_uniform_entropy`.
    """
    return _share_lost(np.log2(1 + recoding.bits_told()), np.log2(1 + recoding.bits_held()))


def _share_lost(kept: Floats, whole: Floats) -> float:
    """Return the share that is lost of something that is added up over columns; 0 where there was nothing to lose."""
    # rounding may leave the quotient a little beyond 0 or 1
    return float(np.clip(1 - kept.sum() / whole.sum(), 0.0, 1.0)) if whole.sum() else 0.0


def kl_divergence(recoding: Recoding) -> float:
    """Return how far a table rebuilt from the release is from the true one, in nats.

    Σ p ln(p/p̂) over the table's keys and values; p̂ spreads each group's values evenly over all that it covers.

    Source: Kifer and Gehrke, 2006.
    """
    _, _, true = recoding.table.counts.entries()
    # a divergence is never negative, and its rounded sum may be
    return float(max((true * np.log(true / recoding.reconstruction())).sum() / max(true.sum(), 1), 0.0))


def query_error(recoding: Recoding) -> float:
    """Return how far off COUNT queries on the release are: the mean relative error over 200 random ones.

    |expected − true| / max(true, 0.1 % of the people), so that rare answers do not drown the others.

    Source: LeFevre et al., 2006; Xiao and Tao, Anatomy, 2006.
    """
    least = recoding.table.people / 1000
    errors = []
    for query in random_queries(recoding.orders, len(recoding.table.domain)):
        true = query.answer(held(recoding.table), recoding.orders)
        errors.append(abs(recoding.estimate(query) - true) / max(true, least))
    return float(np.mean(errors))


def suppressed(recoding: Recoding) -> float:
    """Return which share of the people is suppressed."""
    return recoding.suppressed / recoding.table.people


QUICK_UTILITIES: tuple[UtilityName, ...] = (
    "balanced loss",
    "loss",
    "non-uniform entropy",
    "discernibility",
    "average group size",
    "suppressed",
)
"""Those that cost next to nothing; the others may take longer than the search."""

OF_VALUES: tuple[UtilityName, ...] = ("KL divergence", "query error")
"""Utilities that depend on who has which value: to one who counts worlds they tell which worlds these are."""

DEFAULT_UTILITY: UtilityName = "balanced loss"
"""What the best release is best at, unless somebody says otherwise; it also decides between equals."""

UTILITIES: Mapping[UtilityName, Callable[[Recoding], float]] = {
    "balanced loss": balanced_loss,
    "loss": loss,
    "non-uniform entropy": non_uniform_entropy,
    "discernibility": discernibility,
    "average group size": average_group_size,
    "KL divergence": kl_divergence,
    "query error": query_error,
    "suppressed": suppressed,
}


class Utilities(Mapping[str, float]):
    """All utilities of a recoding, each computed when it is first looked up: some take longer than the search."""

    def __init__(self, recoding: Recoding) -> None:
        self._recoding = recoding
        self._computed: dict[str, float] = {}

    def __getitem__(self, name: str) -> float:
        if name in OF_VALUES and not self._recoding.holds_keys:
            message = f"'{name}' compares each key with the release; read the table without {parameter('memory')}"
            raise NoRoom(message)
        if name not in self._computed:
            self._computed[name] = UTILITIES[name](self._recoding)  # type: ignore[index]
        return self._computed[name]

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of those that can be computed: some need all keys of the table."""
        return (name for name in UTILITIES if self._recoding.holds_keys or name not in OF_VALUES)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))
