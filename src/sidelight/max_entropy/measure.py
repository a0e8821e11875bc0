"""How sure would somebody with statistics get?  max over q and s of P*(s | q), by maximum entropy.

Statements link groups, so that this measure is not mergeable: searches go without it and judge what they found by it.
In groups that no statement touches, P*(s | q) is a ratio of counts and exact; elsewhere the solver is right to more
than `PLACES` decimals, and the value is rounded up there, so that a bound is never decided too kindly.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, NoReturn

import numpy as np

from sidelight._rounding import in_words, to_places
from sidelight._text import counted
from sidelight.errors import BadKnowledge, BadMeasure, parameter
from sidelight.knowledge.parse_statements import Statements, read_statements
from sidelight.knowledge.statements import Statement
from sidelight.max_entropy.association_rules import strongest_rules
from sidelight.max_entropy.beliefs import Beliefs
from sidelight.max_entropy.maxent import SECONDS, maxent
from sidelight.max_entropy.set_beliefs import SetBeliefs
from sidelight.measures.exact import Amount
from sidelight.measures.measure import Finding, Monotonicity, Witness
from sidelight.measures.targets import Targeted
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label, shown, shown_in_list
from sidelight.table.table import Table

PLACES, PLACES_IN_TIME = 9, 6
"""What the solver finds is rounded up to so many decimals, as it is right to more; to fewer where the time was up."""

CLOSE = 1e-9
"""Risks that are this close to the largest are looked at exactly where that can be."""


@dataclass(frozen=True, slots=True, repr=False)
class Believed(Witness):
    """Of whom somebody is most sure: what is known about the person; `key` is its number in the release."""

    key: int = 0
    says: tuple[tuple[str, Label], ...] = ()


@dataclass(frozen=True, repr=False)
class MaxEnt(Targeted):
    """How sure would somebody get who knows some statistics and assumes nothing else?

    The largest P*(s | q) of the distribution of largest entropy that fits the release and the statements (see
    `maxent`); q is what outsiders may know about a person.  This is not counting worlds, as `Implications` does: the
    two agree when nothing is known.  `knowing` are statements; `rules=(K₊, K₋)` are so many of the strongest rules of
    the original `table` (which `protect` puts in by itself).

    Values in `apart_from` are believed like any others, and are no targets.
    It looks at a whole release at once, so searches go without it and judge what they found by it.  An exact
    `Fraction` where no statement touches the groups, otherwise a float, rounded up at the ninth decimal.  Solving takes
    at most `seconds`; where the time was up before everything was decided, the value is rounded up at the sixth, and a
    limit that is as close as that cannot be judged (`TooHard`).

    >>> ward = Release.from_buckets([([{"sex": "male"}, {"sex": "female"}], ["Flu", "Anorexia"])])
    >>> MaxEnt().measure(ward).value
    Fraction(1, 2)
    >>> finding = MaxEnt(knowing=["P(Anorexia | sex=male) = 0"]).measure(ward)
    >>> print(finding.explain())
    By maximum entropy, someone who knows 1 statement would be sure (1) that a person with sex female has 'Anorexia'.

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
    """

    knowing: Statements = ()
    rules: tuple[int, int] = (0, 0)
    table: Table | None = field(default=None, repr=False)
    seconds: float = SECONDS

    name: ClassVar[str] = "maximum entropy"
    also_called = ("maxent", "privacy-maxent")
    limits = (0, 1)
    semantics = ("single", "set")
    mergeable: ClassVar[bool] = False
    when_groups_merge = Monotonicity.UNKNOWN

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "knowing", tuple(each.statement for each in read_statements(self.knowing)))
        object.__setattr__(self, "rules", tuple(self.rules))
        if len(self.rules) != 2 or min(self.rules) < 0:
            message = "rules= are two numbers: how many of the strongest rules 'has' and 'has not' are known"
            raise BadMeasure(message)
        object.__setattr__(self, "seconds", float(self.seconds))
        if not self.seconds > 0:
            message = f"{parameter('seconds', self.seconds)} is no time to solve in; give more than 0"
            raise BadMeasure(message)

    @classmethod
    def from_settings(
        cls,
        *,
        knowing: tuple[str, ...] = (),
        rules: tuple[int, int] = (0, 0),
        seconds: float = SECONDS,
        apart_from: tuple[str, ...] = (),
    ) -> MaxEnt:
        """Make it from what a policy file says."""
        return cls(knowing=knowing, rules=rules, seconds=seconds, apart_from=apart_from)

    def settings(self) -> dict[str, object]:
        """Say the parameters as a policy file does."""
        settings: dict[str, object] = {}
        if self.knowing:
            settings["knowing"] = [str(each) for each in self.knowing]
        settings |= {"rules": [*self.rules]} if self.rules != (0, 0) else {}
        settings |= {"seconds": self.seconds} if self.seconds != SECONDS else {}
        return settings | ({"apart_from": self.apart_from} if self.apart_from else {})

    def informed(self, table: Table) -> MaxEnt:
        """Mine the rules from this table, unless another one was given."""
        return replace(self, table=table) if self.table is None and self.rules != (0, 0) else self

    def statements(self) -> tuple[Statement, ...]:
        """List all that is known: the statements, then the rules."""
        stated: Iterable[Statement] = self.knowing  # type: ignore[assignment]
        if self.rules == (0, 0):
            return tuple(stated)
        if self.table is None:
            message = "rules=(K₊, K₋) are mined from the original; give table=, or knowing=strongest_rules(table, …)"
            raise BadMeasure(message)
        return (*stated, *strongest_rules(self.table, positive=self.rules[0], negative=self.rules[1]))

    def summarize(self, groups: Groups) -> NoReturn:
        """Refuse: what is known links groups, so that parts of a release cannot be measured apart."""
        del groups
        message = f"'{self.name}' looks at a whole release at once; measure the release, not its parts"
        raise BadMeasure(message)

    def beliefs(self, release: Release) -> Beliefs | SetBeliefs:
        """Give everything that would be believed."""
        self.check(release)
        if self.rules == (0, 0):
            return maxent(release, self.statements(), seconds=self.seconds)
        try:
            return maxent(release, self.statements(), seconds=self.seconds)
        except BadKnowledge as error:
            message = (
                f"the rules do not fit this release: {error}; it does not print the columns as they are, so use one "
                f"with members, such as those of group and of {parameter('method', 'anatomy')}"
            )
            raise BadMeasure(message) from None

    def measure(self, release: Release) -> Finding:
        """Find the person of whom one would be most sure."""
        beliefs = self.beliefs(release)
        by_key, members = beliefs.by_kind, beliefs.by_kind.members
        # the largest float may not be the largest exact value: all that are close are compared as they are decided
        in_question = np.isin(by_key.value, self.targets.places(release.groups))
        if not in_question.any():
            return Finding(self, Fraction(0), None, (self.targets.nobody(), *beliefs.notes))
        probability = np.where(in_question, by_key.probability, -1)
        near = np.flatnonzero(probability >= probability.max() - CLOSE)[:1000]
        values = [_cautious(beliefs, int(by_key.key[at]), int(by_key.value[at])) for at in near]
        at = near[values.index(max(values))]
        key = int(by_key.key[at])
        group = release.groups.name(int(members.group[members.key == by_key.keys.printed[key]][0]))
        witness = Believed(group, release.domain[int(by_key.value[at])], key=key, says=by_key.says(key))
        least = None
        if beliefs.undecided and isinstance(max(values), float):
            least = max(max(values) - 2 * 10.0**-PLACES_IN_TIME, 0.0)
        return Finding(self, max(values), witness, beliefs.notes, least)

    def explain(self, finding: Finding) -> str:
        """Say of whom, and that it is by maximum entropy."""
        if not isinstance(finding.witness, Believed):
            return "Nobody can be believed to have it: " + finding.notes[0] + "."
        says = ", ".join(f"{column} {shown_in_list(text)}" for column, text in finding.witness.says)
        who = f"with {says}" if says else f"in {finding.witness.group}"
        known = len(self.statements())
        knows = counted(known, "statement") if known else "nothing else"
        sure = "be sure (1)" if finding.value == 1 else f"believe with probability {in_words(finding.value)}"
        return (
            f"By maximum entropy, someone who knows {knows} would {sure} that a person {who} "
            f"has '{shown(finding.witness.value)}'."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Solve again, and add up what all groups say about the person."""
        assert isinstance(witness, Believed)
        return _cautious(self.beliefs(release), witness.key, release.groups.code_of(witness.value))

    def __repr__(self) -> str:
        return f"<MaxEnt: {self}>"


def _cautious(beliefs: Beliefs | SetBeliefs, key: int, value: int) -> Amount:
    """Give P*(s | q): exactly where it has a closed form, else rounded up."""
    members, groups = beliefs.by_kind.members, beliefs.release.groups
    rows = np.flatnonzero(members.key == beliefs.by_kind.keys.printed[key])
    if not beliefs.touched_by(value)[members.group[rows]].any():
        expected = sum(
            Fraction(int(members.people[row]) * int(groups.counts.row(group)[value]), int(groups.sizes[group]))
            for row, group in zip(rows.tolist(), members.group[rows].tolist(), strict=True)
        )
        return Fraction(expected, int(members.people[rows].sum()))
    by_key = beliefs.by_kind
    (at,) = np.flatnonzero((by_key.key == key) & (by_key.value == value))
    # up, but for the solver's own error, which is far below a tenth of the last place
    places = PLACES_IN_TIME if beliefs.undecided else PLACES
    solved = Fraction(float(by_key.probability[at])) - Fraction(1, 10 ** (PLACES + 1))
    return min(float(to_places(solved, places)), 1.0)
