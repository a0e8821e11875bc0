"""The confidence of an attacker with statistics, the part of it that the release adds, and its distance from the truth.

    MaxEnt            max over q and s of P*(s | q), by maximum entropy
    MaxEntGain        max over q and s of P*(s | q) − P°(s | q), where P° is of the same knowledge without the release
    EstimationError   Σ_q P(q) Σ_s P(s | q) ln( P(s | q) / P*(s | q) ), of the original P

A rule that is certain by itself ("no woman is in the army") makes P* = 1 whatever is released; the gain does not count
what the attacker knew before, and the error is an average over everybody.  "Without the release", people are in one
group: the people (q) and the frequency of each value are known, as for closeness, and nothing about who is where.  Then
P°(s | q) = P(s) where nothing else is known, and a release of one group gains nothing.

Statements link groups, so that these measures are not mergeable: searches go without them and judge what they found.
In groups that no statement touches, P*(s | q) is a ratio of counts and exact; elsewhere the solver is right to more
than nine decimals, and the value is rounded towards caution there, so that a bound is never decided too kindly.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008; the gain ours.

*Rules.*  An attacker may know the strongest association rules of the original table.

A rule is a condition Q on some quasi-identifiers and a value s: "who says Q has s" of strength P(s | Q), or "who says Q
has not s" of strength P(¬s | Q); its support is how many people follow it.  Top-(K₊, K₋) are the K₊ strongest rules of
the first kind and the K₋ strongest of the second, among those with enough support; the pair bounds the attacker.
Conditions may be denied: ¬Q ⇒ s and ¬Q ⇒ ¬s, where n(s, ¬Q) = n(s) − n(s, Q).  An attacker of vagueness ε knows each
probability p as [p − ε, p + ε], and ε is part of the bound.

Every subset of the quasi-identifiers is counted once, condition × value, and only rules that beat the weakest of the
best so far are kept: invariant, `Strongest` holds the best of all subsets seen, ordered by strength, then support,
then first seen.  Cost: Σ over subsets of conditions × values, and a partial sort of those that join.

*Curves.*  A point for each bound (K₊, K₋): the estimation error, the largest probability, and how much of that the
release adds.  The strongest K rules are the first K of any longer list, so rules are mined once.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008 (Figures 5 and 6).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from operator import index
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias

import numpy as np
import pyarrow as pa

from sidelight.arrays import Floats, Integers, add_up, number_keys
from sidelight.errors import BadKnowledge, BadMeasure, SidelightError, UnknownColumn, expect, is_one_of, parameter
from sidelight.knowledge.events import ConditionalProbability, InGroup, all_hold, event_of, negate, parts_of
from sidelight.knowledge.facts import Someone
from sidelight.knowledge.statements import Number, Statement, Statements, as_fraction, read_statements
from sidelight.max_entropy.constraints import shares_of
from sidelight.max_entropy.maxent import SOLVER_SECONDS, AnyBeliefs, maxent
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.measure import Attacker, Measure, Monotonicity, in_policy
from sidelight.measures.targets import Targeted
from sidelight.progress import Progress, quiet
from sidelight.release.groups import whole_groups
from sidelight.release.release import Members, Release
from sidelight.rounding import exact_number, in_words, round_down, to_places, whole_number
from sidelight.table.labels import Column, Label, Semantics, Tabular, number_equal_rows, show_in_list, shown
from sidelight.table.table import Counts, Table, expect_one_sensitive
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.max_entropy.beliefs import KeyBeliefs


RuleKind: TypeAlias = Literal["has", "has not"]

RuleConditions: TypeAlias = Literal["Q", "not Q", "both"]
"""Which conditions rules have: what people say, what they do not say, or either."""


def check_rules(conditions: object, vagueness: object, error: type[SidelightError]) -> None:
    """Refuse conditions that rules do not have, and a vagueness that no probability has."""
    if not is_one_of(conditions, RuleConditions):
        raise error(f"no {parameter('conditions', conditions)}; choose 'Q', 'not Q' or 'both'")
    if not 0 <= exact_number(vagueness, error, parameter("vagueness")) <= 1:
        raise error(f"{parameter('vagueness', vagueness)} is how far off a probability may be known; give 0 to 1")


def strongest_rules(
    table: Table,
    *,
    positive: int = 0,
    negative: int = 0,
    sizes: Iterable[int] | None = None,
    support: int = 3,
    conditions: RuleConditions = "Q",
    vagueness: Number = 0,
) -> tuple[Statement, ...]:
    """Return the rules that say most about who has what; how many of them are known bounds an attacker.

    All conditions Q on some quasi-identifiers (`sizes`: on how many at once; all, if left out): the `positive` rules
    "who says Q has s" with the largest P(s | Q), then the `negative` ones "who says Q has not s" with the largest
    P(not s | Q), of those that at least `support` people follow.  Of equally strong ones first those that more people
    follow, then those of fewer columns, in the order of the columns, labels and values.  Each is a statement with its
    true probability ± `vagueness`, for `maxent`.  With `conditions="not Q"` rules are about everybody who does not say
    Q, with "both" about either; where a column has two labels, not to say one is to say the other, and only that is a
    rule.

    >>> import sidelight as sl
    >>> table = sl.datasets.adult(quasi=["sex", "race"]).table
    >>> for rule in strongest_rules(table, positive=1, negative=1):
    ...     print(rule, rule.kind, rule.support)
    P(Adm-clerical | race=Asian-Pac-Islander, sex=Female) = 29/109 has 116
    P(Armed-Forces | sex=Female) = 0 has not 14695
    >>> rule  # doctest: +ELLIPSIS
    Statement(terms=..., scale=Fraction(0, 1), support=14695, kind='has not')
    >>> for rule in strongest_rules(table, positive=1, conditions="not Q", vagueness=0.01):
    ...     print(rule.about, round(float(rule.low), 3), round(float(rule.high), 3))
    P(Adm-clerical | sex != Male) 0.244 0.264

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008 (Top-(K₊, K₋) strongest associations).
    """
    expect(Table, table, "what rules are mined from")
    expect_one_sensitive(table, "a rule")
    widths = range(1, len(table.quasi) + 1) if sizes is None else sorted(set(sizes))
    if table.semantics != "single":
        raise BadKnowledge(
            f"rules need one value per person, and this table has {parameter('values', table.semantics)}"
        )
    check_rules(conditions, vagueness, BadKnowledge)
    positive, negative = index(positive), index(negative)
    support = whole_number(support, BadKnowledge, parameter("support"))
    if positive < 0 or negative < 0 or any(not 1 <= size <= len(table.quasi) for size in widths):
        raise BadKnowledge(
            f"give how many rules (0, 1, 2, …) and sizes between 1 and {len(table.quasi)}, the quasi-identifiers"
        )
    subsets = [subset for size in widths for subset in combinations(table.quasi, size)]
    sources = [
        (subset, denied)
        for denied in (False, True)
        for subset in subsets
        if conditions in ("both", "not Q" if denied else "Q")
        # of two labels, not to say the one is to say the other: those rules are there already
        and not (conditions == "both" and denied and len(subset) == 1 and len(np.unique(subset[0].codes)) == 2)
    ]
    has = has_not = np.empty(0, _RULE)
    for number, (subset, denied) in enumerate(sources):
        condition, first = number_equal_rows(subset, len(table.sizes))
        counts = table.counts.roll_up(condition, groups=len(first))
        has = _add_source(has, positive, number, counts, max(support, 1), "has", denied=denied)
        has_not = _add_source(has_not, negative, number, counts, max(support, 1), "has not", denied=denied)
    epsilon = as_fraction(vagueness)
    return (*_rules(has, table, sources, "has", epsilon), *_rules(has_not, table, sources, "has not", epsilon))


Strongest: TypeAlias = np.ndarray[tuple[int], np.dtype[np.void]]
"""The strongest rules so far: strength, people who follow it, and which source, condition and value it is."""

_RULE = np.dtype([("strength", float), *((name, np.int64) for name in ("support", "source", "condition", "value"))])


def _add_source(  # noqa: PLR0917 - what is known of one source
    best: Strongest, most: int, source: int, counts: Counts, support: int, kind: RuleKind, *, denied: bool
) -> Strongest:
    """Merge the rules of one subset of columns, or of its complement if `denied`, into the strongest so far."""
    people, totals = counts.per_row(), counts.totals()
    for rows in counts.blocks() if most else ():
        cells, size = counts.take(rows).dense(), people[rows, np.newaxis]
        if denied:
            # denied conditions: everybody but those who say it
            cells, size = totals - cells, totals.sum() - size
        follow = cells if kind == "has" else size - cells
        strength = follow / np.maximum(size, 1)
        joins = (follow >= support) & (totals > 0)
        if len(best) == most:  # stronger than the weakest so far; of equal ones, those that came first stay
            weakest = best[-1]
            equal = strength == weakest["strength"]
            joins &= (strength > weakest["strength"]) | (equal & (follow > weakest["support"]))
        condition, value = np.nonzero(joins)
        kept = _strongest(strength[condition, value], follow[condition, value], most)
        condition, value = condition[kept], value[kept]
        added = np.empty(len(kept), _RULE)
        added["strength"], added["support"] = strength[condition, value], follow[condition, value]
        added["source"], added["condition"], added["value"] = source, rows.start + condition, value
        best = np.concatenate((best, added))
        # stable, so that among equals earlier sources, conditions and values come first
        best = best[np.lexsort((-best["support"], -best["strength"]))[:most]]
    return best


def _rules(
    best: Strongest, table: Table, sources: Sequence[tuple[Sequence[Column], bool]], kind: RuleKind, vagueness: Fraction
) -> Iterator[Statement]:
    first = {at: number_equal_rows(sources[at][0], len(table.sizes))[1] for at in np.unique(best["source"]).tolist()}
    for strength, follow, source, condition, value in best.tolist():
        columns, denied = sources[source]
        known = event_of((column.name, column.cell(int(first[source][condition]))) for column in columns)
        # follow / strength is the size of the condition, a whole number
        share = Fraction(follow, round(follow / strength))
        share = share if kind == "has" else 1 - share
        about = ConditionalProbability((table.domain[value],), event_of([negate(all_hold(known))]) if denied else known)
        low = high = share
        if vagueness:
            low, high = max(share - vagueness, Fraction(0)), min(share + vagueness, Fraction(1))
        yield Statement(((Fraction(1), about),), low, high, support=follow, kind=kind)


def _strongest(strength: Floats, support: Integers, most: int) -> Integers:
    """Return the indices of the `most` strongest; of equal ones those with more support, then the first."""
    if len(strength) <= most:
        return np.arange(len(strength))
    # everything above the limit is in; of those at it, as many as there is room for
    limit = np.partition(strength, len(strength) - most)[len(strength) - most]
    above, level = np.flatnonzero(strength > limit), np.flatnonzero(strength == limit)
    followed = level[np.argsort(-support[level], kind="stable")[: most - len(above)]]
    return np.sort(np.concatenate((above, followed)))


SURE_PLACES, PLACES_IN_TIME = 9, 6
"""Decimals to which results of the solver are rounded towards caution; and those where the time was up."""


STATISTICIAN = Attacker("a statistician", "probabilities, such as “men rarely have it”", family="belief")


@dataclass(frozen=True, slots=True, repr=False)
class Believed(Witness):
    """The person of the largest probability: what is known about them; `key` is its number in the release."""

    key: int = 0
    says: tuple[tuple[str, Label], ...] = ()

    def whom(self) -> str:
        """Return what is known about the person."""
        says = ", ".join(f"{column} {show_in_list(text)}" for column, text in self.says)
        return f"with {says}" if says else f"in {self.group}"


@dataclass(frozen=True, repr=False)
class WithStatistics(Measure):
    """A measure of an attacker who knows statements, and some of the strongest rules of the original table."""

    knowing: Statements = field(default=(), metadata=in_policy(tuple[str, ...]))
    rules: tuple[int, int] = (0, 0)
    table: Table | None = field(default=None, repr=False, metadata=in_policy(None))
    vagueness: Number = 0
    conditions: RuleConditions = "Q"
    seconds: float = SOLVER_SECONDS

    semantics: ClassVar[tuple[Semantics, ...]] = ("single", "set")
    mergeable: ClassVar[bool] = False
    when_groups_merge = Monotonicity.UNKNOWN

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "knowing", tuple(replace(each, text=None) for each in read_statements(self.knowing)))
        object.__setattr__(self, "rules", tuple(self.rules))
        if len(self.rules) != 2 or min(self.rules) < 0:
            raise BadMeasure("rules= are two numbers: how many of the strongest rules 'has' and 'has not' are known")
        object.__setattr__(self, "seconds", round_down(exact_number(self.seconds, BadMeasure, parameter("seconds"))))
        check_rules(self.conditions, self.vagueness, BadMeasure)
        if not self.seconds > 0:
            raise BadMeasure(f"{parameter('seconds', self.seconds)} is no time to solve in; give more than 0")

    def settings(self) -> dict[str, object]:
        """Return the parameters as in a policy file."""
        own, knowing = super().settings(), [each.words for each in read_statements(self.knowing)]
        written = {"knowing": knowing, "rules": [*self.rules]}
        return {name: written.get(name, setting) for name, setting in own.items()}

    def bind_table(self, table: Table) -> Self:
        """Mine the rules from this table, unless another one was given."""
        return replace(self, table=table) if self.table is None and self.knows_true_values else self

    @property
    def knows_true_values(self) -> bool:  # type: ignore[override]
        """Whether rules are mined from the original."""
        return self.rules != (0, 0)

    def statements(self) -> tuple[Statement, ...]:
        """List all that is known: the statements, then the rules."""
        stated: Iterable[Statement] = self.knowing  # type: ignore[assignment]
        if self.rules == (0, 0):
            return tuple(stated)
        if self.table is None:
            raise BadMeasure(
                "rules=(K₊, K₋) are mined from the original; give table=, or knowing=strongest_rules(table, …)"
            )
        k = self.rules
        mined = strongest_rules(
            self.table, positive=k[0], negative=k[1], conditions=self.conditions, vagueness=self.vagueness
        )
        return (*stated, *mined)

    def beliefs(self, release: Release) -> AnyBeliefs:
        """Return the beliefs of the attacker."""
        self.check(release)
        try:
            return maxent(release, self.statements(), seconds=self.seconds)
        except BadKnowledge as error:
            if self.rules == (0, 0):
                raise
            raise BadMeasure(
                f"the rules do not fit this release: {error}; it does not print the columns as they are, so use one "
                f"with members, such as those of group and of {parameter('method', 'anatomy')}"
            ) from None

    def _knows(self) -> str:
        known = len(self.statements())
        return counted(known, "statement") if known else "nothing else"

    def _explain(self, finding: Finding, believes: str) -> str:
        witness = finding.witness
        if not isinstance(witness, Believed):
            return "Nobody can be believed to have it: " + finding.notes[0] + "."
        return f"By maximum entropy, {believes} that a person {witness.whom()} has '{shown(witness.value)}'."

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclass(frozen=True, repr=False)
class MaxEnt(WithStatistics, Targeted):
    """How sure would somebody get who knows some statistics and assumes nothing else?

    The largest P*(s | q) of the distribution of largest entropy that fits the release and the statements (see
    `maxent`); q is what an attacker may know about a person.  This is not counting worlds, as `Implications` does: the
    two agree when nothing is known.  `knowing` are statements; `rules=(K₊, K₋)` are the numbers of the strongest rules
    of the original `table` (which `protect` supplies) that are known, ± `vagueness`; with `conditions` also those about
    people who do not say something (see `strongest_rules`).  Where a rule is certain by itself this is 1, whatever is
    released: bound `MaxEntGain` or `EstimationError` then.

    Values in `apart_from` are believed like any others, and are no targets.  It needs a whole release at once, so
    searches go without it and judge their results by it.  An exact `Fraction` where no statement touches the groups,
    otherwise a float, rounded up at the ninth decimal.  Solving takes at most `seconds`; where the time was up before
    everything was decided, the value is rounded up at the sixth, and a limit that close cannot be judged (`TooHard`).

    >>> ward = Release.from_buckets([([{"sex": "male"}, {"sex": "female"}], ["Flu", "Anorexia"])])
    >>> MaxEnt().measure(ward).value
    Fraction(1, 2)
    >>> finding = MaxEnt(knowing=["P(Anorexia | sex=male) = 0"]).measure(ward)
    >>> print(finding.explain())
    By maximum entropy, someone who knows 1 statement would be sure (1) that a person with sex female has 'Anorexia'.

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
    """

    name: ClassVar[str] = "maximum entropy"
    attacker = replace(STATISTICIAN, counts="how sure they would be")
    also_called = ("maxent", "privacy-maxent")
    limits = (0, 1)

    def belief_at(self, limit: Fraction) -> Fraction | None:
        """Return the limit: attackers who know less are within it too."""
        return limit if self.targets.every_value else None

    def measure(self, release: Release) -> Finding:
        """Find the person with the largest probability."""
        beliefs = self.beliefs(release)
        by_key = beliefs.by_kind
        # the largest float may not be the largest exact value: all that are close are compared as they are decided
        in_question = np.isin(by_key.value, self.targets.indices(release.groups))
        if not in_question.any():
            return Finding(self, Fraction(0), None, (self.targets.nobody(), *beliefs.notes))
        probability = np.where(in_question, by_key.probability, -1)
        # probabilities this close to the largest are compared exactly, where that is possible
        close = 1e-9 if _precision(beliefs)[1] == SURE_PLACES else 2 * 10.0**-PLACES_IN_TIME
        near = np.flatnonzero(probability >= probability.max() - close)[:1000]
        values = [_cautious(beliefs, int(by_key.key[at]), int(by_key.value[at])) for at in near]
        witness = _build_witness(by_key, int(near[values.index(max(values))]))
        kindest = None
        if beliefs.undecided and isinstance(max(values), float):
            kindest = max(max(values) - 2 * 10.0**-PLACES_IN_TIME, 0.0)
        return Finding(self, max(values), witness, beliefs.notes, kindest)

    def explain(self, finding: Finding) -> str:
        """Explain a finding: the person and the probability, by maximum entropy."""
        sure = "be sure (1)" if finding.value == 1 else f"believe with probability {in_words(finding.value)}"
        return self._explain(finding, f"someone who knows {self._knows()} would {sure}")

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Solve again, and add up all groups of the person."""
        assert isinstance(witness, Believed)
        return _cautious(self.beliefs(release), witness.key, release.groups.code_of(witness.value))


