"""What measures are called elsewhere."""

from __future__ import annotations

import re

OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "k-anonymity": ("group size",),
    "anonymity": ("group size",),
    "l-diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "ℓ-diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "distinct l-diversity": ("distinct values",),
    "entropy l-diversity": ("entropy diversity",),
    "recursive l-diversity": ("recursive diversity",),
    "t-closeness": ("closeness",),
    "b-likeness": ("beta likeness",),
    "β-likeness": ("beta likeness",),
    "d-disclosure": ("delta disclosure",),
    "δ-disclosure": ("delta disclosure",),
    "δ-disclosure privacy": ("delta disclosure",),
    "ck-safety": ("implications",),
    "privacy skyline": ("acquaintance",),
    "ε-privacy": ("prior belief",),
    "epsilon-privacy": ("prior belief",),
    "maxent": ("maximum entropy",),
    "privacy-maxent": ("maximum entropy",),
}
"""By the name in papers and other tools."""


def named_here(name: str) -> str:
    """Say, as the end of a sentence, what is meant by a name that papers use; nothing for others.

    >>> named_here("K-Anonymity")
    "; k-anonymity is 'group size' here"
    >>> named_here("l diversity")
    "; l-diversity is 'distinct values', 'entropy diversity' or 'recursive diversity' here"
    >>> named_here("colour")
    ''
    """
    wanted = _plain(name)
    for other, ours in OTHER_NAMES.items():
        if _plain(other) == wanted:
            *others, last = (f"'{each}'" for each in ours)
            return f"; {other} is {', '.join(others)}{' or ' if others else ''}{last} here"
    return ""


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())
