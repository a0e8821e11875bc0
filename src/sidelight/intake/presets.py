"""Policies to start from: presets of regulators and tools, and drafts for a table with a comment on each line.

    EMA/Health Canada 0.09   prosecutor risk ≤ 1/11, or journalist risk ≤ 1/11 where a population is given
    k-map                    journalist risk ≤ 1/k, for a k of your choice
    ACRO                     group size ≥ 10, no group whose values are all alike, and the rules for sums of an amount
    HIPAA safe harbour       a check of columns, not of groups (`table.safe_harbour`): "found" or "could not tell"

A preset is data.  Its notes name its source and what it does not cover: no preset makes a release lawful, and none is
about an attacker who knows more than the quasi-identifiers.

*0.09 is not 1/11.*  Both agencies write 0.09 and mean groups of 11; 1/11 is 0.0909…, so that "at most 0.09" would need
groups of 12.  The preset has 1/11.

A draft has two limits, which the coarsest release of the table, all people in one group, always keeps:

    group size ≥ 11            each person is one of at least eleven, which is what regulators of health data mean by
                               0.09; in small tables one of five, in very small ones one of two
    implications(k=1) ≤ b      the confidence of an attacker who knows one fact about others is at most b; or, if a
                               column of few values cannot keep that, negations(k=0) ≤ b, knowing nothing else

b is the first bound with b ≥ (1 + v) / 2, at least half of the way from v to 1, where v is the measure of all people in
one group: what totals alone disclose.  If nearly all people have one value, nothing can hide it, and there is no second
limit.  The commonest value costs most utility; whether it needs protection, no program can decide: the file asks
(`DECIDE`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from inspect import signature
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import tomli_w

from sidelight.errors import BadPolicy, SidelightError, as_given, did_you_mean, listed, parameter, shortened
from sidelight.intake.safe_harbour import NOT_COVERED, SOURCE, SafeHarbour, safe_harbour
from sidelight.knowledge.tokens import TokenReader, whole_in
from sidelight.measures.ck_safety.implications import Implications, Negations
from sidelight.measures.classics import DistinctValues, GroupSize
from sidelight.measures.criterion import SIGNS, Criterion
from sidelight.measures.named_risks.size_risk import JournalistRisk, ProsecutorRisk, Statistic
from sidelight.measures.sums import Dominance, Remainder, SumMeasure
from sidelight.policy.policy import Policy, policy_text
from sidelight.release.release import Release
from sidelight.rounding import short_amount, short_decimal
from sidelight.table.labels import JointDomain
from sidelight.text import read_data

if TYPE_CHECKING:
    from sidelight.intake.roles import Role, SuggestedRoles
    from sidelight.measures.measure import Measure
    from sidelight.table.table import Table

SAFE_HARBOUR = "HIPAA safe harbour"

# Never covered by a preset
ALWAYS = "what somebody learns who knows more than the group's columns, and what several releases tell together"


@dataclass(frozen=True, slots=True)
class Preset:
    """Limits of a regulator or tool: their source, and what they do not cover.

    >>> preset = presets.ema_health_canada()
    >>> print(preset.policy)
    prosecutor risk ≤ 1/11
    >>> print(preset.source)
    EMA policy 0070 and Health Canada's Public Release of Clinical Information: 0.09 in most circumstances, as \
secondary sources report it; groups of 11 are meant, and 1/11 is 0.0909…, so that 1/11 is asked for
    """

    name: str
    source: str
    not_covered: tuple[str, ...]
    criteria: tuple[Criterion, ...] = ()
    beside: tuple[Measure, ...] = ()  # reported without a limit

    @classmethod
    def read(cls, key: str, *criteria: Criterion, beside: tuple[Measure, ...] = ()) -> Preset:
        """Return a preset of `presets.toml` with its limits."""
        texts = read_data("sidelight.intake", "presets.toml")[key]
        return cls(texts["name"], texts["source"], (*texts["not_covered"], ALWAYS), criteria, beside)

    @property
    def policy(self) -> Policy:
        """The limits as a policy."""
        return Policy(*self.criteria)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the source, and what is not covered, in words."""
        return (
            f"preset '{self.name}': {self.source}",
            f"preset '{self.name}' does not cover: {'; '.join(self.not_covered)}",
        )


