"""The attacker's belief before the release: its settings, and the priors that they stand for in a release.

The belief may depend on a person's label in a column that the release prints (a region): σ(r, s) is the parameter of
people who have label r there and value s, learned for instance from another release's counts per region.

Symbols     σ(s) the Dirichlet parameter of a value s, σ their sum, the stubbornness: the number of survey answers that
            the belief is worth; a predicate P is a set of values, σ(P) the sum over it.
Classes     I    shape σ(s)/σ known, σ at most this      `Prior.from_weights`, at both ends
            II   σ at most this, any shape: σ(s) = 1     `Prior.from_stubbornness`
            III  shape σ(s)/σ known, σ = ∞               `Prior.from_weights` without evidence
            IV   σ = ∞, any shape: σ(s)/σ = 0            `Prior.from_stubbornness`
Ends        With the shape π = σ(P)/σ kept, p_out = (n_P − 1 + πσ) / (n − 1 + σ) has in σ a derivative of the sign of
            π(n − 1) − (n_P − 1), which does not depend on σ: for each group and P it only rises or only falls, and ε,
            which falls with p_out, is worst at an end.  Hence two priors stand for all stubbornness from least to
            most.  The least that a shape allows is 1 / its smallest share of a value that occurs in the release: then
            σ(s) ≥ 1 for all of these.  What the shape says of other values does not narrow the range.  (Each of the
            paper's two closed conditions is a quotient of linear functions of σ too, and as monotone.)  In class II
            the largest σ is the worst, since p_out = (n_P − 1 + r) / (n − 1 + σ).
Subsets     Of all sets of values, single ones and all but single ones are enough (`EVERY_SUBSET`).  The belief in P
            grows by n_P / (σ(P) − 1 + n_P) times what P does not change; with λ the smallest (σ(s) − 1) / n_s of its
            values, σ(P) − 1 ≥ Σ (1 + λ n_s) − 1 ≥ λ n_P: a single value grows as much.  The doubt shrinks by
            (m + τ) / (m − b), where m people and the weight τ are outside of P, times what P does not change, and for
            outsides that are disjoint (m + m' + τ + τ') / (m + m' − b) is a mediant of (m + τ) / (m − b) and
            (m' + τ') / m': a single value outside is as bad.  (Where m ≤ b it is infinite, and the smaller m the
            sooner; in class II, τ = σ − |P| is less than additive; in class III, τ stands for m + τ.)
Invariant   a caller's number is kept as the fraction that its decimals mean; what is hashed (a measure is) holds no
            list or dict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast, get_args

import numpy as np

from sidelight.errors import BadMeasure, as_given, did_you_mean, is_one_of
from sidelight.measures.measure import whole_if_possible
from sidelight.measures.targets import NumberByValue, Predicate, Predicates, read_predicates
from sidelight.release.printed_labels import read_label
from sidelight.rounding import exact_number, exact_text, whole_number
from sidelight.table.labels import Label, in_order, label, listed, shown
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.measures.criterion import Amount, Bound
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
    from sidelight.release.groups import Groups

LARGEST = 10**100
"""A larger finite stubbornness could as well be infinite (and would leave the range of floats)."""


Least: TypeAlias = Literal["smallest", "same"]
"""Where a range of stubbornness may begin besides a number: the smallest that the shape allows, or where it ends."""


EVERY_SUBSET: Final = "all subsets"
"""Asks about every set of values but the whole domain: nothing at all is to be learned about a person's value."""

Questions: TypeAlias = tuple[Predicate, ...] | Literal["all subsets"]
"""Some predicates, all there are, or (the empty tuple) each single value."""


