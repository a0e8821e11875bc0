"""Charts of attackers: their confidence, how often they are right, and what they learn beyond the release alone.

Asked attackers   a dot for each on one scale, and the limit as a rule
Insider           people by the insider's confidence, beside that of the release alone: two step lines that only fall;
                  people for whom it was not computed are on neither, and are counted in the subtitle
Learner           claimed confidence against how often it is right; without the truth, claimed confidence alone
Two releases      people by the number of values left to them, and by an attacker's confidence; people about whom the
                  releases contradict each other are drawn apart, neither as disclosed nor as not disclosed
Statistician      beliefs before and after, for the people about whom they move most: before is what follows from the
                  release alone, by the same model; where nothing more is known, the shares of all people stand there
Rules             how far beliefs are from the truth, by the number of rules known: rules that say "has", rules that say
                  "has not", and both kinds together are a line each, named at its end
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import BadMeasure, as_given
from sidelight.learner.learned import CALIBRATION_BINS, SURE_BELIEF, BeliefBin, Learned
from sidelight.max_entropy.maxent import Beliefs
from sidelight.max_entropy.variables import NOBODY
from sidelight.measures.criterion import Bound, exact
from sidelight.report.plots import (
    BLUE,
    GREY,
    INK,
    PALE,
    VERMILION,
    Change,
    Drawing,
    TableBehind,
    altair,
    draw_rows,
    dumbbell_chart,
    finish_chart,
    share_axis,
    text_at,
)
from sidelight.report.report import attacker_of
from sidelight.rounding import exact_text, in_words, round_up, short_decimal
from sidelight.table.labels import show_in_list, shown
from sidelight.text import capitalize, counted, form

if TYPE_CHECKING:
    import altair as alt

    from sidelight.attack.exposure import Exposure
    from sidelight.documents.document import AttackerFacts, Number
    from sidelight.max_entropy.beliefs import KeyBeliefs, ReleaseBeliefs
    from sidelight.max_entropy.measure import RuleCurve, RulePoint
    from sidelight.minimality.insider import InsiderBeliefs

HOW_SURE = "how sure somebody claims to be"


def attackers_chart(attackers: Sequence[AttackerFacts]) -> alt.TopLevelMixin:
    """Draw the largest confidence of each attacker, and the limit."""
    known = [(each, each.belief) for each in attackers if each.belief is not None]
    if not known:
        raise BadMeasure("no reader could be told of, so there is no picture of them; the sentences say why")
    return finish_chart(
        _draw_dots(attackers, known),
        title=attackers_title(known),
        subtitle="What each reader believes at most about anybody, rounded up; of a learner only claimed."
        + (" At least that where people were left out." if any(each.lower_bound for each, _ in known) else ""),
        table=TableBehind(
            ("reader", "how sure, at most", "limit"),
            tuple(
                (
                    attacker_of(each.reader).who,
                    "could not be told" if each.belief is None else _write_belief(each, each.belief),
                    "" if each.limit is None else exact_text(each.limit.value),
                )
                for each in attackers
            ),
        ),
        width=600,
    )


def _write_belief(attacker: AttackerFacts, belief: Number) -> str:
    return f"at least {belief.text}" if attacker.lower_bound else belief.text


def _draw_dots(attackers: Sequence[AttackerFacts], known: Sequence[tuple[AttackerFacts, Number]]) -> Drawing:
    library = altair()
    order = [attacker_of(each.reader).who for each in attackers]
    rows = []
    for attacker, largest in known:
        belief, limit = largest.value, None if attacker.limit is None else attacker.limit.value
        # to the right of a dot comes the rule of the limit, or else the end of the scale
        ahead = 1 - belief if limit is None or limit < belief else limit - belief
        rows.append(
            {
                "who": attacker_of(attacker.reader).who,
                # a dot may overstate a risk by its rounding, and never understate it
                "belief": round_up(belief),
                "text": _write_belief(attacker, largest),
                "beyond": limit is not None and belief > limit,
                # a number takes 0.16 of the scale: it stands at the left where the end or the limit is closer
                "left": ahead < 0.16 < belief,
            }
        )
    base = draw_rows(rows, 440, 44 * len(order))
    y = library.Y("who:N").sort(order).scale(domain=order).axis(title=None, grid=False, ticks=False, labelLimit=260)
    x = share_axis(library.X("belief:Q"), "how sure of the value of one person, at most")
    colour = library.condition("datum.beyond", library.value(VERMILION), library.value(BLUE))
    words = {"baseline": "bottom", "dy": -4, "fontSize": 12, "fontWeight": "bold", "color": INK}
    layers = [
        base.transform_calculate(zero="0").mark_rule(color=GREY).encode(y, x, x2="zero:Q"),
        base.mark_point(filled=True, size=120, opacity=1).encode(y, x, color=colour),
        base.transform_filter("!datum.left").mark_text(align="left", dx=8, **words).encode(y, x, text="text:N"),
        base.transform_filter("datum.left").mark_text(align="right", dx=-8, **words).encode(y, x, text="text:N"),
    ]
    not_computed = [
        {"who": who, "text": "? could not be told"}
        for who, each in zip(order, attackers, strict=True)
        if each.belief is None
    ]
    if not_computed:
        marks = draw_rows(not_computed).mark_text(align="left", dx=8, fontSize=12, color=INK)
        layers.append(marks.encode(y, x=library.value(0), text="text:N"))
    bound = next((each.limit for each in attackers if each.limit is not None), None)
    if bound is not None:
        rule = draw_rows([{"limit": float(bound.value), "text": f"limit {bound.text}"}])
        label = rule.mark_text(color=INK, fontSize=12, baseline="bottom", dy=-4)
        layers += [
            rule.mark_rule(color=INK, strokeWidth=2).encode(x="limit:Q"),
            label.encode(x="limit:Q", y=library.value(0), text="text:N"),
        ]
    return library.layer(*layers)


def attackers_title(known: Sequence[tuple[AttackerFacts, Number]]) -> str:
    """Return the title: the most confident attacker, and the limit."""
    strongest, belief = max(known, key=lambda each: each[1].value)
    attacker = attacker_of(strongest.reader)
    end = f"; the limit is {strongest.limit.text}" if strongest.limit is not None else ""
    bound, whom = ("at least", "somebody") if strongest.lower_bound else ("at most", "anybody")
    is_sure = "claims to be" if attacker.only_claims else "is"
    return f"{capitalize(attacker.who)} {is_sure} {bound} {belief.text} sure of {whom}{end}"


# An insider.


def insider_chart(learnt: InsiderBeliefs) -> alt.TopLevelMixin:
    """Draw the people by an insider's confidence, and by that of the release alone."""
    if learnt.outcome == "could not tell":
        raise BadMeasure(f"what an insider reaches could not be told, so there is no picture of it: {learnt.reason}")
    steps = [Fraction(step, 20) for step in range(20)]
    inside = [learnt.people_above(each, end="estimate") for each in steps]
    printed = [learnt.printed_above(each) for each in steps]
    people = learnt.release.size
    not_computed = f" Of {counted(learnt.untold, 'person')} it could not be told." if learnt.untold else ""
    whom = "somebody" if learnt.untold else "anybody"
    alone = f"the release alone makes one at most {in_words(learnt.printed_worst)} sure"
    return finish_chart(
        _two_lines(steps, inside, printed, people),
        title=f"An insider is {learnt.worst_in_words} sure of {whom}; {alone}",
        subtitle=f"{counted(people, 'person')} in {counted(len(learnt.release), 'group')}; the making tells something "
        f"in {len(learnt.telling):,} {form('group', len(learnt.telling))}.{not_computed}",
        table=TableBehind(
            ("surer than", "people, to an insider", "people, by the release alone"),
            tuple((float(step), one, other) for step, one, other in zip(steps, inside, printed, strict=True)),
        ),
        width=600,
    )


