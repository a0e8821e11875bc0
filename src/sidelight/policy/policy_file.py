"""The policy file: from TOML to a policy and the roles of columns, and the schema for editors.

A file may name presets (`intake/presets`), has one `[roles]`, and a `[[limit]]` or `[[skyline]]` for each demand
(`policy/limits`).  An error is one line that names the section: "no key 'at_leats' in limit 2 of
policy.toml; did you mean 'at_least'?".  `policy_text` in `policy/policy` writes such files.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field, StrictInt
from pydantic.json_schema import models_json_schema

from sidelight.engines.read import read_declared
from sidelight.errors import BadPolicy, WrongKind, as_names, kind_in_words
from sidelight.files import read_whole
from sidelight.policy.limits import (
    Section,
    SkylineSection,
    Text,
    blame,
    limit_model,
    missing_measure,
    not_a_table,
    unknown_key,
    validate_section,
)
from sidelight.policy.measure_names import all_measures, measure_named
from sidelight.policy.policy import Policy
from sidelight.table.labels import ColumnKind, Semantics
from sidelight.table.roles import Missing, Roles, Suppressed, as_kinds
from sidelight.text import is_deeply_nested

if TYPE_CHECKING:
    from sidelight.intake.presets import Preset
    from sidelight.measures.criterion import Criterion
    from sidelight.measures.measure import Measure

SECTIONS = ("roles", "limit", "skyline")
"""The sections of a policy file; before them, `preset` may name limits that others require."""


class RolesSection(Section):
    """What each column is, and what missing and suppressed cells mean; as in `read_release`."""

    quasi: tuple[Text, ...] | None = None
    sensitive: Text | tuple[Text, ...] | None = None
    person: Text | None = None
    values: Semantics | None = None
    missing: Missing | None = None
    suppressed: Suppressed | None = None
    missing_marks: tuple[Text, ...] | None = None
    domain: tuple[Text, ...] | dict[Text, tuple[Text, ...]] | None = None
    domain_file: Text | None = None
    sensitive_level: StrictInt | dict[Text, StrictInt] | None = None
    keep: tuple[Text, ...] | None = None
    weight: Text | None = None
    split: Text | None = None
    encoding: Text | None = None
    sheet: Text | None = None
    columns: dict[Text, ColumnKind | tuple[Text, ...]] | None = Field(
        default=None, description="what each column is, or the labels of an ordered one in their order"
    )

    def to_roles(self, folder: Path | None = None) -> Roles:
        """Return the section as roles; paths are relative to a folder."""
        names = {name: "kinds" if name == "columns" else name for name in type(self).model_fields}
        stated = {ours: value for name, ours in names.items() if (value := getattr(self, name)) is not None}
        file = stated.pop("domain_file", None)
        if file is not None:
            path, domain = (folder or Path()) / file, stated.get("domain", ())
            if isinstance(domain, Mapping):
                raise BadPolicy("[roles] has a domain by column and a domain_file; leave one of them out")
            stated["domain"] = read_declared(path, as_names(stated.get("sensitive", ())), domain)
        return Roles(**stated | {"kinds": as_kinds(stated.get("kinds"))})


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A policy file as read: the policy, the roles, and notes on how it was understood."""

    policy: Policy
    roles: Roles = field(default_factory=Roles)
    notes: tuple[str, ...] = ()
    beside: tuple[Measure, ...] = ()  # what presets report without a limit

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The limits of the policy."""
        return self.policy.criteria


def read_policy(path: str | Path) -> Policy:
    """Read the policy of a file.

    In TOML, `Policy(GroupSize() >= 5, ...)` is:

        [[limit]]
        measure = "group size"
        at_least = 5
    """
    return read_policy_file(path).policy


def read_policy_file(path: str | Path, *, population: str | None = None) -> PolicyFile:
    """Read a policy file: the policy, and the roles of the columns.

    Presets whose limits depend on whether there is a `population` are read with it.
    """
    if not isinstance(cast("object", path), str | PathLike):
        raise WrongKind(
            f"a policy file is named by its path, not by {kind_in_words(path)}; give the path of a TOML file"
        )
    if not str(path).strip():
        raise BadPolicy("the name of the policy file is empty; give its path")
    path = Path(path)
    try:
        text = read_whole(path).decode()
    except FileNotFoundError:
        raise BadPolicy(f"no policy file '{path}'; check the path") from None
    except IsADirectoryError:
        raise BadPolicy(f"'{path}' is a folder; give the path of a policy file in it") from None
    except UnicodeDecodeError as error:
        raise BadPolicy(f"{path.name} is not UTF-8 (byte {error.start + 1}); save it as UTF-8") from None
    except OSError as error:
        raise BadPolicy(
            f"cannot read the policy file '{path}': {error.strerror}; give the path of a readable file"
        ) from None
    return read_policy_text(text, name=path.name, folder=path.parent, population=population)


def read_policy_text(
    text: str, *, name: str = "the policy", folder: Path | None = None, population: str | None = None
) -> PolicyFile:
    r"""Parse the text of a policy file; `name` is for messages, and paths are relative to `folder`.

    >>> print(read_policy_text('[[limit]]\nmeasure = "group size"\nat_least = 5').policy)
    group size ≥ 5
    """
    # before parsing, which would not come back from such a text
    if is_deeply_nested(text):
        raise BadPolicy(f"{name} is nested too deeply to be a policy; check what was written into it")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy(f"{name} is not TOML: {error}") from None
    except (ValueError, OverflowError):  # Python limits the digits of whole numbers
        raise BadPolicy(
            f"{name} holds a number that is too long, or a day that no calendar has; give another"
        ) from None
    known = (*SECTIONS, "preset")
    unknown = next((key for key in data if key not in known), None)
    if unknown is not None:
        raise unknown_key(unknown, known, name)
    presets = list(_read_presets(data, name, folder, population))
    limits = []
    for where, table in _list_sections(data, "limit", name, folder):
        # the measure first: it decides what else the limit may say
        if "measure" not in table:
            raise missing_measure(table, where)
        limit = validate_section(limit_model(measure_named(str(table["measure"]), where)), table, where)
        with blame(where):
            limits.append(limit.to_criterion())
    skylines, notes = _read_skylines(_list_sections(data, "skyline", name, folder))
    if not limits and not skylines and not presets:
        raise BadPolicy(f'{name} sets no limit; add a [[limit]] with measure = "group size" and at_least = 5')
    preset_limits = [criterion for preset in presets for criterion in preset.criteria]
    preset_notes = (note for preset in presets for note in preset.notes)
    return PolicyFile(
        Policy(*preset_limits, *limits, *skylines),
        _read_roles_section(data, name, folder),
        (*preset_notes, *notes),
        tuple(measure for preset in presets for measure in preset.beside),
    )


def _read_presets(
    data: Mapping[str, object], name: str, folder: Path | None, population: str | None
) -> Iterator[Preset]:
    texts = data.get("preset", ())
    listed = [texts] if isinstance(texts, str) else texts
    if not isinstance(listed, list | tuple) or not all(isinstance(text, str) for text in listed):
        raise BadPolicy(f'preset of {name} is a text or a list of texts; write it like preset = "k-map(k=5)"')
    if not listed:
        return
    from sidelight.intake.presets import read_preset  # noqa: PLC0415 - only where a policy names one

    for text in listed:
        with blame(f"preset of {name}"):
            yield read_preset(text, population=population, folder=folder)


def _list_sections(
    data: Mapping[str, object], section: str, name: str, folder: Path | None
) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the sections of a kind, each with the words for where it is, and with paths relative to a folder."""
    tables = data.get(section, [])
    if not isinstance(tables, list):
        raise not_a_table(name, section, many=True)
    for number, table in enumerate(tables, start=1):
        where = f"{section} {number} of {name}"
        if not isinstance(table, Mapping):
            raise not_a_table(where, section, many=True)
        # without a folder paths are relative to the working directory
        yield where, table if folder is None else _resolve_paths(folder, table)


