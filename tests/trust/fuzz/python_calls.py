"""Calls of everything public with odd arguments: functions, classes, and the methods of the values that they give.

Each is called with arguments drawn from a pool of odd ones; where a parameter is known, a good one is drawn often, so that
the others get further.  `SidelightError` and `TypeError` may be raised, and nothing else.

Left out: what raises as its library says (documents of pydantic, enumerations), and the steps of a measure that only its
own `measure` takes, and the like (`STEPS`).
"""

from __future__ import annotations

import enum
import inspect
import math
import random
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from pydantic import BaseModel
from trust.fuzz.bars import MARK, Target

import sidelight as sl
from sidelight.table.roles import ReadingChoices

WRITTEN_DIRECTLY = (
    "NoisyCounts",
    "SearchResult",
    "StableCounts",
    "Table",
    "TrueCounts",
    "StreamedTable",
    "StreamedRelease",
)
"""Values that functions make; whoever writes them out holds their parts."""

STEPS = {
    *(
        "formula",
        "witness",
        "replay",
        "check_and_replay",
        "printed_column",
        "summarize",
        "summarize_blocks",
        "read_tally",
        "blocks",
        "settle",
        "kinds",
        "explain",
        "exact_values",
        "canonical",
        "decide",
    ),
    *(
        "cases",
        "priors",
        "priors_by_column",
        "rates",
        "average_rates",
        "columns_of",
        "recoded",
        "enter_file",
        "enter_winner",
        "scores",
        "statistic",
        "predicates_in_question",
        "monotonicity",
        "least_people",
        "names_values",
        "after",
    ),
}
"""What only other parts of ours call, with what they have just computed; `Exposure.posterior` takes rows like that."""


GENERATOR = object()
"""Stands for a generator, a new one in each call: whoever looks at it twice finds nothing more."""


def _loop() -> list[object]:
    items: list[object] = []
    items.append(items)
    return items


@cache
def good_arguments() -> dict[str, object]:
    """Give, by the names of parameters, what goes there."""
    rows = pa.table({"age": ["1", "2", "1", "2"], "disease": ["Flu", "Cold", f"{MARK}itis", "Cold"], "id": [*"abcd"]})
    table = sl.read_table(rows, quasi=["age"], sensitive="disease", person="id")
    by = {"age": sl.Hierarchy.suppression("age", ["1", "2"])}
    return {
        "source": rows,
        "table": table,
        "release": sl.group(table),
        "policy": sl.Policy(sl.GroupSize() >= 1),
        "by": by,
        "hierarchy": by["age"],
        "measure": sl.GroupSize(),
        "quasi": ["age"],
        "sensitive": "disease",
        "epsilon": 1,
        "ledger": "no ledger",
        "ask": "nobody",
    }


@cache
def values() -> tuple[object, ...]:
    """Give one value of every public kind that functions make, whose methods are called too."""
    good = good_arguments()
    table, release, policy, by = good["table"], good["release"], good["policy"], good["by"]
    fact, statement = sl.read_fact("#1 = Flu"), sl.read_statement("P(Flu) = 0.25")
    ledger = sl.Ledger.begin(Path(tempfile.mkdtemp(), "ledger.json"), epsilon=10**6)
    noise = sl.noisy_counts(table, by=by, levels={"age": 0}, domain=table.domain, epsilon=1, ledger="no ledger")
    verdict, found = policy.judge(release), sl.protect(table, policy, by=by, ask="nobody")
    measures = (sl.GroupSize(), sl.Implications(1), sl.Acquaintance(), sl.Closeness(), sl.PriorBelief(stubbornness=3))
    return (
        *(
            table,
            release,
            policy,
            by["age"],
            fact,
            statement,
            ledger,
            ledger.read(),
            noise,
            noise.spending,
            verdict,
            found,
        ),
        *(verdict.judgements[0], verdict.judgements[0].finding, policy.criteria[0], *measures),
        *(sl.maxent(release, knowing=[statement]), sl.posteriors(release, person=sl.Someone(1)), sl.learn(release)),
        *(sl.identifying_columns(table), sl.minimal_uniques(table), sl.knowledge_skyline(release, "Flu", 0.9)),
        *(
            sl.disclosure_curve(release, sl.Implications, range(2)),
            sl.semantic_privacy(epsilon=1),
            sl.suggest_roles(good["source"]),
        ),
        *(
            sl.P("Flu"),
            sl.Someone(1),
            sl.Auditor(policy, release),
            sl.intersect([release, release], people=good["source"]),
        ),
    )


