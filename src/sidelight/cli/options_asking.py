"""Options of the verbs that ask about published files: `explore`, `believe` and `attack`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from sidelight.cli.options import asked, section

if TYPE_CHECKING:
    from sidelight.cli.believe_counting import Counting as Wanted

Value: TypeAlias = Annotated[
    str, asked("--value", "-v", gives="VALUE", says="The sensitive value that should stay hidden.")
]
Below: TypeAlias = Annotated[
    str, asked("--below", "-b", gives="NUMBER", says="How sure nobody should get, such as 0.95 or 3/4.")
]
UpTo: TypeAlias = Annotated[
    int,
    asked(
        "--up-to", gives="NUMBER", least=0, says="How much knowledge the curves go up to; beyond 50 in growing steps."
    ),
]

Know: TypeAlias = Annotated[
    list[str] | None,
    asked(
        "--know",
        "-k",
        gives="FACT",
        says="What is known, such as 'Bob != Flu', 'Ann = Flu -> Bob = Flu' or 'P(Flu | sex=male) = 0.3'; repeat it.",
    ),
]
About: TypeAlias = Annotated[
    list[str] | None,
    asked(
        "--about",
        "-a",
        gives="PERSON",
        says="A person: a name, #3 for someone in group 3, or {column = cell}; repeat it.",
    ),
]
Top: TypeAlias = Annotated[
    int,
    asked(
        "--top", gives="NUMBER", least=1, says="Without --about: of how many people to tell, whoever moves most first."
    ),
]
ToldApart: TypeAlias = Annotated[
    list[str] | None,
    asked(
        "--quasi",
        "-q",
        gives="COLUMN",
        says="A column that tells people of a bucket apart; repeat it.",
    ),
]
Original: TypeAlias = Annotated[
    str | None,
    asked(
        "--table", gives="TABLE", says="The original, to tell how near the truth beliefs come (with statements P(…))."
    ),
]

hard = section("When counting is too hard")


@dataclass(frozen=True)
class Counting:
    """How much is counted, and what is done when that is not enough."""

    states: Annotated[int, hard("--states", gives="NUMBER", least=1, says="Count so many states at most.")] = 2_000_000
    seconds: Annotated[
        float | None,
        hard("--seconds", gives="NUMBER", says="Count for so many seconds at most: 20, or 600 for statements P(…)."),
    ] = None
    approximate: Annotated[
        bool,
        hard(
            "--approximate",
            says="With --about, if that is not enough: draw worlds at random, for estimates with intervals.",
        ),
    ] = False
    samples: Annotated[int, hard("--samples", gives="NUMBER", least=1, says="Estimate from so many worlds.")] = 2_000
    confidence: Annotated[float, hard("--confidence", gives="NUMBER", says="How sure each interval is.")] = 0.95
    seed: Annotated[int, hard("--seed", gives="NUMBER", least=0, says="The same seed draws the same worlds.")] = 0

    def wanted(self) -> Wanted:
        """Give it in the verb's words."""
        from sidelight.cli.believe_counting import Chance  # noqa: PLC0415 - `--help` is quick
        from sidelight.cli.believe_counting import Counting as Wanted  # noqa: PLC0415

        chance = Chance(self.samples, self.confidence, self.seed) if self.approximate else None
        return Wanted(self.states, self.seconds, chance)


People: TypeAlias = Annotated[
    str, asked("--people", gives="FILE", says="The people to look for, with the columns that outsiders know.")
]


@dataclass(frozen=True)
class Attacker:
    """What an attacker knows and believes, and what is told of them."""

    person: Annotated[
        str | None, asked("--person", gives="COLUMN", says="The column of the people's file that names them.")
    ] = None
    truth: Annotated[
        str | None, asked("--truth", gives="COLUMN", says="The column of the people's file with their true values.")
    ] = None
    who: Annotated[
        str | None, asked("--who", gives="PERSON", says="Show what gives this person away (by --person).")
    ] = None
    locate: Annotated[
        Literal["labels", "intervals", "nearest"] | None,
        asked(
            "--locate",
            gives="HOW",
            says="How people are found in the releases: by labels, intervals or nearest; without it, as they were "
            "published, or by labels.",
        ),
    ] = None
    prior: Annotated[
        Literal["pooled", "uniform"],
        asked("--prior", gives="NAME", says="What is believed of people before: pooled or uniform."),
    ] = "pooled"
    same_value: Annotated[
        list[str] | None,
        asked(
            "--same-value", gives="PAIR", says="Two words for one value, as 'Influenza=Flu'; repeat it. '=': no others."
        ),
    ] = None
    at_most: Annotated[
        str | None,
        asked("--at-most", gives="SHARE", says="The share of people that may be given away, such as 0.01."),
    ] = None
