"""Texts and bytes near a valid document: cut, doubled, nested, swapped, with letters that look alike, in other encodings.

A grammar of a target makes documents that are right; `near` then changes a few places of one, or none.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

LINE_ENDS = ("\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029", "\\n", "\x1c")
HUGE = (
    "9" * 5000,
    "1e999999999",
    "1e-999999999",
    "-1",
    "0",
    "0.0",
    "-0",
    "1/0",
    "nan",
    "inf",
    "-inf",
    "1_000",
    "٣",
    "１２",
    "½",
    "1e400",
    "0x10",
    "1" + "0" * 400,
    "1." + "3" * 400,
    "18446744073709551616",
    "9007199254740993",
    "1e5",
    "+1",
    "01",
    "1.",
    ".5",
    "1e",
    "−1",
)
STRANGE = (
    *LINE_ENDS,
    *("\0", "\ufeff", "\ufffe", "\u202e", "\u200b", "\u00ad", "\x1b[2J", "\x07", "\b", "\x7f", "\u00a0", "\u3000"),
    *('"', "'", '""', "''", '"""', "`", "“", "’", "\\", "\\u0000", "\\x", "\ud800", "\U0010ffff", "é", "e\u0301", "ß"),
    *("(", ")", "[", "]", "{", "}", "[[", "]]", "((((((((", "{" * 60, "[" * 60, "(" * 300, "not " * 300, "-" * 300),
    *(
        ",",
        ";",
        "|",
        "\t",
        "=",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        "≤",
        "≥",
        "≠",
        "->",
        "→",
        "±",
        "~",
        "*",
        "#",
        "##",
        "$",
        "%",
    ),
    *(
        "&",
        "@",
        "^",
        "?",
        "/",
        "//",
        "..",
        "../",
        "...",
        ":",
        "::",
        " ",
        " " * 400,
        "_",
        "__class__",
        "%s",
        "{0}",
        "NULL",
    ),
    *(
        "true",
        "false",
        "null",
        "None",
        "and",
        "or",
        "not",
        "in",
        "person",
        "P(",
        "count(",
        "same(",
        "missing",
        "(missing)",
    ),
    *HUGE,
)
ALIKE = str.maketrans("aceopxyiABEHKMOPTX=-,;()|*", "асеорхуіАВЕНКМОРТХ꞊‐，；（）∣∗")
"""Cyrillic, Greek and wide letters that look like ours."""


@st.composite
def near(draw: st.DrawFn, documents: st.SearchStrategy[str], changes: int = 3) -> str:
    """A document with at most so many changes."""
    text = draw(documents)
    for change in draw(st.lists(st.sampled_from(CHANGES), max_size=draw(st.integers(0, changes)))):
        text = change(draw, text)[:60_000]
    return text


def _place(draw: st.DrawFn, text: str) -> int:
    return draw(st.integers(0, len(text)))


def _span(draw: st.DrawFn, text: str) -> tuple[int, int]:
    begin = _place(draw, text)
    return begin, min(len(text), begin + draw(st.integers(0, 12)))


def cut(draw: st.DrawFn, text: str) -> str:
    return text[: _place(draw, text)]


def left_out(draw: st.DrawFn, text: str) -> str:
    begin, end = _span(draw, text)
    return text[:begin] + text[end:]


def doubled(draw: st.DrawFn, text: str) -> str:
    begin, end = _span(draw, text)
    return text[:begin] + text[begin:end] * draw(st.sampled_from([2, 2, 3, 500])) + text[end:]


def inserted(draw: st.DrawFn, text: str) -> str:
    at = _place(draw, text)
    return text[:at] + draw(st.sampled_from(STRANGE)) + text[at:]


def swapped(draw: st.DrawFn, text: str) -> str:
    """Two lines, or two words, change places."""
    between = draw(st.sampled_from(["\n", " ", ",", ";"]))
    parts = text.split(between)
    one, other = draw(st.integers(0, len(parts) - 1)), draw(st.integers(0, len(parts) - 1))
    parts[one], parts[other] = parts[other], parts[one]
    return between.join(parts)