class Weights(NumberByValue):
    """An exact weight per value, in the order of values."""

    def __init__(self, weights: Mapping[str, Bound] | Mapping[Label, Bound]) -> None:
        sums: dict[Label, Fraction] = {}
        for value, weight in weights.items():
            # several values may read as the same label: their weights add up
            text = label(value)
            sums[text] = sums.get(text, Fraction(0)) + _read_weight(weight, text)
        super().__init__((text, sums[text]) for text in in_order(sums))
        if not self.total:
            raise BadMeasure("a prior needs at least one value with a positive weight")

    @property
    def total(self) -> Fraction:
        return sum(self.values(), Fraction(0))

    def shares(self) -> Weights:
        return self.scale(1 / self.total)

    def scale(self, factor: Fraction) -> Weights:
        return Weights({text: weight * factor for text, weight in self.items()})

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{text!r}: {weight}" for text, weight in self.items()) + "}"


class WeightsByLabel(dict[Label, Weights]):
    """Exact weights per label of a column and value: hashed, and never changed."""

    def __init__(self, weights: Mapping[Any, Any]) -> None:
        by_label = {label(key): each if isinstance(each, Weights) else Weights(each) for key, each in weights.items()}
        super().__init__((text, by_label[text]) for text in in_order(by_label))

    @property
    def total(self) -> Fraction:
        return sum((each.total for each in self.values()), Fraction(0))

    def scale(self, factor: Fraction) -> WeightsByLabel:
        return WeightsByLabel({text: each.scale(factor) for text, each in self.items()})

    def smallest(self, among: AbstractSet[Label]) -> Fraction:
        """Return the smallest weight of any label and one of these values, or of any value if none of these occurs."""
        pairs = [*chain.from_iterable(each.items() for each in self.values())]
        return min([weight for value, weight in pairs if value in among] or [weight for _, weight in pairs])

    def as_written(self) -> dict[str, dict[str, int | Fraction | float]]:
        return {shown(text): each.as_written() for text, each in self.items()}

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))


def _read_weight(weight: object, text: Label) -> Fraction:
    number = exact_number(weight, BadMeasure, f"the prior's weight of '{shown(text)}'")
    if number and not Fraction(1, LARGEST) <= number <= LARGEST:
        raise BadMeasure(
            f"the prior's weight of '{shown(text)}' is {as_given(weight)}; give 0 or a number between 1e-100 and 1e100"
        )
    return Fraction(number)


