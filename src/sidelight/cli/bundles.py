"""Options that belong together: a verb takes them as one thing, and the command line still says them one by one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints


def spread(verb: Callable[..., int]) -> Callable[..., int]:
    """Let every parameter that is a dataclass of options be those options.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Answer:
    ...     json: bool = False
    ...     force: bool = False
    >>> @spread
    ... def audit(file: str, *, answer: Answer) -> int:
    ...     return len(file) + answer.force
    >>> print(inspect.signature(audit))
    (file: str, *, json: bool = False, force: bool = False)
    >>> audit(file="x.csv", json=False, force=True)
    6
    """
    hints = get_type_hints(verb, include_extras=True)
    bundles = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    given = inspect.signature(verb).parameters.values()
    parameters = [
        option
        for each in given
        for option in (
            _options(bundles[each.name]) if each.name in bundles else [each.replace(annotation=hints[each.name])]
        )
    ]

    @functools.wraps(verb)
    def gathered(**said: Any) -> int:  # noqa: ANN401 - whatever the options are
        for name, bundle in bundles.items():
            said[name] = bundle(**{each.name: said.pop(each.name) for each in fields(bundle)})
        return verb(**said)

    gathered.__annotations__ = {each.name: each.annotation for each in parameters}
    gathered.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return gathered


def _options(bundle: type[Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    for each in fields(bundle):
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name]
        )