def _resolve_paths(folder: Path, table: Mapping[str, Any]) -> Mapping[str, object]:
    """Resolve paths in a section from the policy's folder: hierarchies, populations, `value = { node = "…" }`."""
    placed = dict(table)
    for key in ("hierarchy", "population"):
        if isinstance(table.get(key), str):
            placed[key] = str(folder / table[key])
    if isinstance(table.get("value"), Mapping):
        placed["value"] = {
            node: str(folder / file) if isinstance(file, str) else file for node, file in table["value"].items()
        }
    return placed


def _read_roles_section(data: Mapping[str, object], name: str, folder: Path | None) -> Roles:
    table = data.get("roles", {})
    if not isinstance(table, Mapping):
        raise not_a_table(name, "roles", many=False)
    return validate_section(RolesSection, table, f"roles of {name}").to_roles(folder)


def _read_skylines(tables: Iterable[tuple[str, Mapping[str, object]]]) -> tuple[list[Criterion], tuple[str, ...]]:
    """Return the criteria of all skylines, and notes on points that were dropped."""
    sections = [(where, validate_section(SkylineSection, table, where)) for where, table in tables]
    criteria: list[Criterion] = []
    notes: list[str] = []
    for where, section in sections:
        # A skyline without a value is about every value that has none of its own.
        own, known = section.of, section.known
        alike = (other for _, other in sections if other is not section and (other.of, other.known) == (own, known))
        with blame(where):
            skyline = section.to_skyline(tuple(other.target for other in alike))
            about = own or known
            criteria += [each.about(own, known=known or ()) if about else each for each in skyline.criteria]
            notes += skyline.notes
    return criteria, tuple(notes)