def _two_lines(steps: Sequence[Fraction], inside: Sequence[int], printed: Sequence[int], people: int) -> Drawing:
    library = altair()
    rows = [
        {"sure": float(step), "inside": one, "printed": other}
        # nobody is believed with more than certainty: both lines end at 0
        for step, one, other in zip((*steps, 1), (*inside, 0), (*printed, 0), strict=True)
    ]
    base = draw_rows(rows, 460, 250)
    x = share_axis(library.X("sure:Q"), "surer than")
    axis = library.Axis(title=f"people, of {people:,}", format=",d", tickCount=5, tickMinStep=1)
    line = {"interpolate": "step-after", "strokeWidth": 2.5}
    half = len(steps) // 2
    names = [
        {"sure": 0.02, "people": inside[0], "text": "an insider", "colour": BLUE},
        {"sure": float(steps[half]), "people": printed[half], "text": "the release alone", "colour": GREY},
    ]
    words = draw_rows(names).mark_text(align="left", dx=6, dy=-9, fontSize=12)
    return library.layer(
        base.mark_line(color=GREY, strokeDash=[5, 4], **line).encode(x, library.Y("printed:Q").axis(axis)),
        base.mark_line(color=BLUE, **line).encode(x, library.Y("inside:Q").axis(axis)),
        words.encode(x="sure:Q", y="people:Q", text="text:N", color=library.Color("colour:N").scale(None)),
    )


