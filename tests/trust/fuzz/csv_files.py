"""Text files of people: CSV and its like, with and without names, in all encodings, cut and damaged."""

from __future__ import annotations

import gzip

from hypothesis import strategies as st
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import LINE_ENDS, encoded, near
from trust.fuzz.people import NAMES, QUASI, TYPED, rows, run_command, written

import sidelight as sl

ROLES = ("-g", "{}", "-s", "{}")
QUESTIONS = (
    ("columns",),
    ("columns", "-g", "{}"),
    ("columns", "--person", "{}", "--json"),
    ("columns", "--preset", "HIPAA safe harbour"),
    ("audit",),
    ("audit", *ROLES, "-m", "group size"),
    ("audit", *ROLES, "-l", "implications(1) < 1/2", "--person", "{}"),
    ("audit", *ROLES, "-m", "distinct values", "--values", "set", "--missing", "drop"),
    ("count", *ROLES),
    ("hierarchies", "-g", "{}", "-o", "out", "--force"),
    ("audit", *ROLES, "--domain-file", "people.csv"),
    ("audit", *ROLES, "--kind", "age=number"),
    ("protect", *ROLES, "-l", "group size >= 2", "--suppress-only", "{}"),
    ("believe", *ROLES, "--know", "P(Flu)=0.5"),
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A file as programs write it: with or without names, in one of many styles."""
    delimiter, end = draw(st.sampled_from(",,,;\t|")), draw(st.sampled_from(["\n"] * 20 + [*LINE_ENDS]))
    quote = draw(st.sampled_from(["", "", '"', "'"]))
    first = draw(st.sampled_from([[NAMES], [NAMES], [], [NAMES[::-1]], [(*NAMES[:-1], "age")], [("",) * 6]]))
    lines = [*first, *rows(draw(st.sampled_from([8, 8, 8, 8, 0, 1, 2, 40])))]
    if draw(st.integers(0, 8)) == 8:  # other columns only: identifiers, stories
        lines = [(line[0], line[-1]) for line in lines]
    body = end.join(delimiter.join(f"{quote}{cell}{quote}" for cell in line) for line in lines)
    return body + draw(st.sampled_from([end, "", end * 2]))


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, str, tuple[str, ...]]:
    """A file, its ending, and what is asked about it."""
    content = draw(encoded(near(documents(), changes=2)))
    ending = draw(st.sampled_from([".csv"] * 6 + [".tsv", ".txt", ".csv.gz"]))
    if ending == ".csv.gz":
        content = gzip.compress(content, mtime=0)[: draw(st.sampled_from([None, None, -1, -6, 15]))]
    question = draw(st.sampled_from(("read_table", "read_table", "read_table", "suggest_roles", *QUESTIONS)))
    if isinstance(question, str):
        return content, ending, (question,)
    return content, ending, tuple(word if word != "{}" else draw(st.sampled_from(TYPED)) for word in question)


def ask(given: tuple[bytes, str, tuple[str, ...]]) -> str:
    content, ending, (verb, *options) = given
    file = written(f"people{ending}", content)
    if verb == "read_table":
        sl.read_table(file, quasi=QUASI, sensitive="disease", person=None)
        return ""
    if verb == "suggest_roles":
        sl.suggest_roles(file)
        return ""
    return run_command([verb, file, *options])


TARGET = Target("CSV", files(), ask, share=100, short=40)