def policy_schema() -> str:
    """Write the JSON schema of policy files."""
    limits = {kind.name: limit_model(kind) for kind in all_measures()}
    models: list[type[Section]] = [RolesSection, *limits.values(), SkylineSection]
    references, definitions = models_json_schema([(model, "validation") for model in models])
    reference_of = {model: reference for (model, _), reference in references.items()}
    # the name of the measure chooses the schema of its limits
    limit_references = {name: reference_of[model] for name, model in limits.items()}
    mapping = {name: reference["$ref"] for name, reference in sorted(limit_references.items())}
    by_measure = {
        "discriminator": {"mapping": mapping, "propertyName": "measure"},
        "oneOf": list(limit_references.values()),
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {name: _tidy(each) for name, each in sorted(definitions["$defs"].items())},
        "additionalProperties": False,
        "properties": {
            "preset": {
                "anyOf": [{"type": "string"}, {"items": {"type": "string"}, "type": "array"}],
                "description": "limits that somebody asks for, by name: EMA/Health Canada 0.09, k-map(k=5) or ACRO",
            },
            "roles": reference_of[RolesSection],
            "limit": {"items": by_measure, "type": "array"},
            "skyline": {"items": reference_of[SkylineSection], "type": "array"},
        },
        "type": "object",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without what TOML does not have (null) and without titles that repeat a key."""
    kept = {key: _tidy_part(key, part) for key, part in schema.items() if key not in ("title", "default")}
    # pydantic writes `X | None` as a choice with null, which TOML does not have
    choices = [choice for choice in kept.pop("anyOf", []) if choice.get("type") != "null"]
    if len(choices) > 1:
        kept["anyOf"] = choices
    return {**choices[0], **kept} if len(choices) == 1 else kept


def _tidy_part(key: str, part: Any) -> Any:  # noqa: ANN401 - JSON
    if key == "properties":  # its keys are names, whatever they mean elsewhere
        return {name: _tidy(each) for name, each in part.items()}
    if isinstance(part, dict):
        return _tidy(part)
    return [_tidy_part(key, each) for each in part] if isinstance(part, list) else part
