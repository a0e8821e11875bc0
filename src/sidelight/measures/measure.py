"""What every measure is: a question, a mergeable summary, a finding; and with a bound, a criterion.

    release ─▶ blocks of groups ─▶ summarize ─▶ merge ─▶ finding (value, witness) ─▶ criterion.decide ─▶ judgement

A measure's mathematics is written once, vectorised over groups, and is used in two ways: an audit reduces groups to a
`Summary`, whose finding is exact; a search asks for a `Screen`, rows of floats that join (see `exact`).  Measures
that are as bad as their worst group need only a statistic and a formula (see `group_by_group`).

*Invariants.*  Summaries merge in any order to the same finding, witness included.  `finding.value` is exact (or a float
rounded towards caution), and a bound is decided on it.  `finding.replay(release)` computes it again from the witness,
by another path.  `when_groups_merge` and `more_is_worse` are claims that searches rely on and tests try to refute.

*Settings* are fields of the dataclass, declared with what reads them: a function that returns the value, or raises.

    k: int = field(metadata=whole())
    kind: Kind = field(default="basic", metadata=choice(Kind))
    one: Sequence[str] = field(default=(), metadata=read(as_names))

`Measure.__post_init__` reads all fields so declared, in their order; what depends on several fields is checked after
that, in the `__post_init__` of the class.  A None that is the default stays None.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass, fields, replace
from enum import Enum
from fractions import Fraction
from functools import reduce
from operator import index, itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np

from sidelight.errors import (
    BadMeasure,
    as_given,
    as_names,
    did_you_mean,
    expect,
    in_python,
    is_one_of,
    listed,
    parameter,
)
from sidelight.measures.criterion import Amount, Bound, Comparison, Criterion, Finding, Witness, call_text
from sidelight.progress import Progress, quiet
from sidelight.release.release import Release
from sidelight.rounding import in_words, round_at_a_glance, short_amount
from sidelight.table.labels import Label, Semantics, written_label
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.arrays import Flags
    from sidelight.measures.exact import Screen
    from sidelight.release.groups import Groups
    from sidelight.release.population import Population
    from sidelight.table.table import Table, TrueCounts


FieldReader: TypeAlias = Callable[["Measure", str, Any], object]
"""Takes the measure, the name of a field and its setting; returns the field's value or raises."""

LARGEST_AMOUNT = 10**1000
"""The largest whole number that a setting may be by default."""


def whole(*, least: int = 0, most: int = LARGEST_AMOUNT) -> dict[str, FieldReader]:
    """Declare a field that is a whole number from `least` to `most`."""
    return {"reader": lambda measure, name, setting: whole_amount(measure.name, name, setting, least=least, most=most)}


def choice(choices: object, message: str | None = None) -> dict[str, FieldReader]:
    """Declare a field that is one of the words of a `Literal`; `message` may name the {measure} and the {setting}."""

    def refuse_others(measure: Measure, name: str, setting: object) -> object:
        if not is_one_of(setting, choices):
            shown = as_given(setting)
            default = f"'{measure.name}' has no {parameter(name, shown)}{did_you_mean(shown, get_args(choices))}"
            raise BadMeasure(message.format(measure=measure.name, setting=shown) if message else default)
        return setting

    return {"reader": refuse_others}


def read(function: Callable[..., object], **in_file: object) -> dict[str, object]:
    """Declare a field whose value a function makes of its setting; `in_file`: the `hint` and `parse` of `in_policy`."""
    return {"reader": lambda _measure, _name, setting: function(setting), **in_file}


def read_with(function: Callable[[Any, Any], object], **in_file: object) -> dict[str, object]:
    """Declare a field whose value depends on others too: the function takes the measure and the setting."""
    return {"reader": lambda measure, _name, setting: function(measure, setting), **in_file}


def in_policy(hint: object, parse: Callable[[Any], object] | None = None) -> dict[str, object]:
    """Declare the type of a field in a policy file (None: it is not in one); `parse` returns what the class takes."""
    return {"hint": hint, "parse": parse}


