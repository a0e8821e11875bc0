"""How long does the worst case take, next to the bare GROUP BY that makes the counts?

    python benchmarks/worst_case.py                              all tables, for RESULTS.md
    python benchmarks/worst_case.py implications                 one of them
    python benchmarks/worst_case.py --once implications 50000 12 one contestant, in this process: seconds and answer

5 million records in 50,000 groups of 100 people, 20 values equally likely (the setting of Chen et al., 2007).  Each
contestant runs in a fresh process, three times, in turns; the lowest wall time counts.  Making the data, importing
and putting the counts into a release are not timed.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own process

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from results import write_part

if TYPE_CHECKING:
    import sidelight as sl

DATA = Path(__file__).parent / ".data"
PEOPLE, VALUES, GROUPS = 100, 20, 50_000
TURNS = 3


# --- the data ------------------------------------------------------------------------------------------------


def counts_of(groups: int) -> np.ndarray:
    """How often each value occurs in each group, drawn once."""
    path = DATA / f"worst-case-{groups}.npy"
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        drawn = np.random.default_rng(2007).multinomial(PEOPLE, np.full(VALUES, 1 / VALUES), size=groups)
        np.save(path, drawn.astype(np.int64))
    return np.load(path)


def records_of(groups: int) -> Path:
    """The same people one by one, in any order: two columns, group and value."""
    path = DATA / f"worst-case-{groups}.parquet"
    if not path.exists():
        counts = counts_of(groups)
        order = np.random.default_rng(7).permutation(groups * PEOPLE)
        group = np.repeat(np.arange(groups, dtype=np.int32), PEOPLE)[order]
        value = np.repeat(np.tile(np.arange(VALUES, dtype=np.int32), groups), counts.ravel())[order]
        pq.write_table(pa.table({"group_id": group, "value": value}), path)
    return path


def release_of(groups: int) -> sl.Release:
    """The counts as a release."""
    import sidelight as sl
    from sidelight.release.groups import whole_groups
    from sidelight.table.table import Counts

    counts = Counts.from_cells(counts_of(groups))
    domain = tuple(f"{value:02d}" for value in range(VALUES))
    return sl.Release(whole_groups(domain=domain, sizes=counts.per_row(), counts=counts))


# --- the contestants: each prepares, and gives what is timed -------------------------------------------------


def group_by(groups: int, _amount: int) -> Callable[[], object]:
    import duckdb

    path, con = records_of(groups), duckdb.connect()
    query = f"SELECT group_id, value, count(*) AS n FROM read_parquet('{path}') GROUP BY ALL"
    return lambda: con.sql(query).to_arrow_table().num_rows


def implications(groups: int, k: int) -> Callable[[], object]:
    import sidelight as sl

    release, measure = release_of(groups), sl.Implications(k)
    return lambda: measure.measure(release).value


def implications_of_a_value(groups: int, k: int) -> Callable[[], object]:
    import sidelight as sl

    release, measure = release_of(groups), sl.Implications(k, value="07")
    return lambda: measure.measure(release).value


def negations(groups: int, k: int) -> Callable[[], object]:
    import sidelight as sl

    release, measure = release_of(groups), sl.Negations(k)
    return lambda: measure.measure(release).value


def implications_of_sets(groups: int, k: int) -> Callable[[], object]:
    """The same counts, as sets of values of 100 people."""
    import sidelight as sl

    single, measure = release_of(groups), sl.Implications(k)
    release = replace(single, groups=replace(single.groups, semantics="set"))
    sl.Implications(0).measure(release)  # imported before it is timed
    return lambda: measure.measure(release).value


def disclosure_cost(groups: int, k: int) -> Callable[[], object]:
    """Three weights."""
    import sidelight as sl

    release, measure = release_of(groups), sl.DisclosureCost(k, {"07": 3, "08": 2})
    return lambda: measure.measure(release).value


def cheapest_knowledge(groups: int, percent: int) -> Callable[[], object]:
    """Two prices, to be so many per cent sure."""
    import sidelight as sl

    prices = {f"{value:02d}": 1 + value % 2 for value in range(VALUES)}
    release, measure = release_of(groups), sl.CheapestKnowledge(percent / 100, prices)
    return lambda: measure.measure(release).value


def acquaintance(groups: int, amount: int) -> Callable[[], object]:
    """All values at once, at (amount, amount, amount)."""
    import sidelight as sl

    release, measure = release_of(groups), sl.Acquaintance(amount, amount, amount)
    return lambda: measure.measure(release).value


def knowledge_skyline(groups: int, percent: int) -> Callable[[], object]:
    """One value, below so many per cent."""
    import sidelight as sl
    from sidelight.measures.privacy_skyline import skyline as _  # noqa: F401 - imported before it is timed

    release, find = release_of(groups), sl.knowledge_skyline
    return lambda: len(find(release, "07", percent / 100))


def spread_out(groups: int, amount: int) -> Callable[[], object]:
    """The dynamic program without congregation, all values at once, in floats."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from support.worst_cases import divide_in_floats, worst_acquaintance_over_groups

    release, knows = release_of(groups), {"rules_out": amount, "others": amount, "family": amount}
    return lambda: worst_acquaintance_over_groups(release.groups, **knows, divide=divide_in_floats).tolist()


