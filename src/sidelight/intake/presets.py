"""Which limits do regulators, statistical offices and other tools ask for?  Presets: a policy, its source, its gaps.

    EMA/Health Canada 0.09   prosecutor risk ≤ 1/11, or journalist risk ≤ 1/11 where a population is given
    k-map                    journalist risk ≤ 1/k, k asked for
    ACRO                     group size ≥ 10, no group whose values are all alike, and the rules for sums of an amount
    HIPAA safe harbour       a check of columns, not of groups (`table.safe_harbour`): "found" or "could not tell"

A preset is data.  Whoever uses one is told where it comes from and what it does not cover: no preset makes a release
lawful, and none is about somebody who knows more than the columns that outsiders may know.

*0.09 is not 1/11.*  Both agencies write 0.09 and mean groups of 11; 1/11 is 0.0909…, so that "at most 0.09" would ask
for 12.  The preset says 1/11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from pathlib import Path

from sidelight.errors import BadPolicy, SidelightError, as_given, did_you_mean, listed, parameter
from sidelight.intake.safe_harbour import NOT_COVERED, SOURCE, SafeHarbour, safe_harbour
from sidelight.knowledge.tokens import TokenReader, abbreviate, whole_in
from sidelight.measures.classics import DistinctValues, GroupSize
from sidelight.measures.criterion import Criterion
from sidelight.measures.limit_grammar import SIGNS
from sidelight.measures.measure import Measure
from sidelight.measures.named_risks.population_risk import JournalistRisk
from sidelight.measures.named_risks.size_risk import ProsecutorRisk, Statistic
from sidelight.measures.sums import Dominance, Remainder
from sidelight.policy.policy import Policy

SAFE_HARBOUR = "HIPAA safe harbour"

# What ACRO asks of sums, where that is left out
SUMS = "sums of an amount: the two largest at most 0.90 of the total, all but them at least 0.10 of the largest"

HIGHEST_AND_AVERAGE: tuple[Statistic, Statistic] = ("highest", "average")

# What no preset covers
ALWAYS = "what somebody learns who knows more than the group's columns, and what several releases tell together"


@dataclass(frozen=True, slots=True)
class Preset:
    """Limits that somebody asks for: where they come from, and what they do not cover.

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
    beside: tuple[Measure, ...] = ()  # what is reported without a limit

    @property
    def policy(self) -> Policy:
        """The limits as a policy."""
        return Policy(*self.criteria)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return where it comes from, and what it does not cover."""
        return (
            f"preset '{self.name}': {self.source}",
            f"preset '{self.name}' does not cover: {'; '.join(self.not_covered)}",
        )


class Presets(Mapping[str, Callable[..., Preset | SafeHarbour]]):
    """What regulators and other tools ask for, by name (`sl.presets["ACRO"]()`) or as functions (`sl.presets.acro()`).

    >>> print(*presets, sep="; ")
    EMA/Health Canada 0.09; k-map; ACRO; HIPAA safe harbour
    >>> print(presets.acro().policy)
    group size ≥ 10; distinct values ≥ 2; dominance ≤ 0.9; remainder ≥ 0.1
    """

    @staticmethod
    def ema_health_canada(population: object = None) -> Preset:
        """Return the limit of EMA and Health Canada on re-identification in published clinical data: at most 1/11.

        With a `population`, a journalist who looks people up there; without one, a prosecutor who knows that somebody
        is in the release.  The average is reported beside it: ISO/IEC 27559 (7.3.2) wants the one or the other.

        >>> print(presets.ema_health_canada(population="register.csv").policy)
        journalist risk(population=register.csv) ≤ 1/11
        """
        highest, average = (
            ProsecutorRisk(statistic) if population is None else JournalistRisk(population, statistic)
            for statistic in HIGHEST_AND_AVERAGE
        )
        return Preset(
            "EMA/Health Canada 0.09",
            "EMA policy 0070 and Health Canada's Public Release of Clinical Information: 0.09 in most circumstances, "
            "as secondary sources report it; groups of 11 are meant, and 1/11 is 0.0909…, so that 1/11 is asked for",
            (
                "the sensitive values: a group of 11 who all have one gives it away",
                "how likely somebody tries: the agencies allow other thresholds in other circumstances",
                ALWAYS,
            ),
            (highest <= Fraction(1, 11),),
            (average,),
        )

    @staticmethod
    def k_map(k: int, population: object = None) -> Preset:
        """Return the limit that each person of a release looks like at least k people of a population.

        >>> print(presets.k_map(5).policy)
        journalist risk ≤ 1/5
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            message = f"the preset 'k-map' needs {parameter('k')} to be a whole number of at least 1, not {as_given(k)}"
            raise BadPolicy(message)
        return Preset(
            "k-map",
            "Sweeney, Computational Disclosure Control, 2001; ARX KMap",
            (
                "somebody who knows who is in the release: ask for prosecutor risk",
                "the sensitive values",
                "whether the population has everybody whom an outsider may take for somebody",
                ALWAYS,
            ),
            (JournalistRisk(population) <= Fraction(1, k),),
        )

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
            message = f"the preset 'ACRO' needs {parameter('sums')} to be true or false, not {as_given(sums)}"
            raise BadPolicy(message)
        counts = (GroupSize() >= 10, DistinctValues() >= 2)
        return Preset(
            "ACRO",
            "AI-SDC/ACRO default.yaml (its documentation shows 0.85 for the two largest, where the file has 0.90)",
            (
                *(() if sums else (SUMS,)),
                "degrees of freedom of models, at least 10: nothing here publishes a model",
                "cells that nobody is in, which ACRO takes for disclosive: a release has no groups without people",
                "values that are all alike but for missing ones, which are a value here",
                ALWAYS,
            ),
            (*counts, *((Dominance(largest=2) <= 0.9, Remainder(largest=2) >= 0.1) if sums else ())),
        )

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
            message = f"no preset '{name}'{did_you_mean(name, known)}"
            raise BadPolicy(message)
        return known[nearest]

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry)

    def __len__(self) -> int:
        return len(self._registry)

    def __repr__(self) -> str:
        return f"<Presets: {'; '.join(self)}>"


