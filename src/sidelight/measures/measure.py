"""What every measure is: a question, a mergeable summary, a finding; and with a bound, a criterion.

    release ─▶ blocks of groups ─▶ summarize ─▶ merge ─▶ finding (value, witness) ─▶ criterion.decide ─▶ judgement

A measure's mathematics is written once, vectorised over groups, and is used in two ways: an audit reduces groups to a
`Summary`, whose finding is exact; a search asks for a `Screen`, rows of floats that join (see `exact`).  Measures
that are as bad as their worst group need only a statistic and a formula (see `group_by_group`).

*Invariants.*  Summaries merge in any order to the same finding, witness included.  `finding.value` is exact (or a float
rounded towards caution), and a bound is decided on it.  `finding.replay(release)` computes it again from the witness,
by another path.  `when_groups_merge` and `more_is_worse` are claims that searches rely on and tests try to refute.

*Settings* are fields of the dataclass, declared with what reads them: taken as they are meant, or refused.

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
from sidelight.measures.attacker_answer import AttackerAnswer, FoundRelease
from sidelight.measures.criterion import Bound, Comparison, Criterion, Finding, Witness, call_text
from sidelight.release.release import Release
from sidelight.table.labels import Label, Semantics, written_label

if TYPE_CHECKING:
    from sidelight.arrays import Flags
    from sidelight.measures.criterion import Amount
    from sidelight.measures.exact import Screen
    from sidelight.release.groups import Groups
    from sidelight.release.population import Population
    from sidelight.table.table import Table


FieldReader: TypeAlias = Callable[["Measure", str, Any], object]
"""Takes the measure, the name of a field and what was given; returns the field's value or raises."""

LARGEST_AMOUNT = 10**1000
"""The largest number that may be asked about by default."""


def whole(*, least: int = 0, most: int = LARGEST_AMOUNT) -> dict[str, FieldReader]:
    """Declare a field that is a whole number from `least` to `most`."""
    return {"reader": lambda measure, name, given: whole_amount(measure.name, name, given, least=least, most=most)}


def choice(choices: object, message: str | None = None) -> dict[str, FieldReader]:
    """Declare a field that is one of the words of a `Literal`; `message` may name the {measure} and the {given}."""

    def refuse_others(measure: Measure, name: str, given: object) -> object:
        if not is_one_of(given, choices):
            shown = as_given(given)
            default = f"'{measure.name}' has no {parameter(name, shown)}{did_you_mean(shown, get_args(choices))}"
            raise BadMeasure(message.format(measure=measure.name, given=shown) if message else default)
        return given

    return {"reader": refuse_others}


def read(function: Callable[..., object], **in_file: object) -> dict[str, object]:
    """Declare a field whose value is what a function of one argument makes of what was given.

    `in_file`: the `hint` and `parse` of `in_policy`.
    """
    return {"reader": lambda _measure, _name, given: function(given), **in_file}


def read_with(function: Callable[[Any, Any], object], **in_file: object) -> dict[str, object]:
    """Declare a field whose value depends on others too: the function takes the measure, and what was given."""
    return {"reader": lambda measure, _name, given: function(measure, given), **in_file}


def in_policy(hint: object, parse: Callable[[Any], object] | None = None) -> dict[str, object]:
    """Declare that a policy file writes a field otherwise than the class takes it: as this type (None: not at all).

    `parse` returns what the class takes.
    """
    return {"hint": hint, "parse": parse}


def labels_as_written(settings: Any) -> Any:  # noqa: ANN401 - of any depth
    """Read the values that name numbers, or tables of numbers, in a policy file: "(missing)" is the missing value."""
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
        wanted = f"a whole number of at least {least}" if number < least else f"at most {as_given(most)}"
        raise BadMeasure(f"'{measure}' needs {name} to be {wanted}, not {as_given(amount)}")
    return int(number)


def whole_if_possible(number: Fraction | float) -> int | Fraction | float:
    """Return a whole number as such.

    >>> whole_if_possible(Fraction(5)), whole_if_possible(Fraction(1, 2)), whole_if_possible(float("inf"))
    (5, Fraction(1, 2), inf)
    """
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