def labels_as_written(settings: Any) -> Any:  # noqa: ANN401 - of any depth
    """Parse the names in tables of numbers in a policy file, of any depth: "(missing)" is the missing value."""
    if not isinstance(settings, Mapping):
        return settings
    return {written_label(text): labels_as_written(each) for text, each in settings.items()}


def whole_amount(measure: str, name: str, amount: object, *, least: int = 0, most: int = LARGEST_AMOUNT) -> int:
    """Return a whole number from `least` to `most`, or raise `BadMeasure`."""
    try:
        # true is a kind of int to Python, and no amount
        number = least - 1 if isinstance(amount, bool) else index(amount)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        expected = f"a whole number of at least {least}" if number < least else f"at most {as_given(most)}"
        raise BadMeasure(f"'{measure}' needs {name} to be {expected}, not {as_given(amount)}")
    return int(number)


def whole_if_possible(number: Fraction | float) -> int | Fraction | float:
    """Return a fraction that is a whole number as an int, and any other number as it is.

    >>> whole_if_possible(Fraction(5)), whole_if_possible(Fraction(1, 2)), whole_if_possible(float("inf"))
    (5, Fraction(1, 2), inf)
    """
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


Settings: TypeAlias = Mapping[str, object]
"""The settings of a measure by name, as a policy or a document has them."""

Family: TypeAlias = Literal["groups", "register", "columns", "facts", "belief", "sums", "other"]
"""What attackers have in common; a report lists the families that no measure covers (`FAMILIES`)."""

FAMILIES: Mapping[Family, str] = {
    "facts": "somebody who knows facts about people besides the columns of the file (implications, acquaintance)",
    "register": "somebody who looks people up in a register of the population (prosecutor, journalist, marketer risk)",
    "belief": "somebody who believes something about people from elsewhere (prior belief, maximum entropy)",
}

ROW = "where a person stands in the file: what it prints of them"
"""What every attacker knows who looks for one person."""


@dataclass(frozen=True, slots=True)
class Attacker:
    """The attacker that a measure models, in words for those who approve a release."""

    who: str  # "an insider"
    knows: str | Callable[[Settings], str] = "what the measure says"  # besides the release
    counts: str = ""  # "how sure an insider could become"
    family: Family = "other"
    name: str = ""  # the name of the measure, as in --ask and --as
    asked_by_search: bool = False  # whether searches test their releases against this attacker
    deed: str = ""  # "who trains a model on the release": what sets this attacker apart
    in_short: str = ""  # the deed where the release was just named: "trains a model on it"
    in_report: str = ""  # the deed in a report, for people who are new to it
    question: str = ""  # what such an attack asks, for the title of a page
    function: str = ""  # what runs the attack in Python, beside `sidelight attack --as`
    remedy: str = ""  # what helps against this attacker
    only_claims: bool = False  # whether a model guesses, which may be wrong: only right guesses break a release
    knows_method: bool = False  # whether the answer reveals how the release was made

    @property
    def described(self) -> str:
        """The attacker and the deed: "an insider, who knows the method and the policy too"."""
        return f"{self.who}, {self.deed}" if self.deed else self.who

    @property
    def how_to_ask(self) -> str:
        """How to run the attack with more effort, on the command line and in Python."""
        python = f", or sl.{self.function}" if self.function else ""
        return f"sidelight attack FILE --as {self.name} --table TABLE asks{python}"

    @classmethod
    def of_person(cls, counts: str, *, besides: str = "") -> Attacker:
        """Return the attacker of the classics, who finds a person's group; `besides` is what else is known."""
        knows = f"{ROW}; and {besides}" if besides else ROW
        return cls("somebody who knows a person and looks for them", knows, counts, "groups")

    @classmethod
    def unknown(cls, measure: str) -> Attacker:
        """Return the attacker of a measure that describes none."""
        return cls(f"whom “{measure}” is about", counts=f"“{measure}”", name=measure)

    def knowledge_in_words(self, settings: Settings) -> str:
        """Return what the attacker knows besides the release, with the columns that the settings name."""
        knows = self.knows if isinstance(self.knows, str) else self.knows(settings)
        known, about = settings.get("known"), settings.get("of")
        more = f"; and {', '.join(map(str, known))} of everybody" if isinstance(known, list) and known else ""
        return f"{knows}{more}" + (f" (asked about {about})" if isinstance(about, str) else "")


