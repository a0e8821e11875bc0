"""The policy file: roles of the columns, and limits."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypedDict

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, StrictInt, ValidationError, create_model

from sidelight.errors import BadPolicy, SidelightError
from sidelight.measures.measure import Criterion, Measure
from sidelight.measures.privacy_skyline.skyline import Skyline, SkylinePoint
from sidelight.policy.limits import Number, Section, Text, any_limit, limit_models
from sidelight.policy.messages import complaint
from sidelight.policy.policy import Policy
from sidelight.table.labels import Label, shown
from sidelight.table.roles import Missing, Suppressed
from sidelight.table.table import Semantics


class Settings(TypedDict):
    """What `read_table` and `read_release` are told besides the columns and what is suppressed."""

    person: str | None
    values: Semantics
    missing: Missing
    missing_marks: tuple[str, ...]
    domain: tuple[str, ...] | None


class Roles(Section):
    """What each column is, and what missing and suppressed cells mean; as in `read_release`."""

    quasi: tuple[Text, ...] | None = None
    sensitive: Text | None = None
    person: Text | None = None
    values: Semantics | None = None
    missing: Missing | None = None
    suppressed: Suppressed | None = None
    missing_marks: tuple[Text, ...] | None = None
    domain: tuple[Text, ...] | None = None

    def said(self) -> dict[str, object]:
        """Give what was said about the columns, and nothing that was not."""
        return {name: value for name in type(self).model_fields if (value := getattr(self, name)) is not None}

    def settings(self) -> Settings:
        """Give what readers are told, in their own words where nothing was said."""
        return Settings(
            person=self.person,
            values=self.values or "single",
            missing=self.missing or "an error",
            missing_marks=self.missing_marks or (),
            domain=self.domain,
        )

    def updated(self, by: Roles) -> Roles:
        """Let other roles have the last word where they say something."""
        return Roles.model_validate({**self.said(), **by.said()})


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A policy file as read: the policy, the roles, and notes on how it was understood."""

    policy: Policy
    roles: Roles = field(default_factory=Roles)
    notes: tuple[str, ...] = ()


@cache
def policy_document() -> type[BaseModel]:
    """Make the model of a whole policy file.  A further kind of section is one line here."""
    sections: dict[str, object] = {
        "roles": (Roles, Roles()),
        "limit": (tuple[any_limit(limit_models().values()), ...], ()),  # type: ignore[misc]
        "skyline": (SkylineSections, ()),
    }
    model: type[BaseModel] = create_model(
        "PolicyFile",
        __config__=ConfigDict(extra="forbid", frozen=True, title="A Sidelight policy file"),
        **sections,  # type: ignore[call-overload]
    )
    return model


def read_policy(path: str | Path) -> Policy:
    """Which bounds does this file set?

    The file says in TOML what Python says as `Policy(GroupSize() >= 5, ...)`:

        [[limit]]
        measure = "group size"
        at_least = 5
    """
    return read_policy_file(path).policy


def read_policy_file(path: str | Path) -> PolicyFile:
    """Read a policy file with all it says: the policy, and the roles of the columns."""
    if not str(path).strip():
        msg = "the name of the policy file is empty; give its path"
        raise BadPolicy(msg)
    path = Path(path)
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        msg = f"no policy file '{path}'; check the path"
        raise BadPolicy(msg) from None
    except IsADirectoryError:
        msg = f"'{path}' is a folder; give the path of a policy file in it"
        raise BadPolicy(msg) from None
    except UnicodeDecodeError as error:
        msg = f"{path.name} is not UTF-8 (byte {error.start + 1}); save it as UTF-8"
        raise BadPolicy(msg) from None
    except OSError as error:
        msg = f"cannot read the policy file '{path}': {error.strerror}; give the path of a readable file"
        raise BadPolicy(msg) from None
    return read_policy_text(text, name=path.name)