Settings: TypeAlias = Mapping[str, object]
"""The settings of a measure by name, as a policy or a document has them."""

Family: TypeAlias = Literal["groups", "register", "columns", "facts", "belief", "sums", "other"]
"""What attackers have in common; a report says of which families no measure asked (`FAMILIES`)."""

FAMILIES: Mapping[Family, str] = {
    "facts": "somebody who knows facts about people besides the columns of the file (implications, acquaintance)",
    "register": "somebody who looks people up in a register of the population (prosecutor, journalist, marketer risk)",
    "belief": "somebody who believes something about people from elsewhere (prior belief, maximum entropy)",
}

ROW = "where a person stands in the file: what it prints of them"
"""What every attacker knows who is about one person."""


@dataclass(frozen=True, slots=True)
class Attacker:
    """Whom a measure is about, in words for whoever has to agree to a release."""

    who: str  # "an insider"
    knows: str | Callable[[Settings], str] = "what the measure says"  # besides the release
    counts: str = ""  # "how sure an insider could become"
    family: Family = "other"
    name: str = ""  # of one whom searches ask: as in --ask and --as, the name of the measure
    asked_by_search: bool = False
    deed: str = ""  # "who trains a model on the release": what tells them from all others
    in_short: str = ""  # the deed where the release was just named: "trains a model on it"
    in_report: str = ""  # the deed for whoever never heard of them, in a report
    question: str = ""  # what an attack as them asks, for the title of a page
    function: str = ""  # what asks them in Python, beside `sidelight attack --as`
    remedy: str = ""  # what helps against them
    only_claims: bool = False  # whether a model speaks, which may be wrong: a release falls by guesses that are right
    knows_method: bool = False  # whether what they reach tells how the release was made

    @property
    def described(self) -> str:
        """The attacker with what they do: "an insider, who knows the method and the policy too"."""
        return f"{self.who}, {self.deed}" if self.deed else self.who

    @property
    def how_to_ask(self) -> str:
        """What asks them with more effort, on the command line and in Python."""
        python = f", or sl.{self.function}" if self.function else ""
        return f"sidelight attack FILE --as {self.name} --table TABLE asks{python}"

    @classmethod
    def of_person(cls, counts: str, *, besides: str = "") -> Attacker:
        """Return the attacker of the classics: who finds a person's group, and perhaps knows something besides."""
        knows = f"{ROW}; and {besides}" if besides else ROW
        return cls("somebody who knows a person and looks for them", knows, counts, "groups")

    @classmethod
    def unknown(cls, measure: str) -> Attacker:
        """Return the attacker of a measure that says nothing of one."""
        return cls(f"whom “{measure}” is about", counts=f"“{measure}”", name=measure)

    def knowledge_in_words(self, settings: Settings) -> str:
        """Return what they know besides the release; of which column, and which others, where settings say that."""
        knows = self.knows if isinstance(self.knows, str) else self.knows(settings)
        known, about = settings.get("known"), settings.get("of")
        more = f"; and {', '.join(map(str, known))} of everybody" if isinstance(known, list) and known else ""
        return f"{knows}{more}" + (f" (asked about {about})" if isinstance(about, str) else "")


def amount_in(settings: Settings, name: str) -> int:
    """Return a setting that is a whole number; 0 where it is left open."""
    amount = settings.get(name, 0)
    return amount if isinstance(amount, int) else 0


class Monotonicity(Enum):
    """What merging groups does to a measure's value: a claim, and `tests/claims` hunts for counterexamples to it."""

    NON_INCREASING = "never rises"
    NON_DECREASING = "never falls"
    UNKNOWN = "unknown"


