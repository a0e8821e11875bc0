"""Limits in a line of text: `group size >= 5`, `implications(k=3) < 0.5`, or without a bound just `entropy diversity`.

    LIMIT    = MEASURE [ SIGN NUMBER ]
    MEASURE  = NAME [ "(" [ SETTING { "," SETTING } ] ")" ]
    SETTING  = [ NAME "=" ] VALUE                            without a name: the settings in their order
    VALUE    = TEXT | "[" [ VALUE { "," VALUE } ] "]" | "{" [ TEXT "=" VALUE { "," TEXT "=" VALUE } ] "}"
    TEXT     = words, or a text in "..." or '...'            a quote within quotes is doubled
    SIGN     = ">=" | ">" | "<=" | "<" | "≥" | "≤"
    NUMBER   = digits, perhaps with commas between thousands; 3/4; inf

The tokens are those of facts (`knowledge/tokens`), and every one of them is read or refused: nothing is skipped.  Words
without quotes are what belongs at their place, a number, true or false, or a text (`policy/settings`).  Whatever a
policy file can say of a measure can be said here, and what a criterion prints is read again as that criterion.
"""

from __future__ import annotations

import re

from sidelight._text import MOST_NESTED, is_deeply_nested
from sidelight.errors import BadPolicy, SidelightError
from sidelight.knowledge.tokens import TokenReader
from sidelight.measures.criterion import Comparison, Criterion
from sidelight.measures.limit_grammar import LEFT_OUT, SIGNS
from sidelight.measures.measure import Measure
from sidelight.policy.limits import Limit, limit_model, settings_of
from sidelight.policy.measure_names import measure_named
from sidelight.policy.settings import Word, validated

_COMPARISONS = {
    ">=": Comparison.AT_LEAST,
    ">": Comparison.ABOVE,
    "<=": Comparison.AT_MOST,
    "<": Comparison.BELOW,
}
_THOUSANDS = re.compile(r"[0-9]{3}(\.[0-9]+)?")
_EXAMPLE = "write it like 'group size >= 5' or 'implications(k=3) < 0.5'"


def read_limit(text: str) -> Criterion:
    """Read a measure with its bound.

    >>> print(read_limit("group size >= 5"), "and", read_limit("entropy diversity > 3/2"))
    group size ≥ 5 and entropy diversity > 3/2
    >>> read_limit("implications(k=1,,value=Flu) < 0.5")
    Traceback (most recent call last):
    sidelight.errors.BadPolicy: cannot read "implications(k=1,,value=Flu) < 0.5" at character 18: a setting is missing \
before ','; write settings like (k=3), with a comma between them
    """
    limit = read_limit_section(text)
    try:
        return limit.to_criterion()
    except SidelightError as error:
        message = f"limit '{text}': {error}"
        raise BadPolicy(message) from None


def read_measure(text: str) -> Measure:
    """Read a measure without a bound.

    >>> print(read_measure("entropy diversity"))
    entropy diversity
    """
    limit = read_limit_section(text)
    if limit.comparisons:
        message = f"'{text}' has a bound; give it as a limit, or leave the bound out"
        raise BadPolicy(message)
    try:
        return limit.to_measure()
    except SidelightError as error:
        message = f"measure '{text}': {error}"
        raise BadPolicy(message) from None


def read_limit_section(text: str) -> Limit:
    """Read what a limit says, with or without a bound, before a measure is made of it: no file is opened yet."""
    if is_deeply_nested(text):  # its lists are read by functions that call themselves
        message = f"a limit is nested more than {MOST_NESTED} deep; check its brackets"
        raise BadPolicy(message)
    reader = TokenReader(text, signs=SIGNS, error=BadPolicy)
    if reader.next.kind not in ("word", "quoted"):
        reader.fail(f"a measure is missing before {reader.next}; {_EXAMPLE}")
    kind = measure_named(reader.name("a measure", stop=()).replace("_", " ").casefold(), f"'{text}'")
    table = {"measure": kind.name, **_settings(reader, kind), **_bound(reader)}
    reader.end("write the bound last, such as group size >= 5")
    return validated(limit_model(kind), table, f"'{text}'")


