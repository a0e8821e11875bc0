"""What is wrong with a policy?  One line that names the key, where it stands, and the nearest right one.

Each section is checked by a model of its own, so that pydantic's path into it ("points", 0, "below") and the words for
where the section stands ("skyline 2 of policy.toml") are all that a message needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sidelight.errors import BadPolicy, did_you_mean
from sidelight.policy.settings import Section

Path: TypeAlias = tuple[int | str, ...]
AnySection = TypeVar("AnySection", bound=Section)

_REMEDIES = {
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
"""What to give, by the kind of pydantic's error."""


def validated(model: type[AnySection], table: Mapping[str, object], where: str) -> AnySection:
    """Check a section against its model; `where` it stands is for the message."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise _complaint(error, model, where) from None


def unknown_key(key: str, keys: Iterable[str], where: str) -> BadPolicy:
    """Say that there is no such key, and which one may be meant."""
    return BadPolicy(f"no key '{key}' in {where}{did_you_mean(key, keys)}")


def not_a_table(where: str, section: str, *, many: bool) -> BadPolicy:
    """Say how a section is written."""
    heading = f"tables headed [[{section}]]" if many else f"a table headed [{section}]"
    return BadPolicy(f"cannot use '{section}' in {where}; write it as {heading}")


def without_measure(table: Mapping[str, object], where: str) -> BadPolicy:
    """Say that a limit names no measure, or misspells the key."""
    for key in table:
        if did_you_mean(str(key), ["measure"]).startswith("; did"):
            return unknown_key(str(key), ["measure"], where)
    return BadPolicy(f"'measure' is missing in {where}; add measure = \"group size\" or another one")


def _complaint(error: ValidationError, model: type[Section], where: str) -> BadPolicy:
    """Make one line of all that pydantic found; unknown keys come first, as they explain missing ones."""
    details = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    place, key, section = _locate(details[0]["loc"], model, where)
    if details[0]["type"] == "extra_forbidden":
        return unknown_key(key, section.keys(), place)
    if details[0]["type"] == "missing":
        return BadPolicy(f"'{key}' is missing in {place}; add it")
    same_key = [each for each in details if _locate(each["loc"], model, where)[:2] == (place, key)]
    remedies = " or ".join(dict.fromkeys(_remedy(each) for each in same_key))
    return BadPolicy(f"cannot use '{key}' in {place}; give {remedies}")


def _locate(path: Path, model: type[Section], where: str) -> tuple[str, str, type[Section]]:
    """Follow a path into sections within sections: where does the key stand, what is it called, among which keys?"""
    while len(path) > 2 and (inner := _sections_in(model, str(path[0]))):
        where = f"{path[0]} {int(path[1]) + 1} of {where}"
        model, path = inner, path[2:]
    return where, str(path[0]), model


def _sections_in(model: type[Section], key: str) -> type[Section] | None:
    """Give the model of the sections that are listed under a key, if any are."""
    kinds = get_args(model.model_fields[key].annotation) if key in model.model_fields else ()
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Section)), None)


def _remedy(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    if detail["type"] == "literal_error":
        return str(context["expected"])
    if detail["type"] == "value_error":
        return str(context["error"]).removeprefix("give ")
    return _REMEDIES.get(detail["type"], detail["msg"])