def amount_in(settings: Settings, name: str) -> int:
    """Return a setting that is a whole number; 0 where it has no value."""
    amount = settings.get(name, 0)
    return amount if isinstance(amount, int) else 0


Outcome: TypeAlias = Literal["asked", "nothing to learn", "could not tell", "not asked"]
"""Whether an attack was tried and computed; "nothing to learn" where it is proven that it would learn nothing more."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundRelease:
    """A release that a search found within a policy, as attackers see it."""

    release: Release
    limit: Fraction | None  # highest acceptable confidence (see `AttackerAnswer`); None: the policy limits sizes alone
    strict: bool  # whether confidence at the limit exceeds it
    values_decide: bool  # whether sensitive values influenced what was found
    with_people: Callable[[], Release]  # the release with the people of each group
    count_truth: Callable[[], TrueCounts]  # the true values; raises `BadTable` where they are not held
    result: object  # the search's own result, for attackers who know the method
    progress: Progress = quiet

    @property
    def just_above_limit(self) -> float:
        """What a belief, rounded to nine decimals, is above exactly if it exceeds the limit."""
        assert self.limit is not None
        # half a unit of the ninth decimal, to which beliefs are rounded
        return min(float(self.limit) + (-5e-10 if self.strict else 5e-10), 1.0)

    def is_exceeded(self, belief: Fraction | float) -> bool:
        """Return whether a belief is more than the limit allows."""
        return self.limit is not None and (belief > self.limit or (self.strict and belief == self.limit))


@dataclass(frozen=True, slots=True)
class AttackerAnswer:
    """What an attacker learns from a release, or why that is not computed.

    The limit c is the highest acceptable confidence in a value of a person: what the policy promises; where the policy
    limits values and no belief, the largest share that a group prints, which anyone learns from the release alone.
    An attacker who counts breaks the release if a belief in a value is more than c for certain; one who only
    claims, by a model, if more of the claims above c are right than chance explains (`learner.is_beyond_chance`).
    `right` and `falls` are the publisher's, who has the table, and are in no sidecar.
    """

    attacker: Attacker
    outcome: Outcome
    reason: str = ""  # why nothing is learnt, computed or tried; of an attack that was tried, how
    belief: Fraction | float | None = None  # the largest, as printed; a lower bound if people were left out
    limit: Fraction | None = None
    people: int = 0  # whose value is believed with more than the limit
    unasked: int = 0  # people in groups that were left out
    right: float | None = None  # share of those people whose value is guessed correctly, where the truth is held
    falls: bool = False

    def __post_init__(self) -> None:
        if self.belief is not None:  # rounded once, so that terminal, sidecar and report print the same figure
            object.__setattr__(self, "belief", round_at_a_glance(self.belief, large_is_bad=not self.is_lower_bound))

    def sentence(self) -> str:
        """Return the answer in words, without what only the publisher knows.

        >>> from sidelight.learner.learned import Learner
        >>> from sidelight.minimality.measure import Insider
        >>> AttackerAnswer(Insider.attacker, "nothing to learn", "sizes alone decide").sentence()
        'an insider, who knows the method and the policy too, learns nothing more: sizes alone decide'
        >>> print(AttackerAnswer(Learner.attacker, "not asked", "the policy limits nobody's belief").sentence())
        a learner, ..., was not asked: the policy limits nobody's belief; sidelight attack FILE --as learner ...
        >>> print(AttackerAnswer(Insider.attacker, "asked", "", Fraction(3, 11), unasked=7).sentence())
        an insider, ..., is at least 3/11 sure of somebody; 7 people in large groups were left out: ...
        """
        who = self.attacker.described
        if self.outcome == "nothing to learn":
            return f"{who}, learns nothing more: {self.reason}"
        if self.outcome == "not asked":
            reason = f": {self.reason}" if self.reason else ""
            return f"{who}, was not asked{reason}; {self.attacker.how_to_ask}"
        if self.outcome == "could not tell" or self.belief is None:
            return f"{who}: what this attacker can learn was not computed: {self.reason}"
        how = f" ({self.reason})" if self.reason else ""
        amount = short_amount(self.belief, large_is_bad=not self.is_lower_bound)
        worst = f"at least {amount} sure of somebody" if self.is_lower_bound else f"at most {amount} sure of anybody"
        above = left = ""
        if self.limit is not None:
            people = counted(self.people, "person") if self.people else "nobody"
            above = f", and surer than {in_words(self.limit)} of {people}"
        if self.unasked:
            people = counted(self.unasked, "person")
            left = f"; {people} in large groups were left out: {self.attacker.how_to_ask}"
        return f"{who}{how}, {'claims to be' if self.attacker.only_claims else 'is'} {worst}{above}{left}"

    @property
    def reader(self) -> str:
        """The attacker's name."""
        return self.attacker.name

    @property
    def is_lower_bound(self) -> bool:
        """Whether the belief is a lower bound, as people were left out."""
        return self.unasked > 0

    def for_publication(self) -> AttackerAnswer:
        """Return a copy without what only the publisher knows: the truth, and counts of people beyond three digits.

        >>> asked = AttackerAnswer(Attacker("x"), "asked", "", 0.6, Fraction(1, 2), 1234, 0, 0.7, falls=True)
        >>> (shown := asked.for_publication()).people, shown.right, shown.falls
        (1230, None, False)
        """
        # three digits: exact counts would say more of the people than the release does
        people, unasked = (int(float(f"{each:.3g}")) for each in (self.people, self.unasked))
        return replace(self, people=people, unasked=unasked, right=None, falls=False)

    def for_the_publisher(self) -> str:
        """Return the answer in words, with the share of the claims that are right."""
        if self.right is None or not self.people:
            return self.sentence()
        return f"{self.sentence()}; of those {counted(self.people, 'person')}, {self.right:.3f} are guessed right"