def _settings(reader: TokenReader, kind: type[Measure]) -> dict[str, object]:
    names = list(settings_of(kind))
    settings: dict[str, object] = {}
    if not reader.accept("("):
        return _refuse_needed(reader, kind)
    # Each round takes one setting and, but for the first, the comma before it: nothing between them is passed over.
    while not reader.accept(")"):
        if settings:
            reader.expect(",", "write settings like (k=3), with a comma between them")
        start = reader.next
        name = _setting_name(reader, names, place=len(settings))
        if name in settings:
            reader.fail(f"'{name}' is set twice; set it once", at=start)
        settings[name] = _value(reader, "a setting")
    return settings


def _refuse_needed(reader: TokenReader, kind: type[Measure]) -> dict[str, object]:
    """A measure without parentheses has no settings, which is right where none is needed."""
    needed = [name for name, (_, default) in settings_of(kind).items() if default is ...]
    if needed:
        call = f"{kind.name}({needed[0]}=2)"
        message = f"'{needed[0]}' is missing in '{reader.text}'; write it in parentheses, such as {call}"
        raise BadPolicy(message)
    return {}


def _setting_name(reader: TokenReader, names: list[str], *, place: int) -> str:
    """Take `k =`, or give the name of the setting at this place."""
    start = reader.next
    if start.kind in ("word", "quoted") and reader.peek(1).is_sign("="):
        reader.take(2)
        return start.text
    # `k 3` would otherwise be the text "k 3", which nobody means.
    if start.kind == "word" and start.text in names and reader.peek(1).kind in ("word", "quoted"):
        reader.fail(f"'{start.text}' is a setting; write {start.text}={reader.peek(1).text}, or a text in quotes")
    if place >= len(names):
        _value(reader, "a setting")  # where nothing stands that could be one, this says so
        takes = f"takes only {len(names)}: {', '.join(names)}" if names else "takes none"
        what = f"{start}" if start.kind in ("word", "quoted") else "this"
        reader.fail(f"{what} is one setting too many; this measure {takes}", at=start)
    return names[place]


def _value(reader: TokenReader, what: str) -> object:
    if reader.accept("["):
        return _list(reader)
    if reader.accept("{"):
        return _table(reader)
    return _text(reader, what)


def _text(reader: TokenReader, what: str) -> str:
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


def _list(reader: TokenReader) -> list[object]:
    values: list[object] = []
    while not reader.accept("]"):
        if values:
            reader.expect(",", "write lists like [Flu, Cold]")
        values.append(_value(reader, "a value"))
    return values


def _table(reader: TokenReader) -> dict[str, object]:
    table: dict[str, object] = {}
    while not reader.accept("}"):
        if table:
            reader.expect(",", "write tables like {Flu = 2, Cold = 3}")
        start = reader.next
        key = str(_text(reader, "a name"))
        if key in table:
            reader.fail(f"'{key}' is there twice; name it once", at=start)
        reader.expect("=", "write tables like {Flu = 2, Cold = 3}")
        table[key] = _value(reader, "a value")
    return table


def _bound(reader: TokenReader) -> dict[str, object]:
    sign = reader.next
    if sign.kind == "end":
        return {}
    if not sign.is_sign(*_COMPARISONS):
        reader.fail(f"{sign} is no comparison; {_EXAMPLE}")
    reader.take()
    if reader.next.kind not in ("word", "quoted"):
        reader.fail(f"a number is missing before {reader.next}; {_EXAMPLE}")
    number = reader.name("a number", stop=())
    while reader.at_sign(",") and _THOUSANDS.fullmatch(reader.peek(1).text):  # as answers print them
        reader.take()
        number = f"{number},{reader.name('a number', stop=())}"
    return {_COMPARISONS[sign.text].value: Word(number)}