def read_policy_text(text: str, *, name: str = "the policy") -> PolicyFile:
    r"""Read the text of a policy file; `name` is for messages.

    >>> print(read_policy_text('[[limit]]\nmeasure = "group size"\nat_least = 5').policy)
    group size ≥ 5
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        msg = f"{name} is not TOML: {error}"
        raise BadPolicy(msg) from None
    document = validated(data, named=lambda section: f"{section} of {name}" if section else name)
    sections = _sections(document, name)
    criteria = [criterion for where, section in sections for criterion in _at(where, section)]
    if not criteria:
        msg = f'{name} sets no limit; add a [[limit]] with measure = "group size" and at_least = 5'
        raise BadPolicy(msg)
    roles = next((section for _, section in sections if isinstance(section, Roles)), Roles())
    notes = tuple(note for _, section in sections for note in section.notes())
    return PolicyFile(Policy(*criteria), roles, notes)


def validated(data: Mapping[str, object], *, named: Callable[[str], str]) -> BaseModel:
    """Check a document against the model; one line says what is wrong."""
    try:
        return policy_document().model_validate(data)
    except ValidationError as error:
        raise complaint(error, policy_document(), named) from None


def _sections(document: BaseModel, name: str) -> list[tuple[str, Section]]:
    found: list[tuple[str, Section]] = []
    for kind in type(document).model_fields:
        held = getattr(document, kind)
        many = held if isinstance(held, tuple) else (held,)
        numbered = (f"{kind} {number} of {name}" for number in range(1, len(many) + 1))
        found += zip(numbered, many, strict=True)
    return found


def _at(where: str, section: Section) -> tuple[Criterion, ...]:
    try:
        return section.criteria()
    except SidelightError as error:
        msg = f"{where}: {error}"
        raise BadPolicy(msg) from None


# ----------------------------------------------------------------------------------------------------
# One [[skyline]] of a policy file: points of knowledge for one value, or for all values that have none of their own.
# ----------------------------------------------------------------------------------------------------


class PointSection(Section):
    """Somebody who knows at most so much must stay below a limit."""

    rules_out: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    others: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    family: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    below: Number


class SkylineSection(Section):
    """Points of knowledge that a release must withstand, for one value or for all that have none of their own."""

    value: Text | None = None
    points: tuple[PointSection, ...] = Field(json_schema_extra={"minItems": 1})
    _elsewhere: tuple[Label, ...] = PrivateAttr(default=())  # the values of the other skylines

    def criteria(self) -> tuple[Criterion, ...]:
        """One per point that follows from no other."""
        if not self.points:
            message = "there are no points; add at least one, such as {rules_out = 4, below = 0.75}"
            raise BadPolicy(message)
        if self.value in self._elsewhere:
            whose = f"for '{shown(self.value)}'" if self.value is not None else "without a value"
            message = f"there are two skylines {whose}; put all their points into one"
            raise BadPolicy(message)
        return self._skyline().criteria

    def notes(self) -> tuple[str, ...]:
        """Points that were dropped."""
        return self._skyline().notes

    def _skyline(self) -> Skyline:
        points = tuple(SkylinePoint(each.rules_out, each.others, each.family, each.below) for each in self.points)
        return Skyline(points, self.value, self._elsewhere if self.value is None else ())


def _acquainted(sections: tuple[SkylineSection, ...]) -> tuple[SkylineSection, ...]:
    """Let each skyline know which values have another: one without a value leaves them out."""
    for section in sections:
        section._elsewhere = tuple(each.value for each in sections if each is not section)
    return sections


SkylineSections = Annotated[tuple[SkylineSection, ...], AfterValidator(_acquainted)]
"""All skylines of a policy file."""


# ----------------------------------------------------------------------------------------------------
# A policy as the text of a policy file, and the JSON schema of such files.
# ----------------------------------------------------------------------------------------------------


SCHEMA_HOME = "docs/reference/policy.schema.json"
"""Where the schema is kept for readers and editors."""


def policy_text(policy: Policy, roles: Roles | None = None) -> str:
    """Write a policy, and roles if given, as TOML."""
    tables = [_table("[[limit]]", _limit(criterion)) for criterion in policy.criteria]
    said = roles.said() if roles else {}
    return "\n".join([_table("[roles]", said), *tables] if said else tables)


def policy_schema() -> str:
    """Write the JSON schema of policy files."""
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
