"""What if somebody expects other things of people from elsewhere?  A prior that depends on a printed column.

Symbols     σ(r, s) the Dirichlet parameter of people who have label r in the column (a region) and value s, learned
            for instance from another release's counts per region; a group prints a label that covers the regions R;
            σ_R(s) = Σ σ(r, s) over R, and w(s) = σ(r, s) / σ_R(s).
Beliefs     People of the group are drawn from the cells R × values with unknown shares, and the attacker knows r of the
            person alone.  Within a value, the regions are shared out by σ(·, s) whatever the values are (neutrality of
            the Dirichlet distribution), so of a person in the release, who has s with n_s / n before r is known,

            p_in(s | r)  ∝  n_s · w(s)                       and of one who is left out, having v,
            p_out(s | r) ∝  (n_s − [s = v]) · w(s) · e + σ(r, s)

            for every stubbornness; e is what one person's value weighs, 0 for the infinitely stubborn.  (The first is
            Theorem 3.1 of the ℓ-diversity paper, to which this paper's conclusion points.)  Where the group prints one
            region, w = 1, and both are as everywhere.  A predicate P adds up over its values; the worst v in it is that
            with the largest w.
Ends        p_out is a quotient of linear functions of σ, as without regions: two ends stand for a range.
Monotone    Not claimed: a merged group covers more regions.
Source      Machanavajjhala, Gehrke and Götz, VLDB 2009, section 7: their first future work.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.errors import BadMeasure, did_you_mean, listed
from sidelight.measures.epsilon_privacy.prior import WeightsByLabel
from sidelight.measures.epsilon_privacy.worst_case import Ratio, epsilon_of_beliefs
from sidelight.measures.exact import NEAR
from sidelight.release.printed_labels import read_label
from sidelight.rounding import exact_text
from sidelight.table.labels import Column, Label, in_order, shown
from sidelight.table.table import Table
from sidelight.worlds.brute_force import few_worlds, smallest_epsilon_by_cell

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.measures.criterion import Amount
    from sidelight.release.groups import Groups


def read_weights_by_label(weights: object, *, least: int) -> WeightsByLabel | None:
    """Read weights per label and value, each of at least so much."""
    if weights is None:
        return None
    if (
        not isinstance(weights, Mapping)
        or not weights
        or not all(isinstance(each, Mapping) for each in weights.values())
    ):
        message = 'by= wants weights per label and value, such as {"North": {"Flu": 12, "Cold": 30}, "South": {…}}'
        raise BadMeasure(message)
    read = WeightsByLabel(weights)
    for text, each in read.items():
        for value, weight in each.items():
            if weight < least or not weight:
                message = (
                    f"the prior's count of '{shown(value)}' in '{shown(text)}' is {weight}; "
                    f"give {'at least 1' if least else 'more than 0'}"
                )
                raise BadMeasure(message)
    return read


def counts_by_label(groups: Groups | Table, name: str, more: int) -> dict[Label, dict[Label, int]]:
    """Count, for each label that a column prints, how often each value was seen there, and some more."""
    columns = groups.quasi if isinstance(groups, Table) else groups.columns
    column = find_column(columns, name)
    rows, values, counts = groups.counts.entries()
    # (labels, values): groups that print the same label are added up
    sums = np.zeros((len(column.labels), len(groups.domain)), np.int64)
    np.add.at(sums, (column.codes[rows], values), counts)
    return {
        text: dict(zip(groups.domain, (sums[code] + more).tolist(), strict=True))
        for code, text in enumerate(column.labels)
    }


@dataclass(frozen=True)
class PriorByColumn:
    """σ(r, s) of each label r of a column and each value s, and e, as in `Prior`."""

    labels: tuple[Label, ...]
    domain: tuple[Label, ...]
    weights: tuple[tuple[Fraction, ...], ...]
    stubbornness: Fraction | float

    @property
    def evidence(self) -> int:
        return int(self.stubbornness != math.inf)

    @classmethod
    def from_weights(
        cls, weights: WeightsByLabel, stubbornness: Fraction | float, domain: tuple[Label, ...], totals: Integers
    ) -> PriorByColumn:
        """Build from weights, in the order of a domain; they may lack values that nobody has."""
        for text, each in weights.items():
            for value, total in zip(domain, totals.tolist(), strict=True):
                if total and value not in each:
                    message = (
                        f"the prior misses '{shown(value)}' in '{shown(text)}', a value of the release; give its count"
                    )
                    raise BadMeasure(message)
        # values that the prior alone knows come last: the release's keep their places
        elsewhere = in_order({value for each in weights.values() for value in each} - {*domain})
        wide = (*domain, *elsewhere)
        rows = tuple(tuple(each.get(value, Fraction(0)) for value in wide) for each in weights.values())
        return cls(tuple(weights), wide, rows, stubbornness)

    def find_labels(self, printed: Label) -> list[int]:
        """Find the labels that a printed one covers."""
        if printed in self.labels:
            return [self.labels.index(printed)]
        # a generalised label: every label that it covers may be the person's
        reading = read_label(printed)
        places = [place for place, text in enumerate(self.labels) if reading.covers(text)]
        if not places:
            message = (
                f"the prior has nothing about '{shown(printed)}', which a group prints; give its counts"
                f"{did_you_mean(shown(printed), list(map(shown, self.labels)))}"
            )
            raise BadMeasure(message)
        return places


def priors_by_column(
    counts: WeightsByLabel | None,
    shape: WeightsByLabel | None,
    most: Fraction | float | None,
    least: Fraction | float | str | None,
    groups: Groups,
) -> tuple[PriorByColumn, ...]:
    """Return the priors that stand for what is said: one, or the two ends of a range."""
    if counts is not None:
        return (PriorByColumn.from_weights(counts, counts.total, groups.domain, groups.whole),)
    assert shape is not None
    assert most is not None
    shares = shape.scale(1 / shape.total)
    smallest = 1 / shares.smallest(
        among={text for text, n in zip(groups.domain, groups.whole.tolist(), strict=True) if n}
    )
    if least is None:
        least = "same" if most == math.inf else "smallest"
    low = smallest if least == "smallest" else most if isinstance(least, str) else least
    if low < smallest or most < smallest:
        enough = exact_text(math.ceil(smallest))
        message = f"the prior leaves a value less than 1 answer; raise stubbornness to at least {enough}"
        raise BadMeasure(message)
    # an unmoved prior has shares; any other has as many answers as its end of the range says
    scaled = {end: shares.scale(Fraction(1 if end == math.inf else end)) for end in (most, low)}
    return tuple(PriorByColumn.from_weights(each, end, groups.domain, groups.whole) for end, each in scaled.items())


class WorstByColumn(NamedTuple):
    """The worst case: a group's row, a label that it covers, a set of values, ε and the beliefs."""

    row: int
    label: Label
    column: int
    value: Amount
    ratio: Ratio
    p_in: Fraction
    p_out: Fraction
    prior: PriorByColumn


