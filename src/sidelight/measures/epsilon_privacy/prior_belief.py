"""The measure `PriorBelief`: how much more an attacker believes of a person because the person is in the release.

The belief before is in `prior`; the mathematics is in `worst_case`, where `ratios` serves audits (`summarize`),
searches (`scores`) and tables of all generalisations (`worst_of_parts`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias

import numpy as np

from sidelight.errors import BadMeasure, expect, expect_mapping, parameter
from sidelight.measures.criterion import Amount, Bound, Finding, Witness
from sidelight.measures.epsilon_privacy.prior import (
    EVERY_SUBSET,
    Least,
    Prior,
    PriorByColumn,
    Questions,
    describe_attacker,
    predicates_asked,
    priors_by_column,
    priors_for,
    read_counts,
    read_known_people,
    read_least_stubbornness,
    read_questions,
    read_shape,
    read_stubbornness,
    read_weights_by_label,
)
from sidelight.measures.epsilon_privacy.worst_case import (
    Cases,
    DecisionRule,
    PriorBeliefWitness,
    Ratio,
    WorstEpsilon,
    cases_of_wishes,
    epsilons_of_parts,
    find_printed_column,
    predicates_wished,
    replay_by_column,
    replay_witness,
    values_beside,
    worst_by_column,
    worst_of_parts,
)
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.measures.measure import (
    ROW,
    Attacker,
    Measure,
    Monotonicity,
    Settings,
    Summary,
    amount_in,
    choice,
    labels_as_written,
    read,
    read_with,
    summarize_worst,
    whole,
)
from sidelight.measures.targets import Predicate, Predicates, Targeted, predicates_as_written
from sidelight.release.release import Release
from sidelight.rounding import exact_number, short_decimal
from sidelight.table.labels import Label, Semantics, shown, written_label
from sidelight.table.table import Table, expect_one_sensitive
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.release.groups import Groups

ValueWeights: TypeAlias = Mapping[str, Bound] | Mapping[Label, Bound]
"""A weight per value."""

WeightsPerLabel: TypeAlias = (
    Mapping[str, Mapping[str, Bound]] | Mapping[str, Mapping[Label, Bound]] | Mapping[Label, Mapping[Label, Bound]]
)
"""A weight per label of a printed column and value."""


def prior_in_words(settings: Settings) -> str:
    """Describe what an attacker with a belief from elsewhere knows."""
    stubbornness, people = settings.get("stubbornness"), amount_in(settings, "known_people")
    sure = "" if stubbornness is None else f", held with a stubbornness of {stubbornness}"
    known = f"; and the values of {counted(people, 'person')}" if people else ""
    return f"{ROW}; and a belief from elsewhere of how common each value is{sure}{known}"


def _predicates_in_policy(predicates: str | Mapping[str, Sequence[str]] | Sequence[Sequence[str]]) -> object:
    if isinstance(predicates, str):
        return predicates
    if isinstance(predicates, Mapping):
        return {name: [*map(written_label, values)] for name, values in predicates.items()}
    return [[*map(written_label, values)] for values in predicates]


@dataclass(frozen=True, kw_only=True)
class PriorBelief(Targeted, GroupByGroup):
    """How much more would someone with a prior belief believe of a person because the person is in the release?

    The attacker learned about the sensitive values elsewhere: a Dirichlet prior with parameters σ(s) and total σ,
    the *stubbornness* (the number of survey answers that the belief is worth), and also knows b people exactly.  For
    each group q and value s that occurs in it,

        p_in  = n_q(s) / (n_q − min(b, n_q − n_q(s)))       the person is in the release
        p_out = (n_q(s) + σ(s) − 1) / (n_q + σ − 1)         the person is left out
        ε     = max over q, s of p_in/p_out and (1 − p_out)/(1 − p_in)

    and ε, the smallest one for which the release is ε-private, is the finding.  1 means that being in the release
    adds nothing.  The settings choose the attacker:

    | class | settings | the attacker |
    | --- | --- | --- |
    | I | `shape=` and `stubbornness=` | has this belief, at most this strongly |
    | I | `counts=`, the parameters σ(s) | has this belief, this strongly |
    | II | `stubbornness=` only | may believe anything, at most this strongly: σ(s) = 1 |
    | III | `shape=`, `stubbornness=math.inf` | has this belief and is moved by no evidence: p_out = σ(s)/σ |
    | IV | `stubbornness=math.inf` only | may believe anything, moved by nothing: ε is infinite for every release |

    `shape` is "uniform", "release" (the shares of the whole release) or a mapping value → share (scaled to add up
    to 1).  "At most" means a range: the worst is at one end of it, at σ or at the smallest stubbornness that the shape
    allows, 1 / its smallest share of a value that occurs, which a person who is left out moves most.
    `least_stubbornness=` lets the range begin elsewhere: at a number, or with "same" where it ends, for exactly σ (as
    in the paper's experiments).

    >>> pair = Release.from_counts([{"Flu": 1, "Cold": 1}])
    >>> finding = PriorBelief(shape="uniform", stubbornness=1_000).measure(pair)
    >>> finding.value, finding.witness.stubbornness
    (Fraction(3, 2), Fraction(2, 1))
    >>> PriorBelief(shape="uniform", stubbornness=1_000, least_stubbornness="same").measure(pair).value
    Fraction(1001, 1000)

    Hence II is at least as strong as I with the same stubbornness.  III is only the limit of large stubbornness: an
    attacker whom nothing moves learns nothing from groups that are like the shape, and one whom evidence moves does.
    Both are covered by `stubbornness=math.inf, least_stubbornness="smallest"`.

    The hospital of the paper; 29,998 answers elsewhere, two fifths of them Flu, make the prior (12,000, 18,000):

    >>> hospital = Release.from_counts([
    ...     {"Flu": 200, "Cancer": 300}, {"Flu": 1800, "Cancer": 2700}, {"Flu": 18000, "Cancer": 2000}])
    >>> finding = PriorBelief(counts={"Flu": 12_000, "Cancer": 18_000}).measure(hospital)
    >>> finding.value, finding.witness.group.number, finding.witness.value, finding.witness.ratio.value
    (Fraction(200000, 49999), 3, 'Flu', '(1 - p_out) / (1 - p_in)')
    >>> print(finding.explain())
    Someone as sure as 30,000 survey answers make one would be surer that a person of group 3 has Flu, by a \
factor of 4.0001: with that person left out of the release the belief is 0.5999, with them in it 0.9, and the doubt \
that is left shrinks by that factor.
    >>> PriorBelief(stubbornness=1_000).measure(hospital).value
    Fraction(1499, 500)
    >>> PriorBelief(shape={"Flu": 0.4, "Cancer": 0.6}, stubbornness=math.inf).measure(hospital).value
    Fraction(6, 1)
    >>> PriorBelief(stubbornness=math.inf).measure(hospital).value
    inf

    **Predicates** are kept private instead of each single value: sets of values, named if they are a mapping; a
    leading "not" means all other values.  Without predicates, values in `apart_from` are skipped.

    >>> stomach = {"a stomach disease": ["Ulcer", "Dyspepsia"], "no ulcer": ["not", "Ulcer"]}
    >>> ward = Release.from_counts([{"Ulcer": 2, "Dyspepsia": 3, "None": 5}])
    >>> finding = PriorBelief(stubbornness=10, known_people=1, predicates=stomach).measure(ward)
    >>> finding.value, str(finding.witness.predicate), finding.witness.p_in, finding.witness.p_out
    (Fraction(90, 19), 'no ulcer', Fraction(8, 9), Fraction(9, 19))

    `predicates="all subsets"` asks about every set of values: nothing at all is to be learned, not even that a person
    does not have a value.  It is infinite where a group lacks a value that the attacker holds possible.

    >>> finding = PriorBelief(stubbornness=10, predicates="all subsets").measure(ward)
    >>> finding.value, str(finding.witness.predicate)
    (Fraction(50, 19), 'not Ulcer')

    **Ruled out**: with `rules_out=ℓ` the attacker also knows ℓ values that the person does not have, the worst ones
    (or fewer); together with `known_people=b` it covers ℓ negations about the person and b about others.

    >>> PriorBelief(stubbornness=10, rules_out=1).measure(ward).value
    Fraction(13, 5)

    **Wishes**: each person may choose the predicate to be kept private, by its name or as a value, in a column that is
    read as sensitive beside that of the values; an empty cell chooses none.  Then only people's own predicates count,
    and merging groups may raise ε.

    >>> import pyarrow as pa
    >>> import sidelight as sl
    >>> rows = pa.table({"zip": ["1"] * 5, "disease": ["Ulcer", "Ulcer", "Flu", "Flu", "Flu"],
    ...                  "wish": ["stomach", None, None, "stomach", None]})
    >>> wishing = sl.read_release(rows, group="zip", sensitive=["disease", "wish"], missing="a value")
    >>> PriorBelief(stubbornness=10, wishes="wish", predicates={"stomach": ["Ulcer"]}).measure(wishing).value
    Fraction(14, 5)

    **By a column**: `by` names a column that the release prints, and `counts` (or `shape`) has weights per label there
    and value, such as an earlier release's counts per region.  The attacker knows the person's label in the column; of
    several labels that a group's printed one covers, the worst counts.

    >>> earlier = {"North": {"Flu": 900, "Cold": 100}, "South": {"Flu": 100, "Cold": 900}}
    >>> rows = pa.table({"region": ["*"] * 4, "disease": ["Flu", "Flu", "Flu", "Cold"]})
    >>> mixed = sl.read_release(rows, group="region", sensitive="disease")
    >>> finding = PriorBelief(counts=earlier, by="region").measure(mixed)
    >>> finding.witness.label, finding.witness.p_in, finding.value
    ('North', Fraction(27, 28), Fraction(28028, 10019))

    `decided_by="closed conditions"` gives the smallest ε that meets the paper's own conditions (Theorems 1 to 3)
    instead of the definition: never smaller, sometimes a little larger.

    Merging groups never raises ε in any class, as long as ε is above 1.  (Below 1, which is possible only for
    predicates that become less believable, it may rise towards 1; limits begin at 1.)

    Source: Machanavajjhala, Gehrke and Götz, Data publishing against realistic adversaries, VLDB 2009.
    """

    name: ClassVar[str] = "prior belief"
    attacker = Attacker(
        "a realist with a belief from elsewhere",
        prior_in_words,
        "by which factor the file can raise their odds",
        "belief",
    )
    also_called = ("ε-privacy", "epsilon-privacy")
    limits = (1, math.inf)
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)
    if_nothing_to_measure: ClassVar[Fraction] = Fraction(1)

    counts: ValueWeights | WeightsPerLabel | None = field(
        default=None,
        metadata=read_with(
            lambda belief, counts: read_counts(counts) if belief.by is None else read_weights_by_label(counts, least=1),
            hint=Mapping[str, float] | Mapping[str, Mapping[str, float]] | None,
            parse=labels_as_written,
        ),
    )
    shape: Literal["uniform", "release"] | ValueWeights | WeightsPerLabel | None = field(
        default=None,
        metadata=read_with(
            lambda belief, shape: read_shape(shape) if belief.by is None else read_weights_by_label(shape, least=0),
            hint=Literal["uniform", "release"] | Mapping[str, float] | Mapping[str, Mapping[str, float]] | None,
            parse=labels_as_written,
        ),
    )
    stubbornness: Bound | None = field(default=None, metadata=read(read_stubbornness))
    # None: the smallest that the shape allows, unless σ is infinite
    least_stubbornness: Bound | Least | None = field(
        default=None, metadata=read_with(lambda belief, least: read_least_stubbornness(least, belief.stubbornness))
    )
    # the printed column that counts or shape depend on
    by: str | None = field(default=None, metadata=read(lambda by: expect(str, by, parameter("by"))))
    known_people: int = field(default=0, metadata=read(read_known_people))
    rules_out: int = field(default=0, metadata=whole())  # how many values the attacker knows the person not to have
    predicates: Predicates | Literal["all subsets"] = field(
        default=(),
        metadata=read(
            read_questions,
            hint=Literal["all subsets"] | Mapping[str, tuple[str, ...]] | tuple[tuple[str, ...], ...],
            parse=_predicates_in_policy,
        ),
    )
    # the column in which each person says which predicate is to be kept
    wishes: str | None = field(default=None, metadata=read(lambda wishes: expect(str, wishes, parameter("wishes"))))
    decided_by: DecisionRule = field(
        default="definition",
        metadata=choice(DecisionRule, "no decided_by='{setting}'; choose 'definition' or 'closed conditions'"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        by_definition, every_subset = self.decided_by == "definition", isinstance(self.predicates, str)
        shape, counts = self.shape is not None, self.counts is not None
        wrong = {
            f"wishes= say all that is asked about; leave apart_from= and '{EVERY_SUBSET}' out": (
                self.wishes is not None and (every_subset or self.apart_from)
            ),
            "rules_out= goes with single values, by the definition; leave predicates=, wishes= and by= out": (
                self.rules_out and (self.predicates or self.wishes or self.by or not by_definition)
            ),
            f"by= goes without known_people=, wishes=, decided_by= and '{EVERY_SUBSET}'; leave them out": (
                self.by is not None and (self.known_people or self.wishes or not by_definition or every_subset)
            ),
            "by= goes with counts= or shape= per label of that column; give them": (
                self.by is not None and not counts and not shape
            ),
            "the closed conditions are not about wishes; leave decided_by= out": (
                self.wishes is not None and not by_definition
            ),
            "least_stubbornness= goes with shape= and stubbornness=; otherwise leave it out": (
                self.least_stubbornness is not None and (not shape or self.stubbornness is None)
            ),
            "counts= says both shape and stubbornness; leave those out, or give the counts as shape=": (
                counts and (shape or self.stubbornness is not None)
            ),
            "predicates= say all that is asked about; leave apart_from= out": self.predicates and self.apart_from,
            "a prior belief needs to say how sure it is; give counts=, or stubbornness= with or without shape=": (
                not counts and self.stubbornness is None
            ),
        }
        if message := next((message for message, is_wrong in wrong.items() if is_wrong), None):
            raise BadMeasure(message)

    @property
    def about_values(self) -> bool:  # type: ignore[override]
        """Whether it is about values alone: wishes are about two sensitive columns at once."""
        return self.wishes is None

    @property
    def when_groups_merge(self) -> Monotonicity:
        """Never rising, unless only some people's predicates count (`wishes`) or the prior depends on a column."""
        return Monotonicity.NON_INCREASING if self.wishes is self.by is None else Monotonicity.UNKNOWN

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        return (
            cls(counts=dict.fromkeys(domain, 2), known_people=1),
            cls(shape="uniform", stubbornness=4),
            cls(shape="uniform", stubbornness=40, least_stubbornness="same"),
            cls(stubbornness=10, known_people=1),
            cls(shape="uniform", stubbornness=40, rules_out=1, known_people=1),
            cls(shape="release", stubbornness=math.inf),
            cls(stubbornness=math.inf),
            cls(stubbornness=12, decided_by="closed conditions"),
            *(cls(stubbornness=10, apart_from=domain[:1]) for _ in domain[1:2]),
        )

    @classmethod
    def from_counts(
        cls,
        seen: Mapping[str, int] | Mapping[Label, int],
        *,
        plus_one: bool = True,
        known_people: int = 0,
        predicates: Predicates | Literal["all subsets"] = (),
    ) -> PriorBelief:
        """Build the belief (class I) of an attacker who saw these counts and knew nothing before, σ(s) = count + 1.

        >>> PriorBelief.from_counts({"Flu": 11_999, "Cancer": 17_999}) == PriorBelief(
        ...     counts={"Flu": 12_000, "Cancer": 18_000})
        True
        """
        expect_mapping(seen, "what was seen", '{"Flu": 11_999}')
        # a flat Dirichlet prior has one answer per value, and each one seen adds another
        more = 1 if expect(bool, plus_one, parameter("plus_one")) else 0
        parameters = {value: exact_number(count, BadMeasure, "a count") + more for value, count in seen.items()}
        return cls(counts=parameters, known_people=known_people, predicates=predicates)

    @classmethod
    def from_release(
        cls,
        other: Release | Table,
        *,
        plus_one: bool = True,
        known_people: int = 0,
        by: str | None = None,
        predicates: Predicates | Literal["all subsets"] = (),
    ) -> PriorBelief:
        """Build the belief (class I) of an attacker who saw another release (or a table's totals), σ(s) = count + 1.

        `by` names a column that it prints: the belief then depends on people's labels there.

        >>> metropolis = Release.from_counts([{"Flu": 11_999, "Cancer": 17_999}])
        >>> PriorBelief.from_release(metropolis).counts
        {'Cancer': 18000, 'Flu': 12000}
        """
        source = other if isinstance(other, Table) else expect(Release, other, "what was seen").groups
        expect_one_sensitive(other, "a belief")
        if by is not None:
            more = 1 if expect(bool, plus_one, parameter("plus_one")) else 0
            seen_by_label = counts_by_label(source, expect(str, by, parameter("by")), more)
            return cls(counts=seen_by_label, by=by, known_people=known_people, predicates=predicates)
        seen = dict(zip(source.domain, source.counts.totals().tolist(), strict=True))
        return cls.from_counts(seen, plus_one=plus_one, known_people=known_people, predicates=predicates)

    def settings(self) -> dict[str, object]:
        settings = super().settings()
        if isinstance(questions := self.questions, tuple) and questions:
            settings["predicates"] = predicates_as_written(questions)
        return settings

    @property
    def questions(self) -> Questions:
        return self.predicates  # type: ignore[return-value]  # as read

    def predicates_in_question(self, groups: Groups) -> tuple[Predicate, ...]:
        """Return the predicates that stand for the questions; none where they are single values."""
        if self.wishes is None:
            return predicates_asked(self.questions, self.priors(groups)[0].domain)
        return tuple(each for each in self._find_wishes(groups) if each is not None)

    def _find_wishes(self, groups: Groups) -> tuple[Predicate | None, ...]:
        assert self.wishes is not None
        assert not isinstance(self.questions, str)
        return predicates_wished(self.wishes, groups.domain, self.questions)

    def amounts(self) -> dict[str, int]:
        """Return the numbers of what the attacker knows; the start of a range of stubbornness is none of them."""
        return {name: amount for name, amount in super().amounts().items() if name != "least_stubbornness"}

    @property
    def more_is_worse(self) -> tuple[str, ...]:
        """Knowledge always; stubbornness unless it is exact, as beliefs may come to fit the release."""
        known = ("known_people", "rules_out") if self.rules_out else ("known_people",)
        return known if self.least_stubbornness == "same" else (*known, "stubbornness")

    def priors(self, groups: Groups) -> tuple[Prior, ...]:
        """Return the priors about each value (or predicate) of the release that these groups belong to."""
        seen = self.seen(groups)
        return priors_for(
            counts=self.counts,
            shape=self.shape,
            stubbornness=self.stubbornness,
            least_stubbornness=self.least_stubbornness,
            predicates=self.questions if self.wishes is None else self.predicates_in_question(groups),
            domain=seen.domain,
            totals=tuple(seen.whole.tolist()),
        )

    def seen(self, groups: Groups) -> Groups:
        """Return the groups as the column of values alone shows them."""
        return groups if self.wishes is None else groups.about(values_beside(self.wishes, groups.domain))

    def summarize(self, groups: Groups) -> Summary:
        groups = groups.sort_by_number()
        if self.by is not None:
            return self._worst_by_column(groups)
        if not self.rules_out:
            return self._worst(groups, worst_of_parts(self.cases(groups), self.priors(groups), self.decided_by).get(0))
        # the worst over what the attacker may rule out: people who have it are as good as not there
        worst = summarize_worst(self, otherwise=self.if_nothing_to_measure)
        for indices, cases, priors in self._ruled_out(groups):
            texts = tuple(priors[0].domain[index] for index in indices)
            worst_left = worst_of_parts(cases, priors, "definition").get(0)
            worst = worst.merge(self._worst(groups, worst_left, ruled_out=texts))
        return worst

    @classmethod
    def worst_of_parts(
        cls, measures: Sequence[Self], groups: Groups, starts: Integers
    ) -> Iterator[Sequence[Amount | None]]:
        """Return ε of each part; what depends on the counts alone is computed once per question."""
        part = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(groups)))
        cases: dict[tuple[object, ...], Cases] = {}
        for adversary in measures:
            if adversary.rules_out:
                yield from super().worst_of_parts([adversary], groups, starts)
                continue
            question = (
                adversary.predicates_in_question(groups),
                adversary.apart_from,
                adversary.known_people,
                adversary.wishes,
            )
            # cases depend on the counts alone, and serve all priors that ask the same
            if question not in cases:
                cases[question] = adversary.cases(groups, part=part)
            epsilons = epsilons_of_parts(cases[question], adversary.priors(groups), adversary.decided_by)
            yield [epsilons.get(index) for index in range(len(starts))]

    def _ruled_out(self, groups: Groups) -> Iterator[tuple[tuple[int, ...], Cases, tuple[Prior, ...]]]:
        cases, priors, counts = self.cases(groups), self.priors(groups), groups.counts.dense()
        width = len(priors[0].domain)
        for indices in chain.from_iterable(combinations(range(width), size) for size in self._sizes_ruled_out(width)):
            # people with a value that is ruled out leave their group, so that n falls and n(s) stays
            gone = counts[:, [index for index in indices if index < counts.shape[1]]].sum(axis=1)
            left = cases.take(np.flatnonzero(~np.isin(cases.columns, indices)))
            yield (
                indices,
                replace(left, people=left.people - gone[left.rows]),
                tuple(p.drop_values(indices) for p in priors),
            )

    def _sizes_ruled_out(self, width: int) -> range:
        # ruling out all values but one would leave nothing to ask about
        sizes = range(min(self.rules_out, max(width - 2, 0)) + 1)
        if (sets := sum(math.comb(width, size) for size in sizes)) > 5_000:  # all of them are gone through
            raise BadMeasure(f"rules_out={self.rules_out} of {width} values are {sets:,} sets, too many; lower it")
        return sizes

    def _worst_by_column(self, groups: Groups) -> Summary:
        priors, predicates = self.priors_by_column(groups), self.questions
        assert not isinstance(predicates, str)
        assert self.by is not None
        # of each predicate (none: single values) the indices of its values
        domain, targets = priors[0].domain, [] if predicates else self.targets.indices(groups).tolist()
        sets = [each.indices(domain) for each in predicates] or [[index] for index in targets]
        worst = worst_by_column(groups, find_printed_column(groups.columns, self.by), priors, sets)
        if worst is None:
            return summarize_worst(self, otherwise=self.if_nothing_to_measure)
        epsilon, number, witness = worst
        predicate = predicates[number] if predicates else None
        value = groups.domain[sets[number][0]] if predicate is None else str(predicate)
        return summarize_worst(self, epsilon, replace(witness, value=value, predicate=predicate))

    def priors_by_column(self, groups: Groups) -> tuple[PriorByColumn, ...]:
        """Return the priors about each value, by people's labels in the column."""
        settings = self.counts, self.shape, self.stubbornness, self.least_stubbornness
        return priors_by_column(*settings, groups)  # type: ignore[arg-type]  # as read

    @property
    def counts_decide(self) -> bool:  # type: ignore[override]
        """Whether counts alone decide: not where the belief depends on printed labels."""
        return self.by is None

    def cases(self, groups: Groups, *, part: Integers | None = None) -> Cases:
        """List the groups and values (or predicates) in question; row r may be of part `part[r]`."""
        domain = self.priors(groups)[0].domain
        if self.wishes is not None:
            wished = self._find_wishes(groups)
            return cases_of_wishes(self.wishes, wished, groups, domain, known=self.known_people, part=part)
        cases = Cases.from_groups(
            groups, self.predicates_in_question(groups), domain, known=self.known_people, part=part
        )
        if not self.apart_from:
            return cases
        # columns are indices of values here, as `apart_from` goes without predicates
        return cases.take(np.flatnonzero(np.isin(cases.columns, self.targets.indices(groups))))

    def scores(self, groups: Groups) -> Floats:
        if self.rules_out:
            left = self._ruled_out(groups)
            return reduce(np.fmax, (self._scores(groups, cases, priors) for _, cases, priors in left))
        return self._scores(groups, self.cases(groups), self.priors(groups))

    def _scores(self, groups: Groups, cases: Cases, priors: tuple[Prior, ...]) -> Floats:
        scores = np.full(len(groups), np.nan)
        if len(cases.rows):
            first = np.flatnonzero(np.diff(cases.rows, prepend=-1))  # cases are sorted by group
            scores[cases.rows[first]] = np.maximum.reduceat(cases.epsilons(priors, self.decided_by), first)
        return scores

    def kinds(self, groups: Groups) -> Integers:
        """Return all counts, and not only their proportions: more people are more evidence."""
        return groups.counts.dense()

    def _worst(self, groups: Groups, worst: WorstEpsilon | None, *, ruled_out: tuple[Label, ...] = ()) -> Summary:
        if worst is None:
            return summarize_worst(self, otherwise=self.if_nothing_to_measure)
        predicates = self.predicates_in_question(groups)
        predicate = predicates[worst.column] if predicates else None
        stubbornness = worst.prior.stubbornness
        if ruled_out:  # a prior without the values has lost its stubbornness: find the one that it was made from
            priors = self.priors(groups)
            indices = [priors[0].domain.index(text) for text in ruled_out]
            stubbornness = next(each.stubbornness for each in priors if each.drop_values(indices) == worst.prior)
        witness = PriorBeliefWitness(
            groups.name(worst.row),
            groups.domain[worst.column] if predicate is None else str(predicate),
            predicate,
            p_in=worst.case.p_in,
            p_out=worst.case.p_out(worst.prior, worst.column),
            ratio=worst.ratio,
            stubbornness=stubbornness,
            matches=not worst.case.mismatch,
            ruled_out=ruled_out,
        )
        return summarize_worst(self, worst.value, witness)

    def check(self, release: Release) -> None:
        super().check(release)
        if self.wishes is not None:
            self._find_wishes(release.groups)
        if self.by is not None:
            column, priors = find_printed_column(release.groups.columns, self.by), self.priors_by_column(release.groups)
            # each printed label once, before anything is measured, so that an unknown one is refused at once
            for code in np.unique(column.codes).tolist():
                priors[0].find_labels(column.labels[code])

    def explain(self, finding: Finding) -> str:
        if not isinstance(finding.witness, PriorBeliefWitness):
            return "Nobody in the release has any of the values that were asked for."
        return finding_in_words(finding, self, finding.witness)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Recompute ε of the witness's group and value: by its worlds if it is small, else by the definition."""
        assert isinstance(witness, PriorBeliefWitness)
        if self.by is not None:
            return replay_by_column(self, witness, release)
        if self.wishes is None:
            return replay_witness(self, witness, release)
        # wishes are replayed as plain predicates, of the release without the column of wishes
        plain = replace(self, wishes=None, predicates=self.predicates_in_question(release.groups))
        return replay_witness(plain, witness, release.about(values_beside(self.wishes, release.domain)))


