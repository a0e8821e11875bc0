"""Ledgers: documents that were cut, changed, or changed and signed again with the digest that fits."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import near, near_bytes, near_json
from trust.fuzz.people import run_command, written

import sidelight as sl
from sidelight.noise.ledger import compute_digest


@cache
def document() -> dict[str, object]:
    """A ledger that was spent from."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = sl.Ledger.begin(Path(folder, "l.json"), epsilon=3, delta="1/1000000", accounting="concentrated")
        ledger.spend(sl.Spending("counts of disease by sex", epsilon=0.5))
        ledger.spend(sl.Spending("counts of disease by age", epsilon=0.25))
        return json.loads(ledger.path.read_text(encoding="utf-8"))


@st.composite
def documents(draw: st.DrawFn) -> tuple[bytes, str]:
    """A document near the right one; where its values were changed, its digest mostly fits."""
    how = draw(st.sampled_from(["signed", "signed", "signed", "text", "bytes"]))
    text = json.dumps(document())
    if how == "signed":
        changed = draw(near_json({name: each for name, each in document().items() if name != "digest"}))
        if isinstance(changed, dict):
            changed = {**changed, "digest": compute_digest(changed)}
        text = json.dumps(changed)
    elif how == "text":
        text = draw(near(st.just(text), changes=2))
    content = text.encode("utf-8", "surrogatepass")
    content = near_bytes(draw, content) if how == "bytes" else content
    return content, draw(st.sampled_from(["read"] * 12 + ["spend"] * 4 + ["show", "spent", "promise"]))


def ask(given: tuple[bytes, str]) -> str:
    content, reader = given
    file = written("ledger.json", content)
    if reader == "read":
        account = sl.Ledger(Path(file)).read()
        str(account), repr(account), account._repr_html_()
        sl.promise_of(account.spendings)
        return ""
    if reader == "spend":
        sl.Ledger(Path(file)).spend(sl.Spending("more", epsilon=0.01))
        return ""
    return run_command(["ledger", reader, file] if reader in ("show", "spent") else [reader, file])


TEXTS = (json.dumps(document()),)
TARGET = Target("ledgers", documents(), ask, share=80, short=80, texts=TEXTS)