def repeated_line(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = draw(st.integers(0, len(lines) - 1))
    return "".join((*lines[: at + 1], *lines[at:]))


def line_left_out(draw: st.DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = draw(st.integers(0, len(lines) - 1))
    return "".join((*lines[:at], *lines[at + 1 :]))


def other_line_ends(draw: st.DrawFn, text: str) -> str:
    return text.replace("\n", draw(st.sampled_from(LINE_ENDS)))


def look_alike(draw: st.DrawFn, text: str) -> str:
    begin, end = _span(draw, text)
    return text[:begin] + text[begin:end].translate(ALIKE) + text[end:]


def other_number(draw: st.DrawFn, text: str) -> str:
    numbers = list(re.finditer(r"\d+(\.\d+)?", text))
    if not numbers:
        return text
    number = draw(st.sampled_from(numbers))
    return text[: number.start()] + draw(st.sampled_from(HUGE)) + text[number.end() :]


def quoted(draw: st.DrawFn, text: str) -> str:
    begin, end = _span(draw, text)
    mark = draw(st.sampled_from(['"', "'", '"""']))
    return text[:begin] + mark + text[begin:end] + mark + text[end:]


def nested(draw: st.DrawFn, text: str) -> str:
    begin, end = _span(draw, text)
    times = draw(st.sampled_from([1, 2, 40, 3000]))
    opening, closing = draw(st.sampled_from([("(", ")"), ("[", "]"), ("{", "}"), ('{"a":', "}"), ("not (", ")")]))
    return text[:begin] + opening * times + text[begin:end] + closing * times + text[end:]


def other_case(draw: st.DrawFn, text: str) -> str:
    begin, end = _span(draw, text)
    return text[:begin] + text[begin:end].swapcase() + text[end:]


CHANGES = (
    cut,
    left_out,
    doubled,
    inserted,
    inserted,
    swapped,
    repeated_line,
    line_left_out,
    other_line_ends,
    look_alike,
    other_number,
    quoted,
    nested,
    other_case,
)

ENCODINGS = (*["utf-8"] * 20, "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "cp037", "utf-7")


@st.composite
def encoded(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> bytes:
    """A text as bytes, in some encoding, and some bytes changed."""
    text = draw(texts)
    return near_bytes(draw, text.encode(draw(st.sampled_from(ENCODINGS)), errors="replace"), most=1)


def near_bytes(draw: st.DrawFn, content: bytes, most: int = 3) -> bytes:
    """Bytes with at most so many of them changed, left out or cut off."""
    for change in draw(st.lists(st.sampled_from(["set", "cut", "left out", "doubled", "zeros"]), max_size=most)):
        at = draw(st.integers(0, len(content)))
        if change == "set":
            content = content[:at] + bytes([draw(st.integers(0, 255))]) + content[at + 1 :]
        elif change == "cut":
            content = content[:at]
        elif change == "zeros":
            content = content[:at] + bytes(8) + content[at + 8 :]
        else:
            end = at + draw(st.integers(0, 40))
            content = content[:at] + content[at:end] * (2 if change == "doubled" else 0) + content[end:]
    return content


ODD_VALUES = (
    *(None, True, False, 0, -1, 1, 2**63, 10**400, 0.5, 1e308, -0.0, float("nan"), float("inf"), "", "x", "1/0", "nan"),
    *(
        "1e999999999",
        "9" * 5000,
        [],
        {},
        [[]],
        [None],
        {"": None},
        ["age", "age"],
        "../t.csv",
        "/etc/hostname",
        ".",
        "\0",
    ),
    *("\ud800", ["a"] * 300, {"a": {"b": {"c": []}}}, "each row", "disease", "age", [["age", 1]], "a\nb", "2026-13-45"),
)


@st.composite
def near_json(draw: st.DrawFn, document: object, changes: int = 3) -> object:
    """A document of JSON in which at most so many places say something else, are gone or are there twice."""
    for _ in range(draw(st.integers(0, changes))):
        document = _changed(draw, document)
    return document


def _changed(draw: st.DrawFn, node: object) -> object:
    deeper = isinstance(node, dict | list) and node and draw(st.integers(0, 7))
    if not deeper:
        return draw(st.sampled_from(ODD_VALUES))
    if isinstance(node, list):
        at = draw(st.integers(0, len(node) - 1))
        kind = draw(st.sampled_from(["deeper", "deeper", "gone", "twice"]))
        middle = {"gone": [], "twice": [node[at]] * 2}.get(kind)
        return [*node[:at], *(middle if middle is not None else [_changed(draw, node[at])]), *node[at + 1 :]]
    key = draw(st.sampled_from(sorted(node)))
    kind = draw(st.sampled_from(["deeper", "deeper", "deeper", "gone", "renamed"]))
    if kind == "deeper":
        return {**node, key: _changed(draw, node[key])}
    rest = {name: each for name, each in node.items() if name != key}
    return rest if kind == "gone" else {**rest, draw(st.sampled_from(["", "x", key.upper(), key + " "])): node[key]}
