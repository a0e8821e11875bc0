"""Documents beside published files: sidecars of releases, and those of noisy counts."""

from __future__ import annotations

import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pyarrow as pa
from hypothesis import strategies as st
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import near, near_bytes, near_json
from trust.fuzz.people import NAMES, rows, run_command

import sidelight as sl

RELEASE, COUNTS = "release.csv", "counts.csv"
BESIDE = {RELEASE: "release.csv.sidelight.json", COUNTS: "counts.csv.noise.json"}


@cache
def published() -> Path:
    """A folder with a release and noisy counts, each with its document."""
    folder = Path(tempfile.mkdtemp())
    table = sl.read_table(
        pa.table(dict(zip(NAMES, zip(*rows(24), strict=True), strict=True))),
        quasi=["age", "sex"],
        sensitive="disease",
        person="name",
    )
    by = {name: sl.Hierarchy.suppression(name, table.column(name).labels) for name in ("age", "sex")}
    sl.protect(table, sl.Policy(sl.GroupSize() >= 2), by=by, ask="nobody").publish(folder / RELEASE, seed=1)
    domain = [label for label in table.domain if label is not None]
    noise = sl.noisy_counts(table, by=by, levels={"age": 1, "sex": 0}, domain=domain, epsilon=1, ledger="no ledger")
    noise.publish(folder / COUNTS)
    return folder


def document(file: str) -> dict[str, object]:
    return json.loads((published() / BESIDE[file]).read_text(encoding="utf-8"))


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, bytes, str]:
    """A document near the right one, beside its file; and who reads it."""
    file = draw(st.sampled_from([RELEASE, RELEASE, COUNTS]))
    how = draw(st.sampled_from(["values", "values", "text", "bytes"]))
    if how == "values":
        text = json.dumps(draw(near_json(document(file), changes=3)))
    else:
        text = json.dumps(document(file), indent=1)
        text = draw(near(st.just(text), changes=2)) if how == "text" else text
    content = text.encode("utf-8", "surrogatepass")
    content = near_bytes(draw, content) if how == "bytes" else content
    readers = {RELEASE: ["read", "read", "audit", "report", "attack"], COUNTS: ["read", "read", "count", "promise"]}
    return file, content, draw(st.sampled_from(readers[file]))


def ask(given: tuple[str, bytes, str]) -> str:
    file, content, reader = given
    shutil.copyfile(published() / file, file)
    Path(BESIDE[file]).write_bytes(content)
    if reader == "read":
        sl.read_published(file) if file == RELEASE else sl.read_noise(file)
        return ""
    more = {"attack": ["--as", "learner"], "report": ["--html", "r.html", "--force"]}
    return run_command([reader, file, *more.get(reader, [])])


TARGET = Target("sidecars", documents(), ask, share=60, short=20)
