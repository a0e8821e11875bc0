"""A prior belief and what it found, in the words of someone who has to sign."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.measures.epsilon_privacy.predicates import read_predicates
from sidelight.measures.epsilon_privacy.prior import Weights, in_figures
from sidelight.measures.epsilon_privacy.ratios import Ratio
from sidelight.measures.finding import Amount, Finding
from sidelight.table.labels import shown

if TYPE_CHECKING:
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief, Raised


def settings_in_words(belief: PriorBelief) -> str:
    """Say against whom, in the parameters' words.

    >>> from sidelight.measures.prior_belief.adversary import PriorBelief
    >>> settings_in_words(PriorBelief(shape="release", stubbornness=1_000, known_people=2, predicates=[["not", "Flu"]]))
    'shape of the release, stubbornness 1,000, knows 2 people, about not Flu'
    """
    said = []
    if isinstance(belief.counts, Weights):
        said.append("counts " + _listed(belief.counts))
    if isinstance(belief.shape, Weights):
        said.append("shape " + _listed(belief.shape))
    elif belief.shape is not None:
        said.append("uniform shape" if belief.shape == "uniform" else "shape of the release")
    elif belief.counts is None:
        said.append("any shape")
    if belief.stubbornness is not None:
        said.append(f"stubbornness {in_figures(belief.stubbornness)}")
    if belief.known_people:
        said.append(f"knows {_people(belief.known_people)}")
    if belief.predicates:
        said.append("about " + ", ".join(str(each) for each in read_predicates(belief.predicates)))
    if belief.decided_by != "definition":
        said.append(f"by the {belief.decided_by}")
    return ", ".join(said)


def finding_in_words(finding: Finding, belief: PriorBelief, witness: Raised) -> str:
    """Say how much more is believed, of whom and by whom."""
    who, whom = someone(belief), f"a person of {witness.group} {has(witness)}"
    if witness.p_out == 0:
        return f"{who} may have ruled out that {whom}; against such a person no release of counts is private."
    if belief.decided_by == "closed conditions":
        most = "any factor" if finding.value == math.inf else f"a factor of at most {rounded(finding.value, math.ceil)}"
        return f"By the closed conditions, {who[0].lower()}{who[1:]} could be surer that {whom}, by {most}."
    before, after = rounded(witness.p_out, math.floor), rounded(witness.p_in, math.ceil)
    if finding.value == math.inf:
        return f"{who} would be certain that {whom}, and believe it with {before} if that person were left out."
    if finding.value <= 1:
        return f"{who} would not believe more of anyone for being in the release, not even that {whom}."
    factor = rounded(finding.value, math.ceil)
    change = "belief grows" if witness.ratio is Ratio.BELIEF else "doubt that is left shrinks"
    return (
        f"{who} would be surer that {whom}, by a factor of {factor}: with that person left out of the release "
        f"the belief is {before}, with them in it {after}, and the {change} by that factor."
    )


def someone(belief: PriorBelief) -> str:
    """Describe the attacker.

    >>> from sidelight.measures.prior_belief.adversary import PriorBelief
    >>> someone(PriorBelief(stubbornness=30_000, known_people=2))
    'Someone as sure as 30,000 survey answers of any kind make one, who knows 2 people,'
    >>> someone(PriorBelief(shape="uniform", stubbornness=math.inf))
    'Someone who takes all values for equally common and is moved by no evidence'
    """
    total = belief.counts.total if isinstance(belief.counts, Weights) else belief.stubbornness
    traits = [] if belief.shape is None else [_expects(belief.shape)]
    if total != math.inf:
        kind = " of any kind" if belief.counts is None and belief.shape is None else ""
        traits += [f"knows {_people(belief.known_people)}"] if belief.known_people else []
        who = f"Someone as sure as {in_figures(total)} survey answers{kind} make one"
        return f"{who}, who {_joined(traits)}," if traits else who
    traits = [*(traits or ["may believe anything"]), "is moved by no evidence"]
    traits += [f"knows {_people(belief.known_people)}"] if belief.known_people else []
    return f"Someone who {_joined(traits)}"


def has(witness: Raised) -> str:
    """Say what a person has or is."""
    if witness.predicate is None:
        return f"has {shown(witness.value)}"
    return f"is of '{witness.predicate}'" if witness.predicate.name else f"has {witness.predicate}"


def rounded(amount: Amount, towards: Callable[[Fraction], int]) -> str:
    """Show four decimal places, or four digits of what is smaller, rounded the way that is given.

    >>> rounded(Fraction(2, 3), math.ceil), rounded(Fraction(6), math.ceil), rounded(Fraction(1, 30_000), math.floor)
    ('0.6667', '6', '0.00003333')
    """
    number, places = Fraction(amount), 4
    while 0 < number * 10**places < 1000 and places < 100:
        places += 1
    whole = towards(number * 10**places)
    return f"{Decimal(whole).scaleb(-places):,f}".rstrip("0").rstrip(".") if whole else "0"


def _expects(shape: object) -> str:
    if isinstance(shape, Weights):
        return "expects " + _listed(shape)
    return "takes all values for equally common" if shape == "uniform" else "expects the shares of the whole release"


def _listed(weights: Weights) -> str:
    few = sorted(weights.items(), key=lambda pair: -pair[1])[:3]
    return ", ".join(f"{shown(text)} {in_figures(weight)}" for text, weight in few) + ", …" * (len(weights) > 3)


def _people(known: int) -> str:
    return f"{known:,} people" if known > 1 else "1 person"


def _joined(traits: list[str]) -> str:
    return ", ".join(traits[:-1]) + " and " * (len(traits) > 1) + traits[-1]
