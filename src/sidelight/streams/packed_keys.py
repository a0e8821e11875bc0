"""Packed keys: the codes of a row's columns as one number, or a few, to group and sort by.

Symbols     c_j  the code of column j, 0 ≤ c_j < r_j, where r_j is the number of its labels; the sensitive ones last.
Word        w = Σ_j c_j · Π_{i>j} r_i over the columns that it holds: mixed radix, so words order rows as codes do.
Layout      columns are put into a word while its product of radices stays below 2^62, the sensitive ones all into the
            last; usually one word holds all.
Value       what the sensitive columns add to the last word: one number below `width`, the product of their radices.
Key         the words without the sensitive value: the last word divided by the width.
Invariant   `unpack(pack(codes)) == codes`, and equal rows are equal words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import KEY_LIMIT, Codes, Integers, iterate_blocks
from sidelight.table.labels import Label

Words: TypeAlias = list[Integers]
"""One array per packed number; rows are compared word by word."""


@dataclass(frozen=True, slots=True)
class Packing:
    """The packing of the codes of all columns into words, the sensitive ones last.

    >>> packing = Packing((("f", "m"), ("20", "30", "40"), ("Cold", "Flu")))
    >>> words = packing.pack([np.array([1, 0]), np.array([2, 0]), np.array([1, 0])])
    >>> [word.tolist() for word in words], [codes.tolist() for codes in packing.unpack(words)]
    ([[11, 0]], [[1, 0], [2, 0], [1, 0]])
    """

    labels: tuple[tuple[Label, ...], ...]
    sensitive: int = 1  # how many columns are sensitive

    @property
    def width(self) -> int:
        """Return how many sensitive values there are, or combinations of them."""
        return prod(map(self._radix, self._values))

    @property
    def value_labels(self) -> tuple[tuple[Label, ...], ...]:
        """The labels of the sensitive columns."""
        return self.labels[-self.sensitive :]

    @property
    def _values(self) -> tuple[int, ...]:
        return tuple(range(len(self.labels) - self.sensitive, len(self.labels)))

    @property
    def layout(self) -> tuple[tuple[int, ...], ...]:
        """Return which columns each word holds."""
        words: list[tuple[int, ...]] = [()]
        for columns in (*((column,) for column in range(self._values[0])), self._values):
            longer = (*words[-1], *columns)
            if prod(map(self._radix, longer)) < KEY_LIMIT:  # the word's largest value is this product less 1
                words[-1] = longer
            else:
                words.append(columns)
        return tuple(words)

    def weights(self) -> list[int]:
        """Return what one step of each column's code adds to its word."""
        return [prod(map(self._radix, held[position + 1 :])) for held in self.layout for position in range(len(held))]

    def pack(self, codes: Sequence[npt.NDArray[np.integer]]) -> Words:
        """Turn the codes of some rows, column by column, into words."""
        # codes: (columns, rows) → a word of (rows,) for each entry of the layout
        weights = self.weights()
        return [
            np.asarray(sum(codes[column].astype(np.int64) * weights[column] for column in held), np.int64)
            for held in self.layout
        ]

    def unpack(self, words: Words) -> list[Codes]:
        """Turn words back into codes, column by column."""
        return [code for held, word in zip(self.layout, words, strict=True) for code in self._digits(held, word)]

    def keys(self, words: Words) -> Words:
        """Leave the sensitive value out of the words."""
        # the sensitive columns are the lowest digits of the last word, so dividing by their product drops them
        return [*words[:-1], words[-1] // self.width]

    def values(self, words: Words, keys: Words) -> Integers:
        """Return the codes of the sensitive value, of words and the same without it."""
        return words[-1] - keys[-1] * self.width

    def value_codes(self, values: Integers) -> list[Codes]:
        """Turn codes of the sensitive value into the codes of each sensitive column."""
        return self._digits(self._values, values)

    def key_codes(self, keys: Words) -> list[Codes]:
        """Turn words without the sensitive value back into the codes of the quasi-identifiers."""
        return self.unpack([*keys[:-1], keys[-1] * self.width])[: -self.sensitive]

    def pack_keys(self, codes: Sequence[npt.NDArray[np.integer]], rows: int) -> Words:
        """Turn the codes of the quasi-identifiers into words without the sensitive value."""
        # A key alone is packed like one with the first value, and loses it again.
        return self.keys(self.pack([*codes, *[np.zeros(rows, np.int32)] * self.sensitive]))

    def key_of(self, text: Label) -> list[int] | None:
        """Return the words of the key that says `text` in every column, if there can be one."""
        quasi = self.labels[: -self.sensitive]
        if any(text not in labels for labels in quasi):
            return None
        codes = [np.array([labels.index(text)]) for labels in quasi]
        return [int(word[0]) for word in self.pack_keys(codes, rows=1)]

    def _digits(self, held: tuple[int, ...], word: Integers) -> list[Codes]:
        digits = [np.empty(len(word), np.int32) for _ in held]
        radices = list(map(self._radix, held))
        iterate_blocks(lambda block: _split(word[block], radices, [digit[block] for digit in digits]), len(word))
        return digits

    def _radix(self, column: int) -> int:
        return max(len(self.labels[column]), 1)


def _split(word: npt.NDArray[np.integer], radices: list[int], digits: list[Codes]) -> None:
    """Write the digits of numbers: divide once, so that both parts have about half the bits, and split each part.

    Short numbers are divided several times quicker than long ones, so that parts become short as soon as they fit.
    """
    if len(radices) == 1:
        digits[0][:] = word
        return
    if prod(radices) < 1 << 31:
        word = word.astype(np.int32, copy=False)
    # the cut with the smaller maximum of both halves halves the bits, so recursion is about log₂(columns) deep
    products = [prod(radices[place:]) for place in range(1, len(radices))]
    place, divisor = min(enumerate(products, 1), key=lambda each: max(each[1], prod(radices) // each[1]))
    upper = word // divisor
    _split(upper, radices[:place], digits[:place])
    # in place: `upper` has been split already, and becomes the multiple to take away
    upper *= divisor
    _split(word - upper, radices[place:], digits[place:])
