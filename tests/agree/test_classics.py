"""Every classic measure equals its definition, written out in plain fractions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import sidelight as sl
from sidelight.measures.closeness import GroundDistance
from sidelight.testing import releases


def counts_of_groups(release):
    """Counts of the groups that have any value, one list each in the domain's order."""
    return [counts for counts in release.groups.counts.dense().tolist() if sum(counts)]


def shares(release):
    """q of each group that has any value, and p."""
    whole = release.groups.whole.tolist()
    p = [Fraction(count, sum(whole)) for count in whole] if sum(whole) else []
    return [[Fraction(count, sum(counts)) for count in counts] for counts in counts_of_groups(release)], p


def value(measure, release):
    finding = measure.measure(release)
    assert finding.replay(release) == finding.value
    return finding.value


@given(releases())
def test_group_size(release):
    assert value(sl.GroupSize(), release) == min(release.groups.sizes.tolist())


@given(releases())
def test_distinct_values(release):
    every = release.groups.counts.dense().tolist()
    assert value(sl.DistinctValues(), release) == min(sum(count > 0 for count in counts) for counts in every)


def n_th_power(counts):
    """exp(entropy)^n = n^n / Π c^c."""
    return Fraction(sum(counts) ** sum(counts), math.prod(count**count for count in counts))


@given(releases(max_people=12))
def test_entropy_diversity(release):
    measured = value(sl.EntropyDiversity(), release)
    expected = min((n_th_power(counts) ** (1 / sum(counts)) for counts in counts_of_groups(release)), default=1)
    assert measured == pytest.approx(expected, rel=1e-12)
    # all groups are exactly at least as diverse, and one is not more diverse than rounding down explains
    n = [sum(counts) for counts in counts_of_groups(release)]
    powers = [n_th_power(counts) for counts in counts_of_groups(release)]
    assert all(Fraction(measured) ** size <= power for size, power in zip(n, powers, strict=True))
    if isinstance(measured, float) and n:
        above = Fraction(math.nextafter(measured, math.inf))
        assert any(above**size > power for size, power in zip(n, powers, strict=True))
    elif n:
        assert any(measured**size == power for size, power in zip(n, powers, strict=True))


@given(releases(), st.integers(1, 5))
def test_recursive_diversity(release, l):  # noqa: E741
    sort_by_frequency = [sorted(counts, reverse=True) for counts in counts_of_groups(release)]
    tails = [sum(counts[l - 1 :]) for counts in sort_by_frequency]
    expected = [
        Fraction(counts[0], tail) if tail else math.inf for counts, tail in zip(sort_by_frequency, tails, strict=True)
    ]
    assert value(sl.RecursiveDiversity(l=l), release) == max(expected, default=0)


@given(releases())
def test_equal_closeness(release):
    every, p = shares(release)
    expected = [sum(abs(a - b) for a, b in zip(q, p, strict=True)) / 2 for q in every]
    assert value(sl.Closeness(), release) == max(expected, default=0)


@given(releases())
def test_ordered_closeness(release):
    every, p = shares(release)
    steps = max(len(release.domain) - 1, 1)
    expected = [sum(abs(sum(q[:end]) - sum(p[:end])) for end in range(len(p))) / steps for q in every]
    assert value(sl.Closeness(distance="ordered"), release) == max(expected, default=0)


@given(releases(), st.data())
def test_ordered_closeness_in_an_order_of_its_own(release, data):
    order = data.draw(st.permutations([*release.domain, "never", "ever"]))
    every, p = shares(release)
    place = {text: code for code, text in enumerate(release.domain)}

    def heap(share, end):
        return sum(share[place[text]] for text in order[:end] if text in place)

    expected = [sum(abs(heap(q, end) - heap(p, end)) for end in range(len(order))) / (len(order) - 1) for q in every]
    assert value(sl.Closeness(distance="ordered", order=order), release) == max(expected, default=0)