@dataclass(frozen=True)
class Prior:
    """The belief in values, or predicates, P of a domain, ready to be compared with counts.

    `weights[j]` = σ(P_j), `total` = σ; `evidence` e is what one person's value weighs against them: 1, or 0 for the
    infinitely stubborn (whose σ(P) and σ are then shares and 1).  With that, in classes I to III alike
    p_out = (e·(n_q(P) − 1) + σ(P)) / (e·(n_q − 1) + σ).
    """

    domain: tuple[Label, ...]
    weights: tuple[Fraction, ...]
    total: Fraction
    evidence: Literal[0, 1]

    @cached_property
    def whole_terms(self) -> tuple[tuple[int, int, int], ...]:
        """Return the terms of each value or predicate, scaled to whole numbers.

        They are σ(P) − e, the weight for it with the person left out; σ − σ(P), the weight against it; and e.
        """
        # in a common unit all terms are whole, and their ratios are the same
        unit = math.lcm(self.total.denominator, *(each.denominator for each in self.weights))
        return tuple(
            (int((each - self.evidence) * unit), int((self.total - each) * unit), self.evidence * unit)
            for each in self.weights
        )

    @cached_property
    def float_terms(self) -> tuple[Floats, Floats, int]:
        """Return the same terms as floats; differences are taken exactly, so that 0 is 0 and nothing cancels."""
        return (
            np.array([float(each - self.evidence) for each in self.weights]),
            np.array([float(self.total - each) for each in self.weights]),
            self.evidence,
        )

    @property
    def stubbornness(self) -> Fraction | float:
        """The number of survey answers that the belief is worth."""
        return self.total if self.evidence else math.inf

    @cached_property
    def leaves_doubt(self) -> bool:
        """Whether the attacker holds everything in question possible, and nothing certain."""
        return all(0 < weight < self.total for weight in self.weights)

    @classmethod
    def from_weights(cls, known: Weights, domain: tuple[Label, ...], occur: Sequence[bool], *, moved: bool) -> Prior:
        """Build from Dirichlet parameters (class I), or from shares that no evidence moves (class III)."""
        # values that the prior alone knows come last: the release's keep their indices
        wide = (*domain, *(text for text in known if text not in set(domain)))
        weights = tuple(known.get(text, Fraction(0)) for text in wide)
        for text, weight, there in zip(domain, weights, occur, strict=False):
            if there and not weight:
                needed = "a count of at least 1" if moved else "a positive share"
                raise BadMeasure(f"the prior misses '{shown(text)}', a value of the release; give it {needed}")
            if there and moved and weight < 1:
                raise BadMeasure(
                    f"the prior leaves '{shown(text)}' less than 1 of its {exact_text(known.total)} answers; "
                    f"raise stubbornness to at least {exact_text(math.ceil(known.total / weight))}"
                )
        return cls(wide, weights, known.total, 1 if moved else 0)

    @classmethod
    def from_stubbornness(cls, stubbornness: Fraction | float, domain: tuple[Label, ...]) -> Prior:
        """Build class II: for each value the shape with which the release reveals most, σ(s) = 1.

        The rest of σ is elsewhere, if need be on a value that the release does not have.  An infinite stubbornness is
        class IV: any shape, which no evidence moves; at worst it leaves the true value no weight.
        """
        if stubbornness == math.inf:
            return cls(domain, (Fraction(0),) * len(domain), Fraction(1), evidence=0)
        if stubbornness < len(domain):
            raise BadMeasure(
                f"stubbornness {exact_text(stubbornness)} is below the number of values, {len(domain)}, "
                "and each value needs at least 1; raise it"
            )
        return cls(domain, (Fraction(1),) * len(domain), Fraction(stubbornness), evidence=1)

    def drop_values(self, indices: Sequence[int]) -> Prior:
        """Return the prior about a person known to have none of these values: the total is without their weights."""
        weights = tuple(Fraction(0) if index in indices else weight for index, weight in enumerate(self.weights))
        left = self.total - sum((self.weights[index] for index in indices), Fraction(0))
        return Prior(self.domain, weights, left, self.evidence)

    def join_predicates(self, predicates: tuple[Predicate, ...]) -> Prior:
        index_of = {text: index for index, text in enumerate(self.domain)}
        everything = sum(self.weights, Fraction(0))
        sums = []
        for each in predicates:
            named = sum((self.weights[index] for index in each.named_indices(index_of)), Fraction(0))
            sums.append(everything - named if each.all_others else named)
        return Prior(self.domain, tuple(sums), self.total, self.evidence)


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
                    raise BadMeasure(
                        f"the prior misses '{shown(value)}' in '{shown(text)}', a value of the release; give its count"
                    )
        # values that the prior alone knows come last: the release's keep their indices
        elsewhere = in_order({value for each in weights.values() for value in each} - {*domain})
        wide = (*domain, *elsewhere)
        rows = tuple(tuple(each.get(value, Fraction(0)) for value in wide) for each in weights.values())
        return cls(tuple(weights), wide, rows, stubbornness)

    def find_labels(self, printed: Label) -> list[int]:
        """Return the indices of the labels that a printed one covers."""
        if printed in self.labels:
            return [self.labels.index(printed)]
        # a generalised label: every label that it covers may be the person's
        reading = read_label(printed)
        indices = [index for index, text in enumerate(self.labels) if reading.covers(text)]
        if not indices:
            raise BadMeasure(
                f"the prior has nothing about '{shown(printed)}', which a group prints; give its counts"
                f"{did_you_mean(shown(printed), list(map(shown, self.labels)))}"
            )
        return indices


def read_counts(counts: object) -> Weights:
    """Parse the parameters of a Dirichlet prior: each at least 1."""
    if not isinstance(counts, Mapping):
        raise BadMeasure('counts= wants a mapping value → count, such as {"Flu": 12_000, "Cancer": 18_000}')
    weights = Weights(counts)
    for text, weight in weights.items():
        if weight < 1:
            raise BadMeasure(
                f"the prior's count of '{shown(text)}' is {as_given(weight)}, below 1; "
                "PriorBelief.from_counts makes a prior of what was seen by adding 1 to each count"
            )
    return weights