class Presets(Mapping[str, Callable[..., Preset | SafeHarbour]]):
    """The limits of regulators and tools, by name (`sl.presets["ACRO"]()`) or as functions (`sl.presets.acro()`).

    >>> print(*presets, sep="; ")
    EMA/Health Canada 0.09; k-map; ACRO; HIPAA safe harbour
    >>> print(presets.acro().policy)
    group size ≥ 10; distinct values ≥ 2; dominance ≤ 0.9; remainder ≥ 0.1
    """

    @staticmethod
    def ema_health_canada(population: object = None) -> Preset:
        """Return the limit of EMA and Health Canada on re-identification in published clinical data: at most 1/11.

        With a `population`, against a journalist who looks people up there; without one, against a prosecutor who knows
        that a person is in the release.  The average is reported too: ISO/IEC 27559 (7.3.2) wants one of them.

        >>> print(presets.ema_health_canada(population="register.csv").policy)
        journalist risk(population=register.csv) ≤ 1/11
        """
        statistics: tuple[Statistic, Statistic] = ("highest", "average")
        highest, average = (
            ProsecutorRisk(statistic) if population is None else JournalistRisk(population, statistic)
            for statistic in statistics
        )
        return Preset.read("ema_health_canada", highest <= Fraction(1, 11), beside=(average,))

    @staticmethod
    def k_map(k: int, population: object = None) -> Preset:
        """Return the limit that each person of a release looks like at least k people of a population.

        >>> print(presets.k_map(5).policy)
        journalist risk ≤ 1/5
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise BadPolicy(
                f"the preset 'k-map' needs {parameter('k')} to be a whole number of at least 1, not {as_given(k)}"
            )
        return Preset.read("k_map", JournalistRisk(population) <= Fraction(1, k))

    @staticmethod
    def acro(*, sums: bool = True) -> Preset:
        """Return the limits of ACRO: ten people in each cell, not all values equal, no sum that discloses an amount.

        The rules for `sums` are about sensitive values that are amounts; leave them out for others.  A sum of 0 breaks
        them, as in ACRO, where zeros are disclosive.

        >>> print(presets.acro(sums=False).policy)
        group size ≥ 10; distinct values ≥ 2
        >>> presets.acro(sums=False).not_covered[0]
        'sums of an amount: the two largest at most 0.90 of the total, all but them at least 0.10 of the largest'
        """
        if sums not in (True, False):
            raise BadPolicy(f"the preset 'ACRO' needs {parameter('sums')} to be true or false, not {as_given(sums)}")
        counts = (GroupSize() >= 10, DistinctValues() >= 2)
        if sums:
            return Preset.read("acro", *counts, Dominance(largest=2) <= 0.9, Remainder(largest=2) >= 0.1)
        rules = "the two largest at most 0.90 of the total, all but them at least 0.10 of the largest"
        preset = Preset.read("acro", *counts)
        return replace(preset, not_covered=(f"sums of an amount: {rules}", *preset.not_covered))

    @staticmethod
    def hipaa_safe_harbour(source: object, **reading: object) -> SafeHarbour:
        """Return the columns that look like an identifier of the HIPAA safe harbour rule (`safe_harbour`).

        >>> import pyarrow as pa
        >>> presets.hipaa_safe_harbour(pa.table({"ssn": ["123-45-6789"]})).answer
        'found'
        """
        return safe_harbour(source, **reading)  # type: ignore[arg-type]

    @property
    def _registry(self) -> dict[str, Callable[..., Preset | SafeHarbour]]:
        return {
            "EMA/Health Canada 0.09": self.ema_health_canada,
            "k-map": self.k_map,
            "ACRO": self.acro,
            SAFE_HARBOUR: self.hipaa_safe_harbour,
        }

    def __getitem__(self, name: str) -> Callable[..., Preset | SafeHarbour]:
        """Find a preset by its name, whatever its capitals."""
        known = self._registry
        nearest = next((each for each in known if each.casefold() == name.strip().casefold()), None)
        if nearest is None:
            raise BadPolicy(f"no preset '{name}'{did_you_mean(name, known)}")
        return known[nearest]

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry)

    def __len__(self) -> int:
        return len(self._registry)

    def __repr__(self) -> str:
        return f"<Presets: {'; '.join(self)}>"


presets = Presets()
"""The public `sl.presets`."""


def is_check_of_columns(text: str) -> bool:
    """Return whether a preset is the check of columns, which has no limits.

    >>> is_check_of_columns("hipaa safe harbour"), is_check_of_columns("ACRO")
    (True, False)
    """
    return text.strip().casefold() == SAFE_HARBOUR.casefold()


def read_preset(text: str, *, population: object = None, folder: Path | None = None) -> Preset:
    """Parse a preset with limits: its name, and its settings in parentheses; paths are relative to `folder`.

    >>> print(read_preset("k-map(k=5)").policy)
    journalist risk ≤ 1/5
    """
    name, opened, inside = text.partition("(")
    if is_check_of_columns(name):
        raise BadPolicy(
            f"the preset '{SAFE_HARBOUR}' is a check of columns and sets no limits; "
            f"ask it with sidelight columns FILE --preset '{SAFE_HARBOUR}', or sl.presets.hipaa_safe_harbour(...)"
        )
    make = presets[name]
    settings = _read_settings(f"({inside}") if opened else {}
    if folder is not None and isinstance(settings.get("population"), str):
        settings["population"] = str(folder / str(settings["population"]))
    # ACRO's rules are about the table alone
    if population is not None and make is not presets.acro:
        settings.setdefault("population", population)
    try:
        preset = make(**settings)
    except TypeError:
        takes = listed(tuple(signature(make).parameters))
        raise BadPolicy(f"cannot read the preset '{text}': it takes {takes}; write settings like k-map(k=5)") from None
    except SidelightError as error:
        raise BadPolicy(f"preset '{text}': {error}") from None
    assert isinstance(preset, Preset)
    return preset


def _read_settings(text: str) -> dict[str, object]:
    tokens = TokenReader(text, signs=SIGNS, error=BadPolicy)
    tokens.expect("(", "write it like k-map(k=5)")
    settings: dict[str, object] = {}
    while not tokens.accept(")"):
        if settings:
            tokens.expect(",", "write it like k-map(k=5)")
        name = tokens.name("a setting", stop=())
        tokens.expect("=", "write it like k-map(k=5)")
        start, value = tokens.next, tokens.name("a value", stop=())
        truth = {"true": True, "false": False}.get(value, value)
        number = whole_in(value) if value.isascii() and value.isdigit() else truth
        if number is None:
            tokens.fail(f"'{shortened(value)}' is more than anybody counts; give a smaller number", at=start)
        settings[name] = number
    tokens.end("write it like k-map(k=5)")
    return settings


# Notes about the check of columns
HIPAA_NOTES = (
    f"preset '{SAFE_HARBOUR}': {SOURCE}",
    f"preset '{SAFE_HARBOUR}' does not cover: {'; '.join(NOT_COVERED)}",
)


# The least people of a table, and the group size for it: at most a tenth of them
GROUPS = ((110, 11), (10, 5), (0, 2))


@dataclass(frozen=True, slots=True)
class PolicyDraft:
    """A policy to start from, and why it sets each limit."""

    policy: Policy
    reasons: tuple[str, ...]  # one for each criterion
    common: Fraction | None = None  # share of the commonest value, if above half and limited
    notes: tuple[str, ...] = ()


def draft_policy(table: Table) -> PolicyDraft:
    """Draft a policy for a table, to start from.

    >>> import sidelight as sl
    >>> print(draft_policy(sl.datasets.adult().table).policy)
    group size ≥ 11; implications(k=1) ≤ 2/3
    """
    alike = next(size for people, size in GROUPS if table.people >= people)
    size = GroupSize() >= alike
    why = f"Nobody is found more surely than one of {alike}. "
    if alike == GROUPS[0][1]:
        why += (
            "EMA and Health Canada ask for this (0.09) where health data are published; for a table that "
            "only researchers under contract see, 5 is often enough. DECIDE who will read it."
        )
    else:
        why += (
            f"That is little, as there are {table.people:,} people only: with more of them it would be 11, as "
            "EMA and Health Canada ask for (0.09). DECIDE whether a table of so few people should be published."
        )
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


def _common_share(table: Table) -> Fraction | None:
    """Return the share of people with the commonest value, if above half; None for several sensitive columns.

    None in "multiset" too, where people may have a value more than once, so that its count is not that of people.
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
    domain = table.domain
    domains = [column.labels for column in domain.columns] if isinstance(domain, JointDomain) else [domain]

    def suits(measure: Measure) -> bool:
        # rules for sums need amounts in all sensitive columns
        return not isinstance(measure, SumMeasure) or (
            table.semantics in measure.semantics and all(map(measure.suits, domains))
        )

    criteria = [each for each in preset.criteria if suits(each.measure)]
    unsuited = len(preset.criteria) > len(criteria)
    left_out = "the rules for sums are left out: they are about one amount of at least 0 for each person"
    notes = (left_out,) if unsuited else ()
    reasons = (f"Asked for by {preset.source}.",) * len(criteria)
    return PolicyDraft(Policy(*criteria), reasons, notes=(*notes, *preset.notes[1:]))


