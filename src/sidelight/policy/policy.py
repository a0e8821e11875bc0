"""Which bounds must a release keep, and which does it?  A policy is criteria; its verdict is a judgement of each.

A measure that several criteria share is measured once.  A policy is written as TOML here (`policy_text`), and read by
`policy/policy_file`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from numbers import Rational
from typing import TYPE_CHECKING

import tomli_w

from sidelight.errors import BadPolicy, NotTrueOrFalse
from sidelight.measures.about import ask_each_column, findings, mark_defaults
from sidelight.measures.criterion import Criterion, Finding, Judgement, judgements_table
from sidelight.measures.measure import Measure
from sidelight.release.release import ReleaseBlocks, expect_release
from sidelight.table.labels import Label, shown
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.release.population import Population


@dataclass(frozen=True, slots=True, repr=False)
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

    def plot(self) -> alt.TopLevelMixin:
        """Draw what each limit says of the release: an Altair chart, which needs the extra `plot`."""
        from sidelight.report.charts.limits import verdict_chart  # noqa: PLC0415 - it stands below

        return verdict_chart(self)

    def __bool__(self) -> bool:
        message = "a verdict is not true or false by itself; ask verdict.safe"
        raise NotTrueOrFalse(message)

    def __str__(self) -> str:
        if self.safe:
            return "within policy"
        return "not within policy: " + "; ".join(str(judgement.criterion) for judgement in self.broken)

    def __repr__(self) -> str:
        return f"<Verdict: {self}>"

    def _repr_html_(self) -> str:
        title = "Within policy" if self.safe else "Not within policy"
        return judgements_table(title, self.judgements)


@dataclass(frozen=True, init=False, repr=False)
class Policy:
    """Which bounds must a release keep?

    All of the criteria must hold.  A measure that several criteria share is measured once.

    >>> from sidelight.measures.classics import GroupSize
    >>> from sidelight.measures.classics import EntropyDiversity
    >>> from sidelight.release.release import Release
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
        for each in criteria:
            thing: object = each
            if isinstance(thing, Criterion):
                continue
            kind = type(thing).__name__
            remedy = "; a policy that stands in a file is read with sl.read_policy(file)"
            if isinstance(thing, Measure):
                comparison = "< 0.5" if thing.large_is_bad else ">= 5"
                remedy = f"; compare it with a number, such as {kind}(...) {comparison}"
            elif isinstance(thing, Policy):
                remedy = "; give what it is made of: Policy(*policy.criteria, ...)"
            elif not isinstance(thing, str):
                remedy = ""
            message = f"a policy is made of criteria such as GroupSize() >= 5, and got a {kind}{remedy}"
            raise BadPolicy(message)
        object.__setattr__(self, "criteria", criteria)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The different measures, in the order of their first mention."""
        return drop_repeats(criterion.measure for criterion in self.criteria)

    @property
    def registers(self) -> tuple[Population, ...]:
        """The different populations that measures compare a release with."""
        populations = (measure.register for measure in self.measures)
        return tuple(dict.fromkeys(each for each in populations if each is not None))

    def judge(self, release: ReleaseBlocks) -> Verdict:
        """Measure a release, held or streamed, and decide each criterion."""
        release = expect_release(release, "what is judged")
        policy = self.about_each(release.sensitive_columns, release.domain)
        return policy.decide(findings(policy.measures, release))

    def about_each(self, columns: Sequence[str], domain: tuple[Label, ...] = ()) -> Policy:
        """Return the policy with each limit repeated for each sensitive column, unless it names one.

        The `domain` says which of them has the values that a limit leaves out.  A limit on the values that others do
        not name (a skyline's default) may turn out to be on none.

        >>> from sidelight.measures.classics import GroupSize
        >>> from sidelight.measures.classics import DistinctValues
        >>> print(Policy(GroupSize() >= 5, DistinctValues() >= 2).about_each(["disease", "income"]))
        group size ≥ 5; distinct values(of=disease) ≥ 2; distinct values(of=income) ≥ 2
        """
        asked = [
            (criterion, measure)
            for criterion in self.criteria
            for measure in ask_each_column(criterion.measure, columns, domain)
        ]
        # one call for all limits: which values a default leaves out depends on those that the others name
        measures = mark_defaults([measure for _, measure in asked])
        return Policy(*(replace(criterion, measure=each) for (criterion, _), each in zip(asked, measures, strict=True)))

    def decide(self, findings: tuple[Finding, ...]) -> Verdict:
        """Decide on findings that are at hand, one for each of `measures`."""
        measures = self.measures
        return Verdict(tuple(each.decide(findings[measures.index(each.measure)]) for each in self.criteria))

    def to_toml(self) -> str:
        """Write the policy as a policy file that `read_policy` reads back.

        >>> from sidelight.measures.classics import GroupSize
        >>> print(Policy(GroupSize() >= 5).to_toml())
        [[limit]]
        measure = "group size"
        at_least = 5
        <BLANKLINE>
        """
        return policy_text(self)

    def __str__(self) -> str:
        return "; ".join(str(criterion) for criterion in self.criteria)

    def __repr__(self) -> str:
        return f"<Policy: {self}>"

    def _repr_html_(self) -> str:
        rows = [(each.measure, each.bound_text) for each in self.criteria]
        return html_table("Policy", ["measure", "wanted"], rows, total=len(rows))


def drop_repeats(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Keep the first of equal measures; by comparing, as a measure may hold what cannot be hashed."""
    kept: list[Measure] = []
    for measure in measures:
        if measure not in kept:
            kept.append(measure)
    return tuple(kept)


def policy_text(policy: Policy, roles: Mapping[str, object] | None = None) -> str:
    """Write a policy, and what is said about the columns if given, as the TOML of a policy file."""
    tables = [tomli_w.dumps({"roles": toml_value(roles)})] if roles else []
    for criterion in policy.criteria:
        # None is a default, and TOML has no way to write it
        settings = {name: value for name, value in criterion.measure.settings().items() if value is not None}
        table = {"measure": criterion.measure.name, **settings, criterion.comparison.value: criterion.bound}
        limit = {name: toml_value(value) for name, value in table.items()}
        # written one by one: short tables of a list would otherwise stand in one line each, `limit = [{...}]`
        tables.append("[[limit]]" + tomli_w.dumps({"limit": limit}).removeprefix("[limit]"))
    return "\n".join(tables)


def toml_value(value: object) -> object:
    """Convert a value to what TOML has: fractions become texts, and any sequence a list.

    >>> from fractions import Fraction
    >>> toml_value({"a": (Fraction(3, 4), Fraction(2)), None: True})
    {'a': ['3/4', 2], '(missing)': True}
    """
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {shown(name): toml_value(each) for name, each in value.items()}
    if isinstance(value, Sequence | AbstractSet):
        return [toml_value(each) for each in value]
    if isinstance(value, Rational):  # NumPy's whole numbers too
        return int(value.numerator) if value.denominator == 1 else str(value)
    return shown(value) if value is None else str(value)
