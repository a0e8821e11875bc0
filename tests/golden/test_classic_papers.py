"""Examples of the papers that defined the classic measures."""

import math
from fractions import Fraction

import pytest

import sidelight as sl

# Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007: nine patients with nine salaries, in two ways of grouping.
SALARIES = ["3K", "4K", "5K", "6K", "7K", "8K", "9K", "10K", "11K"]
LOW_ONES_TOGETHER = [["3K", "4K", "5K"], ["6K", "8K", "11K"], ["7K", "9K", "10K"]]
WELL_MIXED = [["3K", "5K", "9K"], ["6K", "11K", "8K"], ["4K", "7K", "10K"]]
# A tree of diseases in the manner of the paper's figure.
DISEASES = sl.Hierarchy.nested(
    "disease",
    {
        "respiratory system diseases": {
            "respiratory infection": ["flu", "pneumonia", "bronchitis"],
            "vascular lung diseases": ["pulmonary edema", "pulmonary embolism"],
        },
        "digestive system diseases": {
            "stomach diseases": ["gastric ulcer", "stomach cancer", "gastritis"],
            "colon diseases": ["colitis", "colon cancer"],
        },
    },
)


def release_of(groups, domain=None):
    return sl.Release.from_counts([{value: group.count(value) for value in group} for group in groups], domain=domain)


def test_ordered_distances_of_salaries():
    """D[{3K, 4K, 5K}, Q] = 0.375 and D[{6K, 8K, 11K}, Q] = 0.167."""
    ordered, release = sl.Closeness(distance="ordered"), release_of(LOW_ONES_TOGETHER, SALARIES)
    assert ordered.measure(release).value == Fraction(3, 8)
    assert ordered.measure(release).witness.group.number == 1
    assert ordered.exact_values(release.groups.counts.dense()[1:], release.groups)[0] == Fraction(1, 6)


def test_the_well_mixed_salaries_are_0_167_close():
    assert sl.Closeness(distance="ordered").measure(release_of(WELL_MIXED, SALARIES)).value == Fraction(1, 6)


@pytest.mark.parametrize(
    ("other", "apart"),
    [("bronchitis", Fraction(1, 3)), ("pulmonary embolism", Fraction(2, 3)), ("stomach cancer", Fraction(1))],
)
def test_diseases_are_as_far_apart_as_the_level_where_they_meet(other, apart):
    """Half of the belief in one group must move to the other disease, so the distance is half of theirs."""
    release = release_of([["flu"], [other]])
    assert sl.Closeness(distance="hierarchical", hierarchy=DISEASES).measure(release).value == apart / 2


# Machanavajjhala et al., l-Diversity, ICDE 2006: the 3-diverse inpatients.
INPATIENTS = release_of(
    [
        ["heart disease", "viral infection", "cancer", "cancer"],
        ["cancer", "heart disease", "viral infection", "viral infection"],
        ["heart disease", "viral infection", "cancer", "cancer"],
    ]
)


def test_the_inpatients_are_4_anonymous_and_3_diverse():
    """The paper says these two; the other numbers are worked out by hand from counts 2, 1, 1."""
    assert sl.GroupSize().measure(INPATIENTS).value == 4
    assert sl.DistinctValues().measure(INPATIENTS).value == 3
    assert sl.EntropyDiversity().measure(INPATIENTS).value == pytest.approx(2 ** Fraction(3, 2))
    assert sl.RecursiveDiversity(l=2).measure(INPATIENTS).value == 1
    assert sl.RecursiveDiversity(l=3).measure(INPATIENTS).value == 2
    assert sl.RecursiveDiversity(l=4).measure(INPATIENTS).value == math.inf
