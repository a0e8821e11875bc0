"""Whatever the public functions and classes are given, they raise `SidelightError` or `TypeError`, and nothing else.

Each is called with arguments drawn from a pool of odd ones, with a seed; where a parameter is known, a good one is drawn
often, so that the others get further.  `python tests/trust/test_odd_arguments.py 300` (`make fuzz`) draws as many rounds.

Left out: what raises as its library says (documents of pydantic, enumerations), and the steps of a measure that only its
own `measure` takes (`formula`, `witness`, `replay`).
"""

import contextlib
import enum
import inspect
import io
import math
import os
import random
import sys
import tempfile
import traceback
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pydantic import BaseModel

import sidelight as sl

ALLOWED = (sl.SidelightError, TypeError)
WRITTEN_DIRECTLY = ("NoisyCounts", "StableCounts", "Table", "TrueCounts", "StreamedTable", "StreamedRelease")
"""Values that functions make; whoever writes them out holds their parts."""
ROUNDS, SEED = 2, 20


def _loop():
    items = []
    items.append(items)
    return items


def good_arguments():
    """Give, by the names of parameters, what goes there."""
    rows = pa.table({"age": ["1", "2", "1", "2"], "disease": ["Flu", "Cold", "Flu", "Cold"]})
    table = sl.read_table(rows, quasi=["age"], sensitive="disease")
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


def odd_arguments(good):
    """Give what belongs nowhere, and what belongs elsewhere."""
    rows, hierarchy = good["source"], good["hierarchy"]
    numbers = [
        True,
        0,
        -1,
        3,
        10**30,
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
    texts = ["", "age", "disease", "no such", "\0", "a" * 5000, "P(Flu)=0.5", "1e-999999999", b"bytes"]
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
    ]
    mappings = [{}, {"age": 0}, {"age": -1}, {None: None}, {"age": hierarchy}, {"x": hierarchy}]
    frames = [rows, rows.to_pandas(), pl.from_arrow(rows), pd.DataFrame(), pd.DataFrame([[1, 2]], columns=["a", "a"])]
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
    return [*numbers, *fractions, *texts, *several, *mappings, *frames, *things, *good.values()]


def public_callables():
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


def drawn_call(function, chance, odd, good):
    """Draw arguments for all parameters that need one, and for some of the others."""
    positional, named = [], {}
    for parameter in inspect.signature(function).parameters.values():
        needed = parameter.default is parameter.empty
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += chance.choices(odd, k=chance.randint(0, 2))
        elif parameter.kind is not parameter.VAR_KEYWORD and (needed or chance.random() < 0.3):
            known = parameter.name in good and chance.random() < 0.7
            argument = good[parameter.name] if known else chance.choice(odd)
            if needed and parameter.kind is not parameter.KEYWORD_ONLY:
                positional.append(argument)
            else:
                named[parameter.name] = argument
    return positional, named


def failures(rounds, seed):
    """Call everything so often, and give the places where something else was raised."""
    chance, good = random.Random(seed), good_arguments()
    odd, found = odd_arguments(good), {}
    for _ in range(rounds):
        for name, function in public_callables():
            positional, named = drawn_call(function, chance, odd, good)
            try:
                with contextlib.redirect_stderr(io.StringIO()):
                    function(*positional, **named)
            except ALLOWED:
                pass
            except Exception as error:  # noqa: BLE001 - whatever it is
                ours = [step for step in traceback.extract_tb(error.__traceback__) if "/sidelight/" in step.filename]
                place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else name
                found.setdefault((place, type(error).__name__), f"{name}: {error}"[:120])
    return found


@pytest.mark.filterwarnings("ignore")
def test_odd_arguments_are_refused_in_our_own_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert failures(ROUNDS, SEED) == {}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    os.chdir(tempfile.mkdtemp())
    places = failures(int(sys.argv[1]), seed=random.randrange(10**6))
    for place, what in places.items():
        print(place, what)  # noqa: T201
    sys.exit(1 if places else 0)