@cache
def odd_arguments() -> tuple[object, ...]:
    """Give what belongs nowhere, and what belongs elsewhere."""
    good = good_arguments()
    rows, hierarchy = good["source"], good["hierarchy"]
    numbers = [
        True,
        False,
        0,
        -1,
        -1.5,
        3,
        10**30,
        10**400,
        Decimal("NaN"),
        math.nan,
        math.inf,
        -math.inf,
        0.5,
        1e-300,
        1 + 2j,
        np.int64(3),
        np.float64("nan"),
    ]
    fractions = [Fraction(1, 10**400), Fraction(-7, 3)]
    texts = [
        "",
        "age",
        "disease",
        "no such",
        "\0",
        "a" * 5000,
        "P(Flu)=0.5",
        "1e-999999999",
        b"bytes",
        "a\nb",
        "\ud800",
    ]
    several = [
        [],
        [None],
        ["age"],
        ["age", "age"],
        _loop(),
        (),
        (1, 2),
        {1},
        range(3),
        slice(1),
        np.array([1.5, np.nan]),
        np.array([1, 2]),
        GENERATOR,
    ]
    mappings = [{}, {"age": 0}, {"age": -1}, {None: None}, {"age": hierarchy}, {"x": hierarchy}]
    frames = [rows, rows.to_pandas(), pl.from_arrow(rows), pd.DataFrame(), pd.DataFrame([[1, 2]], columns=["a", "a"])]
    frames += [rows.to_pandas().assign(age=np.arange(4, dtype="float16"))]
    things = [
        None,
        object(),
        int,
        len,
        Ellipsis,
        ValueError("x"),
        sl.GroupSize,
        sl.GroupSize() >= 2,
        [good["release"]] * 2,
    ]
    return (*numbers, *fractions, *texts, *several, *mappings, *frames, *things, *good.values())


def public_callables() -> Iterator[tuple[str, object]]:
    """Give every public function, class and classmethod, by name."""
    for name in sl.__all__:
        thing = getattr(sl, name)
        if inspect.isclass(thing) and (
            issubclass(thing, BaseException | BaseModel | enum.Enum) or name in WRITTEN_DIRECTLY
        ):
            continue
        if callable(thing):
            yield name, thing
        if inspect.isclass(thing):
            made = ("from_", "of", "intervals", "suppression", "begin", "open")
            members = inspect.getmembers(thing, inspect.ismethod)
            yield from ((f"{name}.{each}", method) for each, method in members if each.startswith(made))


def public_methods() -> Iterator[tuple[str, object]]:
    """Give every public method of a value of ours, and its properties, by name."""
    for value in values():
        kind = type(value)
        for name, member in inspect.getmembers(kind):
            if (
                name.startswith("_")
                or name in STEPS
                or (kind is sl.Exposure and name == "posterior")
                or isinstance(inspect.getattr_static(kind, name), classmethod | staticmethod)
            ):
                continue
            if isinstance(inspect.getattr_static(kind, name), property):
                yield f"{kind.__name__}.{name}", member.fget.__get__(value)
            elif inspect.isfunction(member):
                yield f"{kind.__name__}.{name}", member.__get__(value)


@cache
def everything() -> tuple[tuple[str, object], ...]:
    return (*public_callables(), *public_methods())


def drawn_call(function: object, chance: random.Random) -> tuple[list[object], dict[str, object]]:
    """Draw arguments for all parameters that need one, and for some of the others."""
    odd, good = odd_arguments(), good_arguments()
    positional, named = [], {}
    parameters = inspect.signature(function).parameters
    if "reading" in parameters:  # keywords of `read_table` that are handed on
        table = inspect.signature(sl.read_table).parameters
        parameters = {**parameters, **{name: table[name] for name in ReadingChoices.__annotations__}}
    for parameter in parameters.values():
        needed = parameter.default is parameter.empty
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += chance.choices(odd, k=chance.randint(0, 2))
        elif parameter.kind is not parameter.VAR_KEYWORD and (needed or chance.random() < 0.3):
            known = parameter.name in good and chance.random() < 0.7
            argument = good[parameter.name] if known else chance.choice(odd)
            argument = (each for each in ("age", "disease")) if argument is GENERATOR else argument
            if needed and parameter.kind is not parameter.KEYWORD_ONLY:
                positional.append(argument)
            else:
                named[parameter.name] = argument
    return positional, named


def ask(drawn: tuple[int, bytes]) -> str:
    which, bits = drawn
    _, function = everything()[which % len(everything())]
    positional, named = drawn_call(function, random.Random(bits))
    try:
        function(*positional, **named)
    except TypeError as error:  # also ours, which are SidelightErrors
        return "" if not isinstance(error, sl.SidelightError) else str(error)
    return ""


def told(drawn: tuple[int, bytes]) -> str:
    """Say which call an input is."""
    which, bits = drawn
    name, function = everything()[which % len(everything())]
    return f"{name}{drawn_call(function, random.Random(bits))}"[:2000]


TARGET = Target(
    "Python calls",
    st.tuples(st.integers(0, 999_999), st.binary(min_size=6, max_size=6)),
    ask,
    share=300,
    short=0,
    prepare=everything,
)
