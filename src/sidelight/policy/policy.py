"""Measures with bounds, and what they say about a release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sidelight.errors import BadPolicy, NotTrueOrFalse
from sidelight.measures.measure import Criterion, Finding, Judgement, Measure, findings
from sidelight.release.release import Release


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a policy says about a release, criterion by criterion."""

    judgements: tuple[Judgement, ...]

    @property
    def safe(self) -> bool:
        """Whether the release is within the policy: safe against whom the policy names, and nobody else."""
        return all(judgement.holds for judgement in self.judgements)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was measured, in the order of the policy's criteria."""
        return tuple(judgement.finding for judgement in self.judgements)

    @property
    def broken(self) -> tuple[Judgement, ...]:
        """The criteria that do not hold."""
        return tuple(judgement for judgement in self.judgements if not judgement.holds)

    def __bool__(self) -> bool:
        message = "a verdict is not true or false by itself; ask verdict.safe"
        raise NotTrueOrFalse(message)

    def __str__(self) -> str:
        if self.safe:
            return "within policy"
        return "not within policy: " + "; ".join(str(judgement.criterion) for judgement in self.broken)


@dataclass(frozen=True, init=False)
class Policy:
    """Which bounds must a release keep?

    All of the criteria must hold.  A measure that several criteria share is measured once.

    >>> from sidelight.measures.k_anonymity import GroupSize
    >>> from sidelight.measures.l_diversity import EntropyDiversity
    >>> policy = Policy(GroupSize() >= 5, EntropyDiversity() >= 1.5)
    >>> verdict = policy.judge(Release.from_counts([{"Flu": 5}, {"Flu": 3, "Cold": 3}]))
    >>> verdict.safe, [judgement.holds for judgement in verdict.judgements]
    (False, [True, False])
    >>> print(verdict)
    not within policy: entropy diversity ≥ 1.5
    """

    criteria: tuple[Criterion, ...]

    def __init__(self, *criteria: Criterion) -> None:
        if not criteria:
            message = "a policy needs at least one criterion, such as GroupSize() >= 5"
            raise BadPolicy(message)
        wrong = [type(each).__name__ for each in criteria if not isinstance(each, Criterion)]
        if wrong:
            message = f"a policy is made of criteria such as GroupSize() >= 5, and got a {wrong[0]}"
            raise BadPolicy(message)
        object.__setattr__(self, "criteria", criteria)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The different measures, in the order of their first mention."""
        return different(criterion.measure for criterion in self.criteria)

    def judge(self, release: Release) -> Verdict:
        """Measure a release and decide each criterion."""
        return self.decide(findings(self.measures, release))

    def decide(self, findings: tuple[Finding, ...]) -> Verdict:
        """Decide on findings that are at hand, one for each of `measures`."""
        place = self.measures
        found = [findings[place.index(criterion.measure)] for criterion in self.criteria]
        return Verdict(tuple(each.decide(finding) for each, finding in zip(self.criteria, found, strict=True)))

    def to_toml(self) -> str:
        """Write the policy as a policy file that `read_policy` reads back.

        >>> from sidelight.measures.k_anonymity import GroupSize
        >>> print(Policy(GroupSize() >= 5).to_toml())
        [[limit]]
        measure = "group size"
        at_least = 5
        <BLANKLINE>
        """
        from sidelight.policy.policy_file import policy_text  # noqa: PLC0415 - pydantic only where a file is written

        return policy_text(self)

    def __str__(self) -> str:
        return "; ".join(str(criterion) for criterion in self.criteria)


def different(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Keep the first of equal measures; by comparing, as a measure may hold what cannot be hashed."""
    kept: list[Measure] = []
    for measure in measures:
        if measure not in kept:
            kept.append(measure)
    return tuple(kept)
