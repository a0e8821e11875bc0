"""The policy file: roles of the columns, and limits."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypedDict

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from sidelight.errors import BadPolicy, SidelightError
from sidelight.measures.criterion import Criterion
from sidelight.policy.limits import any_limit, limit_models
from sidelight.policy.messages import complaint
from sidelight.policy.policy import Policy
from sidelight.policy.section import Section, Text
from sidelight.policy.skyline_section import SkylineSections
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
