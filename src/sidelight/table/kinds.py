"""What is a column: a category, an ordered one, a number or a date?  It decides how labels may be put together.

    category   names: printed as they are, as their hierarchy's nodes or as a set {1, 2}; averaged by the commonest
    ordered    names that stand in an order, such as codes of income: cut along it, averaged by the median
    number     cut anywhere, printed as an interval 20-29; averaged by the mean
    date       days, in the same way

Nothing but a number is ever added up: region codes 1 to 4 are no 1-2 and no 1.5.  The kind of a column is, in this
order,

1. what was declared: `kinds={"region": "category"}`, `--kind region=category`, [roles.columns] of a policy;
   `kinds={"size": ["small", "large"]}` (`--kind 'size=small<large'`) is ordered, in the order listed;
2. what its type says: categoricals are categories, those that are ordered (and Enums) stand in their order, and text is
   a category, but for days; a CSV file has no types, nor has text among which marks of missing cells were declared;
3. what all its labels say: days (2024-03-09) are dates; numbers are numbers, unless some are written as codes are (007,
   +49, 1E50) or all are single digits, as codes of sexes and regions are; everything else is a category;
4. whole numbers that come with a hierarchy are a category, as it says how they are recoded, unless what it prints are
   intervals of numbers (`release.printing`).

Whatever was taken is told (`SearchResult.kinds`, the output of `protect`, the sidecar), so that a wrong one is seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, get_args

from sidelight._text import counted, form
from sidelight.errors import BadTable, did_you_mean, expect_mapping, parameter
from sidelight.table.labels import Label, as_day, as_number, hinted, label

ColumnKind: TypeAlias = Literal["category", "ordered", "number", "date"]
"""How the labels of a column may be put together."""

KindOrOrder: TypeAlias = ColumnKind | tuple[str, ...]
"""What may be declared: a kind, or the labels of an ordered column in their order."""

KINDS: tuple[str, ...] = get_args(ColumnKind)

_CODE = re.compile(r"\s*(\+|-?0[0-9]|.*[0-9.]E[0-9])")
"""Digits that are written as no number is: with zeros in front, with a plus, or with an exponent like ICD's 1E50."""


def kind_of_labels(labels: Iterable[Label]) -> ColumnKind:
    """Judge by the labels alone what a column is.

    >>> kind_of_labels(["17", "90", None]), kind_of_labels(["250", "V45"]), kind_of_labels(["00734", "81667"])
    ('number', 'category', 'category')
    >>> kind_of_labels(["1984-03-09"]), kind_of_labels(["1", "4"]), kind_of_labels(["1E50", "2E65"])
    ('date', 'category', 'category')
    """
    present = [text for text in labels if text is not None]
    if not present or are_digits(present):
        return "category"
    if all(as_day(text) is not None for text in present):
        return "date"
    return "number" if all(as_number(text) is not None and not _CODE.match(text) for text in present) else "category"


def are_digits(labels: Iterable[Label]) -> bool:
    """Say whether labels are single digits, as many codes are.

    >>> are_digits(["1", "4", None]), are_digits(["9", "10"])
    (True, False)
    """
    return not {*labels} - {*"0123456789", None}


def as_kinds(kinds: object) -> tuple[tuple[str, KindOrOrder], ...]:
    """Take what was declared, a kind or an order for each column, or say how to write it.

    >>> as_kinds({"region": "category", "size": ["small", "large"]})
    (('region', 'category'), ('size', ('small', 'large')))
    >>> as_kinds({"region": "categories"})
    Traceback (most recent call last):
    sidelight.errors.BadTable: 'categories' is no kind of column 'region'; did you mean 'category'?
    """
    declared = expect_mapping({} if kinds is None else kinds, parameter("kinds"), '{"region": "category"}')
    return tuple((name, _kind_or_order(name, kind)) for name, kind in declared.items())


def _kind_or_order(name: str, kind: object) -> KindOrOrder:
    if isinstance(kind, str):
        for word in get_args(ColumnKind):
            if kind == word:
                return word  # type: ignore[no-any-return]  # one of the words
        message = f"'{kind}' is no kind of column '{name}'{did_you_mean(kind, KINDS)}"
        raise BadTable(message)
    order = tuple(text for each in kind if (text := label(each)) is not None) if isinstance(kind, Iterable) else ()
    if len(order) < 2 or len({*order}) < len(order):
        message = f"{parameter('kinds')} lists for column '{name}' no order; list its labels in order, each once"
        raise BadTable(message)
    return order


def read_kinds(texts: Sequence[str]) -> tuple[tuple[str, KindOrOrder], ...]:
    """Read kinds as the command line has them, `region=category` or `size=small<large`.

    >>> read_kinds(["region=category", "size = small < medium < large"])
    (('region', 'category'), ('size', ('small', 'medium', 'large')))
    """
    declared: dict[str, object] = {}
    for text in texts:
        name, sign, kind = (part.strip() for part in text.rpartition("="))
        if not sign or not name or not kind:
            message = (
                f"'{text}' is no kind of a column; write the column and its kind, such as "
                f"{parameter('kinds', {'region': 'category'})} or {parameter('kinds', {'size': 'small<medium<large'})}"
            )
            raise BadTable(message)
        if name in declared:
            message = f"{parameter('kinds')} says two kinds for '{name}'; say one"
            raise BadTable(message)
        declared[name] = [part.strip() for part in kind.split("<")] if "<" in kind else kind
    return as_kinds(declared)


def check_labels(name: str, kind: KindOrOrder, labels: Iterable[Label]) -> None:
    """Refuse a kind that the labels of a column cannot have.

    >>> check_labels("icd", "number", ["250", "V45"])
    Traceback (most recent call last):
    sidelight.errors.BadTable: column 'icd' is no number: 1 of 2 labels is none, such as V45; say kinds={'icd': ...
    """
    present = [text for text in labels if text is not None]
    if isinstance(kind, tuple):
        _refuse_unlisted(name, [text for text in present if text not in kind])
    elif kind in ("number", "date"):
        _refuse_others(name, kind, present)
    elif kind == "ordered" and not _ordered_by_themselves(present):
        listing = parameter("kinds", {name: "lowest<…<highest"})
        message = f"column '{name}' is text, which has no order of its own; list its labels in order, {listing}"
        raise BadTable(message)


def _ordered_by_themselves(present: list[str]) -> bool:
    """Whether labels stand in an order that nobody has to tell: numbers, also as codes, and days."""
    return any(all(read(text) is not None for text in present) for read in (as_number, as_day))


def _refuse_unlisted(name: str, unlisted: list[str]) -> None:
    if unlisted:
        message = f"'{hinted(unlisted[0])}' occurs in '{name}' but is not in the order declared in "
        message += f"{parameter('kinds')}; add it there"
        raise BadTable(message)


def _refuse_others(name: str, kind: ColumnKind, present: list[str]) -> None:
    others = [text for text in present if (as_day(text) if kind == "date" else as_number(text)) is None]
    if others:
        such = f"{len(others):,} of {counted(len(present), 'label')} {form('is', len(others))} none"
        remedy = f"say {parameter('kinds', {name: 'category'})}, or that they mean missing"
        message = f"column '{name}' is no {kind}: {such}, such as {hinted(others[0])}; {remedy}"
        raise BadTable(message)