# A learner.


def calibration_chart(learned: Learned) -> alt.TopLevelMixin:
    """Draw a learner's claimed confidence, and how often it is right where the truth is known."""
    if learned.right is None or learned.calibration_error is None:
        return _claims_chart(learned)
    return checked_claims_chart(
        learned.model, learned.claimed, learned.right, learned.calibration_error, learned.calibration
    )


def checked_claims_chart(
    model: str, claimed: float, right: float, error: float, bins: Sequence[BeliefBin]
) -> alt.TopLevelMixin:
    """Draw claims compared with the truth: claimed confidence, how often it is right, and the difference."""
    library = altair()
    total = sum(each.people for each in bins)
    rows = [
        {"claimed": each.claimed, "right": each.right, "people": each.people, "text": f"{each.people:,}"}
        for each in bins
    ]
    base = draw_rows(rows, 320, 320)
    x = share_axis(library.X("claimed:Q"), HOW_SURE)
    y = share_axis(library.Y("right:Q"), "how often that is right")
    # the area of a dot grows with its people; 25 keeps a bin of few people visible
    size = library.Size("people:Q").scale(domain=[0, total], range=[25, 900]).legend(None)
    diagonal = draw_rows([{"claimed": 0, "right": 0}, {"claimed": 1, "right": 1}])
    return finish_chart(
        library.layer(
            diagonal.mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.5).encode(x, y),
            text_at((0.04, 0.16), ["as right as claimed"], color=GREY, angle=315).encode(x="x:Q", y="y:Q"),
            base.mark_line(color=BLUE, strokeWidth=1.5).encode(x, y),
            base.mark_point(color=BLUE, filled=True, opacity=1).encode(x, y, size=size),
            base.mark_text(align="left", dx=11, dy=11, color=INK, fontSize=11).encode(x, y, text="text:N"),
        ),
        title=f"A {model} model claims to be {claimed:.1%} sure on average, and is right about {right:.1%}",
        subtitle=f"{counted(total, 'person')}, by how sure it is; beside each dot its people. It claims "
        f"{'more' if claimed > right else 'less'} than is right; claims are off by {error:.3f} on average.",
        table=TableBehind(
            ("claimed from", "claimed to", "people", "claimed on average", "right"),
            tuple((each.low, each.high, each.people, each.claimed, each.right) for each in bins),
        ),
        width=560,
    )


def _claims_chart(learned: Learned) -> alt.TopLevelMixin:
    library = altair()
    edges = [number / CALIBRATION_BINS for number in range(CALIBRATION_BINS + 1)]
    # a falling count: the difference of two neighbours is the people between two edges
    above = [*(learned.people_above(edge) for edge in edges[:-1]), 0]
    counts = [
        (low, high, here - beyond) for low, high, here, beyond in zip(edges, edges[1:], above, above[1:], strict=False)
    ]
    of_whom = f"the values of {learned.people_above(SURE_BELIEF):,} of {counted(above[0], 'person')}"
    rows = [{"low": low, "high": high, "people": people, "text": f"{people:,}"} for low, high, people in counts]
    base = draw_rows(rows, 420, 220)
    y = library.Y("people:Q").axis(title="people", format=",d", tickCount=5)
    words = base.transform_calculate(middle="(datum.low + datum.high) / 2").mark_text(dy=-8, color=INK, fontSize=11)
    return finish_chart(
        library.layer(
            base.mark_bar(color=BLUE, binSpacing=2).encode(
                share_axis(library.X("low:Q"), HOW_SURE).bin("binned"), y, x2="high:Q"
            ),
            words.encode(share_axis(library.X("middle:Q"), HOW_SURE), y, text="text:N"),
        ),
        title=f"A {learned.model} model claims to know {of_whom} at least {SURE_BELIEF} surely",
        subtitle="Without the truth this is only claimed: nobody checked how much of it is right.",
        table=TableBehind(("claimed from", "claimed to", "people"), tuple(counts)),
        width=560,
    )