class Monotonicity(Enum):
    """What merging groups does to a measure's value: a claim, and `tests/claims` hunts for counterexamples to it."""

    NON_INCREASING = "never rises"
    NON_DECREASING = "never falls"
    UNKNOWN = "unknown"


class Measure(ABC):
    """A question about a release.  Each measure is a frozen dataclass in a file of its own.

    Comparing a measure with a number gives a criterion: `GroupSize() >= 5`.  Only `name`, `when_groups_merge`,
    `summarize` (or `measure`), `explain` and `replay` have to be filled in; everything else suits most.

    In a policy file and on the command line a measure's settings are the parameters of its class.  Where those
    hold what TOML cannot say, `in_policy` declares what the file says, and the value's `as_written` is the way back;
    or the class overrides `from_settings`, whose annotated signature is what the file may say, and `settings`.
    """

    # the question
    name: ClassVar[str]  # in the user's words, as in policy.toml: "group size"
    attacker: ClassVar[Attacker]  # whom it models, in words for reports
    semantics: ClassVar[tuple[Semantics, ...]] = ("single", "set", "multiset")  # for which it is defined
    about_values: ClassVar[bool] = True  # whether it looks at sensitive values, or only at the groups
    needs_weights: ClassVar[bool] = False  # whether it looks at sampling weights; or a property
    example_settings: ClassVar[tuple[Mapping[str, Any], ...] | None] = None  # those that suit releases with any values
    estimate: ClassVar[bool] = False  # whether a model estimates what the release does not say
    also_called: ClassVar[tuple[str, ...]] = ()  # its names in papers and other tools: "k-anonymity"
    undecided: ClassVar[str] = "could not be decided in time: the value {between}; give the measure more seconds"
    # the formula
    mergeable: ClassVar[bool] = True  # whether summaries of parts make up the whole; otherwise only whole releases
    depends_on_whole: ClassVar[bool] = True  # whether a group's summary depends on how often values occur in all groups
    equal_groups_count_once: ClassVar[bool] = False  # of groups with the same people and counts the first is enough
    knows_true_values: ClassVar[bool] = False  # whether it depends on people's true values, beside the release
    # claims: what searches and policies rely on, and `tests/claims` tries to refute
    large_is_bad: ClassVar[bool] = True  # a risk (bounded from above), or a size or diversity (from below)
    limits: ClassVar[tuple[Bound, Bound]] = (0, math.inf)  # what a bound may be

    def __init_subclass__(cls) -> None:
        """Register a measure under its name as soon as it is declared; classes without a name are bases."""
        super().__init_subclass__()
        if "name" in vars(cls):
            _DECLARED[cls.name] = cls
            cls.attacker = replace(getattr(cls, "attacker", Attacker.unknown(cls.name)), name=cls.name)

    def __post_init__(self) -> None:
        """Replace each field that is declared with a reader by what the reader returns."""
        # in the order of declaration: a reader that takes the measure sees earlier fields as they were read
        for each in fields(self):  # type: ignore[arg-type]
            read_setting, setting = each.metadata.get("reader"), getattr(self, each.name)
            # None by default is no setting, and is not read
            if read_setting and not (setting is None and each.default is None):
                object.__setattr__(self, each.name, read_setting(self, each.name, setting))

    def about(self, of: str | None = None, *, known: str | Sequence[str] = ()) -> Measure:
        """Return the measure about one of several sensitive columns, for an attacker who knows the columns `known`."""
        from sidelight.measures.about import About  # noqa: PLC0415 - which is a measure too

        return About(self, of, as_names(known))

    def resolve(self, release: Release) -> tuple[Measure, Release]:
        """Return the plain measure, and the release that it measures: this one, or a view of it (see `about`)."""
        return self, release

    def __ge__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.AT_LEAST, bound)

    def __gt__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.ABOVE, bound)

    def __le__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.AT_MOST, bound)

    def __lt__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.BELOW, bound)

    # The question: what is asked, about what, with which settings.

    def settings(self) -> dict[str, object]:
        """Return the parameters that differ from their defaults, as a policy writes them: numbers, texts, lists."""
        values = ((each, getattr(self, each.name)) for each in fields(self))  # type: ignore[arg-type]
        return {
            each.name: value.as_written() if hasattr(value, "as_written") else whole_if_possible(value)
            for each, value in values
            if value != each.default and each.metadata.get("hint", ...) is not None
        }

    @classmethod
    def from_settings(cls, **settings: Any) -> Self:  # noqa: ANN401 - as its fields say
        """Return the measure with the settings of a policy file."""
        for each in fields(cls):  # type: ignore[arg-type]
            parse = each.metadata.get("parse")
            if parse is not None and settings.get(each.name) is not None:
                settings[each.name] = parse(settings[each.name])
        return cls(**settings)

    def amounts(self) -> dict[str, int]:
        """Return the parameters that are whole numbers: how much an attacker knows, how many values are required."""
        # bool is a kind of int to Python, and no amount
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if isinstance(value, int) and not isinstance(value, bool)}

    def replace_settings(self, **changed: object) -> Self:
        """Return the measure with some parameters changed."""
        return replace(self, **changed)  # type: ignore[type-var]

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Return a few of these measures that suit releases with these values, for the contract tests."""
        # 1 suits required settings that are amounts; measures with others have examples of their own
        required = [each.name for each in fields(cls) if each.default is each.default_factory is MISSING]  # type: ignore[arg-type]
        chosen = (dict.fromkeys(required, 1),) if cls.example_settings is None else cls.example_settings
        return tuple(cls(**each) for each in chosen)

    def check(self, release: Release) -> None:
        """Raise if this is not a release, or one for which the measure is not defined."""
        expect(Release, release, "what is measured")
        if release.semantics not in self.semantics:
            raise BadMeasure(
                f"'{self.name}' is defined for {' and '.join(self.semantics)} values, "
                f"and this release has {parameter('values', release.semantics)}; leave it out or use 'acquaintance'"
            )
        columns = release.sensitive_columns
        if self.about_values and len(columns) > 1:
            raise BadMeasure(
                f"'{self.name}' is about one sensitive column, and this release has {listed(columns)}; "
                f"ask about one (of={columns[0]}){in_python(f': .about({columns[0]!r}), or let a policy ask each')}"
            )

    @property
    def register(self) -> Population | None:
        """The population that the release is compared with, if any."""
        return None

    def compare_with(self, population: Population) -> Self:
        """Return the measure that compares with this population, if it compares with any."""
        return self

    def prepare(self, release: Release) -> Release:
        """Return the release with what the measure needs: the people of its groups in a population."""
        return release if self.register is None else self.register.attach_to(release)

    def bind_table(self, table: Table) -> Self:
        """Return the measure with the original table, if the attacker knows any of it."""
        return self

    def include_values(self, values: AbstractSet[Label]) -> Self:
        """Return the measure that no longer leaves out any of these values."""
        return self

    def names_values(self, domain: tuple[Label, ...]) -> Flags:
        """Return which values of a domain the settings name: (values,) bool."""
        # a hierarchy covers values and names none of them, and None is no setting
        settings = (value for name, value in self.settings().items() if name != "hierarchy" and value is not None)
        named = {text for value in settings for text in _labels_in(value)}
        return np.array([text in named for text in domain], bool)

    # The formula: groups to summaries to a finding; a screen for searches; the value once more, from the witness.

    def measure(self, release: Release) -> Finding:
        """Return the finding for a release."""
        self.check(release)
        release = self.prepare(release)
        return self.summarize_blocks(release.groups).finding()

    def summarize(self, groups: Groups) -> Summary:
        """Reduce groups to what the finding needs, vectorised over the groups; for measures that are `mergeable`."""
        raise BadMeasure(f"'{self.name}' looks at a whole release at once; measure the release, not its parts")

    def summarize_blocks(self, groups: Groups) -> Summary:
        """Summarise groups that may be too many for one block."""
        # lazily: one block of dense counts is in memory at a time
        return reduce(lambda one, other: one.merge(other), map(self.summarize, self.blocks(groups)))

    def blocks(self, groups: Groups) -> Iterable[Groups]:
        """Cut groups into parts that `summarize` can take: by default so that all values can be spread out."""
        return groups.blocks()

    @property
    def streams(self) -> bool:
        """Whether a release can be read block by block, each freed afterwards; otherwise all groups are held."""
        return self.mergeable

    @classmethod
    def answer_search(cls, search: FoundRelease) -> AttackerAnswer:
        """Return what an attacker `asked_by_search` learns from a release, with little effort: by measuring it."""
        try:
            finding = cls().measure(search.with_people())
        except BadMeasure as refused:  # not defined for such a release, which may be searched all the same
            return AttackerAnswer(cls.attacker, "could not tell", str(refused))
        return AttackerAnswer(cls.attacker, "asked", belief=finding.value, falls=search.is_exceeded(finding.value))

    def complete(self, finding: Finding, release: Release) -> Finding:
        """Return a finding that summaries gave, with what only the release says."""
        return finding

    def screen(self) -> Screen:
        """Return the measure in floats and in a form that joins, for searches."""
        raise BadMeasure(
            f"'{self.name}' looks at a whole release at once; search without it and judge what is found by it"
        )

    @abstractmethod
    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute the value again from the witness, by another path than `summarize`."""

    def check_and_replay(self, witness: Witness, release: object) -> Amount:
        """Replay a witness; raise unless `release` is one."""
        return self.replay(witness, expect(Release, release, "what a finding is replayed on"))

    # Claims.

    @property
    @abstractmethod
    def when_groups_merge(self) -> Monotonicity:
        """A claim; a plain class attribute, or a property where it depends on the parameters."""

    def monotonicity(self, semantics: Semantics) -> Monotonicity:
        """Return what merging groups does to the value under these semantics."""
        return self.when_groups_merge

    def least_people(self, semantics: Semantics) -> int:
        """Return how many people a group needs at least so as not to be of the worst value, for pruning."""
        return 1

    @property
    def more_is_worse(self) -> tuple[str, ...]:
        """The amounts of which more never makes a release safer: a claim; a plain class attribute, or a property."""
        return ()

    def share_at(self, limit: Fraction) -> Fraction | None:
        """Return the share c for which "at most this limit" is equivalent to "no value above share c of a group"."""
        return None

    def belief_at(self, limit: Fraction) -> Fraction | None:
        """Return an upper bound, within this limit, on the belief of an attacker who knows only the release."""
        return self.share_at(limit)

    # Words.

    @abstractmethod
    def explain(self, finding: Finding) -> str:
        """Return a finding of this measure in words."""

    def __str__(self) -> str:
        """Return the text of a limit: `implications(k=1)`."""
        return call_text(self.name, self.settings())


