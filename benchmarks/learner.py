"""How much longer does a learner take than the model that it trains would, were the values not hidden?

    OPENBLAS_NUM_THREADS=1 python benchmarks/learner.py             a million rows; writes its part of RESULTS.md
    python benchmarks/learner.py 50_000                             fewer rows; only prints

The baseline is one naive Bayes count of labels by value in NumPy, person by person, thirty times over: what thirty
rounds of maximisation cost where everybody's value is plain, and no group is gone through.  How contestants run, and
which figures count: `race`.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time

from __future__ import annotations

from pathlib import Path

from race import Race

GOAL = (
    "Goals: a million people within 60 s of one core, by either model; Adult (45,222 people, 7 columns) 1.3 s by naive "
    "Bayes and 14 s by logistic, within a factor of 1.5."
)
SEVEN = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
OTHERS = 0.1
"""A person's cell is somebody else's with this chance."""
ROUNDS = 30


def make(rows: int, path: Path) -> None:
    """Make a table like Adult: its people, of whom every tenth cell is somebody else's."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    import sidelight as sl

    rng = np.random.default_rng(2009)
    adult = pq.read_table(sl.datasets.adult().path).drop_null().combine_chunks()
    person = rng.integers(0, adult.num_rows, rows)
    columns = {}
    for name in SEVEN:
        other = rng.integers(0, adult.num_rows, rows)
        who = np.where(rng.random(rows) < OTHERS, other, person)
        columns[name] = adult[name].cast(pa.string()).combine_chunks().take(pa.array(who))
    columns["occupation"] = adult["occupation"].cast(pa.string()).combine_chunks().take(pa.array(person))
    pq.write_table(pa.table(columns), path, compression="zstd")


def plain_counts(path: str) -> dict[str, int]:
    import numpy as np

    del path
    key, value, count = FOUND.recoding.table.counts.entries()
    key, value = np.repeat(key, count), np.repeat(value, count)
    for _ in range(ROUNDS):
        for column in FOUND.recoding.table.quasi:
            labels = len(column.labels)
            np.bincount(column.codes[key] * 14 + value, np.ones(len(key)), labels * 14)
    return {"people": len(key)}


def naive_bayes(path: str) -> dict[str, int]:
    import sidelight as sl

    del path
    return {"people": FOUND.release.size, "sure": sl.learn(FOUND.release, "naive bayes").people_above(0.9)}


def logistic(path: str) -> dict[str, int]:
    import sidelight as sl

    del path
    return {"people": FOUND.release.size, "sure": sl.learn(FOUND.release).people_above(0.9)}


CONTESTANTS = {
    "thirty counts of labels by plain values": plain_counts,
    "learn, naive Bayes": naive_bayes,
    "learn, logistic": logistic,
    "bundled Adult: naive Bayes": naive_bayes,
    "bundled Adult: logistic": logistic,
}


def prepare(name: str) -> None:
    """Import for all contestants alike, and deal people to buckets, which is not what is timed."""
    import sys

    import numpy as np
    import scipy.optimize
    import scipy.sparse  # noqa: F401

    import sidelight as sl

    global FOUND  # noqa: PLW0603 - made before the clock starts
    of_adult = name.startswith("bundled")
    adult = sl.datasets.adult(quasi=SEVEN)
    table = adult.table if of_adult else sl.read_table(sys.argv[-1], quasi=SEVEN, sensitive="occupation")
    lots = sl.Anatomy(l=4, random=np.random.default_rng(3))
    FOUND = sl.protect(table, sl.DistinctValues() >= 2, method=lots, ask="nobody")


if __name__ == "__main__":
    Race(__file__, 1_000_000, 2, GOAL, CONTESTANTS, make, prepare).main()
