"""Limits in a line of text: `group size >= 5`, `implications(k=3) < 0.5`, or just `entropy diversity`.

LIMIT    = MEASURE [ "(" SETTING { "," SETTING } ")" ] [ SIGN NUMBER ]
SETTING  = [ NAME "=" ] VALUE        without a name: the settings in their order
VALUE    = any TOML value, or bare text
SIGN     = >= > <= <  or  ≥ ≤
"""

from __future__ import annotations

import re
import tomllib

from sidelight.errors import BadPolicy, SidelightError
from sidelight.measures.measure import Comparison, Criterion, Measure
from sidelight.policy.limits import Limit, limit_models, settings_of
from sidelight.policy.policy_file import validated

_SIGNS = {">=": Comparison.AT_LEAST, "≥": Comparison.AT_LEAST, ">": Comparison.ABOVE}
_SIGNS |= {"<=": Comparison.AT_MOST, "≤": Comparison.AT_MOST, "<": Comparison.BELOW}
_LIMIT = re.compile(
    r"\s*(?P<name>[^(<>≤≥=]+?)\s*(\((?P<settings>.*)\))?\s*((?P<sign>>=|<=|[<>≤≥])\s*(?P<bound>[^\s=<>].*?))?\s*"
)
_SETTING = re.compile(r"""(?:[^,"'\[{]|"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\})+""")
_NAMED = re.compile(r"\s*(?:(?P<name>\w+)\s*=)?\s*(?P<value>.*?)\s*")


def read_limit(text: str) -> Criterion:
    """Read a measure with its bound.

    >>> print(read_limit("group size >= 5"), "and", read_limit("entropy diversity > 3/2"))
    group size ≥ 5 and entropy diversity > 3/2
    """
    limit = _read(text)
    try:
        return limit.criteria()[0]
    except SidelightError as error:
        message = f"limit '{text}': {error}"
        raise BadPolicy(message) from None


def read_measure(text: str) -> Measure:
    """Read a measure without a bound.

    >>> print(read_measure("entropy diversity"))
    entropy diversity
    """
    limit = _read(text)
    try:
        measure = limit.asked()
    except SidelightError as error:
        message = f"measure '{text}': {error}"
        raise BadPolicy(message) from None
    if any(getattr(limit, comparison.value) is not None for comparison in Comparison):
        message = f"'{text}' has a bound; give it as a limit, or leave the bound out"
        raise BadPolicy(message)
    return measure


def _read(text: str) -> Limit:
    parts = _LIMIT.fullmatch(text)
    if parts is None:
        message = f"cannot read '{text}'; write it like 'group size >= 5' or 'implications(k=3) < 0.5'"
        raise BadPolicy(message)
    name = parts["name"].replace("_", " ").casefold()
    data: dict[str, object] = {"measure": name, **_settings(parts["settings"] or "", name, text)}
    if not (parts["settings"] or "").strip() and (needed := _needed(name)):
        message = f"'{needed[0]}' is missing in '{text}'; write it in parentheses, such as {name}({needed[0]}=2)"
        raise BadPolicy(message)
    if parts["sign"]:
        data[_SIGNS[parts["sign"]].value] = _value(parts["bound"])
    document = validated({"limit": [data]}, named=lambda _section: f"'{text}'")
    limit: Limit = document.limit[0]  # type: ignore[attr-defined]
    return limit


def _needed(measure: str) -> list[str]:
    """List the settings of a measure that have no default."""
    model = limit_models().get(measure)
    settings = settings_of(model.question) if model else {}
    return [name for name, (_, default) in settings.items() if default is ...]


def _settings(inside: str, measure: str, text: str) -> dict[str, object]:
    model = limit_models().get(measure)
    names = list(settings_of(model.question)) if model else []
    found: dict[str, object] = {}
    for place, setting in enumerate(_SETTING.findall(inside)):
        parts = _NAMED.fullmatch(setting)
        assert parts is not None  # every part of it may be empty
        name = parts["name"] or (names[place] if place < len(names) else "")
        if not name or not parts["value"] or name in found:
            message = f"cannot read '{setting.strip()}' in '{text}'; write settings like (k=3), each once"
            raise BadPolicy(message)
        found[name] = _value(parts["value"])
    return found


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
