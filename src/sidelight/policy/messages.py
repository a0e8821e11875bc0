"""What is wrong with a policy, in one line that names the key and the nearest right one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sidelight.errors import BadPolicy, did_you_mean
from sidelight.policy.limits import Limit, keys_of

Path: TypeAlias = tuple[int | str, ...]
"""Where in a document: ("limit", 1, "group size", "at_least"), with the union's choice in the middle."""

_WANTED = {
    "int_type": "a whole number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "list_type": 'a list, such as ["age", "sex"]',
    "tuple_type": "a list",
    "dict_type": "a table, such as {name = 1}",
    "model_type": "a table, such as {name = 1}",
    "model_attributes_type": "a table, such as {name = 1}",
    "finite_number": "a finite number",
}


def complaint(error: ValidationError, document: type[BaseModel], named: Callable[[str], str]) -> BadPolicy:
    """Make one line of what pydantic found wrong; unknown keys come first.

    `named` turns a section ("limit 2", or "" for the whole) into words for where it is ("limit 2 of policy.toml").
    """
    details = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    first = details[0]
    section, key, keys = _place(first["loc"], document)
    where = named(section)
    match first["type"]:
        case "extra_forbidden":
            return BadPolicy(f"no key '{key}' in {where}{did_you_mean(key, keys)}")
        case "missing":
            return BadPolicy(f"'{key}' is missing in {where}; add it")
        case "union_tag_not_found":
            return _without_measure(first["input"], where)
        case "union_tag_invalid":
            tags = [tag.strip(" '") for tag in first["ctx"]["expected_tags"].split(",")]
            tag = str(first["ctx"]["tag"])
            return BadPolicy(f"no measure '{tag}' in {where}{named_here(tag) or did_you_mean(tag, tags)}")
    if key in document.model_fields:
        return BadPolicy(f"cannot use '{key}' in {where}; write it as {_headed(document, key)}")
    same = [each for each in details if _place(each["loc"], document)[:2] == (section, key)]
    wanted = " or ".join(dict.fromkeys(_wanted(each) for each in same))
    return BadPolicy(f"cannot use '{key}' in {where}; give {wanted}")


def _headed(document: type[BaseModel], section: str) -> str:
    many = isinstance(document.model_fields[section].default, tuple)
    return f"tables headed [[{section}]]" if many else f"a table headed [{section}]"


def _wanted(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    if detail["type"] == "literal_error":
        return str(context["expected"])
    if detail["type"] == "value_error":
        return str(context["error"]).removeprefix("give ")
    return _WANTED.get(detail["type"], detail["msg"])


def _without_measure(table: object, where: str) -> BadPolicy:
    for key in table if isinstance(table, dict) else ():
        if did_you_mean(str(key), ["measure"]).startswith("; did"):
            return BadPolicy(f"no key '{key}' in {where}; did you mean 'measure'?")
    return BadPolicy(f"'measure' is missing in {where}; add measure = \"group size\" or another one")


def _place(path: Path, document: type[BaseModel]) -> tuple[str, str, Sequence[str]]:
    """Read a path: in which section ("limit 2", "" for the whole), which key, and which keys there are.

    Steps that only say which choice of a union was tried are passed over.
    """
    models: list[type[BaseModel]] = [document]
    names, keys = [""], list(document.model_fields)
    for step in path:
        fields = {name: field for model in models for name, field in model.model_fields.items()}
        chosen = [model for model in models if _tag(model) == step]
        if isinstance(step, int):
            names[-1] = f"{names[-1]} {step + 1}"
        elif chosen:
            models = chosen
        elif step in fields or (models and step == path[-1]):
            keys = [key for model in models for key in keys_of(model)]
            names.append(step)
            models = list(_models(fields[step].annotation)) if step in fields else []
    itself = isinstance(path[-1], int) and models
    sections = names[1:] if itself else names[1:-1]
    return " of ".join(reversed(sections)), names[-1].partition(" ")[0], keys


def _models(annotation: object) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _tag(model: type[BaseModel]) -> str:
    return model.question.name if issubclass(model, Limit) else ""


# ----------------------------------------------------------------------------------------------------
# What measures are called elsewhere.
# ----------------------------------------------------------------------------------------------------


OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "k-anonymity": ("group size",),
    "anonymity": ("group size",),
    "l-diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "ℓ-diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "distinct l-diversity": ("distinct values",),
    "entropy l-diversity": ("entropy diversity",),
    "recursive l-diversity": ("recursive diversity",),
    "t-closeness": ("closeness",),
    "b-likeness": ("beta likeness",),
    "β-likeness": ("beta likeness",),
    "d-disclosure": ("delta disclosure",),
    "δ-disclosure": ("delta disclosure",),
    "δ-disclosure privacy": ("delta disclosure",),
    "ck-safety": ("implications",),
    "privacy skyline": ("acquaintance",),
    "ε-privacy": ("prior belief",),
    "epsilon-privacy": ("prior belief",),
    "maxent": ("maximum entropy",),
    "privacy-maxent": ("maximum entropy",),
}
"""By the name in papers and other tools."""


def named_here(name: str) -> str:
    """Say, as the end of a sentence, what is meant by a name that papers use; nothing for others.

    >>> named_here("K-Anonymity")
    "; k-anonymity is 'group size' here"
    >>> named_here("l diversity")
    "; l-diversity is 'distinct values', 'entropy diversity' or 'recursive diversity' here"
    >>> named_here("colour")
    ''
    """
    wanted = _plain(name)
    for other, ours in OTHER_NAMES.items():
        if _plain(other) == wanted:
            *others, last = (f"'{each}'" for each in ours)
            return f"; {other} is {', '.join(others)}{' or ' if others else ''}{last} here"
    return ""


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())