def read_weights_by_label(weights: object, *, least: int) -> WeightsByLabel:
    """Parse weights per label and value, each at least `least` and above 0."""
    by_label = weights.values() if isinstance(weights, Mapping) else ()
    if not by_label or not all(isinstance(each, Mapping) for each in by_label):
        raise BadMeasure(
            'by= wants weights per label and value, such as {"North": {"Flu": 12, "Cold": 30}, "South": {…}}'
        )
    read = WeightsByLabel(cast("Mapping[Any, Any]", weights))
    for text, each in read.items():
        for value, weight in each.items():
            if weight < least or not weight:
                raise BadMeasure(
                    f"the prior's count of '{shown(value)}' in '{shown(text)}' is {weight}; "
                    f"give {'at least 1' if least else 'more than 0'}"
                )
    return read


def read_shape(shape: object) -> Weights | str:
    """Parse a shape: a word, or weights, which are scaled to add up to 1."""
    if isinstance(shape, str) and shape in ("uniform", "release"):
        return shape
    if isinstance(shape, Mapping):
        return Weights(shape).shares()
    near = did_you_mean(shape, ["uniform", "release"]) if isinstance(shape, str) else ""
    raise BadMeasure(
        f"no shape {as_given(shape, quoted=True)}; give 'uniform', 'release' or a mapping value → share{near}"
    )


def read_stubbornness(stubbornness: object, *, name: str = "stubbornness") -> int | Fraction | float:
    """Parse a stubbornness: a positive number, or infinite."""
    number = exact_number(stubbornness, BadMeasure, name)
    if number <= 0:
        raise BadMeasure(f"{name} is {as_given(stubbornness)}; give a positive number of answers, or math.inf")
    if LARGEST < number < math.inf:
        raise BadMeasure(f"{name} is beyond 1e100; say math.inf")
    return whole_if_possible(number)


def read_least_stubbornness(least: object, stubbornness: Fraction | float | None) -> int | Fraction | float | Least:
    """Parse where a range of stubbornness begins: at a number, at the smallest possible, or where it ends."""
    if is_one_of(least, Least):
        return least  # type: ignore[return-value]
    if isinstance(least, str):
        near = did_you_mean(least, get_args(Least))
        raise BadMeasure(f"no least_stubbornness '{least}'; give a number, 'smallest' or 'same'{near}")
    number = read_stubbornness(least, name="least_stubbornness")
    if stubbornness is not None and number > stubbornness:
        raise BadMeasure(
            f"least_stubbornness is {exact_text(number)}, above stubbornness, {exact_text(stubbornness)}; lower it"
        )
    return number


def read_questions(predicates: Predicates | Literal["all subsets"]) -> Questions:
    """Parse predicates: sets of values, or all there are."""
    if isinstance(predicates, str):
        if predicates == EVERY_SUBSET:
            return EVERY_SUBSET
        raise BadMeasure(
            'predicates= wants a list of lists of values, such as [["Ulcer", "Dyspepsia"], ["not", "Flu"]], '
            f"or '{EVERY_SUBSET}'{did_you_mean(predicates, [EVERY_SUBSET])}"
        )
    return read_predicates(predicates)


@lru_cache(maxsize=64)
def predicates_asked(questions: Questions, domain: tuple[Label, ...]) -> tuple[Predicate, ...]:
    """Return the predicates that stand for the questions about a domain; none where they are single values."""
    if questions != EVERY_SUBSET:
        return questions
    others = domain if len(domain) > 2 else ()  # of two values, all but one is the other
    return (*map(Predicate.any_of, domain), *map(Predicate.none_of, others))


def read_known_people(people: object) -> int:
    """Parse a number of known people."""
    return whole_number(people, BadMeasure, "known_people")


