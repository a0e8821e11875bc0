from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadHierarchy
from sidelight.release.printed_labels import covers

AGES = [str(age) for age in range(110)]


def test_own_cut_points_and_a_start():
    age = sl.Hierarchy.cuts("age", AGES, at=[18, 65], start=0)
    assert [age.generalise(each, 1) for each in ("0", "17", "18", "64", "65", "109")] == [
        "0-17",
        "0-17",
        "18-64",
        "18-64",
        "65+",
        "65+",
    ]


def test_cuts_of_fractions_are_half_open():
    weight = sl.Hierarchy.cuts("weight", ["59.5", "60", "81.25"], at=[[60, 80.5], [60]])
    assert weight.levels == (("59.5", "60", "81.25"), ("<60", "[60, 80.5)", "80.5+"), ("<60", "60+", "60+"), ("*",) * 3)


def test_top_and_bottom_coding_at_every_level():
    age = sl.Hierarchy.intervals("age", AGES, widths=[1, 20], bottom=18, top=90)
    assert [age.generalise(each, 1) for each in ("17", "18", "89", "90", "109")] == ["<18", "18", "89", "90+", "90+"]
    assert age.labels(2) == ("<18", "18-19", "20-39", "40-59", "60-79", "80-89", "90+")


@given(
    st.lists(st.integers(0, 120), min_size=1, max_size=30),
    st.lists(st.integers(1, 100), min_size=1, max_size=6, unique=True),
    st.data(),
)
def test_every_label_covers_its_values_and_levels_nest(numbers, cuts, data):
    coarser = data.draw(st.lists(st.sampled_from(cuts), min_size=1, unique=True))
    age = sl.Hierarchy.cuts("age", numbers, at=[cuts, coarser])  # a level that is no function of the last is refused
    for level in (1, 2):
        assert all(covers(age.generalise(str(number), level), str(number)) for number in numbers)


@given(
    st.lists(st.integers(-50, 120), min_size=1),
    st.sampled_from([(1, 5), (5, 10, 20), (3,)]),
    st.none() | st.integers(-60, 30),
    st.none() | st.integers(31, 130),
)
def test_intervals_with_open_ends_cover_their_values_and_nest(numbers, widths, bottom, top):
    age = sl.Hierarchy.intervals("age", numbers, widths=widths, bottom=bottom, top=top)
    for level in range(1, age.height):
        assert all(covers(age.generalise(str(number), level), str(number)) for number in numbers)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": [[18], [18, 65]]}, "a cut at 65 that the level before has not"),
        ({"at": [[18], []]}, "a level without any cut"),
        ({"at": [18], "start": 10}, "0 is below the start 10; begin lower"),
        ({"at": ["x"]}, "not a number"),
    ],
)
def test_cuts_that_do_not_fit(options, message):
    with pytest.raises(BadHierarchy, match=message):
        sl.Hierarchy.cuts("age", AGES, **options)


def test_ends_that_cross():
    with pytest.raises(BadHierarchy, match="bottom 90 is not below top 18"):
        sl.Hierarchy.intervals("age", AGES, widths=[5], bottom=90, top=18)


def test_a_tree_of_unequal_depth():
    tree = {
        "Injury": ["Fracture"],
        "Infection": {"Viral": {"Respiratory": ["Flu", "Cold"], "Other": ["Polio"]}, "Bacterial": ["Cholera"]},
    }
    ill = sl.Hierarchy.nested("ill", tree)
    assert [ill.generalise("Fracture", level) for level in range(ill.height)] == ["Fracture", *["Injury"] * 3, "*"]
    assert [ill.generalise("Cholera", level) for level in range(ill.height)] == [
        "Cholera",
        "Bacterial",
        "Bacterial",
        "Infection",
        "*",
    ]
    assert ill.generalise("Flu", 1) == "Respiratory"


def test_exact_fractions_of_widths():
    assert Fraction("0.1") * 3 == Fraction("0.3")
    share = sl.Hierarchy.intervals("share", ["0.3", "0.29"], widths=[0.1])
    assert share.levels[1] == ("[0.2, 0.3)", "[0.3, 0.4)")