def counts_by_label(groups: Groups | Table, name: str, more: int) -> dict[Label, dict[Label, int]]:
    """Return, for each label that a column prints, `more` than the count of each value there."""
    columns = groups.quasi if isinstance(groups, Table) else groups.columns
    column = find_printed_column(columns, name)
    rows, values, counts = groups.counts.entries()
    # (labels, values): groups that print the same label are added up
    sums = np.zeros((len(column.labels), len(groups.domain)), np.int64)
    np.add.at(sums, (column.codes[rows], values), counts)
    return {
        text: dict(zip(groups.domain, (sums[code] + more).tolist(), strict=True))
        for code, text in enumerate(column.labels)
    }


def finding_in_words(finding: Finding, belief: PriorBelief, witness: PriorBeliefWitness) -> str:
    """Describe how much the belief grows, and in whom."""
    who, whom = describe_attacker(belief, at_worst=witness.stubbornness), _whom(belief, witness)
    # a prior that rules out what is true: the factor is infinite whatever is published
    if witness.p_out == 0:
        return f"{who} may have ruled out that {whom}; against such a person no release of counts is private."
    if belief.decided_by == "closed conditions":
        most = "any factor" if finding.value == math.inf else f"a factor of at most {short_decimal(finding.value)}"
        return f"By the closed conditions, {who[0].lower()}{who[1:]} could be surer that {whom}, by {most}."
    if finding.value == math.inf:
        before = short_decimal(witness.p_out, up=False)
        return f"{who} would be certain that {whom}, and believe it with {before} if that person were left out."
    change = "belief grows" if witness.ratio is Ratio.BELIEF else "doubt that is left shrinks"
    change = f", and the {change} by that factor"
    return growth_in_words(who, whom, finding.value, witness.p_in, witness.p_out, change=change)


