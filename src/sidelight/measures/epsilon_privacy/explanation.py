"""A prior belief and what was found about it, in the words of someone who has to sign."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sidelight.measures.epsilon_privacy.prior import Weights, WeightsByLabel
from sidelight.measures.epsilon_privacy.worst_case import Ratio
from sidelight.rounding import exact_text, short_decimal
from sidelight.table.labels import listed, shown
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.measures.criterion import Amount, Finding
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief, PriorBeliefWitness


def settings_in_words(belief: PriorBelief) -> str:
    """Return the attacker's knowledge in the parameters' words.

    >>> from sidelight import PriorBelief
    >>> settings_in_words(PriorBelief(shape="release", stubbornness=1_000, known_people=2, predicates=[["not", "Flu"]]))
    'shape of the release, stubbornness 1,000, knows 2 people, about not Flu'
    """
    parts = []
    if belief.by is not None:
        parts.append(f"{'shape' if belief.counts is None else 'counts'} by {belief.by}")
    if isinstance(belief.counts, Weights):
        parts.append("counts " + _list_weights(belief.counts))
    if isinstance(belief.shape, Weights):
        parts.append("shape " + _list_weights(belief.shape))
    elif belief.shape is not None and belief.by is None:
        parts.append("uniform shape" if belief.shape == "uniform" else "shape of the release")
    elif belief.counts is None and belief.shape is None:
        parts.append("any shape")
    if belief.stubbornness is not None:
        # from where to where it goes, as far as that is not understood
        most, least = f"stubbornness {exact_text(belief.stubbornness)}", belief.least_stubbornness
        if least in ("same", belief.stubbornness):
            most = most.replace("stubbornness", "stubbornness exactly")
        elif least is not None:
            most += " or less" if isinstance(least, str) else f", at least {exact_text(least)}"
        parts.append(most)
    return ", ".join([*parts, *_questions_in_words(belief)])


def _questions_in_words(belief: PriorBelief) -> Iterator[str]:
    if belief.known_people:
        yield f"knows {counted(belief.known_people, 'person')}"
    if belief.rules_out:
        yield f"rules out {counted(belief.rules_out, 'value')}"
    if belief.predicates:
        questions = [belief.predicates] if isinstance(belief.predicates, str) else map(str, belief.questions)
        yield "about " + ", ".join(questions)
    if belief.wishes is not None:
        yield f"as '{belief.wishes}' says"
    if belief.apart_from:
        yield f"apart from {listed(belief.apart_from, most=3)}"
    if belief.decided_by != "definition":
        yield f"by the {belief.decided_by}"


def finding_in_words(finding: Finding, belief: PriorBelief, witness: PriorBeliefWitness) -> str:
    """Return how much more is believed, of whom and by whom."""
    who, whom = describe_attacker(belief, at_worst=witness.stubbornness), _whom(belief, witness)
    # a prior that rules out what is true: the factor is infinite whatever is published
    if witness.p_out == 0:
        return f"{who} may have ruled out that {whom}; against such a person no release of counts is private."
    if belief.decided_by == "closed conditions":
        most = "any factor" if finding.value == math.inf else f"a factor of at most {short_decimal(finding.value)}"
        return f"By the closed conditions, {who[0].lower()}{who[1:]} could be surer that {whom}, by {most}."
    before, after = short_decimal(witness.p_out, up=False), short_decimal(witness.p_in)
    if finding.value == math.inf:
        return f"{who} would be certain that {whom}, and believe it with {before} if that person were left out."
    # up to 1 nothing is believed more, so that no factor is worth naming
    if finding.value <= 1:
        return f"{who} would not believe more of anyone for being in the release, not even that {whom}."
    factor = short_decimal(finding.value)
    change = "belief grows" if witness.ratio is Ratio.BELIEF else "doubt that is left shrinks"
    return (
        f"{who} would be surer that {whom}, by a factor of {factor}: with that person left out of the release "
        f"the belief is {before}, with them in it {after}, and the {change} by that factor."
    )


def describe_attacker(belief: PriorBelief, *, at_worst: Amount | None = None) -> str:
    """Return a description of the attacker; of a range of stubbornness, also where it is worst.

    >>> from sidelight import PriorBelief
    >>> describe_attacker(PriorBelief(stubbornness=30_000, known_people=2))
    'Someone as sure as at most 30,000 survey answers of any kind make one, who knows 2 people,'
    >>> describe_attacker(PriorBelief(shape="uniform", stubbornness=1_000), at_worst=2)
    'Someone as sure as at most 1,000 survey answers make one (at worst 2), who takes all values for equally common,'
    >>> describe_attacker(PriorBelief(shape="uniform", stubbornness=math.inf))
    'Someone who takes all values for equally common and is moved by no evidence'
    """
    most, least = belief.stubbornness, belief.least_stubbornness
    knows = [f"knows {counted(belief.known_people, 'person')}"] if belief.known_people else []
    knows += [f"can rule out {counted(belief.rules_out, 'value')}"] if belief.rules_out else []
    expects = []
    if belief.by is not None:
        expects = [f"expects other things by {belief.by}"]
    elif isinstance(belief.shape, Weights):
        expects = ["expects " + _list_weights(belief.shape)]
    elif belief.shape is not None:
        uniform = belief.shape == "uniform"
        expects = ["takes all values for equally common" if uniform else "expects the shares of the whole release"]
    one_prior = isinstance(belief.counts, Weights | WeightsByLabel) or least in ("same", most)
    if most == math.inf and (least is None or one_prior):
        return (
            f"Someone who {_join_traits([*(expects or ['may believe anything']), 'is moved by no evidence', *knows])}"
        )
    total = belief.counts.total if isinstance(belief.counts, Weights | WeightsByLabel) else most
    assert total is not None
    answers = "any number of" if total == math.inf else f"{'' if one_prior else 'at most '}{exact_text(total)}"
    kind = " of any kind" if belief.counts is None and belief.shape is None else ""
    worst = f" (at worst {exact_text(at_worst)})" if at_worst is not None and at_worst != total else ""
    who = f"Someone as sure as {answers} survey answers{kind} make one{worst}"
    return f"{who}, who {_join_traits([*expects, *knows])}," if expects or knows else who


def _whom(belief: PriorBelief, witness: PriorBeliefWitness) -> str:
    wish = "" if belief.wishes is None else ", who wants that kept,"
    lacks = "" if witness.matches else " (which nobody is who wants it kept)"
    where = "" if belief.by is None else f" who has {belief.by} {shown(witness.label)}"
    but = f", who has not {' or '.join(map(shown, witness.ruled_out))}," if witness.ruled_out else ""
    has = f"has {shown(witness.value) if witness.predicate is None else witness.predicate}"
    if witness.predicate is not None and witness.predicate.name:
        has = f"is of '{witness.predicate}'"
    return f"a person of {witness.group}{where}{wish}{but} {has}{lacks}"


def _list_weights(weights: Weights) -> str:
    few = sorted(weights.items(), key=lambda pair: -pair[1])[:3]
    return ", ".join(f"{shown(text)} {exact_text(weight)}" for text, weight in few) + ", …" * (len(weights) > 3)


def _join_traits(traits: list[str]) -> str:
    return ", ".join(traits[:-1]) + " and " * (len(traits) > 1) + traits[-1]