@dataclass(frozen=True, repr=False)
class MaxEntGain(WithStatistics, Targeted):
    """How much surer does the release make somebody who knows some statistics anyway?

    The largest P*(s | q) − P°(s | q): what is believed by maximum entropy with the release, less what is believed with
    the same statements without it, when only the people (q) and how often each value occurs are known.  So what
    statements say by themselves is no gain, and a release of one group gains nothing.  Parameters as in `MaxEnt`.  Of
    releases that print the columns that statements speak of as they are, or say who is in which group.

    >>> ward = Release.from_buckets([([{"sex": "male"}, {"sex": "female"}], ["Flu", "Cold"]),
    ...                              ([{"sex": "male"}, {"sex": "female"}], ["Flu", "Anorexia"])])
    >>> known = ["P(Anorexia | sex=male) = 0", "P(Cold | sex=male) = 0"]
    >>> MaxEnt(knowing=known).measure(ward).value, MaxEntGain(knowing=known).measure(ward).value
    (1.0, 0.0)
    >>> MaxEntGain(knowing=["P(Anorexia | sex=male) = 0"]).measure(ward)  # 1/4 that a woman has a cold, and 1/6 without
    <Finding: maximum entropy gain(knowing=["P(Anorexia | sex=male) = 0"]) is 0.0834, in group 1>

    Source: ours, on Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
    """

    name: ClassVar[str] = "maximum entropy gain"
    attacker = replace(STATISTICIAN, counts="how much they would learn")
    also_called = ("maxent gain", "belief gain")
    limits = (0, 1)

    def measure(self, release: Release) -> Finding:
        """Find the person about whom the attacker learns most."""
        after, before = self._both(release)
        gains, by_kind = gains_of(after.by_kind, before.by_kind), after.by_kind
        in_question = np.isin(by_kind.value, self.targets.indices(release.groups))
        if not in_question.any():
            return Finding(self, Fraction(0), None, (self.targets.nobody(), *after.notes))
        at = int(np.argmax(np.where(in_question, np.round(gains, SURE_PLACES), -math.inf)))
        value, undecided = self._decide(after, before, at), after.undecided or before.undecided
        kindest = max(value - 4 * 10.0**-PLACES_IN_TIME, 0.0) if undecided else None
        return Finding(self, value, _build_witness(by_kind, at), after.notes, kindest)

    def _both(self, release: Release) -> tuple[AnyBeliefs, AnyBeliefs]:
        after, statements = self.beliefs(release), self.statements()
        # without groups no row is suppressed, so that people whom statements leave aside there could not be excluded
        rows_suppressed = release.members is None and after.variables.suppressed.any()
        if (after.by_kind.keys.part >= 0).any() or (rows_suppressed and statements):
            raise BadMeasure(
                f"'{self.name}' is of people whose columns are known, and this release hides some that statements "
                "speak of; use one with members, or state what its labels say"
            )
        # without groups, group 1 would be everybody
        shares = [*shares_of(read_statements(statements))]
        parts = (part for share in shares for each in (*share.given, *share.where) for part in parts_of(each))
        if any(isinstance(share.person, Someone) for share in shares) or any(
            isinstance(each, InGroup) for each in parts
        ):
            raise BadMeasure(
                f"'{self.name}' is over what is known without the release; leave out statements about its groups"
            )
        try:
            return after, maxent(merge_groups(release), statements, seconds=self.seconds)
        except (BadKnowledge, UnknownColumn) as error:
            raise BadMeasure(f"without the release, what is known cannot be judged: {error}") from None

    def _decide(self, after: AnyBeliefs, before: AnyBeliefs, at: int) -> Amount:
        """Return a gain: exact where nothing else is known, otherwise rounded up."""
        by_kind, groups = after.by_kind, after.release.groups
        if after.known:
            error, places = _precision(after, before)
            gain = Fraction(float(gains_of(by_kind, before.by_kind)[at])) + error
            return min(max(float(to_places(gain, places)), 0.0), 1.0)
        value = int(by_kind.value[at])
        sure = _cautious(after, int(by_kind.key[at]), value)
        assert isinstance(sure, Fraction)
        return max(sure - Fraction(int(groups.counts.totals()[value]), after.release.size), Fraction(0))

    def explain(self, finding: Finding) -> str:
        """Explain a finding: the person and the gain."""
        surer = f"surer by {in_words(finding.value)}"
        return self._explain(finding, f"the release makes someone who knows {self._knows()} {surer}")

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Solve both again."""
        assert isinstance(witness, Believed)
        after, before = self._both(release)
        value = release.groups.code_of(witness.value)
        (at,) = np.flatnonzero((after.by_kind.key == witness.key) & (after.by_kind.value == value))
        return self._decide(after, before, int(at))


@dataclass(frozen=True, repr=False)
class EstimationError(WithStatistics):
    """How far from the truth does somebody stay who knows some statistics?

    Σ_q P(q) Σ_s P(s | q) ln( P(s | q) / P*(s | q) ), in nats: of the original `table` (which `protect` supplies), and
    of the beliefs by maximum entropy.  0: everything about everybody is known, so a larger value is better.  An average
    over everybody, as in the paper's figures; some may be worse off.  Of releases that print people's cells unchanged,
    such as buckets (`method="anatomy"`); coarser ones are refused.  Parameters as in `MaxEnt`.  A float, rounded down
    at the ninth decimal.

    >>> import sidelight as sl
    >>> table = sl.datasets.adult(quasi=["sex", "race"]).table
    >>> release = sl.group(table, by="sex")
    >>> [round(EstimationError(rules=(k, k), table=table).measure(release).value, 3) for k in (0, 10, 100)]
    [0.013, 0.011, 0.0]

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008 (section 7, Figures 5 and 6).
    """

    name: ClassVar[str] = "estimation error"
    attacker = replace(STATISTICIAN, counts="how far they stay from the truth")
    also_called = ("maxent error", "kullback-leibler")
    large_is_bad: ClassVar[bool] = False
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Return nothing: it needs a table, which a release does not have."""
        return ()

    @property
    def knows_true_values(self) -> bool:  # type: ignore[override]
        """Always: beliefs are compared with the original."""
        return True

    def measure(self, release: Release) -> Finding:
        """Compare the beliefs with the original."""
        if self.table is None:
            raise BadMeasure(f"'{self.name}' is how far beliefs are from the original; give table=")
        beliefs = self.beliefs(release)
        error, (margin, places) = beliefs.estimation_error(self.table), _precision(beliefs)
        lowest = error - float(margin)
        value = math.inf if math.isinf(error) else max(math.floor(lowest * 10**places) / 10**places, 0.0)
        notes = ("this is of everybody on average, and some may be worse off", *beliefs.notes)
        return Finding(self, value, None, notes, value + 2 * 10.0**-places if beliefs.undecided else None)

    def explain(self, finding: Finding) -> str:
        """Explain a finding: the distance from the truth."""
        return (
            f"By maximum entropy, someone who knows {self._knows()} stays {finding.value_in_words()} nats from the "
            "truth, on average (0: everything is known)."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Solve again."""
        return self.measure(release).value


def merge_groups(release: Release) -> Release:
    """Merge all groups into one: the people and the frequency of each value, and nothing about who is where.

    >>> wards = Release.from_counts([{"Flu": 1, "Cold": 1}, {"Flu": 3}], labels=[{"sex": "f"}, {"sex": "m"}])
    >>> merge_groups(wards)
    <Release of 5 people in 1 group, value: 2 values (single)>
    """
    groups, members = release.groups, release.members or Members.as_printed(release.groups)
    key, first = number_keys(members.key, below=members.key_count)
    people = add_up(key, members.people, len(first))
    everybody = Members(members.columns, np.zeros(len(first), np.int64), members.key[first], people)
    pooled = whole_groups(
        domain=groups.domain,
        sizes=[release.size],
        counts=Counts.from_cells(groups.counts.totals()[np.newaxis]),
        semantics=groups.semantics,
    )
    return Release(pooled, release.sensitive, members=everybody)


def gains_of(after: KeyBeliefs, before: KeyBeliefs) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return P*(s | q) − P°(s | q) for all kinds and values with the release; kinds are the same in both."""
    return after.probability - before.probabilities_at(after.key, after.value)


def _build_witness(beliefs: KeyBeliefs, at: int) -> Believed:
    members, key = beliefs.members, int(beliefs.key[at])
    group = beliefs.variables.release.groups.name(int(members.group[members.key == beliefs.keys.printed[key]][0]))
    return Believed(group, beliefs.domain[int(beliefs.value[at])], key=key, says=beliefs.says(key))


def _cautious(beliefs: AnyBeliefs, key: int, value: int) -> Amount:
    """Return P*(s | q): exact where it has a closed form, otherwise rounded up."""
    members, groups = beliefs.by_kind.members, beliefs.release.groups
    rows = np.flatnonzero(members.key == beliefs.by_kind.keys.printed[key])
    if not beliefs.find_touched_groups(value)[members.group[rows]].any():
        expected = sum(
            Fraction(int(members.people[row]) * int(groups.counts.row(group)[value]), int(groups.sizes[group]))
            for row, group in zip(rows.tolist(), members.group[rows].tolist(), strict=True)
        )
        return Fraction(expected, int(members.people[rows].sum()))
    by_key = beliefs.by_kind
    (at,) = np.flatnonzero((by_key.key == key) & (by_key.value == value))
    # up, but for the solver's own error, which is far below a tenth of the last place
    solved = Fraction(float(by_key.probability[at]))
    error, places = _precision(beliefs)
    return min(float(to_places(solved + error, places)), 1.0)


def _precision(*beliefs: AnyBeliefs) -> tuple[Fraction, int]:
    """Return what is added before rounding up, and the number of decimals.

    Beliefs with noisy measurements are right to some seven decimals, others to more than the last.
    """
    measured = any(known.noise for each in beliefs for known in each.known)
    error = Fraction(1, 10**PLACES_IN_TIME) if measured else -Fraction(1, 10 ** (SURE_PLACES + 1))
    in_time = measured or any(each.undecided for each in beliefs)
    return error, PLACES_IN_TIME if in_time else SURE_PLACES


@dataclass(frozen=True, slots=True)
class RulePoint:
    """A number of rules, and the estimation error, largest probability and gain that follow from them."""

    positive: int
    negative: int
    estimation_error: float
    surest: float
    gain: float


@dataclass(frozen=True, slots=True)
class RuleCurve(Tabular):
    """Points by the number of the strongest rules that are known; made by `rule_curve`."""

    points: tuple[RulePoint, ...]

    def plot(self) -> alt.TopLevelMixin:
        """Draw the estimation error against the number of rules that are known.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("rules.svg")` writes it.
        """
        from sidelight.report.charts.attackers import rules_chart  # noqa: PLC0415 - it stands below

        return rules_chart(self)

    def to_arrow(self) -> pa.Table:
        """Return a row per point."""
        return pa.Table.from_pylist([asdict(point) for point in self.points])

    def _repr_html_(self) -> str:
        rows = [(*asdict(point).values(),) for point in self.points]
        names = ["K₊", "K₋", "estimation error", "surest belief", "gain"]
        return html_table("Believed by how many rules are known", names, rows, total=len(rows))


def rule_curve(
    release: Release,
    table: Table,
    bounds: Iterable[int | tuple[int, int]],
    *,
    sizes: Iterable[int] | None = None,
    support: int = 3,
    conditions: RuleConditions = "Q",
    vagueness: Number = 0,
    progress: Progress = quiet,
) -> RuleCurve:
    """Compute the estimation error, the largest probability and the gain for each bound on rules.

    A bound is how many of the strongest rules "has" and "has not" of the original `table` are known, (K₊, K₋), or a
    number K for half of each.  The other parameters are those of `strongest_rules`.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["sex", "race"]).table
    >>> curve = rule_curve(sl.group(adult, by="sex"), adult, [0, (10, 0), (0, 10), 100])
    >>> [(point.positive, point.negative, round(point.estimation_error, 4)) for point in curve.points]
    [(0, 0, 0.0128), (10, 0, 0.0115), (0, 10, 0.0127), (50, 50, 0.002)]

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008 (Figure 5; Figure 6 with `sizes=[T]`).
    """
    # of an odd number, one more "has"
    pairs = [((bound + 1) // 2, bound // 2) if isinstance(bound, int) else bound for bound in bounds]
    for pair in pairs:
        sensible = (
            isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(each, int) and each >= 0 for each in pair)
        )
        if not sensible:
            raise BadKnowledge("a bound is how many rules are known: 0, 1, 2 and so on, or a pair of them")
    # mined once for the largest bound: the rules of a smaller one are the first of them
    rules = strongest_rules(
        table,
        positive=max((positive for positive, _ in pairs), default=0),
        negative=max((negative for _, negative in pairs), default=0),
        sizes=sizes,
        support=support,
        conditions=conditions,
        vagueness=vagueness,
    )
    has = [rule for rule in rules if rule.kind == "has"]
    has_not = [rule for rule in rules if rule.kind == "has not"]
    points = []
    for number, (positive, negative) in enumerate(pairs):
        progress("bounds", number, len(pairs))
        known = (*has[:positive], *has_not[:negative])
        points.append(
            RulePoint(
                positive,
                negative,
                float(EstimationError(known, table=table).measure(release).value),
                float(MaxEnt(known).measure(release).value),
                float(MaxEntGain(known).measure(release).value),
            )
        )
    return RuleCurve(tuple(points))
