"""Who is each measure about?  The reader of a release, what they are taken to know, and what the number counts.

One entry per measure, in words for whoever has to agree to a release; `tests/unit/report/test_readers.py` finds a
measure of ours that has none.  Measures that somebody else declares speak for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import JsonValue

from sidelight.text import counted

Settings: TypeAlias = Mapping[str, JsonValue]

Family: TypeAlias = Literal["groups", "register", "columns", "facts", "belief", "learner", "insider", "sums", "other"]
"""What readers have in common; what is not covered is told by families."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a release, what they know besides it, and what is counted of them."""

    who: str
    knows: Callable[[Settings], str]
    counts: str
    family: Family

    def in_words(self, settings: Settings) -> str:
        """Say what they know besides the release; of which column, and which others, where that was said."""
        known = settings.get("known")
        more = f"; and {_listed(known)} of everybody" if isinstance(known, list) and known else ""
        about = settings.get("of")
        return f"{self.knows(settings)}{more}" + (f" (asked about {about})" if isinstance(about, str) else "")


def _listed(names: Iterable[object]) -> str:
    return ", ".join(map(str, names))


def _always(text: str) -> Callable[[Settings], str]:
    return lambda _: text


def _amount(settings: Settings, name: str, otherwise: int = 0) -> int:
    amount = settings.get(name, otherwise)
    return amount if isinstance(amount, int) else otherwise


WHERE = "where a person stands in the file: what it prints of them"

ALIKE = "somebody who knows a person and looks for them"


def _implications(settings: Settings) -> str:
    facts = counted(_amount(settings, "k"), "fact")
    return f"{WHERE}; and any {facts} of the kind “if she has this value, he has that one”"


def _negations(settings: Settings) -> str:
    return f"{WHERE}; and any {counted(_amount(settings, 'k'), 'value')} that the person does not have"


def _acquaintance(settings: Settings) -> str:
    parts = (
        (_amount(settings, "rules_out"), "value", "that the person does not have"),
        (_amount(settings, "others"), "other person", "of the same group, with their values"),
        (
            _amount(settings, "family"),
            "other person",
            "(family) of whom it is known that, if they have a value, the person has it too",
        ),
    )
    words = [f"{_number_of(number, noun)} {which}" for number, noun, which in parts if number]
    return f"{WHERE}; and {'; '.join(words) if words else 'nothing more'}"


def _number_of(number: int, noun: str) -> str:
    return (
        counted(number, noun) if noun != "other person" else f"{number:,} other {'person' if number == 1 else 'people'}"
    )


def _prior(settings: Settings) -> str:
    stubbornness = settings.get("stubbornness")
    sure = "" if stubbornness is None else f", held with a stubbornness of {stubbornness}"
    people = _amount(settings, "known_people")
    known = f"; and the values of {counted(people, 'person')}" if people else ""
    return f"{WHERE}; and a belief from elsewhere of how common each value is{sure}{known}"


def _population(settings: Settings) -> str:
    register = settings.get("population")
    return f"who is in the population{f' ({register})' if isinstance(register, str) else ''}, with the same columns"


def _facts(settings: Settings) -> str:
    return f"any {counted(_amount(settings, 'facts'), 'column')} of a person"


def _columns(settings: Settings) -> str:
    columns = settings.get("columns")
    return f"{_listed(columns) if isinstance(columns, list) else columns or 'the columns'} of a person"


def _two_parts(settings: Settings) -> str:
    parts = [settings.get(name) for name in ("one", "other")]
    one, other = (_listed(part) if isinstance(part, list) else str(part or "the other columns") for part in parts)
    return f"two files about the same people, one with {one}, the other with {other}"