def growth_in_words(who: str, whom: str, factor: Amount, p_in: Fraction, p_out: Fraction, *, change: str = "") -> str:
    """Describe by which factor a belief grows, and from what to what; a factor up to 1 is not worth naming."""
    if factor <= 1:
        return f"{who} would not believe more of anyone for being in the release, not even that {whom}."
    times = "more than 1e308" if factor == math.inf else short_decimal(factor)
    before, after = short_decimal(p_out, up=False), short_decimal(p_in)
    return (
        f"{who} would be surer that {whom}, by a factor of {times}: with that person left out of the release "
        f"the belief is {before}, with them in it {after}{change}."
    )


def _whom(belief: PriorBelief, witness: PriorBeliefWitness) -> str:
    wish = "" if belief.wishes is None else ", who wants that kept,"
    lacks = "" if witness.matches else " (which nobody is who wants it kept)"
    where = "" if belief.by is None else f" who has {belief.by} {shown(witness.label)}"
    but = f", who has not {' or '.join(map(shown, witness.ruled_out))}," if witness.ruled_out else ""
    has = f"has {shown(witness.value) if witness.predicate is None else witness.predicate}"
    if witness.predicate is not None and witness.predicate.name:
        has = f"is of '{witness.predicate}'"
    return f"a person of {witness.group}{where}{wish}{but} {has}{lacks}"
