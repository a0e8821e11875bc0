"""Which policy would be a sensible start for a table?  A draft, with a comment on each line that says why.

Two limits, which the coarsest release of the table, everybody in one group, always keeps, so that a search finds one:

    group size ≥ 11            nobody is found more surely than one of eleven, which is what regulators of health data
                               mean by 0.09; of few people one of five, of very few one of two
    implications(k=1) ≤ b      nobody gets surer of a value than b, knowing one fact about others; or, where that is too
                               much for a column of few values, negations(k=0) ≤ b: knowing nothing else

b is the first of `BOUNDS` that leaves the reader at least half of the way from v to 1 free, b ≥ (1 + v) / 2, where v is
what the measure says of everybody in one group: what is known without any release of single columns.  Where nearly all
people have one value, nothing can hide it, and there is no second limit.  A value that most people have is what a limit
costs most for; whether anybody would mind it being known, no program can tell: the file asks (`DECIDE`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from textwrap import wrap

import tomli_w

from sidelight.intake.presets import Preset
from sidelight.intake.roles import Role, SuggestedRoles
from sidelight.measures.ck_safety.implications import Implications, Negations
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Criterion
from sidelight.measures.exact import Amount
from sidelight.measures.measure import Measure
from sidelight.measures.sums import SumMeasure
from sidelight.policy.policy import Policy, policy_text
from sidelight.release.release import Release
from sidelight.rounding import at_a_glance, short_decimal
from sidelight.table.labels import JointDomain
from sidelight.table.table import Table

# From so many people on, so many look alike: a tenth of them at most
GROUPS = ((110, 11), (10, 5), (0, 2))

# How long the lines of a comment on a limit are
WIDTH = 100

BOUNDS = tuple(Fraction(bound) for bound in ("1/2", "2/3", "3/4", "4/5", "9/10", "19/20", "99/100"))


@dataclass(frozen=True, slots=True)
class PolicyDraft:
    """A policy to start from, and why it sets each limit."""

    policy: Policy
    reasons: tuple[str, ...]  # one for each criterion
    common: Fraction | None = None  # how many people have the commonest value, where most do and a limit is about it
    notes: tuple[str, ...] = ()


def draft_policy(table: Table) -> PolicyDraft:
    """Draft a policy for a table, to start from.

    >>> import sidelight as sl
    >>> print(draft_policy(sl.datasets.adult().table).policy)
    group size ≥ 11; implications(k=1) ≤ 2/3
    """
    alike = next(size for people, size in GROUPS if table.people >= people)
    size = GroupSize() >= alike
    why = _why_so_many(table.people, alike)
    limits = {column: _secret_limit(table.about(column)) for column in table.sensitive_columns}
    several = len(limits) > 1
    secrets = {column: limit for column, limit in limits.items() if limit is not None}
    criteria = [limit.about(column) if several else limit for column, (limit, _) in secrets.items()]
    notes = tuple(
        f"nearly everybody has the same value of {column}, which no release can hide: no limit is set on it"
        for column in limits
        if column not in secrets
    )
    reasons = [f"{column}: {reason}" if several else reason for column, (_, reason) in secrets.items()]
    return PolicyDraft(Policy(size, *criteria), (why, *reasons), _common_share(table) if secrets else None, notes)


def _why_so_many(people: int, alike: int) -> str:
    common = f"Nobody is found more surely than one of {alike}."
    if alike == GROUPS[0][1]:
        return (
            f"{common} EMA and Health Canada ask for this (0.09) where health data are published; for a table that "
            "only researchers under contract see, 5 is often enough. DECIDE who will read it."
        )
    return (
        f"{common} That is little, as there are {people:,} people only: with more of them it would be 11, as "
        "EMA and Health Canada ask for (0.09). DECIDE whether a table of so few people should be published."
    )


def _common_share(table: Table) -> Fraction | None:
    """Return how many people have the commonest value, if more than half do; of several sensitive columns, nothing.

    Nor of people who may have a value more than once: how often it occurs does not say how many have it.
    """
    if len(table.sensitive_columns) != 1 or table.semantics == "multiset":
        return None
    share = Fraction(int(table.counts.totals().max()), table.people)
    return share if share > Fraction(1, 2) else None


def draft_of_preset(preset: Preset, table: Table) -> PolicyDraft:
    """Draft a policy with the limits of a preset; rules for sums only where all sensitive values are amounts.

    >>> import sidelight as sl
    >>> print(draft_of_preset(sl.presets.acro(), sl.datasets.adult().table).policy)
    group size ≥ 10; distinct values ≥ 2
    """
    criteria = [each for each in preset.criteria if _suits(each.measure, table)]
    unsuited = len(preset.criteria) > len(criteria)
    left_out = "the rules for sums are left out: they are about one amount of at least 0 for each person"
    notes = (left_out,) if unsuited else ()
    reasons = (f"Asked for by {preset.source}.",) * len(criteria)
    return PolicyDraft(Policy(*criteria), reasons, notes=(*notes, *preset.notes[1:]))


def _suits(measure: Measure, table: Table) -> bool:
    """Return whether amounts can be added up, where the question is about sums: in all sensitive columns."""
    domain = table.domain
    if not isinstance(measure, SumMeasure):
        return True
    domains = [column.labels for column in domain.columns] if isinstance(domain, JointDomain) else [domain]
    return table.semantics in measure.semantics and all(map(measure.suits, domains))


def _secret_limit(table: Table) -> tuple[Criterion, str] | None:
    """Find the strongest reader whom everybody in one group withstands, and the bound against them."""
    for measure, knowing in (
        (Implications(1), "knowing one more fact, such as 'if Ann has it, so has Bob'"),
        (Negations(0), "knowing nothing else"),
    ):
        highest = _measure_everybody(measure, table)
        # half way between what totals alone disclose and certainty: a lower bound could hardly be kept
        bound = next((each for each in BOUNDS if 2 * each >= 1 + highest), None)
        if bound is not None:
            shown = at_a_glance(highest, large_is_bad=True)
            reason = (
                f"Nobody gets surer than {bound} of what somebody has, {knowing}. If nothing but totals were "
                f"published, it would be {shown}; a bound below that cannot be kept. Lower is stricter; "
                'values that nobody would mind are taken out so: apart_from = ["…"].'
            )
            return measure <= bound, reason
    return None


def _measure_everybody(measure: Measure, table: Table) -> Amount:
    """Measure the release that tells totals only: everybody in one group."""
    totals = dict(zip(table.domain, table.counts.totals().tolist(), strict=True))
    whole = Release.from_counts([totals], sizes=[table.people], values=table.semantics)
    return measure.measure(whole).value


def drafted_text(draft: PolicyDraft, suggested: SuggestedRoles, *, heading: Iterable[str] = ()) -> str:
    """Write a draft as a policy file, with a comment for each column and limit, below some lines of comment."""
    lines = [*map(_comment, heading), "", *_roles_section(suggested), ""]
    for criterion, reason in zip(draft.policy.criteria, draft.reasons, strict=True):
        lines += [*map(_comment, wrap(reason, WIDTH)), policy_text(Policy(criterion))]
    if draft.common is not None:
        # the question is about the limit written last, so it joins that table of the file
        lines = [*lines[:-1], lines[-1].removesuffix("\n"), *_question_common_value(draft.common)]
    lines += [_comment(f"Note: {note}.") for note in draft.notes]
    return "\n".join(lines)


def _question_common_value(common: Fraction) -> Iterator[str]:
    """Ask about the commonest value, without naming it: a draft holds no cell of the table."""
    question = (
        f"DECIDE: {short_decimal(common)} of the people have the commonest value. If nobody would mind being known to "
        "have it, write it between the quotes and take the # away from the next line: the limit is then about the "
        "other values, and the release can tell more."
    )
    yield from map(_comment, wrap(question, WIDTH))
    yield '# apart_from = ["…"]'
    yield ""


def _roles_section(suggested: SuggestedRoles) -> Iterator[str]:
    """Write who is who, column by column; what is not listed is not published."""
    yield "[roles]"
    yield _comment("What others may know about people, and look them up by; it is published more coarsely.")
    yield _comment(
        "DECIDE: does somebody who looks for a person know one of the columns further down? Then move it here."
    )
    yield "quasi = ["
    yield from (
        f"  {_toml(each.column)},  {_comment(each.reason)}" for each in suggested.columns if each.role == "quasi"
    )
    yield "]"
    yield _comment("What should not be found out about anybody. DECIDE whether it is this:")
    yield from _reasons(suggested, "sensitive")
    roles = suggested.roles
    settings = (
        ("", "sensitive", roles.sensitive),
        ("Whose row it is; it is not published.", "person", roles.person),
        ("People have several values, or several rows.", "values", roles.values),
        ('What an empty sensitive cell is; "drop" leaves such rows out.', "missing", roles.missing),
        ("Texts that mean that a cell is empty.", "missing_marks", roles.missing_marks or None),
        ("What stands between several values in one cell.", "split", roles.split),
        ("Published as it is, and judged by nothing.", "keep", roles.keep or None),
        ("Sampling weights; published as they are.", "weight", roles.weight),
        ("What rows are that are * throughout.", "suppressed", roles.suppressed),
        ("Sensitive values that there could be, in order.", "domain", roles.domain or None),
        ("How coarsely sensitive values are published.", "sensitive_level", roles.sensitive_level),
        ("", "encoding", roles.encoding),
        ("", "sheet", roles.sheet),
        ("Which columns are numbers, and which are codes.", "columns", dict(roles.kinds) or None),
    )
    for why, name, setting in settings:
        if setting is not None:
            yield from ([_comment(why)] if why else [])
            yield f"{name} = {_toml(setting)}"
    if suggested.named("leave out"):
        yield _comment("Not listed, and so not published:")
        yield from _reasons(suggested, "leave out")


def _reasons(suggested: SuggestedRoles, role: Role) -> Iterator[str]:
    return (
        _comment(f"  {each.column or '(no name)'}: {each.reason}") for each in suggested.columns if each.role == role
    )


def _comment(text: str) -> str:
    """Write a comment of one line, whatever a name holds."""
    return "# " + "".join(letter if letter.isprintable() else " " for letter in text)


def _toml(value: object) -> str:
    """Write a value in one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(name)} = {_toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").removesuffix("\n")