class Measure(ABC):
    """One question asked of a release.  Each measure is a frozen dataclass in a file of its own.

    Comparing a measure with a number gives a criterion: `GroupSize() >= 5`.  Only `name`, `when_groups_merge`,
    `summarize` (or `measure`), `explain` and `replay` have to be filled in; everything else suits most.

    In a policy file and on the command line a measure's settings are the parameters of its class.  Where those
    hold what TOML cannot say, `in_policy` declares what the file says, and the value's `as_written` is the way back;
    or the class overrides `from_settings`, whose annotated signature is what the file may say, and `settings`.
    """

    # the question, and how it is said
    name: ClassVar[str]  # in the user's words, as in policy.toml: "group size"
    attacker: ClassVar[Attacker]  # whom it is about, in words for reports
    semantics: ClassVar[tuple[Semantics, ...]] = ("single", "set", "multiset")  # where the question makes sense
    about_values: ClassVar[bool] = True  # whether it looks at sensitive values, or only at the groups
    needs_weights: ClassVar[bool] = False  # whether it looks at sampling weights; or a property
    example_settings: ClassVar[tuple[Mapping[str, Any], ...] | None] = None  # those that suit releases with any values
    estimate: ClassVar[bool] = False  # whether it guesses, by a model, at what the release does not say
    also_called: ClassVar[tuple[str, ...]] = ()  # its names in papers and other tools: "k-anonymity"
    undecided: ClassVar[str] = "could not be decided in time: the value {between}; give the measure more seconds"
    # the formula
    mergeable: ClassVar[bool] = True  # whether summaries of parts make up the whole; otherwise only whole releases
    depends_on_whole: ClassVar[bool] = True  # whether a group's summary depends on how often values occur in all groups
    equal_groups_count_once: ClassVar[bool] = False  # of groups with the same people and counts the first is enough
    knows_true_values: ClassVar[bool] = False  # whether it depends on who has which value, beside what the release says
    # claims: what searches and policies rely on, and `tests/claims` tries to refute
    large_is_bad: ClassVar[bool] = True  # a risk (bounded from above), or a size or diversity (from below)
    limits: ClassVar[tuple[Bound, Bound]] = (0, math.inf)  # what a bound may be

    def __init_subclass__(cls) -> None:
        """Register a measure under its name as soon as it is declared; classes without one are steps towards some."""
        super().__init_subclass__()
        if "name" in vars(cls):
            _DECLARED[cls.name] = cls
            cls.attacker = replace(getattr(cls, "attacker", Attacker.unknown(cls.name)), name=cls.name)

    def __post_init__(self) -> None:
        """Replace each field that is declared with a reader by what that returns."""
        # in the order of declaration: a reader that takes the measure sees earlier fields as they were read
        for each in fields(self):  # type: ignore[arg-type]
            reader, given = each.metadata.get("reader"), getattr(self, each.name)
            # None by default is left open, and is no value to be read
            if reader and not (given is None and each.default is None):
                object.__setattr__(self, each.name, reader(self, each.name, given))

    def about(self, of: str | None = None, *, known: str | Sequence[str] = ()) -> Measure:
        """Return the measure about one of several sensitive columns, for an attacker who knows the columns `known`."""
        from sidelight.measures.about import About  # noqa: PLC0415 - which is a measure too

        return About(self, of, as_names(known))

    def resolve(self, release: Release) -> tuple[Measure, Release]:
        """Return the plain measure, and the release that it is asked of: this one, or a view of it (see `about`)."""
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
        """Return the parameters that differ from their defaults as a policy says them: numbers, texts, lists."""
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
        # 1 suits required settings that are amounts; measures with others have examples of their own
        required = [each.name for each in fields(cls) if each.default is each.default_factory is MISSING]  # type: ignore[arg-type]
        chosen = (dict.fromkeys(required, 1),) if cls.example_settings is None else cls.example_settings
        return tuple(cls(**each) for each in chosen)

    def check(self, release: Release) -> None:
        """Raise if this is no release, or one for which the question makes no sense."""
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
        """The population that the question compares the release with, if it does."""
        return None

    def compare_with(self, population: Population) -> Self:
        """Return the measure that compares with this population, where the question is about one."""
        return self

    def prepare(self, release: Release) -> Release:
        """Return the release with what the question needs of its groups: their people in a population."""
        return release if self.register is None else self.register.attach_to(release)

    def bind_table(self, table: Table) -> Self:
        """Return the measure with the original table, where the attacker knows something of it."""
        return self

    def include_values(self, values: AbstractSet[Label]) -> Self:
        """Return the measure that no longer leaves out any of these values."""
        return self

    def names_values(self, domain: tuple[Label, ...]) -> Flags:
        """Return which values of a domain the settings name: those are spoken of, whoever has them."""
        # a hierarchy covers values and names none of them, and a setting that is None is left open
        settings = (value for name, value in self.settings().items() if name != "hierarchy" and value is not None)
        named = {text for value in settings for text in _labels_in(value)}
        return np.array([text in named for text in domain], bool)

    # The formula: groups to summaries to a finding; a screen for searches; the value once more, from the witness.

    def measure(self, release: Release) -> Finding:
        """Answer the question for a release."""
        self.check(release)
        release = self.prepare(release)
        return self.summarize_blocks(release.groups).finding()

    def summarize(self, groups: Groups) -> Summary:
        """Reduce groups to what the finding needs, vectorised over the groups; where that is `mergeable`."""
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
        """Whether a release can be gone through block by block, each forgotten after; else its groups are held."""
        return self.mergeable

    @classmethod
    def answer_search(cls, found: FoundRelease) -> AttackerAnswer:
        """Return what an attacker `asked_by_search` would reach of what a search found; with little effort."""
        try:
            finding = cls().measure(found.with_people())
        except BadMeasure as refused:  # it is not defined for such a release, which others may search all the same
            return AttackerAnswer(cls.attacker, "could not tell", str(refused))
        return AttackerAnswer(cls.attacker, "asked", belief=finding.value, falls=found.is_exceeded(finding.value))

    def complete(self, finding: Finding, release: Release) -> Finding:
        """Add to a finding, read off summaries, what only a release says."""
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
        """Replay a witness on what has to be a release."""
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
        """Return how many people a group needs so as not to be as bad as can be, whoever has what: to prune by."""
        return 1

    @property
    def more_is_worse(self) -> tuple[str, ...]:
        """The amounts of which more never makes a release safer: a claim; a plain class attribute, or a property."""
        return ()

    def share_at(self, limit: Fraction) -> Fraction | None:
        """Return the share c for which "at most this limit" says "no value above share c of a group", and no more."""
        return None

    def belief_at(self, limit: Fraction) -> Fraction | None:
        """Return a belief in any value of anybody that nobody passes within this limit, who knows the release alone."""
        return self.share_at(limit)

    # Words: how it is said and written.

    @abstractmethod
    def explain(self, finding: Finding) -> str:
        """Return a finding of this measure in words."""

    def __str__(self) -> str:
        """Write it as in a limit, everywhere: `implications(k=1)`."""
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
    """Return all measures that were declared so far, ours or not, by their names."""
    return MappingProxyType(_DECLARED)