CONTESTANTS = {
    "group_by": group_by,
    "acquaintance": acquaintance,
    "knowledge_skyline": knowledge_skyline,
    "spread_out": spread_out,
    "implications": implications,
    "implications_of_a_value": implications_of_a_value,
    "negations": negations,
    "implications_of_sets": implications_of_sets,
    "disclosure_cost": disclosure_cost,
    "cheapest_knowledge": cheapest_knowledge,
}


# --- the race ------------------------------------------------------------------------------------------------


def once(name: str, groups: int, amount: int) -> dict[str, object]:
    """Run one contestant here."""
    timed = CONTESTANTS[name](groups, amount)
    start = time.perf_counter()
    answer = timed()
    return {"seconds": time.perf_counter() - start, "answer": str(answer)}


def race(settings: Iterable[tuple[str, int, int]]) -> dict[tuple[str, int, int], float]:
    """Run each contestant in processes of its own, in turns; give the lowest seconds."""
    lowest: dict[tuple[str, int, int], float] = {}
    settings = list(dict.fromkeys(settings))
    for _ in range(TURNS):
        for setting in settings:
            command = [sys.executable, __file__, "--once", *map(str, setting)]
            answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            lowest[setting] = min(lowest.get(setting, np.inf), answer["seconds"])
    return lowest


BASELINE = ("group_by", GROUPS, 0)


def implications_table() -> str:
    amounts, sizes = (1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20), (1_000, 10_000, 50_000, 100_000, 1_000_000)
    by_amount = [("implications", GROUPS, k) for k in amounts]
    by_size = [("implications", groups, 12) for groups in sizes]
    others = [("implications_of_a_value", GROUPS, 12), ("negations", GROUPS, 12), ("implications_of_sets", GROUPS, 12)]
    others += [("disclosure_cost", GROUPS, 12), ("cheapest_knowledge", GROUPS, 75)]
    table, _ = raced(dict.fromkeys([*by_amount, *by_size, *others]))
    brackets = "In brackets k (of cheapest knowledge how sure, in per cent)."
    return f"{table}\n\n{brackets} From k = 16 on, a value is certain in some group, and no more is computed."


SPREAD = 200
"""The dynamic program takes minutes for all groups; its time per group does not change, so a part is enough."""


def acquaintance_table() -> str:
    amounts, sizes = (1, 2, 5, 10, 15, 20), (1_000, 10_000, 50_000, 100_000, 1_000_000)
    by_amount = [("acquaintance", GROUPS, amount) for amount in amounts]
    by_size = [("acquaintance", groups, 10) for groups in sizes]
    skylines = [("knowledge_skyline", groups, 95) for groups in sizes]
    table, seconds = raced(dict.fromkeys([*by_amount, *by_size, *skylines, ("spread_out", SPREAD, 10)]))
    slow = seconds["spread_out", SPREAD, 10] * GROUPS / SPREAD
    times = slow / seconds["acquaintance", GROUPS, 10]
    compare_with_spread_out(10)
    return f"""{table}

Acquaintance (10) is rules_out, others and family 10 each, all 20 values; knowledge skyline (95) is one value below
0.95.  Spread out is the dynamic program without congregation, in NumPy over all values at once, measured on {SPREAD}
of the groups: {slow:,.0f} s for {GROUPS:,} of them at the same pace, **{times:,.0f} times** Acquaintance (10).
On these {SPREAD} groups both give the same risk of each value."""


def compare_with_spread_out(amount: int) -> None:
    """Stop when the two do not give the same."""
    import sidelight as sl

    release = release_of(SPREAD)
    fast = [sl.Acquaintance(amount, amount, amount, value=value).measure(release).value for value in release.domain]
    np.testing.assert_allclose(spread_out(SPREAD, amount)(), np.array(fast, float), rtol=1e-9)


def raced(settings: Iterable[tuple[str, int, int]]) -> tuple[str, dict[tuple[str, int, int], float]]:
    """Race against the GROUP BY, lay the figures out, and give them too."""
    settings = list(settings)
    lowest = race([BASELINE, *settings])
    base = lowest[BASELINE]
    lines = [
        "| | groups | ms | times the GROUP BY of 5 million records | µs per group |",
        "| --- " + "| ---: " * 4 + "|",
    ]
    lines += [f"| GROUP BY in DuckDB | {GROUPS:,} | {base * 1e3:.0f} | 1 | {base / GROUPS * 1e6:.2f} |"]
    for name, groups, amount in settings:
        seconds = lowest[name, groups, amount]
        title = f"{name.replace('_', ' ').capitalize()} ({amount})"
        figures = f"{seconds * 1e3:.1f} | {seconds / base:.3f} | {seconds / groups * 1e6:.2f}"
        lines.append(f"| {title} | {groups:,} | {figures} |")
    return "\n".join(lines), lowest


TABLES = {"implications": implications_table, "acquaintance": acquaintance_table}


if __name__ == "__main__":
    if "--once" in sys.argv:
        print(json.dumps(once(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        for name in sys.argv[1:] or TABLES:
            table = TABLES[name]()
            print(table)
            how = f"`python benchmarks/worst_case.py {name}`, lowest of {TURNS} runs, each in a fresh process."
            write_part(f"worst case: {name}", how, table)
