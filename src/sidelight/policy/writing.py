"""A policy as the text of a policy file, and the JSON schema of such files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sidelight.measures.criterion import Criterion
from sidelight.measures.measure import Measure
from sidelight.table.labels import shown

if TYPE_CHECKING:
    from sidelight.policy.policy import Policy
    from sidelight.policy.policy_file import Roles

SCHEMA_HOME = "docs/reference/policy.schema.json"
"""Where the schema is kept for readers and editors."""


def policy_text(policy: Policy, roles: Roles | None = None) -> str:
    """Write a policy, and roles if given, as TOML."""
    tables = [_table("[[limit]]", _limit(criterion)) for criterion in policy.criteria]
    said = roles.said() if roles else {}
    return "\n".join([_table("[roles]", said), *tables] if said else tables)


def policy_schema() -> str:
    """Write the JSON schema of policy files."""
    from sidelight.policy.policy_file import policy_document  # noqa: PLC0415 - it imports policies, which import this

    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **_tidy(policy_document().model_json_schema())}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """Leave out what TOML cannot say (null) and what says nothing (titles that repeat a key)."""
    kept = {key: _tidied(key, part) for key, part in schema.items() if key not in ("title", "default")}
    choices = [choice for choice in kept.pop("anyOf", []) if choice.get("type") != "null"]
    if len(choices) > 1:
        kept["anyOf"] = choices
    return {**choices[0], **kept} if len(choices) == 1 else kept


def _tidied(key: str, part: Any) -> Any:  # noqa: ANN401 - JSON
    if key in ("properties", "$defs"):
        return {name: _tidy(each) for name, each in part.items()}
    if isinstance(part, dict):
        return _tidy(part)
    return [_tidied(key, each) for each in part] if isinstance(part, list) else part


def settings(measure: Measure) -> dict[str, object]:
    """Say the parameters as a policy file does; a measure with `from_settings` has `settings` for the way back."""
    own = getattr(measure, "settings", measure.parameters)
    said: dict[str, object] = own()
    return said


def _limit(criterion: Criterion) -> dict[str, object]:
    return {
        "measure": criterion.measure.name,
        **settings(criterion.measure),
        criterion.comparison.value: criterion.bound,
    }


def _table(header: str, entries: Mapping[str, object]) -> str:
    lines = [f"{_key(name)} = {_toml(value)}" for name, value in entries.items() if value is not None]
    return "\n".join([header, *lines]) + "\n"


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _quoted(name)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON's escapes are TOML's


def _toml(value: object) -> str:  # noqa: PLR0911 - one line per kind of value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "inf" if value == math.inf else repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Fraction):
        return str(value) if value.denominator == 1 else _quoted(str(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(shown(name))} = {_toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, Sequence | frozenset | set) and not isinstance(value, str):
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    return _quoted(str(value))
