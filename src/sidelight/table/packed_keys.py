"""Packed keys: the codes of a row's columns as one number, or a few, to group and sort by.

Symbols     c_j  the code of column j, 0 ≤ c_j < r_j, where r_j is the number of its labels; the sensitive one last.
Word        w = Σ_j c_j · Π_{i>j} r_i over the columns that it holds: mixed radix, so words order rows as codes do.
Layout      columns are put into a word while its product of radices stays below 2^62; usually one word holds all.
Key         the words without the sensitive value: the last word divided by its radix.
Invariant   `unpack(pack(codes)) == codes`, and equal rows are equal words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight._arrays import KEY_LIMIT, Codes, Integers
from sidelight.table.labels import Label

Words: TypeAlias = list[Integers]
"""One array per packed number; rows are compared word by word."""


@dataclass(frozen=True, slots=True)
class Packing:
    """How the codes of the columns are packed, the sensitive one last.

    >>> packing = Packing((("f", "m"), ("20", "30", "40"), ("Cold", "Flu")))
    >>> words = packing.pack([np.array([1, 0]), np.array([2, 0]), np.array([1, 0])])
    >>> [word.tolist() for word in words], [codes.tolist() for codes in packing.unpack(words)]
    ([[11, 0]], [[1, 0], [2, 0], [1, 0]])
    """

    labels: tuple[tuple[Label, ...], ...]

    @property
    def width(self) -> int:
        """How many sensitive values there are."""
        return self._radix(len(self.labels) - 1)

    @property
    def layout(self) -> tuple[tuple[int, ...], ...]:
        """Which columns each word holds."""
        words: list[tuple[int, ...]] = [()]
        for column in range(len(self.labels)):
            longer = (*words[-1], column)
            if prod(map(self._radix, longer)) < KEY_LIMIT:  # the word's largest value is this product less 1
                words[-1] = longer
            else:
                words.append((column,))
        return tuple(words)

    def weights(self) -> list[int]:
        """Give what one step of each column's code adds to its word."""
        return [prod(map(self._radix, held[position + 1 :])) for held in self.layout for position in range(len(held))]

    def pack(self, codes: Sequence[npt.NDArray[np.integer]]) -> Words:
        """Turn the codes of some rows, column by column, into words."""
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
        return [*words[:-1], words[-1] // self.width]

    def values(self, words: Words, keys: Words) -> Integers:
        """Give the codes of the sensitive value, of words and the same without it."""
        return words[-1] - keys[-1] * self.width

    def key_codes(self, keys: Words) -> list[Codes]:
        """Turn words without the sensitive value back into the codes of the quasi-identifiers."""
        return self.unpack([*keys[:-1], keys[-1] * self.width])[:-1]

    def key_of(self, text: Label) -> list[int] | None:
        """Give the words of the key that says `text` in every column, if there can be one."""
        if any(text not in labels for labels in self.labels[:-1]):
            return None
        codes = [np.array([labels.index(text)]) for labels in self.labels[:-1]]
        return [int(word[0]) for word in self.keys(self.pack([*codes, np.zeros(1, np.int64)]))]

    def _digits(self, held: tuple[int, ...], word: Integers) -> list[Codes]:
        digits: list[Codes] = []
        for column in reversed(held[1:]):
            rest = word // self._radix(column)
            digits.append((word - rest * self._radix(column)).astype(np.int32))  # NumPy's divmod is far slower
            word = rest
        return [word.astype(np.int32), *reversed(digits)]

    def _radix(self, column: int) -> int:
        return max(len(self.labels[column]), 1)