# An attacker with several releases.

ALONE, TOGETHER = "by the best release alone", "by all together"


def exposure_chart(exposure: Exposure) -> alt.TopLevelMixin:
    """Draw people by the number of values left to them: by the best release alone, and by all together."""
    rows = _count_values_left(exposure)
    library = altair()
    order = [name for name, _, _ in rows]
    data = [
        {
            "left": name,
            "which": which,
            "people": people,
            "text": f"{people:,}" if which == TOGETHER and name in order[:1] else "",
        }
        for name, before, after in rows
        for which, people in ((ALONE, before), (TOGETHER, after))
    ]
    base = draw_rows(data, max(440, 46 * len(rows)), 230)
    x = library.X("left:N").sort(order).axis(title="values left that a person may have", labelAngle=0, grid=False)
    y = library.Y("people:Q").axis(title="people", format=",d", tickCount=5, tickMinStep=1)
    offset = library.XOffset("which:N").sort([ALONE, TOGETHER])
    colour = library.Color("which:N").scale(domain=[ALONE, TOGETHER], range=[GREY, VERMILION])
    legend = library.Legend(title=None, orient="top", direction="horizontal", symbolType="square", labelLimit=300)
    return finish_chart(
        library.layer(
            base.mark_bar().encode(x, y, offset, colour.legend(legend)),
            base.mark_text(dy=-7, color=INK, fontSize=10).encode(x, y, offset, text="text:N"),
        ),
        title=_exposure_title(exposure),
        subtitle=_describe_left_out(exposure),
        table=TableBehind(("values left", f"people, {ALONE}", f"people, {TOGETHER}"), tuple(rows)),
        width=600,
    )


def _count_values_left(exposure: Exposure, most_bars: int = 12) -> list[tuple[str, int, int]]:
    """Return (values left, people before, people after); all numbers beyond `most_bars` are one row."""
    before, after = exposure.distribution("before"), exposure.distribution("after")
    # the same bars for both, so that they can be compared
    few = range(1, min(max([*before, *after], default=0), most_bars) + 1)
    rows = [(f"{left:,}", before.get(left, 0), after.get(left, 0)) for left in few]
    if before.get(0) or after.get(0):
        none = "none: contradiction" if exposure.semantics == "single" else "none"
        rows.insert(0, (none, before.get(0, 0), after.get(0, 0)))
    many = [sum(people for left, people in each.items() if left > most_bars) for each in (before, after)]
    return [*rows, (f"{most_bars + 1}+", many[0], many[1])] if any(many) else rows


def _exposure_title(exposure: Exposure) -> str:
    total, certain = exposure.located, exposure.given_away_in_words
    several = len(exposure.views) > 1
    together = (
        f"Together, {counted(len(exposure.views), 'release')} give away" if several else "This release gives away"
    )
    if exposure.semantics != "single":
        return f"{together} some value of {certain} of {counted(total, 'person')} for certain"
    best = f"; the best of them alone {exposure.distribution('before').get(1, 0):,}" if several else ""
    return f"{together} the values of {certain} of {counted(total, 'person')}{best}"


def _describe_left_out(exposure: Exposure) -> str:
    """Return how many people were not located, and about how many the releases contradict each other."""
    contradicted = int(exposure.contradicted * exposure.located)
    notes = [
        f"Not located somewhere, and not given away: {exposure.not_located:,}." if exposure.not_located else "",
        f"The releases contradict each other about {counted(contradicted, 'person')}." if contradicted else "",
    ]
    return " ".join(filter(None, notes))


