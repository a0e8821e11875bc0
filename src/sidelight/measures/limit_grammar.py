"""The grammar of limits, read and written: `group size >= 5`, `implications(k=3) < 0.5`, or without a bound a measure.

    LIMIT    = MEASURE [ SIGN NUMBER ]
    MEASURE  = NAME [ "(" [ SETTING { "," SETTING } ] ")" ]
    SETTING  = [ NAME "=" ] VALUE                            without a name: the settings in their order
    VALUE    = TEXT | "[" [ VALUE { "," VALUE } ] "]" | "{" [ TEXT "=" VALUE { "," TEXT "=" VALUE } ] "}"
    TEXT     = words, or a text in "..." or '...'            a quote within quotes is doubled
    SIGN     = ">=" | ">" | "<=" | "<" | "≥" | "≤"           see `Comparison`
    NUMBER   = digits, perhaps with commas between thousands; 3/4; inf

The tokens are those of facts (`knowledge/tokens`), and every one of them is read or refused: nothing is skipped.  Words
without quotes are what belongs at their place, a number, true or false, or a text: they are read as a `Word`.
Whatever is written here is read again as the same.

Measures write themselves by this grammar, so that it is in their room.  Which measure a name means, and of which types
its settings are, is known below, where policies are checked: `policy/limits` reads a name by `take_measure_name`,
looks up the measure, and reads on with the names of its settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from sidelight.errors import BadPolicy
from sidelight.knowledge.tokens import TokenReader, quote
from sidelight.measures.criterion import Comparison
from sidelight.table.labels import shown
from sidelight.text import MOST_NESTED, is_deeply_nested

SIGNS = "[]"
"""What is a sign in a limit besides the signs of facts."""

LEFT_OUT = "…"
"""Stands for such a setting; nobody reads it again as if it were one."""

_EXAMPLE = "write it like 'group size >= 5' or 'implications(k=3) < 0.5'"


# Writing.


def call_text(name: str, settings: Mapping[str, object], *, longest: int = 120) -> str:
    """Return a measure with its settings; what takes more characters, such as a whole hierarchy, is left out."""
    texts = {setting: value_text(value) for setting, value in settings.items() if value is not None}
    parts = [f"{setting}={text if len(text) <= longest else LEFT_OUT}" for setting, text in texts.items()]
    return f"{name}({', '.join(parts)})" if parts else name


def value_text(value: object) -> str:
    """Return the value of a setting as text.

    >>> value_text({"a stomach disease": ["Ulcer", "Dyspepsia"]}), value_text(("[30-40]", "5", True))
    ('{a stomach disease=[Ulcer, Dyspepsia]}', '["[30-40]", 5, true]')
    """
    if isinstance(value, str):
        return quote(value, signs=SIGNS)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        keys = [quote(shown(key) if key is None else str(key), signs=SIGNS) for key in value]
        return (
            "{" + ", ".join(f"{key}={value_text(each)}" for key, each in zip(keys, value.values(), strict=True)) + "}"
        )
    if isinstance(value, Sequence | AbstractSet):
        return "[" + ", ".join(value_text(each) for each in value) + "]"
    return quote(shown(value), signs=SIGNS) if value is None else str(value)


# Reading: a reader of tokens moves on from the name to the settings to the bound.


class Word(str):
    """Words of a limit's text that are not in quotes, so that they may mean a number, true or false, or themselves."""

    __slots__ = ()


def limit_reader(text: str) -> TokenReader:
    """Return a reader of a limit's tokens.

    >>> reader = limit_reader("implications(3, value=Flu) < 1/2")
    >>> take_measure_name(reader), take_settings(reader, ["k", "value"]), take_bound(reader)
    ('implications', {'k': '3', 'value': 'Flu'}, {'below': '1/2'})
    """
    if is_deeply_nested(text):  # its lists are read by functions that call themselves
        message = f"a limit is nested more than {MOST_NESTED} deep; check its brackets"
        raise BadPolicy(message)
    return TokenReader(text, signs=SIGNS, error=BadPolicy)


def take_measure_name(reader: TokenReader) -> str:
    """Take the name of a measure, in small letters and with spaces."""
    if reader.next.kind not in ("word", "quoted"):
        reader.fail(f"a measure is missing before {reader.next}; {_EXAMPLE}")
    return reader.name("a measure", stop=()).replace("_", " ").casefold()