def _secret_limit(table: Table) -> tuple[Criterion, str] | None:
    """Return the limit against the strongest attacker that all people in one group resist, and its reason."""
    for measure, knowing in (
        (Implications(1), "knowing one more fact, such as 'if Ann has it, so has Bob'"),
        (Negations(0), "knowing nothing else"),
    ):
        # the release that discloses totals only: all people in one group
        totals = dict(zip(table.domain, table.counts.totals().tolist(), strict=True))
        one_group = Release.from_counts([totals], sizes=[table.people], values=table.semantics)
        highest = measure.measure(one_group).value
        # half way between what totals alone disclose and certainty: a lower bound could hardly be kept
        bounds = map(Fraction, ("1/2", "2/3", "3/4", "4/5", "9/10", "19/20", "99/100"))
        bound = next((each for each in bounds if 2 * each >= 1 + highest), None)
        if bound is not None:
            shown = short_amount(highest, large_is_bad=True)
            reason = (
                f"Nobody gets surer than {bound} of what somebody has, {knowing}. If nothing but totals were "
                f"published, it would be {shown}; a bound below that cannot be kept. Lower is stricter; "
                'values that nobody would mind are taken out so: apart_from = ["…"].'
            )
            return measure <= bound, reason
    return None


def drafted_text(draft: PolicyDraft, suggested: SuggestedRoles, *, heading: Iterable[str] = ()) -> str:
    """Write a draft as a policy file, with a comment for each column and limit, below some lines of comment."""
    lines = [*map(_comment, heading), "", *_roles_section(suggested), ""]
    for criterion, reason in zip(draft.policy.criteria, draft.reasons, strict=True):
        lines += [*map(_comment, wrap(reason, 100)), policy_text(Policy(criterion))]
    if draft.common is not None:
        # the question is about the last limit, so it joins that table of the file; it does not name the value, as a
        # draft holds no cell of the table
        question = (
            f"DECIDE: {short_decimal(draft.common)} of the people have the commonest value. If nobody would mind being "
            "known to have it, write it between the quotes and take the # away from the next line: the limit is then "
            "about the other values, and the release can tell more."
        )
        comment = (*map(_comment, wrap(question, 100)), '# apart_from = ["…"]', "")
        lines = [*lines[:-1], lines[-1].removesuffix("\n"), *comment]
    lines += [_comment(f"Note: {note}.") for note in draft.notes]
    return "\n".join(lines)