def breach_chart(exposure: Exposure, *, belief: Bound = 1) -> alt.TopLevelMixin:
    """Draw the share of people by an attacker's least confidence; each point is decided exactly."""
    library = altair()
    point = exact(belief)
    if isinstance(point, float):
        raise BadMeasure(f"a belief lies between 0 and 1, not {as_given(belief)}")
    # every twentieth; the marked point becomes a level of its own, so that it lies exactly on the line
    levels = sorted({*(Fraction(each, 20) for each in range(21)), point})
    shares = [exposure.sure(level) for level in levels]
    total, certain, share = exposure.located, exposure.sure(1), exposure.sure(point)
    base = draw_rows(
        [{"sure": float(level), "share": round_up(each)} for level, each in zip(levels, shares, strict=True)], 440, 240
    )
    x = share_axis(library.X("sure:Q"), "how sure somebody can be of their value, at least")
    y = share_axis(library.Y("share:Q"), "share of people")
    text = f"{int(share * total):,} people"
    marked = draw_rows([{"sure": float(point), "share": round_up(share), "text": text}]).encode(x="sure:Q", y="share:Q")
    # near the right end the words stand to the left of the point
    side = {"align": "right", "dx": -9} if point > Fraction(3, 5) else {"align": "left", "dx": 9}
    bold = {"color": VERMILION, "fontWeight": "bold", "fontSize": 13}
    sure = "certain" if point == 1 else f"at least {belief} sure"
    subtitle = (f"Of {int(certain * total):,} for certain." if point != 1 else "", _describe_left_out(exposure))
    return finish_chart(
        library.layer(
            base.mark_area(color=PALE, opacity=1, interpolate="step-after").encode(x, y),
            base.mark_line(color=BLUE, strokeWidth=2.5, interpolate="step-after").encode(x, y),
            marked.mark_point(color=VERMILION, filled=True, size=90, opacity=1),
            marked.mark_text(**bold, **side, dy=-12).encode(text="text:N"),
        ),
        title=f"Of {int(share * total):,} of {counted(total, 'person')} somebody can be {sure} what they have",
        subtitle=" ".join(filter(None, subtitle)),
        table=TableBehind(
            ("at least so sure", "share of people, exactly", "people"),
            tuple(
                (exact_text(level), exact_text(each), int(each * total))
                for level, each in zip(levels, shares, strict=True)
            ),
        ),
        width=560,
    )


# A statistician.


def beliefs_chart(after: ReleaseBeliefs, before: ReleaseBeliefs | None = None) -> alt.TopLevelMixin:
    """Draw the beliefs about each value, for the kind of people about whom they moved most."""
    kinds, release = after.by_kind, after.release
    if before is None and not after.known:
        # nothing more is known than the release: the shares of all people stand in place of before
        kind, value, _ = next(kinds.largest(1))
        rows = _row_by_value(kinds, kind)
        changes = [
            Change(shown(text), int(people) / release.size, rows.get(code, 0.0))
            for code, (text, people) in enumerate(zip(kinds.domain, release.groups.whole.tolist(), strict=True))
        ]
        return _moves_chart(after, changes, kind, value, ends=("everybody", "these people"))
    earlier = after.forget_statements(seconds=60) if before is None else before
    row = int(kinds.rows_that_moved(earlier.by_key)[0][0])
    kind, value = int(kinds.key[row]), int(kinds.value[row])
    rows = _row_by_value(kinds, kind)
    # (values,): what was believed of the people with the same printed labels
    there = earlier.by_key.probabilities_at(
        np.full(len(kinds.domain), int(kinds.keys.printed[kind])), np.arange(len(kinds.domain))
    )
    # with sets, statements about a value distinguish people for that value alone: the other values are not drawn
    every = isinstance(after, Beliefs) or (kinds.keys.part[kind] < 0 and kinds.keys.person[kind] == NOBODY)
    changes = [
        Change(shown(text), float(there[code]), rows.get(code, 0.0))
        for code, text in enumerate(kinds.domain)
        if every or code in rows
    ]
    return _moves_chart(after, changes, kind, value, ends=("before", "after"))


