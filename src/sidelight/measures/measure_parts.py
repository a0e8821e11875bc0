"""The four parts of a measure: its question, its formula, what it claims, and its words.

`Measure` (in `measure`) puts them together.  A measure fills in `name`, `when_groups_merge`, `summarize` (or
`measure`), `explain` and `replay`; everything else here has an answer that suits most.

Question    what is asked, about what, with which settings
Formula     groups to summaries to a finding; a screen for searches; the value once more, from the witness
Claims      what searches and policies rely on, and `tests/claims` tries to refute
Words       how it is said and written
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, replace
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from sidelight.arrays import Flags
from sidelight.errors import BadMeasure, expect, in_python, listed, parameter
from sidelight.measures.attacker import Attacker, AttackerAnswer, FoundRelease
from sidelight.measures.criterion import Bound
from sidelight.measures.exact import Amount, Screen
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.limit_grammar import call_text
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label, Semantics
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure, Monotonicity, Summary, Views
    from sidelight.release.population import Population


class Question(ABC):
    """What is asked, about what, with which settings: the fields of the dataclass that a measure is.

    In a policy file and on the command line a measure's settings are the parameters of its class.  Where those
    hold what TOML cannot say, the class offers a class method `from_settings`, whose annotated signature then is
    what the file may say, and a method `settings()` for the way back.
    """

    name: ClassVar[str]  # in the user's words, as in policy.toml: "group size"
    attacker: ClassVar[Attacker]  # whom it is about, in words for reports
    semantics: ClassVar[tuple[Semantics, ...]] = ("single", "set", "multiset")  # where the question makes sense
    about_values: ClassVar[bool] = True  # whether it looks at sensitive values, or only at the groups
    needs_weights: ClassVar[bool] = False  # whether it looks at sampling weights; or a property
    estimate: ClassVar[bool] = False  # whether it guesses, by a model, at what the release does not say

    def settings(self) -> dict[str, object]:
        """Return the parameters that differ from their defaults as a policy says them: numbers, texts, lists."""
        values = ((each, getattr(self, each.name)) for each in fields(self))  # type: ignore[arg-type]
        return {each.name: value for each, value in values if value != each.default}

    def amounts(self) -> dict[str, int]:
        """Return the parameters that are whole numbers: how much somebody knows, how many values are wanted."""
        # bool is a kind of int to Python, and no amount
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if isinstance(value, int) and not isinstance(value, bool)}

    def replace_settings(self, **changed: object) -> Self:
        """Return the measure with some parameters changed."""
        return replace(self, **changed)  # type: ignore[type-var]

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Return a few of these measures that suit releases with these values: every contract test tries them."""
        del domain
        required = [each.name for each in fields(cls) if each.default is each.default_factory is MISSING]  # type: ignore[arg-type]
        # 1 suits required settings that are amounts; measures with others have examples of their own
        return (cls(**dict.fromkeys(required, 1)),)  # type: ignore[return-value]

    def check(self, release: Release) -> None:
        """Raise if this is no release, or one for which the question makes no sense."""
        expect(Release, release, "what is measured")
        if release.semantics not in self.semantics:
            message = (
                f"'{self.name}' is defined for {' and '.join(self.semantics)} values, "
                f"and this release has {parameter('values', release.semantics)}; leave it out or use 'acquaintance'"
            )
            raise BadMeasure(message)
        columns = release.sensitive_columns
        if self.about_values and len(columns) > 1:
            message = (
                f"'{self.name}' is about one sensitive column, and this release has {listed(columns)}; "
                f"ask about one (of={columns[0]}){in_python(f': .about({columns[0]!r}), or let a policy ask each')}"
            )
            raise BadMeasure(message)

    @property
    def register(self) -> Population | None:
        """The population that the question compares the release with, if it does."""
        return None

    def compare_with(self, population: Population) -> Self:
        """Return the measure that compares with this population, where the question is about one."""
        del population
        return self

    def prepare(self, release: Release) -> Release:
        """Return the release with what the question needs of its groups: their people in a population."""
        return release if self.register is None else self.register.attach_to(release)

    def bind_table(self, table: Table) -> Self:
        """Return the measure with the original table, where the attacker knows something of it."""
        del table
        return self

    @property
    def knows_true_values(self) -> bool:
        """Whether what it finds depends on who has which value, beside what the release says."""
        return False

    def include_values(self, values: AbstractSet[Label]) -> Self:
        """Return the measure that no longer leaves out any of these values."""
        del values
        return self

    def names_values(self, domain: tuple[Label, ...]) -> Flags:
        """Return which values of a domain the settings name: those are spoken of, whoever has them."""
        # a hierarchy covers values and names none of them, and a setting that is None is left open
        settings = (value for name, value in self.settings().items() if name != "hierarchy" and value is not None)
        named = {text for value in settings for text in _labels_in(value)}
        return np.array([text in named for text in domain], bool)


