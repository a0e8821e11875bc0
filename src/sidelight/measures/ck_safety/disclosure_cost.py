"""How bad could it get, if some values are worse to disclose than others?

    max over people p, values s and k pieces of knowledge φ of  w(s) · Pr(p has s | release, φ)

Values of one weight w are a class, and the maximum over a class is what `Implications` (or `Negations`) says of these
targets alone.  So the cost is the largest, over the different weights, of w times that: whatever is claimed of the
adversary (how it merges, what merging groups does to it, that its witness replays) holds of the cost.

Source: Martin et al., Worst-case background knowledge, ICDE 2007, whose section 6 leaves cost-based disclosure open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from sidelight.errors import BadMeasure, as_given, listed
from sidelight.measures.ck_safety.implications import Implications, Negations, chosen_facts, nobody_shown
from sidelight.measures.criterion import Amount, Bound, Finding, Witness
from sidelight.measures.exact import Screen
from sidelight.measures.measure import Attacker, Measure, Monotonicity, Summary, read, whole
from sidelight.measures.targets import Tariff, read_rate
from sidelight.rounding import in_words
from sidelight.table.labels import Label, Semantics, shown

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release

Adversary: TypeAlias = Literal["implications", "negations"]
ADVERSARIES: dict[str, type[Implications | Negations]] = {"implications": Implications, "negations": Negations}


@dataclass(frozen=True)
class DisclosureCost(Measure):
    """How bad could it get, if some values are worse to disclose than others?

    The largest w(s) · Pr(p has s | the release and what is known) over all people p, all values s and any `k`
    implications (or negations, by `knows`).  `weights` say how bad it is that a value is disclosed; values that are not
    named have the weight `otherwise`.  With all weights 1 it is `Implications(k)`.

    >>> ward = Release.from_counts([{"AIDS": 1, "Flu": 4, "Cold": 5}])
    >>> finding = DisclosureCost(1, {"AIDS": 1, "Flu": 1/10, "Cold": 1/10}).measure(ward)
    >>> finding.value, finding.witness.value, finding.replay(ward)
    (Fraction(1, 5), 'AIDS', Fraction(1, 5))
    >>> print(finding.explain())  # doctest: +NORMALIZE_WHITESPACE
    In group 1 anyone, the target, could be shown to have AIDS with probability 1/5 by someone who knows that, if the
    target has Cold, the target has AIDS. Weighted by 1, which is how bad it is to disclose AIDS, that is 1/5.

    Source: Martin, Kifer, Machanavajjhala, Gehrke, Halpern, Worst-case background knowledge, ICDE 2007 (future work).
    """

    k: int = field(metadata=whole())
    weights: Mapping[str, Bound] | Mapping[Label, Bound] = field(
        metadata=read(partial(Tariff.read, "weights"), hint=Mapping[str, float])
    )
    otherwise: Bound = field(default=1, metadata=read(partial(read_rate, "otherwise")))
    knows: Adversary = "implications"

    name: ClassVar[str] = "disclosure cost"
    attacker = Attacker(
        "the worst case, where values weigh differently", chosen_facts, "the largest weighted risk", "facts"
    )
    depends_on_whole: ClassVar[bool] = False
    semantics: ClassVar[tuple[Semantics, ...]] = Implications.semantics
    when_groups_merge = Monotonicity.NON_INCREASING
    more_is_worse = ("k",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.different_weights():
            message = f"'{self.name}' has no weight above 0, so nothing counts; give at least one"
            raise BadMeasure(message)
        if self.knows not in ADVERSARIES:
            message = f"'{self.name}' has no knows={as_given(self.knows, quoted=True)}; give {listed([*ADVERSARIES])}"
            raise BadMeasure(message)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        first, last = dict.fromkeys(domain[:1], 3), dict.fromkeys(domain[-1:], 0)
        several = {value: Fraction(1 + place % 3, 4) for place, value in enumerate(domain)}
        return (cls(1, first), cls(2, last), cls(0, first), cls(2, several), cls(1, several, knows="negations"))

    @property
    def _tariff(self) -> Tariff:
        assert isinstance(self.weights, Tariff)  # __post_init__ saw to it
        return self.weights

    @property
    def _otherwise(self) -> Fraction:
        assert isinstance(self.otherwise, Fraction)
        return self.otherwise

    def monotonicity(self, semantics: Semantics) -> Monotonicity:
        return self.adversary().monotonicity(semantics)

    def check(self, release: Release) -> None:
        super().check(release)
        self._tariff.check(release.domain)

    def adversary(self, apart_from: tuple[Label, ...] = ()) -> Implications | Negations:
        """Return the question about all values, or about those of one weight."""
        return ADVERSARIES[self.knows](self.k, apart_from=apart_from)

    def different_weights(self) -> list[Fraction]:
        """List the weights that count, the largest first."""
        # a weight of 0 counts for nothing, however likely the value is
        return sorted({*self._tariff.values(), self._otherwise} - {Fraction(0)}, reverse=True)

    def question(self, weight: Fraction, domain: tuple[Label, ...]) -> Implications | Negations:
        """Return the adversary's question about the values of this weight alone."""
        # leaving out all other weights asks about this class of values alone
        others = tuple(value for value in domain if self._tariff.rate(value, self._otherwise) != weight)
        return self.adversary(others)

    def summarize(self, groups: Groups) -> CostSummary:
        parts = [
            (weight, self.question(weight, groups.domain).summarize(groups)) for weight in self.different_weights()
        ]
        return CostSummary(self, tuple(parts))

    def screen(self) -> CostScreen:
        return CostScreen(self, self.adversary().screen())

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, CostWitness):
            return nobody_shown(finding)
        question = self.adversary()
        shown_by = question.explain(Finding(question, witness.probability, witness.known))
        weight, value = in_words(witness.weight), shown(witness.value)
        return (
            f"{shown_by} Weighted by {weight}, which is how bad it is to disclose {value}, "
            f"that is {in_words(finding.value)}."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        assert isinstance(witness, CostWitness)
        return witness.weight * self.adversary().replay(witness.known, release)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CostWitness(Witness):
    """What an attacker could show, how probable that is then, and how bad the value is."""

    weight: Fraction
    probability: Amount
    known: Witness


@dataclass(frozen=True, slots=True)
class CostSummary:
    """The adversary's summary for each weight, the largest weight first."""

    measure: DisclosureCost
    parts: tuple[tuple[Fraction, Summary], ...]

    def merge(self, other: CostSummary) -> CostSummary:
        pairs = zip(self.parts, other.parts, strict=True)
        return replace(self, parts=tuple((weight, one.merge(two)) for (weight, one), (_, two) in pairs))

    def finding(self) -> Finding:
        findings = [(weight, summary.finding()) for weight, summary in self.parts]
        shown_to_have = [(weight, each) for weight, each in findings if each.witness is not None]
        if not shown_to_have:
            return Finding(self.measure, Fraction(0), None, ("nobody has any of the values that count",))
        # parts stand by falling weight and `max` keeps the first of equals: the largest weight is reported
        weight, worst = max(shown_to_have, key=lambda part: part[0] * part[1].value)
        assert worst.witness is not None
        known = worst.witness
        witness = CostWitness(known.group, known.value, weight=weight, probability=worst.value, known=known)
        return Finding(self.measure, weight * worst.value, witness)


@dataclass(frozen=True)
class CostScreen(Screen):
    """The rows of the adversary's screens side by side, one for each weight."""

    cost: DisclosureCost
    inner: Screen  # what joins rows and reads values off them is the same for all targets

    @property
    def group_by_group(self) -> bool:
        return self.inner.group_by_group

    def rows(self, groups: Groups) -> Floats:
        return np.hstack([screen.rows(groups) for screen in self._screens(groups)])

    def kinds(self, groups: Groups) -> Integers:
        return np.hstack([screen.kinds(groups) for screen in self._screens(groups)])

    def _screens(self, groups: Groups) -> list[Screen]:
        weights = self.cost.different_weights()
        return [self.cost.question(weight, groups.domain).screen() for weight in weights]

    def slack(self, people: int) -> float:
        return self.inner.slack(people) * max(1.0, float(self.cost.different_weights()[0]))

    def join(self, one: Floats, other: Floats) -> Floats:
        return np.hstack([self.inner.join(*pair) for pair in zip(self._parts(one), self._parts(other), strict=True)])

    def value(self, rows: Floats) -> Floats:
        values = [
            float(weight) * self.inner.value(part)
            for weight, part in zip(self.cost.different_weights(), self._parts(rows), strict=True)
        ]
        largest: Floats = np.max([np.zeros(len(rows)), *values], axis=0)
        return largest

    def _parts(self, rows: Floats) -> list[Floats]:
        # (groups, weights · numbers) to one (groups, numbers) for each weight
        return np.split(rows, len(self.cost.different_weights()), axis=1)