def _row_by_value(kinds: KeyBeliefs, kind: int) -> dict[int, float]:
    here = np.flatnonzero(kinds.key == kind)
    return dict(zip(kinds.value[here].tolist(), kinds.probability[here].tolist(), strict=True))


def _moves_chart(
    beliefs: ReleaseBeliefs, changes: list[Change], kind: int, value: int, *, ends: tuple[str, str]
) -> alt.TopLevelMixin:
    kinds = beliefs.by_kind
    name = shown(kinds.domain[value])
    change = next(each for each in changes if each.name == name)
    # four digits are as many as the solver is trusted with
    old, new = (short_decimal(Fraction(f"{float(each):.4f}")) for each in (change.before, change.after))
    who = ", ".join(f"{column} {show_in_list(cell)}" for column, cell in kinds.says(kind)) or "anybody"
    verb = "rises" if change.after >= change.before else "falls"
    people = f"{float(kinds.keys.people[kind]):,.0f} of {counted(beliefs.release.size, 'person')}"
    known = counted(len(beliefs.known), "statement")
    compared = ends[0] == "before"
    return dumbbell_chart(
        changes,
        title=f"For {who}, {name} {verb} from {old} to {new}"
        if compared
        else f"{name} is {new} likely for {who}, and {old} for everybody",
        subtitle=f"By maximum entropy, knowing {known}. Of whom beliefs move most: {people}."
        if compared
        else f"By maximum entropy, knowing the release alone. Of whom one is surest: {people}.",
        ends=ends,
        axis="how sure somebody is that they have it",
        top=name,
    )


# Rules.


def rules_chart(curve: RuleCurve) -> alt.TopLevelMixin:
    """Draw the estimation error against the number of rules."""
    if not curve.points:
        raise BadMeasure("there is no point to draw; give rule_curve at least one bound")
    library = altair()
    ordered = sorted(curve.points, key=_count_rules)
    nothing = [each for each in ordered if _count_rules(each) == 0]
    colours = {(True, True): ("both kinds", INK), (True, False): ("“has” alone", BLUE)}
    colours[False, True] = ("“has not” alone", VERMILION)
    layers = []
    for kind, (name, colour) in colours.items():
        own = [each for each in ordered if (bool(each.positive), bool(each.negative)) == kind]
        if not own:
            continue
        # every line begins at the point without rules, which all kinds share
        rows = [{"rules": _count_rules(each), "error": each.estimation_error} for each in (*nothing[:1], *own)]
        base = draw_rows(rows, 460, 250)
        x = library.X("rules:Q").axis(title="rules known", format=",d", tickMinStep=1, tickCount=6)
        y = library.Y("error:Q").scale(zero=True).axis(title="how far beliefs are from the truth", tickCount=5)
        last = draw_rows([{**rows[-1], "text": name}])
        layers += [
            base.mark_line(color=colour, strokeWidth=2).encode(x, y),
            base.mark_point(color=colour, filled=True, opacity=1, size=45).encode(x, y),
            last.mark_text(align="left", dx=8, color=colour, fontSize=12).encode(x, y, text="text:N"),
        ]
    if not layers:
        rows = [{"rules": 0, "error": each.estimation_error} for each in nothing]
        layers = [draw_rows(rows).mark_point(color=GREY).encode(x="rules:Q", y="error:Q")]
    first, best = ordered[0], min(ordered, key=lambda each: each.estimation_error)
    far, near = short_decimal(first.estimation_error), short_decimal(best.estimation_error)
    fewest = counted(_count_rules(first), "rule") if _count_rules(first) else "none"
    most = counted(_count_rules(best), "rule")
    compared = f"Knowing {most}, beliefs are {near} from the truth, and {far} knowing {fewest}"
    return finish_chart(
        library.layer(*layers),
        title=f"Beliefs are closest to the truth, {near} away, knowing {fewest}" if first is best else compared,
        subtitle="0: everything is known as it is. The surest belief and what the release adds stand in the table.",
        table=TableBehind(
            ("rules “has”", "rules “has not”", "estimation error", "surest belief", "gain"),
            tuple((p.positive, p.negative, p.estimation_error, p.surest, p.gain) for p in curve.points),
        ),
        width=600,
    )


def _count_rules(point: RulePoint) -> int:
    return point.positive + point.negative