def _labels_in(setting: object) -> Iterator[Label]:
    """Yield all labels inside a setting; in a list, None is the missing label, as in `apart_from=[None]`."""
    if setting is None or isinstance(setting, str):
        yield setting
    elif isinstance(setting, Mapping):
        yield from _labels_in([*setting.keys(), *setting.values()])
    elif isinstance(setting, Iterable):
        for part in setting:
            yield from _labels_in(part)


class Formula(Question):
    """Groups to summaries to a finding; a screen for searches; the value once more, from the witness."""

    mergeable: ClassVar[bool] = True  # whether summaries of parts make up the whole; otherwise only whole releases
    depends_on_whole: ClassVar[bool] = True  # whether a group's summary depends on how often values occur in all groups

    def measure(self, release: Release) -> Finding:
        """Answer the question for a release."""
        self.check(release)
        release = self.prepare(release)
        return self.summarize_blocks(release.groups).finding()

    def measure_view(self, release: Release, views: Views) -> Finding:
        """Answer the question; `views` of the release that others asked about may be at hand (see `about`)."""
        del views
        return self.measure(release)

    def summarize(self, groups: Groups) -> Summary:
        """Reduce groups to what the finding needs, vectorised over the groups; where that is `mergeable`."""
        del groups
        message = f"'{self.name}' looks at a whole release at once; measure the release, not its parts"
        raise BadMeasure(message)

    def summarize_blocks(self, groups: Groups) -> Summary:
        """Summarise groups that may be too many for one block."""
        # lazily: one block of dense counts is in memory at a time
        return reduce(lambda one, other: one.merge(other), map(self.summarize, self.blocks(groups)))

    def blocks(self, groups: Groups) -> Iterable[Groups]:
        """Cut groups into parts that `summarize` can take: by default so that all values can be spread out."""
        return groups.blocks()

    @property
    def equal_groups_count_once(self) -> bool:
        """Whether, of groups with the same people and counts, the first is as good as all of them."""
        return False

    @property
    def streams(self) -> bool:
        """Whether a release can be gone through block by block, each forgotten after; else its groups are held."""
        return self.mergeable

    @classmethod
    def answer_search(cls, found: FoundRelease) -> AttackerAnswer:
        """Return what an attacker `asked_by_search` would reach of what a search found; with little effort."""
        finding = cls().measure(found.with_people())
        return AttackerAnswer(cls.attacker, "asked", belief=finding.value, falls=found.is_exceeded(finding.value))

    def complete(self, finding: Finding, release: Release) -> Finding:
        """Add to a finding, read off summaries, what only a release says."""
        del release
        return finding

    def screen(self) -> Screen:
        """Return the measure in floats and in a form that joins, for searches."""
        message = f"'{self.name}' looks at a whole release at once; search without it and judge what is found by it"
        raise BadMeasure(message)

    @abstractmethod
    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute the value again from the witness, by another path than `summarize`."""


class Claims(ABC):
    """What searches and policies rely on, and `tests/claims` tries to refute."""

    large_is_bad: ClassVar[bool] = True  # a risk (bounded from above), or a size or diversity (from below)
    limits: ClassVar[tuple[Bound, Bound]] = (0, math.inf)  # what a bound may be

    @property
    @abstractmethod
    def when_groups_merge(self) -> Monotonicity:
        """A claim; a plain class attribute, or a property where it depends on the parameters."""

    def monotonicity(self, semantics: Semantics) -> Monotonicity:
        """Return what merging groups does to the value under these semantics."""
        del semantics
        return self.when_groups_merge

    def least_people(self, semantics: Semantics) -> int:
        """Return how many people a group needs so as not to be as bad as can be, whoever has what: to prune by."""
        del semantics
        return 1

    @property
    def more_is_worse(self) -> tuple[str, ...]:
        """The amounts of which more never makes a release safer: a claim; a plain class attribute, or a property."""
        return ()

    def share_at(self, limit: Fraction) -> Fraction | None:
        """Return the share c for which "at most this limit" says "no value above share c of a group", and no more."""
        del limit
        return None

    def belief_at(self, limit: Fraction) -> Fraction | None:
        """Return a belief in any value of anybody that nobody passes within this limit, who knows the release alone."""
        return self.share_at(limit)


class Words(Question):
    """How a measure is said and written."""

    also_called: ClassVar[tuple[str, ...]] = ()  # its names in papers and other tools: "k-anonymity"
    undecided: ClassVar[str] = "could not be decided in time: the value {between}; give the measure more seconds"

    @abstractmethod
    def explain(self, finding: Finding) -> str:
        """Return a finding of this measure in words."""

    def __str__(self) -> str:
        """Write it as in a limit, everywhere: `implications(k=1)`."""
        return call_text(self.name, self.settings())
