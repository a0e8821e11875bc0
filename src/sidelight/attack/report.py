"""Render an exposure in words and as a document, with no arithmetic but rounding.

Shares are exact in the document, with a number rounded up beside each; sentences round up, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.rounding import in_words, round_up, to_places
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.attack.exposure import Exposure, ExposureWitness
    from sidelight.attack.intersection import ClaimedValues, TruthCheck

# The confidences at which the partial breach is reported: few enough to take in
REPORTED_CONFIDENCES = tuple(Fraction(1, choices) for choices in (1, 2, 3, 4, 5, 10))


def sentences(exposure: Exposure) -> Iterator[str]:
    """Yield the findings, a sentence or two at a time."""
    yield from nobody_located(exposure)
    if exposure.located:
        yield from _describe_breach(exposure)
        if exposure.is_lower_bound:
            yield (
                "That is counted one person at a time. People who may be in several groups tie the counts of these "
                "groups together, and more may be given away; how many is not computed."
            )
    if exposure.contradicted:
        reason = "no value is left" if exposure.semantics == "single" else "what one makes certain another rules out"
        yield f"For {_who(exposure.contradicted, exposure.located)} the releases contradict each other: {reason}."
    # everybody is located, located nowhere, or known to be in no release: people who are not located are in no share
    total = exposure.people.total
    absent = total - exposure.located - exposure.located_nowhere
    if exposure.located_nowhere:
        yield f"{exposure.located_nowhere:,} of {total:,} people looked for fit no group of any release: not counted."
    if absent:
        yield f"{absent:,} of {total:,} people looked for are known to be in no release: not counted."
    yield from _who_is_present(exposure)
    yield from _how_people_were_found(exposure)
    for number, people in enumerate(exposure.unlocated, start=1):
        if people and number not in exposure.releases_without_people:
            yield f"{people:,} of {exposure.people.total:,} people fit no group of release {number}."
    if exposure.truth is not None:
        yield from _compare_with_truth(exposure, exposure.truth)


def _describe_breach(exposure: Exposure) -> Iterator[str]:
    single, several = exposure.semantics == "single", len(exposure.views) > 1
    bound, ending = "at least " if exposure.is_lower_bound else "", "" if several else "s"
    people = f"{bound}{_who(exposure.perfect, exposure.located)}"
    breach = f"give{ending} away the value of {people}" if single else f"make{ending} a value certain for {people}"
    among = " and ".join(at_least(size) for size in exposure.mean_group_sizes)
    # of a lower bound of breaches the values left are an upper bound: both may be lower in truth
    mean = exposure.mean("after")
    left = f"at most {to_places(mean, 1, up=True):,f}" if exposure.is_lower_bound else at_least(mean)
    what = "values to choose from" if single else "values left open"
    if several:
        yield (
            f"Together, {len(exposure.views)} releases {breach}; they leave fewer values than the best of them alone "
            f"to {bound}{_who(exposure.vulnerable, exposure.located)}."
        )
        left = f"{at_least(exposure.mean('before'))} {what} in the best release and {left} in all together"
    else:
        yield f"The release alone {breach}."
        left = f"{left} {what}"
    yield f"On average a person stands among {among} people, with {left}."


def nobody_located(exposure: Exposure) -> Iterator[str]:
    """Yield the releases in which nobody was located: no other figure is about these."""
    for number in exposure.releases_without_people:
        sought = counted(int(exposure.people.sizes[exposure.views[number - 1].may_be_present].sum()), "person")
        yield f"Nobody was located in release {number}, of {sought} looked for: what it gives away is not computed."


def _how_people_were_found(exposure: Exposure) -> Iterator[str]:
    for number, people in enumerate(exposure.assumed, start=1):
        if people:
            held = counted(people, "person")
            yield f"Suppressed rows of release {number} are assumed to hold {held} whom nothing else fits."
    for number, view in enumerate(exposure.views, start=1):
        if not view.rules_out:
            yield (
                f"The counts of release {number} have noise: it rules out nothing, and says how likely values are by "
                "what is to be expected behind them."
            )
        if view.linkage.by_average:
            yield f"People were looked for at the nearest average of release {number}, and may be in another group."


def _compare_with_truth(exposure: Exposure, truth: TruthCheck) -> Iterator[str]:
    guessed = _who(truth.guessed, truth.people)
    if exposure.semantics == "single":
        hits = _who(truth.hits, truth.people)
        yield f"The true value is among the candidates of {hits} and the likeliest for {guessed}."
    else:
        yield f"{percent(truth.hits)} of the true values are possible, and the likeliest one is true of {guessed}."
    claims = truth.calibration
    if claims.people:
        yield (
            f"About {claims.people:,} of {truth.people:,} people the attacker is "
            f"{percent(Fraction(claims.claimed))} sure of the likeliest value on average, and right about "
            f"{percent(claims.right)} of them."
        )


def _who_is_present(exposure: Exposure) -> Iterator[str]:
    """Yield the assumptions: what is treated as a person, and who is assumed to be in which release."""
    if exposure.people.each_row:
        rows = counted(exposure.people.total, "row")
        whose = "if people have several, name the column that says whose a row is"
        yield f"Each of {rows} was taken for a person; {whose}."
    if all(view.is_present.all() for view in exposure.views):
        yield "Everybody who is looked for was taken to be in every release; of others this says nothing."
        return
    for number, view in enumerate(exposure.views, start=1):
        total = exposure.people.total
        if view.is_present.all():
            yield f"Everybody who is looked for was taken to be in release {number}."
        elif view.presence_column is None:
            yield f"Everybody was taken to be in release {number} with probability {in_words(view.presence[0])}."
        else:
            people = float(view.expected_people(exposure.people.sizes))
            yield f"Column '{view.presence_column}' says who is in release {number}: {people:,.6g} of {total:,} people."
    yield "A release rules out nothing for people who may not be in it."
    if exposure.if_present:
        given_away = _who(exposure.if_present, exposure.located)
        yield f"If they are in all releases that may hold them, {given_away} more are given away."


def _who(share: Fraction, total: int) -> str:
    return f"{int(share * total):,} of {counted(total, 'person')} ({percent(share)})"


def at_least(amount: Fraction | float) -> str:
    """Render a mean number of people or values, rounded down: more of them is safer.

    >>> at_least(Fraction(2, 3)), at_least(Fraction(1234))
    ('0.6', '1,234.0')
    """
    return f"{to_places(Fraction(amount), 1, up=False):,f}"


def percent(share: Fraction) -> str:
    """Render a share as a percentage, rounded up."""
    return f"{to_places(share * 100, 1):f} %" if share else "0 %"


def _exact_and_rounded(share: Fraction) -> dict[str, object]:
    return {"exact": str(share), "value": round_up(share)}


def _write_shares(of: Exposure | TruthCheck | ClaimedValues, *names: str) -> dict[str, object]:
    """Return shares by the name that they have in the document, too."""
    return {name: _exact_and_rounded(getattr(of, name)) for name in names}


def exposure_document(exposure: Exposure) -> dict[str, object]:
    """Return the figures as plain data; shares exactly, and as numbers rounded up."""

    def write_shares_by(name: str, share: Callable[[Fraction], Fraction]) -> list[dict[str, object]]:
        return [{name: str(each), **_exact_and_rounded(share(each))} for each in REPORTED_CONFIDENCES]

    return {
        "people": exposure.people.total,
        "located": exposure.located,
        "values": exposure.semantics,
        "lower_bound": exposure.is_lower_bound,
        **_write_shares(exposure, "perfect", "if_present"),
        # candidates for one value are counted
        "partial": write_shares_by("confidence", exposure.partial) if exposure.semantics == "single" else None,
        "sure": write_shares_by("belief", exposure.sure),
        **_write_shares(exposure, "vulnerable", "contradicted"),
        "located_nowhere": exposure.located_nowhere,
        **_write_shares(exposure, "open"),
        "values_left": {
            when: {
                "mean": float(exposure.mean(when)),
                "people": {str(values): people for values, people in exposure.distribution(when).items()},
            }
            for when in ("before", "after")
        },
        "releases": list(_releases(exposure)),
        "truth": None if exposure.truth is None else _truth(exposure.truth),
    }


def _releases(exposure: Exposure) -> Iterator[dict[str, object]]:
    for number, view in enumerate(exposure.views):
        right = exposure.located_right[number]
        yield {
            "people": int(view.people.sum()),
            "noise": not view.rules_out,
            "groups": len(view.groups),
            "smallest_group": exposure.smallest_groups[number],
            "mean_group": float(exposure.mean_group_sizes[number]),
            "unlocated": exposure.unlocated[number],
            "assumed_suppressed": exposure.assumed[number],
            "ambiguous": exposure.ambiguous[number],
            "located_right": None if right is None else _exact_and_rounded(right),
            "present": {
                "column": view.presence_column,
                "people": _exact_and_rounded(view.expected_people(exposure.people.sizes)),
                "known_to_be": int(exposure.people.sizes[view.is_present].sum()),
            },
        }


def _truth(truth: TruthCheck) -> dict[str, object]:
    claims = truth.calibration

    def write_claims(each: ClaimedValues) -> dict[str, object]:
        return {"people": each.people, "claimed": each.claimed, **_write_shares(each, "right")}

    bins = [{"from": str(each.low), "to": str(each.high), **write_claims(each)} for each in claims.bins]
    return {
        "people": truth.people,
        **_write_shares(truth, "hits"),
        "hits_by_release": [_exact_and_rounded(each) for each in truth.hits_by_release],
        **_write_shares(truth, "given_away", "guessed"),
        "belief": truth.belief,
        "belief_before": truth.belief_before,
        # JSON has no infinity, which is what ruling out a true value costs
        "log_belief": truth.log_belief if math.isfinite(truth.log_belief) else None,
        "calibration": {**write_claims(claims), "expected_error": claims.expected_error, "bins": bins},
    }


def witness_document(witness: ExposureWitness) -> dict[str, object]:
    """Return the conclusions about one person as plain data."""
    return {
        "known": dict(witness.cells),
        "people": witness.people,
        "releases": [
            {
                "groups": [{"number": group.number, "says": dict(group.printed)} for group in each.groups],
                "values": list(each.values),
                "rules_out": list(each.rules_out),
                "present": _exact_and_rounded(each.present),
                "everybody_has": list(each.everybody_has),
                "noise": each.noisy,
            }
            for each in witness.sightings
        ],
        "candidates": [{"candidate": value, **_exact_and_rounded(belief)} for value, belief in witness.beliefs.items()],
    }