def take_settings(reader: TokenReader, names: Iterable[str]) -> dict[str, object] | None:
    """Take `(k=3, value=Flu)`, where `names` are the settings in their order; None where there is no parenthesis."""
    names = list(names)
    settings: dict[str, object] = {}
    if not reader.accept("("):
        return None
    # Each round takes one setting and, but for the first, the comma before it: nothing between them is passed over.
    while not reader.accept(")"):
        if settings:
            reader.expect(",", "write settings like (k=3), with a comma between them")
        start = reader.next
        name = _take_setting_name(reader, names, index=len(settings))
        if name in settings:
            reader.fail(f"'{name}' is set twice; set it once", at=start)
        settings[name] = _take_value(reader, "a setting")
    return settings


def take_bound(reader: TokenReader) -> dict[str, Word]:
    """Take `>= 5`, up to the end, as a policy file says it: `at_least = 5`.  Empty where there is no bound."""
    bound: dict[str, Word] = {}
    if reader.next.kind != "end":
        comparison = Comparison.from_sign(reader.next.text) if reader.next.kind == "sign" else None
        if comparison is None:
            reader.fail(f"{reader.next} is no comparison; {_EXAMPLE}")
        reader.take()
        bound[comparison.value] = _take_number(reader)
    reader.end("write the bound last, such as group size >= 5")
    return bound


def _take_number(reader: TokenReader) -> Word:
    if reader.next.kind not in ("word", "quoted"):
        reader.fail(f"a number is missing before {reader.next}; {_EXAMPLE}")
    number = reader.name("a number", stop=())
    while reader.next.is_any(",") and re.fullmatch(
        r"[0-9]{3}(\.[0-9]+)?", reader.peek(1).text
    ):  # as answers print them
        reader.take()
        number = f"{number},{reader.name('a number', stop=())}"
    return Word(number)


def _take_setting_name(reader: TokenReader, names: list[str], *, index: int) -> str:
    """Take `k =`, or return the name of the setting at this index."""
    start = reader.next
    if start.kind in ("word", "quoted") and reader.peek(1).is_any("="):
        reader.take(2)
        return start.text
    # `k 3` would otherwise be the text "k 3", which nobody means.
    if start.kind == "word" and start.text in names and reader.peek(1).kind in ("word", "quoted"):
        reader.fail(f"'{start.text}' is a setting; write {start.text}={reader.peek(1).text}, or a text in quotes")
    if index >= len(names):
        _take_value(reader, "a setting")  # where nothing stands that could be one, this says so
        takes = f"takes only {len(names)}: {', '.join(names)}" if names else "takes none"
        what = f"{start}" if start.kind in ("word", "quoted") else "this"
        reader.fail(f"{what} is one setting too many; this measure {takes}", at=start)
    return names[index]


def _take_value(reader: TokenReader, what: str) -> object:
    values: list[object] = []
    table: dict[str, object] = {}
    if reader.accept("["):
        while not reader.accept("]"):
            if values:
                reader.expect(",", "write lists like [Flu, Cold]")
            values.append(_take_value(reader, "a value"))
        return values
    if not reader.accept("{"):
        return _take_text(reader, what)
    while not reader.accept("}"):
        if table:
            reader.expect(",", "write tables like {Flu = 2, Cold = 3}")
        start = reader.next
        key = str(_take_text(reader, "a name"))
        if key in table:
            reader.fail(f"'{key}' is there twice; name it once", at=start)
        reader.expect("=", "write tables like {Flu = 2, Cold = 3}")
        table[key] = _take_value(reader, "a value")
    return table


def _take_text(reader: TokenReader, what: str) -> str:
    start = reader.next
    if start.kind not in ("word", "quoted"):
        reader.fail(f"{what} is missing before {start}; write settings like (k=3), with a comma between them")
    if start.kind == "word" and start.text == LEFT_OUT:
        reader.fail(f"'{LEFT_OUT}' stands for something that was left out; write it in full, or use a policy file")
    text = reader.name(what, stop=())
    if reader.next.kind in ("word", "quoted"):
        reader.fail(f"{reader.next} follows another text; put a comma between them, or the whole into quotes")
    # Quoted text is text; only words may be read as a number.
    return text if start.kind == "quoted" else Word(text)