READERS: dict[str, Reader] = {
    "group size": Reader(ALIKE, _always(WHERE), "fewest people who look alike", "groups"),
    "distinct values": Reader(ALIKE, _always(WHERE), "fewest different values that such people have", "groups"),
    "entropy diversity": Reader(ALIKE, _always(WHERE), "how many equally likely values are left, at least", "groups"),
    "recursive diversity": Reader(ALIKE, _always(WHERE), "how far the commonest value stands out", "groups"),
    "closeness": Reader(
        ALIKE, _always(f"{WHERE}; and how common values are overall"), "how far a group is from everybody", "groups"
    ),
    "beta likeness": Reader(
        ALIKE, _always(f"{WHERE}; and how common values are overall"), "how much likelier a value becomes", "groups"
    ),
    "delta disclosure": Reader(
        ALIKE, _always(f"{WHERE}; and how common values are overall"), "how far a value's likelihood moves", "groups"
    ),
    "prosecutor risk": Reader(
        "somebody who knows that a person is in the file", _always(WHERE), "how surely a row is theirs", "register"
    ),
    "journalist risk": Reader(
        "somebody who looks anybody up in a register", _population, "how surely a row is theirs", "register"
    ),
    "marketer risk": Reader(
        "somebody who matches everybody at once", _population, "the share of matches that are right", "register"
    ),
    "presence": Reader(
        "somebody who asks whether a person is in the file", _population, "how surely they are in it", "register"
    ),
    "absence": Reader(
        "somebody who asks whether a person is in the file", _population, "how surely they are not in it", "register"
    ),
    "unique match": Reader(
        "somebody who finds exactly one row that fits",
        _always(f"{WHERE}; not who else there is"),
        "how likely that row is theirs",
        "register",
    ),
    "population uniques": Reader(
        "somebody who looks for people who are the only ones of their kind",
        _always("that the file is a sample"),
        "how many people of the file are alone in the population",
        "register",
    ),
    "individual risk": Reader(
        "somebody who looks anybody up among all whom the file stands for",
        _always("that the file is a sample, with its weights"),
        "how surely a row is theirs",
        "register",
    ),
    "singling out": Reader(
        "somebody who knows a few columns", _facts, "the share of people who are alone on such columns", "columns"
    ),
    "linkability": Reader(
        "somebody who holds two files", _two_parts, "the share of people whose rows are linked", "columns"
    ),
    "inference": Reader(
        "somebody who knows a few columns", _columns, "the share of people of whom another column is certain", "columns"
    ),
    "dominance": Reader(
        "somebody who sees a group's sum", _always("the sum, and who is in it"), "the largest share of a sum", "sums"
    ),
    "remainder": Reader(
        "one of the largest in a group's sum",
        _always("the sum, and their own amount"),
        "to within how much another's amount can be told",
        "sums",
    ),
    "implications": Reader(
        "the worst case: somebody with well-chosen facts",
        _implications,
        "how sure the worst case could become",
        "facts",
    ),
    "negations": Reader(
        "somebody who can rule values out", _negations, "how sure somebody who rules values out could become", "facts"
    ),
    "disclosure cost": Reader(
        "the worst case, where values weigh differently", _implications, "the largest weighted risk", "facts"
    ),
    "cheapest knowledge": Reader(
        "somebody who buys facts", _always(WHERE), "what it costs to become that sure", "facts"
    ),
    "acquaintance": Reader(
        "an acquaintance: a neighbour, a colleague, one of the family",
        _acquaintance,
        "how sure an acquaintance could become",
        "facts",
    ),
    "prior belief": Reader(
        "a realist with a belief from elsewhere", _prior, "by which factor the file can raise their odds", "belief"
    ),
    "numeric belief": Reader(
        "somebody with an expectation of an amount", _prior, "by which factor the file can raise their odds", "belief"
    ),
    "expected candidates": Reader(
        "somebody with a second release about the same people",
        _always("another release of the same kind, borrowed from this one"),
        "how many values are left, on average",
        "other",
    ),
    "maximum entropy": Reader(
        "a statistician", _always("probabilities, such as “men rarely have it”"), "how sure they would be", "belief"
    ),
    "maximum entropy gain": Reader(
        "a statistician", _always("probabilities, such as “men rarely have it”"), "how much they would learn", "belief"
    ),
    "estimation error": Reader(
        "a statistician",
        _always("probabilities, such as “men rarely have it”"),
        "how far they stay from the truth",
        "belief",
    ),
    "learner": Reader(
        "somebody who trains a model on the file itself", _always(WHERE), "how sure the model is", "learner"
    ),
    "insider": Reader(
        "an insider", _always(f"{WHERE}; the method and the policy"), "how sure an insider could become", "insider"
    ),
}


def reader_of(measure: str) -> Reader:
    """Say whom a measure is about; of one that is not ours, that its own words say it.

    >>> reader_of("implications").in_words({"k": 2}).partition("; and ")[2]
    'any 2 facts of the kind “if she has this value, he has that one”'
    """
    otherwise = Reader(f"whom “{measure}” is about", _always("what the measure says"), f"“{measure}”", "other")
    return READERS.get(measure, otherwise)


FAMILIES: dict[Family, str] = {
    "facts": "somebody who knows facts about people besides the columns of the file (implications, acquaintance)",
    "register": "somebody who looks people up in a register of the population (prosecutor, journalist, marketer risk)",
    "belief": "somebody who believes something about people from elsewhere (prior belief, maximum entropy)",
    "learner": "somebody who trains a model on the file itself (learner)",
    "insider": "somebody who knows the method and the policy, and reasons with what was not done (insider)",
}
"""Readers of whom a report says when nothing was asked about them."""


def families_not_asked(measures: Iterable[str]) -> tuple[str, ...]:
    """Name the readers that none of these measures is about.

    >>> lines = families_not_asked(["implications", "prosecutor risk", "learner", "insider"])
    >>> [line.partition(" (")[0] for line in lines]
    ['somebody who believes something about people from elsewhere']
    """
    families = {reader_of(measure).family for measure in measures}
    return tuple(words for family, words in FAMILIES.items() if family not in families)