def replay_by_column(
    groups: Groups, by: str, prior: PriorByColumn, values: Sequence[int], *, row: int, text: Label
) -> Amount:
    """Compute ε of a group again: by its worlds if it has few, else by the formulas for one case."""
    under = prior.find_labels(find_column(groups.columns, by).cell(row))
    place, counts = prior.labels.index(text), groups.counts.row(row).tolist()
    cells = [(each, value) for each in under for value in range(len(prior.domain))]
    if not few_worlds(len(cells), sum(counts)):
        return exact_case(counts, prior, under, place, values)[0]
    weights = {(str(each), str(value)): prior.weights[each][value] for each, value in cells}
    return smallest_epsilon_by_cell(
        {str(value): count for value, count in enumerate(counts) if count},
        weights,
        str(place),
        {str(value) for value in values},
        unmoved=not prior.evidence,
    )


def worst_by_column(
    groups: Groups, by: str, priors: Sequence[PriorByColumn], sets: Sequence[Sequence[int]]
) -> WorstByColumn | None:
    """Find the worst case: in floats for all groups that print the same at once, exactly near the worst."""
    column, dense = find_column(groups.columns, by), groups.counts.dense()
    # ε in floats of groups that print the same, for somebody of one label: nan where nobody is in a set
    chunks = [
        (rows, under, place, prior, _epsilons(dense[rows], prior, under, place, sets))
        for code in np.unique(column.codes).tolist()
        for rows in [np.flatnonzero(column.codes == code)]
        for prior in priors
        for under in [prior.find_labels(column.labels[code])]
        for place in under
    ]
    # 0 if there is no case at all
    worst = max([0.0, *(float(np.nanmax(epsilons, initial=0)) for *_, epsilons in chunks)])
    worst_case: WorstByColumn | None = None
    seen: set[tuple[object, ...]] = set()
    for rows, under, place, prior, epsilons in chunks:
        # all that floats propose are decided exactly, each kind once
        for at, number in np.argwhere(epsilons >= worst * (1 - NEAR)).tolist():
            row = int(rows[at])
            counts = groups.counts.row(row).tolist()
            kind = (*counts, place, *under, number, prior.stubbornness)
            if kind in seen:
                continue
            seen.add(kind)
            exact = exact_case(counts, prior, under, place, sets[number])
            # of equal ones the first row
            if worst_case is None or (exact[0], -row) > (worst_case.value, -worst_case.row):
                worst_case = WorstByColumn(row, prior.labels[place], number, *exact, prior)
    return worst_case