presets = Presets()
"""What `sl.presets` is."""


def is_check_of_columns(text: str) -> bool:
    """Return whether a preset is one that looks at columns, and has no limits.

    >>> is_check_of_columns("hipaa safe harbour"), is_check_of_columns("ACRO")
    (True, False)
    """
    return text.strip().casefold() == SAFE_HARBOUR.casefold()


def read_preset(text: str, *, population: object = None, folder: Path | None = None) -> Preset:
    """Read a preset with limits: its name, and in parentheses what it asks for; paths start from a folder.

    >>> print(read_preset("k-map(k=5)").policy)
    journalist risk ≤ 1/5
    """
    name, opened, inside = text.partition("(")
    if is_check_of_columns(name):
        message = (
            f"the preset '{SAFE_HARBOUR}' is a check of columns and sets no limits; "
            f"ask it with sidelight columns FILE --preset '{SAFE_HARBOUR}', or sl.presets.hipaa_safe_harbour(...)"
        )
        raise BadPolicy(message)
    make = presets[name]
    settings = _settings(f"({inside}") if opened else {}
    if folder is not None and isinstance(settings.get("population"), str):
        settings["population"] = str(folder / str(settings["population"]))
    # ACRO's rules look at the table alone
    if population is not None and make is not presets.acro:
        settings.setdefault("population", population)
    try:
        preset = make(**settings)
    except TypeError:
        takes = listed(tuple(signature(make).parameters))
        message = f"cannot read the preset '{text}': it takes {takes}; write settings like k-map(k=5)"
        raise BadPolicy(message) from None
    except SidelightError as error:
        message = f"preset '{text}': {error}"
        raise BadPolicy(message) from None
    assert isinstance(preset, Preset)
    return preset


def _settings(text: str) -> dict[str, object]:
    """Read `(k=5, population="register.csv")`."""
    reader = TokenReader(text, signs=SIGNS, error=BadPolicy)
    reader.expect("(", "write it like k-map(k=5)")
    settings: dict[str, object] = {}
    while not reader.accept(")"):
        if settings:
            reader.expect(",", "write it like k-map(k=5)")
        name = reader.name("a setting", stop=())
        reader.expect("=", "write it like k-map(k=5)")
        start, value = reader.next, reader.name("a value", stop=())
        truth = {"true": True, "false": False}.get(value, value)
        number = whole_in(value) if value.isascii() and value.isdigit() else truth
        if number is None:
            reader.fail(f"'{abbreviate(value)}' is more than anybody counts; give a smaller number", at=start)
        settings[name] = number
    reader.end("write it like k-map(k=5)")
    return settings


# What is said beside a check of columns
HIPAA_NOTES = (
    f"preset '{SAFE_HARBOUR}': {SOURCE}",
    f"preset '{SAFE_HARBOUR}' does not cover: {'; '.join(NOT_COVERED)}",
)
