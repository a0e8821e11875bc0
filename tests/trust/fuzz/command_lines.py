"""Words of the command line: every verb, with options that it has and those of others, and values near right ones."""

from __future__ import annotations

import os
from functools import cache

from hypothesis import strategies as st
from support.command_line import verbs_of
from trust.fuzz import facts, hierarchies, limits, statements
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import STRANGE, near
from trust.fuzz.people import NAMES, TYPED, rows, run_command, written

from sidelight.cli.app import app

LEFT_OUT = ("demo", "serve")
"""Verbs that would take a minute, or never end."""

FILES = (
    "people.csv",
    "people.csv",
    "people.csv",
    "names.csv",
    "no.csv",
    "policy.toml",
    "-",
    "",
    ".",
    "pipe",
    "age.csv",
    "~",
    "*.csv",
)


@cache
def verbs() -> dict[str, tuple[tuple[str, ...], ...]]:
    """All verbs, and the names of their options."""
    return {
        words: tuple(
            names
            for each in verb.assemble_argument_collection().filter_by(parse=True)
            if (names := each.names)[0].startswith("-")
        )
        for words, verb in verbs_of(app).items()
        if words not in LEFT_OUT
    }


VALUES = {
    "--limit": near(limits.documents(), changes=1),
    "--measure": near(limits.documents(), changes=1),
    "--know": near(statements.documents, changes=1),
    "--about": near(facts.facts, changes=1),
    "--group": st.sampled_from(TYPED),
    "--sensitive": st.sampled_from(TYPED),
    "--person": st.sampled_from(TYPED),
    "--quasi": st.sampled_from(TYPED),
    "--policy": st.sampled_from(FILES),
    "--hierarchies": st.sampled_from(["hierarchies", ".", "no", "people.csv", "pipe"]),
    "--output": st.sampled_from(["out.csv", "out.json", "people.csv", "no/x.csv", ".", "out.xyz"]),
    "--levels": near(st.sampled_from(["age=1,sex=0", "age=0", "sex=1"]), changes=1),
}
others = st.one_of(
    st.sampled_from(
        ["1", "0.5", "age=1", "age=number", "set", "drop", "a value", "mondrian", "1GB", "utf-16", "basic", "x"]
    ),
    st.sampled_from(FILES),
    st.sampled_from([text for text in STRANGE if "\0" not in text]),
)


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """Words near a command that makes sense."""
    verb = draw(st.sampled_from(sorted(verbs())))
    words = [*verb.split(), *([draw(st.sampled_from(FILES))] if draw(st.integers(0, 19)) else [])]
    for name, column in (("--group", "age"), ("--sensitive", "disease")):
        if any(name in names for names in verbs()[verb]) and draw(st.integers(0, 5)) < 5:
            words += [name, column]
    for name, value in (
        ("--limit", "group size >= 2"),
        ("--suppress-only", "age"),
        ("--epsilon", "1"),
        ("--output", "out.csv"),
    ):
        if any(name in names for names in verbs()[verb]) and draw(st.booleans()):
            words += [name, value]
    for names in draw(st.lists(st.sampled_from(verbs()[verb] or (("--x",),)), max_size=3)):
        words.append(draw(st.sampled_from(names)))
        if draw(st.integers(0, 4)):
            words.append(draw(VALUES.get(names[0], others)))
    if draw(st.integers(0, 9)) == 9:
        at = draw(st.integers(0, len(words)))
        words.insert(
            at, draw(st.one_of(others, st.sampled_from(["--", "-", "--bogus", "--help", "-o", "--debug", "--json"])))
        )
    return [word.replace("\0", "") for word in words]


def ask(words: list[str]) -> str:
    table = "\n".join(",".join(row) for row in (NAMES, *rows(8)))
    written("people.csv", table)
    written("names.csv", table.partition("\n")[2])
    written(
        "policy.toml",
        '[roles]\nquasi = ["age"]\nsensitive = "disease"\n[[limit]]\nmeasure = "group size"\nat_least = 2\n',
    )
    os.makedirs("hierarchies", exist_ok=True)  # noqa: PTH103
    written("hierarchies/age.csv", hierarchies.TEXTS[1])
    if not os.path.lexists("pipe"):
        os.mkfifo("pipe")
    if words[0] in ("--help", "--version") or "--help" in words:
        return ""
    return run_command(words)


TARGET = Target("command line", command_lines(), ask, share=80, short=30)