def find_column(columns: Sequence[Column], name: str) -> Column:
    """Find a column by its name."""
    for column in columns:
        if column.name == name:
            return column
    names = [column.name for column in columns]
    message = (
        f"by='{name}' is no column that the release prints; it prints {listed(names)}{did_you_mean(name, names)}"
        if names
        else f"by='{name}' is about groups that print it; search without it and judge what is found by it"
    )
    raise BadMeasure(message)


def _epsilons(
    counts: Integers, prior: PriorByColumn, under: list[int], place: int, sets: Sequence[Sequence[int]]
) -> Floats:
    width = counts.shape[1]
    own, weight = _label_weights(prior, under, place)
    sigma, w = np.array(own, float), np.array(weight[:width], float)
    # (groups, values): how many of those with a value are expected to have the label
    weighted = counts * w
    epsilons = np.full((len(counts), len(sets)), np.nan)
    for column, values in enumerate(sets):
        inside = np.isin(np.arange(len(sigma)), values)
        here = inside[:width]
        heaviest = np.where(counts[:, here] > 0, w[here], 0).max(axis=1, initial=0)
        matching, others = weighted[:, here].sum(axis=1), weighted[:, ~here].sum(axis=1)
        # whoever is left out is one of those that match, at worst with the heaviest of their values
        believed = prior.evidence * (matching - heaviest) + sigma[inside].sum()
        doubted = prior.evidence * others + sigma[~inside].sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            belief = matching * (believed + doubted) / ((matching + others) * believed)
            doubt = doubted * (matching + others) / ((believed + doubted) * others)
        there = (counts[:, here] > 0).any(axis=1)
        epsilons[there, column] = np.fmax(belief, doubt)[there]
    return epsilons


def _label_weights(prior: PriorByColumn, under: list[int], place: int) -> tuple[list[Fraction], list[Fraction]]:
    own = list(prior.weights[place])
    covered = [sum((prior.weights[each][value] for each in under), Fraction(0)) for value in range(len(own))]
    return own, [mine / total if total else Fraction(0) for mine, total in zip(own, covered, strict=True)]


def exact_case(
    counts: Sequence[int], prior: PriorByColumn, under: list[int], place: int, values: Sequence[int]
) -> tuple[Amount, Ratio, Fraction, Fraction]:
    """Return ε of one case, the ratio that decides it, and p_in and p_out, in fractions."""
    own, w = _label_weights(prior, under, place)
    weighted = [count * each for count, each in zip(counts, w, strict=False)]
    inside = [value for value in values if value < len(counts)]
    matching = sum((weighted[value] for value in inside), Fraction(0))
    heaviest = max(w[value] for value in inside if counts[value])
    believed = prior.evidence * (matching - heaviest) + sum((own[value] for value in values), Fraction(0))
    everything = prior.evidence * (sum(weighted) - heaviest) + sum(own)
    p_in, p_out = matching / sum(weighted), believed / everything
    epsilon = epsilon_of_beliefs(p_in, p_out)
    ratio = Ratio.BELIEF if p_out and epsilon == p_in / p_out else Ratio.DOUBT
    return epsilon, ratio, p_in, p_out