def _labels_in(setting: object) -> Iterator[Label]:
    """Yield all labels inside a setting; in a list, None is the missing label, as in `apart_from=[None]`."""
    if setting is None or isinstance(setting, str):
        yield setting
    elif isinstance(setting, Mapping):
        yield from _labels_in([*setting.keys(), *setting.values()])
    elif isinstance(setting, Iterable):
        for part in setting:
            yield from _labels_in(part)


_DECLARED: dict[str, type[Measure]] = {}


def declared_measures() -> Mapping[str, type[Measure]]:
    """Return all measures declared so far, ours or not, by their names."""
    return MappingProxyType(_DECLARED)


@dataclass(frozen=True, slots=True)
class Summary:
    """Groups reduced to a small state, from which the finding is read; summaries merge in any order.

    A policy that follows a table renumbers groups wherever tuples, dataclasses and `Groups` of the state name any.
    """

    state: Any
    join: Callable[[Any, Any], Any]  # of two states
    read: Callable[[Any], Finding]

    def merge(self, other: Summary) -> Summary:
        """Combine with the summary of other groups of the same release."""
        return replace(self, state=self.join(self.state, other.state))

    def finding(self) -> Finding:
        """Return the finding."""
        return self.read(self.state)


def summarize_worst(
    measure: Measure,
    value: Amount | None = None,
    witness: Witness | None = None,
    *,
    otherwise: Amount = Fraction(0),
    why: str = "no group has any value to measure",
    notes: tuple[str, ...] = (),
) -> Summary:
    """Return the summary of a measure that looks at one group at a time: the worst group, and its finding.

    Without a value no group has anything to measure: the value is `otherwise`, with the note `why`.  Ties go to the
    group with the smallest number, so that merging in any order gives the same witness.
    """
    if value is None:
        finding = Finding(measure, otherwise, None, (why, *notes))
    else:
        finding = Finding(measure, value, witness, notes)
    rank: tuple[bool, Amount, int] = (True, 0, 0)  # with nothing to measure, behind all others
    if value is not None and witness is not None:
        rank = (False, -value if measure.large_is_bad else value, witness.group.number)
    return Summary((rank, finding), _first_by_rank, _ranked_finding)


def _first_by_rank(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    return min(one, other, key=itemgetter(0))


def _ranked_finding(state: tuple[Any, Finding]) -> Finding:
    return state[1]


def merge_each(some: Sequence[Summary], others: Sequence[Summary]) -> tuple[Summary, ...]:
    """Merge the summaries of several measures, one by one."""
    return tuple(map(Summary.merge, some, others))


Tally: TypeAlias = tuple[tuple[Any, ...], tuple[tuple[Any, ...], tuple[Any, ...]] | None, Any]
"""Totals over groups; the rank (worst first, then by number) and description of the worst group; what all have in
common."""


def join_tallies(one: Tally, other: Tally) -> Tally:
    """Add totals one by one, and keep the worst group: the state of measures that add up."""
    groups = [worst for _, worst, _ in (one, other) if worst is not None]
    # by rank, which does not depend on the order of merging
    worst = min(groups, key=itemgetter(0), default=None)
    return tuple(mine + theirs for mine, theirs in zip(one[0], other[0], strict=True)), worst, one[2]
