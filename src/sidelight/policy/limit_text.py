"""Limits in a line of text, read as criteria: the grammar of `measures/limit_grammar`, and the measures it names.

Whatever a policy file can say of a measure can be said in a line, and what a criterion prints is read again as that
criterion.  Settings are checked by the model that checks a file (`policy/limits`).
"""

from __future__ import annotations

from sidelight.errors import BadPolicy, SidelightError
from sidelight.measures.criterion import Criterion
from sidelight.measures.limit_grammar import limit_reader, take_bound, take_measure_name, take_settings
from sidelight.measures.measure import Measure
from sidelight.policy.limits import Limit, limit_model, settings_of
from sidelight.policy.measure_names import measure_named
from sidelight.policy.settings import validated


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
    reader = limit_reader(text)
    # the name first: it decides which settings may follow
    kind = measure_named(take_measure_name(reader), f"'{text}'")
    settings = take_settings(reader, settings_of(kind))
    if settings is None:
        # a measure without parentheses is fine as long as none of its settings is required
        _require_no_settings(kind, text)
    table = {"measure": kind.name, **(settings or {}), **take_bound(reader)}
    return validated(limit_model(kind), table, f"'{text}'")


def _require_no_settings(kind: type[Measure], text: str) -> None:
    """Raise `BadPolicy` if a measure without parentheses needs a setting."""
    needed = next((name for name, (_, default) in settings_of(kind).items() if default is ...), None)
    if needed is not None:
        call = f"{kind.name}({needed}=2)"
        message = f"'{needed}' is missing in '{text}'; write it in parentheses, such as {call}"
        raise BadPolicy(message)
