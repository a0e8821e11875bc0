"""How much more would someone with a prior belief believe of a person because the person is in the release?

The measure, its words, and its replay.  What is believed before is in `prior`; the mathematics is in `worst_case`,
where `ratios` serves audits (`summarize`), searches (`scores`) and the table of all generalisations alike.  `replay`
goes another way: through all sequences of values of a small group, by the definition in fractions for a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Literal, get_args

import numpy as np

from sidelight._arrays import Floats, Integers
from sidelight._rounding import exact_number, exact_text, short_decimal
from sidelight._text import counted
from sidelight.errors import BadMeasure, expect
from sidelight.measures.epsilon_privacy.prior import (
    Least,
    Prior,
    Questions,
    Weights,
    predicates_asked,
    priors_for,
    read_counts,
    read_known_people,
    read_least_stubbornness,
    read_questions,
    read_shape,
    read_stubbornness,
    whole_if_possible,
)
from sidelight.measures.epsilon_privacy.worst_case import (
    Case,
    Cases,
    Ratio,
    Rule,
    WorstEpsilon,
    closed_conditions,
    epsilon_of_beliefs,
    worst_of_parts,
)
from sidelight.measures.exact import Amount
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.measures.measure import Bound, Finding, Measure, Monotonicity, Witness, Worst
from sidelight.measures.targets import (
    Predicate,
    Predicates,
    Targeted,
    predicates_as_written,
    written_label,
)
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label, listed, shown
from sidelight.table.table import Semantics, Table, expect_one_sensitive
from sidelight.worlds.brute_force import dirichlet_prior, independent_prior, smallest_epsilon_of_group


@dataclass(frozen=True, slots=True, repr=False)
class PriorBeliefWitness(Witness):
    """Of whom most more is believed: anyone of a group who has a value, or who is in a predicate."""

    predicate: Predicate | None = None  # where predicates are in question; `value` is then its text
    p_in: Fraction = Fraction(0)  # the belief with the person in the release
    p_out: Fraction = Fraction(0)  # the belief with the person left out
    ratio: Ratio = Ratio.BELIEF  # which of the two ratios is the larger one
    stubbornness: Fraction | float = math.inf  # of the prior for which it is so, of all those allowed


@dataclass(frozen=True, kw_only=True)
class PriorBelief(Targeted, GroupByGroup):
    """How much more would someone with a prior belief believe of a person because the person is in the release?

    The attacker learned about the sensitive values elsewhere: a Dirichlet prior with parameters σ(s) and total σ,
    the *stubbornness* (as many survey answers as it takes to be that sure), and also knows b people exactly.  For
    each group q and value s that occurs in it,

        p_in  = n_q(s) / (n_q − min(b, n_q − n_q(s)))       the person is in the release
        p_out = (n_q(s) + σ(s) − 1) / (n_q + σ − 1)         the person is left out
        ε     = max over q, s of p_in/p_out and (1 − p_out)/(1 − p_in)

    and ε, the smallest one for which the release is ε-private, is the finding.  1 means that being in the release
    adds nothing.  What is given says against whom:

    | class | given | the attacker |
    | --- | --- | --- |
    | I | `shape=` and `stubbornness=` | has this belief, at most this strongly |
    | I | `counts=`, the parameters σ(s) | has this belief, this strongly |
    | II | `stubbornness=` only | may believe anything, at most this strongly: σ(s) = 1 |
    | III | `shape=`, `stubbornness=math.inf` | has this belief and is moved by no evidence: p_out = σ(s)/σ |
    | IV | `stubbornness=math.inf` only | may believe anything, moved by nothing: ε is infinite for every release |

    `shape` is "uniform", "release" (the shares of the whole release) or a mapping value → share (scaled to add up
    to 1).  At most: the worst is at one end of the range, at σ or at the smallest stubbornness that the shape allows,
    1 / its smallest share, which a person who is left out moves most.  `least_stubbornness=` lets the range begin
    elsewhere: at a number, or with "same" where it ends, which asks about exactly σ (as the paper's experiments do).

    >>> pair = Release.from_counts([{"Flu": 1, "Cold": 1}])
    >>> finding = PriorBelief(shape="uniform", stubbornness=1_000).measure(pair)
    >>> finding.value, finding.witness.stubbornness
    (Fraction(3, 2), Fraction(2, 1))
    >>> PriorBelief(shape="uniform", stubbornness=1_000, least_stubbornness="same").measure(pair).value
    Fraction(1001, 1000)

    Hence II is at least as strong as I with the same stubbornness.  III, who is moved by nothing, is the limit of
    large stubbornness alone, and learns nothing from groups that are like the shape, of which who can be moved does.
    Everyone with a shape, moved or not, is `stubbornness=math.inf, least_stubbornness="smallest"`.

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

    **Predicates** say what is to be kept private instead of each single value: sets of values, with names if given
    as a mapping; a leading "not" means all other values.  Without them, values in `apart_from` are passed over.

    >>> stomach = {"a stomach disease": ["Ulcer", "Dyspepsia"], "no ulcer": ["not", "Ulcer"]}
    >>> ward = Release.from_counts([{"Ulcer": 2, "Dyspepsia": 3, "None": 5}])
    >>> finding = PriorBelief(stubbornness=10, known_people=1, predicates=stomach).measure(ward)
    >>> finding.value, str(finding.witness.predicate), finding.witness.p_in, finding.witness.p_out
    (Fraction(90, 19), 'no ulcer', Fraction(8, 9), Fraction(9, 19))

    `predicates="all subsets"` asks about every set of values: nothing at all is to be learnt, not even that somebody
    does not have a value.  It is infinite where a group lacks a value that is held possible.

    >>> finding = PriorBelief(stubbornness=10, predicates="all subsets").measure(ward)
    >>> finding.value, str(finding.witness.predicate)
    (Fraction(50, 19), 'not Ulcer')

    `decided_by="closed conditions"` gives the smallest ε that meets the paper's own conditions (Theorems 1 to 3)
    instead of the definition: never smaller, sometimes a little larger.

    Merging groups never raises ε in any class, as long as ε is above 1.  (Below 1, which only predicates that
    nobody believes more of can reach, it may rise towards 1; limits begin at 1.)

    Source: Machanavajjhala, Gehrke and Götz, Data publishing against realistic adversaries, VLDB 2009.
    """

    name: ClassVar[str] = "prior belief"
    also_called = ("ε-privacy", "epsilon-privacy")
    limits = (1, math.inf)
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)
    when_groups_merge = Monotonicity.NON_INCREASING
    if_nothing_to_measure: ClassVar[Fraction] = Fraction(1)

    counts: Mapping[str, Bound] | Mapping[Label, Bound] | None = None
    shape: Literal["uniform", "release"] | Mapping[str, Bound] | Mapping[Label, Bound] | None = None
    stubbornness: Bound | None = None
    least_stubbornness: Bound | Least | None = None  # None: the smallest that the shape allows, unless σ is infinite
    known_people: int = 0
    predicates: Predicates | Literal["all subsets"] = ()
    decided_by: Rule = "definition"

    def __post_init__(self) -> None:
        super().__post_init__()
        stubbornness = read_stubbornness(self.stubbornness)
        for name, checked in (
            ("counts", read_counts(self.counts)),
            ("shape", read_shape(self.shape)),
            ("stubbornness", stubbornness),
            ("least_stubbornness", read_least_stubbornness(self.least_stubbornness, stubbornness)),
            ("known_people", read_known_people(self.known_people)),
            ("predicates", read_questions(self.predicates)),
        ):
            object.__setattr__(self, name, checked)
        self._check_consistent()
        if self.decided_by not in get_args(Rule):
            message = f"no decided_by='{self.decided_by}'; choose 'definition' or 'closed conditions'"
            raise BadMeasure(message)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Every class of adversaries, some with knowledge of people."""
        return (
            cls(counts=dict.fromkeys(domain, 2), known_people=1),
            cls(shape="uniform", stubbornness=4),
            cls(shape="uniform", stubbornness=40, least_stubbornness="same"),
            cls(stubbornness=10, known_people=1),
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
        """Class I: the belief of one who saw these counts elsewhere and knew nothing before, σ(s) = count + 1.

        >>> PriorBelief.from_counts({"Flu": 11_999, "Cancer": 17_999}) == PriorBelief(
        ...     counts={"Flu": 12_000, "Cancer": 18_000})
        True
        """
        more = 1 if plus_one else 0
        parameters = {value: exact_number(count, BadMeasure, "a count") + more for value, count in seen.items()}
        return cls(counts=parameters, known_people=known_people, predicates=predicates)

    @classmethod
    def from_release(
        cls,
        other: Release | Table,
        *,
        plus_one: bool = True,
        known_people: int = 0,
        predicates: Predicates | Literal["all subsets"] = (),
    ) -> PriorBelief:
        """Class I: the belief of one who saw another release (or a table's totals), σ(s) = count + 1.

        >>> metropolis = Release.from_counts([{"Flu": 11_999, "Cancer": 17_999}])
        >>> PriorBelief.from_release(metropolis).counts
        {'Cancer': 18000, 'Flu': 12000}
        """
        source = other if isinstance(other, Table) else expect(Release, other, "what was seen").groups
        expect_one_sensitive(other, "a belief")
        seen = dict(zip(source.domain, source.counts.totals().tolist(), strict=True))
        return cls.from_counts(seen, plus_one=plus_one, known_people=known_people, predicates=predicates)

    @classmethod
    def from_settings(
        cls,
        *,
        counts: Mapping[str, float] | None = None,
        shape: Literal["uniform", "release"] | Mapping[str, float] | None = None,
        stubbornness: float | None = None,
        least_stubbornness: float | Least | None = None,
        known_people: int = 0,
        predicates: Literal["all subsets"] | Mapping[str, tuple[str, ...]] | tuple[tuple[str, ...], ...] = (),
        decided_by: Rule = "definition",
        apart_from: tuple[str, ...] = (),
    ) -> PriorBelief:
        """Make it from what a policy file says; there a missing value is written "(missing)".

        >>> settings = {"stubbornness": 1000, "predicates": {"a stomach disease": ["Dyspepsia", "Ulcer"]}}
        >>> PriorBelief.from_settings(**settings).settings() == settings
        True
        """
        return cls(
            counts=None if counts is None else {written_label(value): count for value, count in counts.items()},
            shape={written_label(value): share for value, share in shape.items()}
            if isinstance(shape, Mapping)
            else shape,
            stubbornness=stubbornness,
            least_stubbornness=least_stubbornness,
            known_people=known_people,
            predicates={name: [written_label(value) for value in values] for name, values in predicates.items()}
            if isinstance(predicates, Mapping)
            else predicates
            if isinstance(predicates, str)
            else [[written_label(value) for value in values] for values in predicates],
            decided_by=decided_by,
            apart_from=apart_from,
        )

    def settings(self) -> dict[str, object]:
        """Say the parameters as a policy file does."""
        settings = super().settings()
        for name, setting in settings.items():
            if isinstance(setting, Weights):
                settings[name] = {shown(text): whole_if_possible(weight) for text, weight in setting.items()}
        if isinstance(questions := self.questions, tuple) and questions:
            settings["predicates"] = predicates_as_written(questions)
        return settings

    @property
    def questions(self) -> Questions:
        """What is asked about."""
        return self.predicates  # type: ignore[return-value]  # __post_init__ saw to it

    def asked(self, groups: Groups) -> tuple[Predicate, ...]:
        """List the predicates that stand for what is asked; none where it is each single value."""
        return predicates_asked(self.questions, self.priors(groups)[0].domain)

    def amounts(self) -> dict[str, int]:
        """Give what somebody knows, and how surely; where a range of stubbornness begins is no amount."""
        return {name: amount for name, amount in super().amounts().items() if name != "least_stubbornness"}

    def priors(self, groups: Groups) -> tuple[Prior, ...]:
        """Say what may be believed of each value (or predicate) of the release that these groups belong to."""
        assert self.counts is None or isinstance(self.counts, Weights)  # __post_init__ saw to it
        assert self.shape is None or isinstance(self.shape, str | Weights)
        assert not isinstance(self.stubbornness, Decimal)
        assert not isinstance(self.least_stubbornness, Decimal)
        return priors_for(
            counts=self.counts,
            shape=self.shape,
            stubbornness=self.stubbornness,
            least_stubbornness=self.least_stubbornness,
            predicates=self.questions,
            domain=groups.domain,
            totals=tuple(groups.whole.tolist()),
        )

    def summarize(self, groups: Groups) -> Worst:
        """Keep the group and value of which most more is believed."""
        groups = groups.in_order()
        return self._worst(groups, worst_of_parts(self.cases(groups), self.priors(groups), self.decided_by).get(0))

    def cases(self, groups: Groups, *, part: Integers | None = None) -> Cases:
        """List the groups and values (or predicates) in question; row r may be of part `part[r]`."""
        domain = self.priors(groups)[0].domain
        cases = Cases.of(groups, self.asked(groups), domain, known=self.known_people, part=part)
        return (
            cases.take(np.flatnonzero(np.isin(cases.columns, self.targets.places(groups))))
            if self.apart_from
            else cases
        )

    def scores(self, groups: Groups) -> Floats:
        """Give every group's ε as a float; nan where none of the predicates occurs."""
        scores, cases = np.full(len(groups), np.nan), self.cases(groups)
        if len(cases.rows):
            first = np.flatnonzero(np.diff(cases.rows, prepend=-1))  # cases are sorted by group
            epsilons = cases.epsilons(self.priors(groups), self.decided_by)
            scores[cases.rows[first]] = np.maximum.reduceat(epsilons, first)
        return scores

    def kinds(self, groups: Groups) -> Integers:
        """All counts decide, and not only their proportions: more people are more evidence."""
        return groups.counts.dense()

    def _worst(self, groups: Groups, worst: WorstEpsilon | None) -> Worst:
        if worst is None:
            return Worst(self, otherwise=self.if_nothing_to_measure)
        predicates = self.asked(groups)
        predicate = predicates[worst.column] if predicates else None
        witness = PriorBeliefWitness(
            groups.name(worst.row),
            groups.domain[worst.column] if predicate is None else str(predicate),
            predicate,
            p_in=worst.case.p_in,
            p_out=worst.case.p_out(worst.prior, worst.column),
            ratio=worst.ratio,
            stubbornness=worst.prior.stubbornness,
        )
        return Worst(self, worst.value, witness)

    def _check_consistent(self) -> None:
        """Refuse what does not say against whom, or says it twice."""
        if self.least_stubbornness is not None and (self.shape is None or self.stubbornness is None):
            message = "least_stubbornness= goes with shape= and stubbornness=; otherwise leave it out"
            raise BadMeasure(message)
        if self.counts is not None and (self.shape is not None or self.stubbornness is not None):
            message = "counts= says both shape and stubbornness; leave those out, or give the counts as shape="
            raise BadMeasure(message)
        if self.predicates and self.apart_from:
            message = "predicates= say all that is asked about; leave apart_from= out"
            raise BadMeasure(message)
        if self.counts is None and self.stubbornness is None:
            message = (
                "a prior belief needs to say how sure it is; give counts=, or stubbornness= with or without shape="
            )
            raise BadMeasure(message)

    def explain(self, finding: Finding) -> str:
        """Say who would believe how much more of whom."""
        if not isinstance(finding.witness, PriorBeliefWitness):
            return "Nobody in the release has any of the values that were asked for."
        return finding_in_words(finding, self, finding.witness)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute ε of the witness's group and value again: by its worlds if it is small, else by the definition."""
        assert isinstance(witness, PriorBeliefWitness)
        return replay_witness(self, witness, release)


# In the words of someone who has to sign.


def settings_in_words(belief: PriorBelief) -> str:
    """Say against whom, in the parameters' words.

    >>> settings_in_words(PriorBelief(shape="release", stubbornness=1_000, known_people=2, predicates=[["not", "Flu"]]))
    'shape of the release, stubbornness 1,000, knows 2 people, about not Flu'
    """
    parts = []
    if isinstance(belief.counts, Weights):
        parts.append("counts " + _listed(belief.counts))
    if isinstance(belief.shape, Weights):
        parts.append("shape " + _listed(belief.shape))
    elif belief.shape is not None:
        parts.append("uniform shape" if belief.shape == "uniform" else "shape of the release")
    elif belief.counts is None:
        parts.append("any shape")
    if belief.stubbornness is not None:
        parts.append(_range_in_words(belief))
    if belief.known_people:
        parts.append(f"knows {counted(belief.known_people, 'person')}")
    if belief.predicates:
        asked = [belief.predicates] if isinstance(belief.predicates, str) else map(str, belief.questions)
        parts.append("about " + ", ".join(asked))
    if belief.apart_from:
        parts.append(f"apart from {listed(belief.apart_from, most=3)}")
    if belief.decided_by != "definition":
        parts.append(f"by the {belief.decided_by}")
    return ", ".join(parts)


def _range_in_words(belief: PriorBelief) -> str:
    """Say from where to where the stubbornness goes, as far as that is not understood."""
    assert belief.stubbornness is not None
    most, least = f"stubbornness {exact_text(belief.stubbornness)}", belief.least_stubbornness
    if least is None:
        return most
    if least in ("same", belief.stubbornness):
        return most.replace("stubbornness", "stubbornness exactly")
    return f"{most} or less" if isinstance(least, str) else f"{most}, at least {exact_text(least)}"


def finding_in_words(finding: Finding, belief: PriorBelief, witness: PriorBeliefWitness) -> str:
    """Say how much more is believed, of whom and by whom."""
    who, whom = (
        describe_attacker(belief, at_worst=witness.stubbornness),
        f"a person of {witness.group} {_has_or_is(witness)}",
    )
    if witness.p_out == 0:
        return f"{who} may have ruled out that {whom}; against such a person no release of counts is private."
    if belief.decided_by == "closed conditions":
        most = "any factor" if finding.value == math.inf else f"a factor of at most {short_decimal(finding.value)}"
        return f"By the closed conditions, {who[0].lower()}{who[1:]} could be surer that {whom}, by {most}."
    before, after = short_decimal(witness.p_out, up=False), short_decimal(witness.p_in)
    if finding.value == math.inf:
        return f"{who} would be certain that {whom}, and believe it with {before} if that person were left out."
    if finding.value <= 1:
        return f"{who} would not believe more of anyone for being in the release, not even that {whom}."
    factor = short_decimal(finding.value)
    change = "belief grows" if witness.ratio is Ratio.BELIEF else "doubt that is left shrinks"
    return (
        f"{who} would be surer that {whom}, by a factor of {factor}: with that person left out of the release "
        f"the belief is {before}, with them in it {after}, and the {change} by that factor."
    )


def describe_attacker(belief: PriorBelief, *, at_worst: Amount | None = None) -> str:
    """Describe the attacker; of a range of stubbornness, also where it is worst.

    >>> describe_attacker(PriorBelief(stubbornness=30_000, known_people=2))
    'Someone as sure as at most 30,000 survey answers of any kind make one, who knows 2 people,'
    >>> describe_attacker(PriorBelief(shape="uniform", stubbornness=1_000), at_worst=Fraction(2))
    'Someone as sure as at most 1,000 survey answers make one (at worst 2), who takes all values for equally common,'
    >>> describe_attacker(PriorBelief(shape="uniform", stubbornness=math.inf))
    'Someone who takes all values for equally common and is moved by no evidence'
    """
    most, least = belief.stubbornness, belief.least_stubbornness
    knows = [f"knows {counted(belief.known_people, 'person')}"] if belief.known_people else []
    expects = [] if belief.shape is None else [_expects(belief.shape)]
    one_prior = isinstance(belief.counts, Weights) or least in ("same", most)
    if most == math.inf and (least is None or one_prior):
        return f"Someone who {_joined([*(expects or ['may believe anything']), 'is moved by no evidence', *knows])}"
    total = belief.counts.total if isinstance(belief.counts, Weights) else most
    assert total is not None
    answers = "any number of" if total == math.inf else f"{'' if one_prior else 'at most '}{exact_text(total)}"
    kind = " of any kind" if belief.counts is None and belief.shape is None else ""
    worst = f" (at worst {exact_text(at_worst)})" if at_worst is not None and at_worst != total else ""
    who = f"Someone as sure as {answers} survey answers{kind} make one{worst}"
    return f"{who}, who {_joined([*expects, *knows])}," if expects or knows else who


def _has_or_is(witness: PriorBeliefWitness) -> str:
    """Say what a person has or is."""
    if witness.predicate is None:
        return f"has {shown(witness.value)}"
    return f"is of '{witness.predicate}'" if witness.predicate.name else f"has {witness.predicate}"


def _expects(shape: object) -> str:
    if isinstance(shape, Weights):
        return "expects " + _listed(shape)
    return "takes all values for equally common" if shape == "uniform" else "expects the shares of the whole release"


def _listed(weights: Weights) -> str:
    few = sorted(weights.items(), key=lambda pair: -pair[1])[:3]
    return ", ".join(f"{shown(text)} {exact_text(weight)}" for text, weight in few) + ", …" * (len(weights) > 3)


def _joined(traits: list[str]) -> str:
    return ", ".join(traits[:-1]) + " and " * (len(traits) > 1) + traits[-1]


# ε of a witness once more: by going through the worlds of a small group, by the definition for a larger one.

WORLDS_AT_MOST = 300
"""How many sequences of values (one of them unseen) a group may have to be replayed one by one."""

UNSEEN = "\0"
"""A value that no release has."""


def replay_witness(belief: PriorBelief, witness: PriorBeliefWitness, release: Release) -> Amount:
    """Compute ε again from the group and the value (or predicate) alone."""
    group, domain = release.group(witness.group), belief.priors(release.groups)[0].domain
    bag = dict(zip(group.domain, group.counts.row(0).tolist(), strict=True))
    predicate = Predicate.any_of(witness.value) if witness.predicate is None else witness.predicate
    values = {domain[place] for place in predicate.places(domain)}
    case = Case(sum(bag.values()), sum(count for text, count in bag.items() if text in values), belief.known_people)
    # a p_out of 0 (class IV) is a limit of priors, and no prior whose sequences could be gone through
    if _few_worlds(len(domain) + 1, case.people) and belief.decided_by == "definition" and witness.p_out:
        return _by_worlds(belief, bag, witness.stubbornness, worst_weights(belief, release, witness, values), values)
    return _by_definition(belief, case, release, witness)


def _few_worlds(values: int, people: int) -> bool:
    """Say whether so many people have few enough sequences of at least two values; not even counted for a crowd."""
    return bool(people < WORLDS_AT_MOST.bit_length() and values**people <= WORLDS_AT_MOST)


def _prior_of(belief: PriorBelief, release: Release, witness: PriorBeliefWitness) -> Prior:
    """Give the prior that a witness speaks of."""
    priors = belief.priors(release.groups)
    return next(prior for prior in priors if prior.stubbornness == witness.stubbornness)


def worst_weights(
    belief: PriorBelief, release: Release, witness: PriorBeliefWitness, values: set[Label]
) -> dict[Label, Fraction]:
    """Give σ(s) of every value; where any shape is possible, what is left goes to a value that is not in question."""
    prior = _prior_of(replace(belief, predicates=()), release, witness)
    weights = dict(zip(prior.domain, prior.weights, strict=True))
    left = prior.total - sum(weights.values())
    elsewhere = next((text for text in prior.domain if text not in values), UNSEEN)
    return {**weights, elsewhere: weights.get(elsewhere, 0) + left} if left else weights


def _by_worlds(
    belief: PriorBelief,
    bag: Mapping[Label, int],
    stubbornness: Amount,
    weights: Mapping[Label, Fraction],
    values: set[Label],
) -> Amount:
    probability = independent_prior(weights) if stubbornness == math.inf else dirichlet_prior(weights)
    epsilon = smallest_epsilon_of_group(
        bag, tuple(weights), lambda value: value in values, prior=probability, known=belief.known_people
    )
    assert epsilon is not None
    return epsilon


def _by_definition(belief: PriorBelief, case: Case, release: Release, witness: PriorBeliefWitness) -> Amount:
    prior = _prior_of(belief, release, witness)
    column = (
        release.groups.code_of(witness.value)
        if witness.predicate is None
        else belief.asked(release.groups).index(witness.predicate)
    )
    if belief.decided_by == "closed conditions":
        return closed_conditions(case, prior, column)
    return epsilon_of_beliefs(case.p_in, case.p_out(prior, column))
