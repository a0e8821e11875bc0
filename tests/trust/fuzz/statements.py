"""Statements of statistics as somebody types them; those that can be read are believed."""

from __future__ import annotations

from hypothesis import strategies as st
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import near
from trust.fuzz.people import marked_release, release

import sidelight as sl

EVENTS = (
    "Flu",
    "Cold",
    "Flu or Cold",
    "not Flu",
    "sex=f",
    "Flu, sex=f",
    "sex=f and Flu",
    "disease = Flu",
    "age=20-29",
    "x=y",
)
QUANTITIES = (
    *(f"P({event})" for event in EVENTS),
    *(f"P({event} | sex=f)" for event in EVENTS[:4]),
    "P(Flu | person=Ann)",
    "P(Flu | person={sex=f, age=24})",
    "P(sex=f | Flu)",
    "count(Flu; Ann, Bob)",
    "count(Flu or Cold; Ann, Bob, Ed)",
)
NUMBERS = ("0.3", "3/10", "30%", "0", "1", "2", ".5", "1e-3")
quantities, numbers = st.sampled_from(QUANTITIES), st.sampled_from(NUMBERS)
documents = st.one_of(
    st.builds("{} {} {}".format, quantities, st.sampled_from(["=", "<=", ">="]), numbers),
    st.builds("{} = {} ± {}".format, quantities, numbers, numbers),
    st.builds("{} <= {} <= {}".format, numbers, quantities, numbers),
    st.builds("{} ~ normal({}, {})".format, quantities, numbers, numbers),
    st.builds("{} + 2*{} - {} = {}".format, quantities, quantities, numbers, numbers),
    st.builds("{} = 3 {}".format, quantities, quantities),
)


def ask(given: tuple[str, ...]) -> str:
    for text in given:
        sl.read_statement(text)
    sl.maxent(release() if len(given) > 1 else marked_release(), knowing=list(given), seconds=3)
    return ""


TEXTS = (
    "P(Flu | sex=f) = 0.3 ± 0.1",
    "0.1 <= 2*P(Flu)-P(Cold | person=Ann)/3 <= 90%",
    "count(Flu or Cold; Ann, Bob) >= 1",
)
TARGET = Target(
    "statements",
    st.one_of(st.tuples(near(documents, changes=2)), st.tuples(near(documents, changes=1), documents)),
    ask,
    share=120,
    short=100,
    texts=TEXTS,
)