@lru_cache(maxsize=64)
def priors_for(
    *,
    counts: Weights | None,
    shape: Weights | str | None,
    stubbornness: Fraction | float | None,
    least_stubbornness: Fraction | float | Least | None,
    predicates: Questions,
    domain: tuple[Label, ...],
    totals: tuple[int, ...],
) -> tuple[Prior, ...]:
    """Return the priors about the values (or predicates) of a release with this domain and these totals.

    One prior, or the most and the least stubborn of those that share a shape: those between them are never worse.
    """
    occur = [count > 0 for count in totals]
    if counts is not None:
        priors: tuple[Prior, ...] = (Prior.from_weights(counts, domain, occur, moved=True),)
    else:
        assert stubbornness is not None
        if isinstance(shape, str):
            seen = totals if shape == "release" else (1,) * len(domain)
            shape = Weights(dict(zip(domain, seen, strict=True))).shares()
        if shape is None:
            priors = (Prior.from_stubbornness(stubbornness, domain),)
        else:
            shares = [shape.get(text, Fraction(0)) for text, there in zip(domain, occur, strict=True) if there]
            ends = list_ends(stubbornness, least_stubbornness, min(shares, default=None))
            moved = {end: shape if end == math.inf else shape.scale(Fraction(end)) for end in ends}
            priors = tuple(Prior.from_weights(each, domain, occur, moved=end < math.inf) for end, each in moved.items())
    questions = predicates_asked(predicates, priors[0].domain)
    return tuple(prior.join_predicates(questions) for prior in priors) if questions else priors


def list_ends(
    most: Fraction | float, least: Fraction | float | str | None, rarest: Fraction | None
) -> tuple[Fraction | float, ...]:
    """Return the largest stubbornness and the least, where they differ; `rarest` is the least share that occurs."""
    if least is None:  # an attacker whom nothing moves is another one than those whom evidence moves
        least = "same" if most == math.inf else "smallest"
    # with 1/rarest answers the rarest value that occurs has exactly one, which is the least allowed
    low = 1 / rarest if least == "smallest" and rarest else most if isinstance(least, str) else least
    return (most,) if low == most else (most, low)


def priors_by_column(
    counts: WeightsByLabel | None,
    shape: WeightsByLabel | None,
    most: Fraction | float | None,
    least: Fraction | float | str | None,
    groups: Groups,
) -> tuple[PriorByColumn, ...]:
    """Return the priors that the settings stand for: one, or the two ends of a range."""
    if counts is not None:
        return (PriorByColumn.from_weights(counts, counts.total, groups.domain, groups.whole),)
    assert shape is not None
    assert most is not None
    shares = shape.scale(1 / shape.total)
    rarest = shares.smallest(among={groups.domain[index] for index in np.flatnonzero(groups.whole).tolist()})
    ends = list_ends(most, least, rarest)
    if min(ends) * rarest < 1:
        enough = exact_text(math.ceil(1 / rarest))
        raise BadMeasure(f"the prior leaves a value less than 1 answer; raise stubbornness to at least {enough}")
    # an unmoved prior has shares; any other has as many answers as its end of the range says
    scaled = {end: shares.scale(Fraction(1 if end == math.inf else end)) for end in ends}
    return tuple(PriorByColumn.from_weights(each, end, groups.domain, groups.whole) for end, each in scaled.items())


