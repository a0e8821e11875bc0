"""How is a measure written in a line of text?  `implications(k=3, value=Lung cancer)`.

The settings of a measure are numbers, texts, lists of them in `[...]` and tables in `{...}`; a text stands as it is,
or in quotes where it needs them.  `policy/limit_text` has the grammar and reads what is written here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from sidelight.knowledge.tokens import quote
from sidelight.table.labels import shown

SIGNS = "[]"
"""What is a sign in a limit besides the signs of facts."""

LONGEST = 120
"""A setting that takes more characters, such as a whole hierarchy, is left out of a text for people."""

LEFT_OUT = "…"
"""Stands for such a setting; nobody reads it again as if it were one."""


def call_text(name: str, settings: Mapping[str, object], *, longest: int = LONGEST) -> str:
    """Write a measure with its settings.

    >>> call_text("group size", {}), call_text("implications", {"k": 3, "value": "Salt, pepper"})
    ('group size', 'implications(k=3, value="Salt, pepper")')
    """
    texts = {setting: value_text(value) for setting, value in settings.items() if value is not None}
    parts = [f"{setting}={text if len(text) <= longest else LEFT_OUT}" for setting, text in texts.items()]
    return f"{name}({', '.join(parts)})" if parts else name


def value_text(value: object) -> str:
    """Write the value of a setting.

    >>> value_text({"a stomach disease": ["Ulcer", "Dyspepsia"]}), value_text(("[30-40]", "5", True))
    ('{a stomach disease=[Ulcer, Dyspepsia]}', '["[30-40]", 5, true]')
    """
    if isinstance(value, str):
        return quote(value, signs=SIGNS)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}={value_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, Sequence | AbstractSet):
        return "[" + ", ".join(value_text(each) for each in value) + "]"
    return quote(shown(value), signs=SIGNS) if value is None else str(value)


def _key(key: object) -> str:
    return quote(shown(key) if key is None else str(key), signs=SIGNS)