@dataclass(frozen=True, slots=True)
class Summary:
    """Many groups reduced to a small state, from which the finding is read; summaries merge in any order.

    A policy that follows a table renumbers groups wherever tuples, dataclasses and `Groups` of the state name any.
    """

    state: Any
    join: Callable[[Any, Any], Any]  # of two states
    read: Callable[[Any], Finding]

    def merge(self, other: Summary) -> Summary:
        """Combine with the summary of other groups of the same release."""
        return replace(self, state=self.join(self.state, other.state))

    def finding(self) -> Finding:
        """Read the finding off."""
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

    Without a value no group had anything to say: it is `otherwise`, with a note `why`.  Ties go to the group with the
    smallest number, so that merging in any order gives the same witness.
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


Tally: TypeAlias = tuple[tuple[Any, ...], tuple[tuple[Any, ...], tuple[Any, ...]] | None, Any]
"""Totals over groups; the worst group so far: its rank, the worst first, with its number, and what is told; and what is
so of all groups."""


def join_tallies(one: Tally, other: Tally) -> Tally:
    """Add totals one by one, and keep the worst group: the state of measures that add up."""
    groups = [worst for _, worst, _ in (one, other) if worst is not None]
    # by rank, which does not depend on the order of merging
    worst = min(groups, key=itemgetter(0), default=None)
    return tuple(mine + theirs for mine, theirs in zip(one[0], other[0], strict=True)), worst, one[2]