def settings_in_words(belief: PriorBelief) -> str:
    """Describe the attacker's knowledge in the words of the parameters.

    >>> from sidelight import PriorBelief
    >>> settings_in_words(PriorBelief(shape="release", stubbornness=1_000, known_people=2, predicates=[["not", "Flu"]]))
    'shape of the release, stubbornness 1,000, knows 2 people, about not Flu'
    """
    parts = []
    if belief.by is not None:
        parts.append(f"{'shape' if belief.counts is None else 'counts'} by {belief.by}")
    if isinstance(belief.counts, Weights):
        parts.append("counts " + _list_weights(belief.counts))
    if isinstance(belief.shape, Weights):
        parts.append("shape " + _list_weights(belief.shape))
    elif belief.shape is not None and belief.by is None:
        parts.append("uniform shape" if belief.shape == "uniform" else "shape of the release")
    elif belief.counts is None and belief.shape is None:
        parts.append("any shape")
    if belief.stubbornness is not None:
        # the ends of the range, where they are not the usual ones
        most, least = f"stubbornness {exact_text(belief.stubbornness)}", belief.least_stubbornness
        if least in ("same", belief.stubbornness):
            most = most.replace("stubbornness", "stubbornness exactly")
        elif least is not None:
            most += " or less" if isinstance(least, str) else f", at least {exact_text(least)}"
        parts.append(most)
    questions = [belief.predicates] if isinstance(belief.predicates, str) else map(str, belief.questions)
    phrases = {
        f"knows {counted(belief.known_people, 'person')}": belief.known_people,
        f"rules out {counted(belief.rules_out, 'value')}": belief.rules_out,
        f"about {', '.join(questions)}": belief.predicates,
        f"as '{belief.wishes}' says": belief.wishes is not None,
        f"apart from {listed(belief.apart_from, most=3)}": belief.apart_from,
        f"by the {belief.decided_by}": belief.decided_by != "definition",
    }
    return ", ".join([*parts, *(words for words, applies in phrases.items() if applies)])


def describe_attacker(belief: PriorBelief, *, at_worst: Amount | None = None) -> str:
    """Describe the attacker, and where in a range of stubbornness the worst case is.

    >>> from sidelight import PriorBelief
    >>> describe_attacker(PriorBelief(stubbornness=30_000, known_people=2))
    'Someone as sure as at most 30,000 survey answers of any kind make one, who knows 2 people,'
    >>> describe_attacker(PriorBelief(shape="uniform", stubbornness=1_000), at_worst=2)
    'Someone as sure as at most 1,000 survey answers make one (at worst 2), who takes all values for equally common,'
    >>> describe_attacker(PriorBelief(shape="uniform", stubbornness=math.inf))
    'Someone who takes all values for equally common and is moved by no evidence'
    """
    most, least = belief.stubbornness, belief.least_stubbornness
    knows = [f"knows {counted(belief.known_people, 'person')}"] if belief.known_people else []
    knows += [f"can rule out {counted(belief.rules_out, 'value')}"] if belief.rules_out else []
    expects = []
    if belief.by is not None:
        expects = [f"expects other things by {belief.by}"]
    elif isinstance(belief.shape, Weights):
        expects = ["expects " + _list_weights(belief.shape)]
    elif belief.shape is not None:
        uniform = belief.shape == "uniform"
        expects = ["takes all values for equally common" if uniform else "expects the shares of the whole release"]
    one_prior = isinstance(belief.counts, Weights | WeightsByLabel) or least in ("same", most)
    if most == math.inf and (least is None or one_prior):
        return (
            f"Someone who {_join_traits([*(expects or ['may believe anything']), 'is moved by no evidence', *knows])}"
        )
    total = belief.counts.total if isinstance(belief.counts, Weights | WeightsByLabel) else most
    assert total is not None
    answers = "any number of" if total == math.inf else f"{'' if one_prior else 'at most '}{exact_text(total)}"
    kind = " of any kind" if belief.counts is None and belief.shape is None else ""
    worst = f" (at worst {exact_text(at_worst)})" if at_worst is not None and at_worst != total else ""
    who = f"Someone as sure as {answers} survey answers{kind} make one{worst}"
    return f"{who}, who {_join_traits([*expects, *knows])}," if expects or knows else who


def _list_weights(weights: Weights) -> str:
    few = sorted(weights.items(), key=lambda pair: -pair[1])[:3]
    return ", ".join(f"{shown(text)} {exact_text(weight)}" for text, weight in few) + ", …" * (len(weights) > 3)


def _join_traits(traits: list[str]) -> str:
    return ", ".join(traits[:-1]) + " and " * (len(traits) > 1) + traits[-1]
