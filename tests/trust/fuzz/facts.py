"""Facts as somebody types them; those that can be read are asked about."""

from __future__ import annotations

from hypothesis import strategies as st
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import near
from trust.fuzz.people import marked_release, release

import sidelight as sl

PEOPLE = (
    "Ann",
    "Bob",
    "Ed",
    "Ina",
    "Ann",
    "Bob",
    "Hannah",
    "#1",
    "#2.2",
    "someone in group 1",
    "{age = 24, sex = f}",
    "{sex = m}",
    "Zoe",
    "'Ann'",
)
VALUES = ("Flu", "Cold", "Flu", "Cold", "Flu", "Cold", "Mumps", "'Salt, too'", "(missing)", "Flue", '"Flu"', "x")

simple = st.one_of(
    st.builds("{} = {}".format, st.sampled_from(PEOPLE), st.sampled_from(VALUES)),
    st.builds("{} != {}".format, st.sampled_from(PEOPLE), st.sampled_from(VALUES)),
    st.builds("{} in {{{}, {}}}".format, st.sampled_from(PEOPLE), st.sampled_from(VALUES), st.sampled_from(VALUES)),
    st.builds("same({}, {})".format, st.sampled_from(PEOPLE), st.sampled_from(PEOPLE)),
    st.builds(
        "{} = {} with {}".format,
        st.sampled_from(PEOPLE),
        st.sampled_from(VALUES),
        st.sampled_from(["0.9", "90%", "1", "9/10"]),
    ),
)
facts = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.builds("{} and {}".format, inner, inner),
        st.builds("({}) or {}".format, inner, inner),
        st.builds("{} -> {}".format, inner, inner),
        st.builds("not ({})".format, inner),
    ),
    max_leaves=4,
)


def ask(given: tuple[str, str]) -> str:
    """Ask how sure somebody gets of the first who knows the second."""
    target, known = given
    fact = sl.read_fact(target)
    assert str(sl.read_fact(str(fact))) == str(fact)
    effort = sl.Effort(states=20_000, seconds=2)
    sl.posterior(marked_release() if "#" in known else release(), target, given=[known], effort=effort)
    return ""


TEXTS = (
    "Hannah = Flu -> Ann = Flu",
    "not (Bob in {Flu, 'Salt, too'} or same(Ann, #17)) and Ed != Cold",
    "Ed = Flu with 90%",
)
TARGET = Target(
    "facts",
    st.tuples(near(facts, changes=2), st.one_of(facts, near(facts, changes=1))),
    ask,
    share=120,
    short=120,
    texts=TEXTS,
)
