"""Files of hierarchies in ARX's format, and the trees, widths and masks of `sidelight hierarchies`."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import strategies as st
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import encoded, near
from trust.fuzz.people import NAMES, rows, run_command, written

import sidelight as sl

TABLE = pa.table(dict(zip(NAMES, zip(*rows(8), strict=True), strict=True)))
CITIES = sorted({row[3] for row in rows(8)})
TEXTS = (
    "\n".join(f"{city};south;*" for city in CITIES) + "\n",
    "\n".join(f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};*" for age in range(20, 24)),
    "m;*\r\nf;*\r\n",
)
COLUMN = {0: "city", 1: "age", 2: "sex"}


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes, int]:
    """A hierarchy near a valid one, of a column, and a level that is asked for."""
    at = draw(st.integers(0, 2))
    return COLUMN[at], draw(encoded(near(st.just(TEXTS[at])))), draw(st.integers(-1, 3))


RULES = st.tuples(
    st.sampled_from(["--widths", "--cuts", "--masks", "--bottom", "--top", "--kind", "--tree"]),
    near(
        st.sampled_from(["age=5,10", "age=20,22", "city=1,2", "age=18", "age=90", "age=number", "city=tree.csv"]),
        changes=2,
    ),
)


def ask(given: tuple) -> str:
    if len(given) == 2:
        option, text = given
        written("tree.csv", TEXTS[0])
        file = written("table.csv", "\n".join(",".join(row) for row in (NAMES, *rows(8))))
        return run_command(["hierarchies", file, "-g", "age", "-g", "city", option, text, "-o", "drafts", "--force"])
    column, content, level = given
    file = written(f"{column}.csv", content)
    hierarchy = sl.read_hierarchy(file)
    table = sl.read_table(TABLE, quasi=[column], sensitive="disease")
    sl.generalise(table, by={column: hierarchy}, to={column: level})
    return ""


TARGET = Target("hierarchies", st.one_of(files(), files(), files(), RULES), ask, share=100, short=60, texts=TEXTS)