@st.composite
def hierarchies(draw, domain):
    """Trees over the values and some more, of up to three levels above them, with one top or several."""
    values = [text for text in domain if text is not None] or ["only"]
    levels = [[*values, "elsewhere"]]
    for number in range(draw(st.integers(0, 3))):
        labels = dict.fromkeys(levels[-1])
        up = {label: f"{number}/{draw(st.integers(0, 2))}" for label in labels}
        levels.append([up[label] for label in levels[-1]])
    return sl.Hierarchy("value", tuple(map(tuple, levels)))


def meeting(hierarchy, one, other):
    """The lowest level at which two values have the same label; above the hierarchy if at none."""
    if one == other:
        return 0
    levels = range(hierarchy.height)
    return next((k for k in levels if hierarchy.generalise(one, k) == hierarchy.generalise(other, k)), hierarchy.height)


def transport(q, p, costs):
    """The earth mover's distance, as a linear program."""
    size = len(p)
    rows = [[float(place // size == row) for place in range(size**2)] for row in range(size)]
    columns = [[float(place % size == column) for place in range(size**2)] for column in range(size)]
    solved = linprog(np.ravel(costs), A_eq=rows + columns, b_eq=[float(each) for each in (*q, *p)])
    return solved.fun


@given(st.data())
def test_closeness_is_transport_along_the_hierarchy(data):
    release = data.draw(releases(max_groups=2, max_values=5))
    hierarchy = data.draw(hierarchies(release.domain))
    finding = sl.Closeness(distance="hierarchical", hierarchy=hierarchy).measure(release)
    assert finding.replay(release) == finding.value
    top = GroundDistance(release.domain, hierarchy=hierarchy).top
    costs = [[meeting(hierarchy, a, b) / max(top, 1) for b in release.domain] for a in release.domain]
    every, p = shares(release)
    assert float(finding.value) == pytest.approx(max((transport(q, p, costs) for q in every), default=0), abs=1e-7)


@given(releases(max_groups=2, max_values=5))
def test_closeness_is_transport_along_the_order(release):
    steps = max(len(release.domain) - 1, 1)
    costs = [[abs(a - b) / steps for b in range(len(release.domain))] for a in range(len(release.domain))]
    every, p = shares(release)
    measured = sl.Closeness(distance="ordered").measure(release).value
    assert float(measured) == pytest.approx(max((transport(q, p, costs) for q in every), default=0), abs=1e-7)


@given(releases())
def test_a_flat_hierarchy_is_equal_distance(release):
    values = [text for text in release.domain if text is not None] or [""]
    flat = sl.Hierarchy.suppression("value", values)
    finding = sl.Closeness(distance="hierarchical", hierarchy=flat).measure(release)
    if len(values) > 1 or None not in release.domain:
        assert finding.value == sl.Closeness().measure(release).value


@given(releases())
def test_beta_likeness(release):
    every, p = shares(release)
    gains = [(a - b) / b for q in every for a, b in zip(q, p, strict=True) if a > b]
    assert value(sl.BetaLikeness(), release) == max(gains, default=0)


@given(releases(max_people=8))
def test_enhanced_beta_likeness(release):
    every, p = shares(release)
    gains = [((a - b) / b, b) for q in every for a, b in zip(q, p, strict=True) if a > b]
    fits = all(gain <= -math.log(overall) for gain, overall in gains)
    expected = max((gain for gain, _ in gains), default=0) if fits else math.inf
    assert value(sl.BetaLikeness(kind="enhanced"), release) == expected


@pytest.mark.parametrize("absent", ["infinite", "skipped"])
@given(release=releases())
def test_delta_disclosure(release, absent):
    every, p = shares(release)
    pairs = [(a, b) for q in every for a, b in zip(q, p, strict=True) if b]
    factors = [max(a / b, b / a) if a else math.inf for a, b in pairs if a or absent == "infinite"]
    measured, factor = value(sl.DeltaDisclosure(absent=absent), release), max(factors, default=1)
    if factor in (1, math.inf):
        assert measured == (0 if factor == 1 else math.inf)
        return
    with localcontext(prec=50):
        exact = (Decimal(factor.numerator) / factor.denominator).ln()
    assert Decimal(math.nextafter(measured, 0)) < exact <= Decimal(measured)