def _roles_section(suggested: SuggestedRoles) -> Iterator[str]:
    """Write the [roles] with a comment for each column; columns that are not listed are not published."""
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
    yield from _comment_columns(suggested, "sensitive")
    comments = read_data("sidelight.intake", "presets.toml")["comments"]
    for name in ("sensitive", *comments, "encoding", "sheet", "kinds"):
        setting = getattr(suggested.roles, name)
        if setting is None or setting in ((), {}):
            continue
        if name in comments:
            yield _comment(comments[name])
        if name == "kinds":
            yield _comment("Which columns are numbers, and which are codes.")
        yield f"columns = {_toml(dict(setting))}" if name == "kinds" else f"{name} = {_toml(setting)}"
    if suggested.named("leave out"):
        yield _comment("Not listed, and so not published:")
        yield from _comment_columns(suggested, "leave out")


def _comment_columns(suggested: SuggestedRoles, role: Role) -> Iterator[str]:
    return (
        _comment(f"  {each.column or '(no name)'}: {each.reason}") for each in suggested.columns if each.role == role
    )


def _comment(text: str) -> str:
    """Write a comment of one line, whatever a name holds."""
    return "# " + "".join(letter if letter.isprintable() else " " for letter in text)


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(name)} = {_toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").removesuffix("\n")
