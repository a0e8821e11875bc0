"""One target, led by coverage: `python guided.py TARGET INPUTS SEED ANSWER`, of which ANSWER gets the tally.

libFuzzer changes bytes and keeps those that reach new lines of the rooms that read texts; it begins with valid texts.
Where atheris has no wheel (it needs Linux on x86-64 and Python up to 3.13), nothing is run, and the table says 0 inputs.
"""

from __future__ import annotations

import atexit
import pickle
import sys
import warnings
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(TESTS)]

import atheris  # noqa: E402

READERS = (
    "sidelight.knowledge",
    "sidelight.policy",
    "sidelight.table.hierarchy_io",
    "sidelight.noise.accountant",
    "sidelight.noise.ledger",
)

with atheris.instrument_imports(include=list(READERS)):
    from trust.fuzz.bars import Tally, judge
    from trust.fuzz.targets import TARGETS

AS_TYPED = {
    "facts": lambda data: (data.decode("utf-8", "replace"), "Ann = Flu"),
    "statements": lambda data: (data.decode("utf-8", "replace"),),
    "limits": lambda data: (data.decode("utf-8", "replace"), False),
    "policies": lambda data: (data, "read"),
    "hierarchies": lambda data: ("age", data, 1),
    "ledgers": lambda data: (data, "read"),
}
"""How bytes become an input of each target."""


def main() -> None:
    name, inputs, seed, answer = sys.argv[1:]
    warnings.simplefilter("ignore")
    target = next(each for each in TARGETS if each.name == name)
    target.prepare()
    tally = Tally(name)
    corpus = Path("corpus")
    corpus.mkdir()
    for at, text in enumerate(target.texts):
        (corpus / str(at)).write_text(text, encoding="utf-8")
    # libFuzzer ends the process itself, without Python's own way out
    place = Path(answer).resolve()

    def one_input(data: bytes) -> None:
        judge(target, AS_TYPED[name](data), tally)
        if tally.inputs % 1000 == 0 or tally.inputs >= int(inputs):
            place.write_bytes(pickle.dumps(tally))

    atexit.register(lambda: place.write_bytes(pickle.dumps(tally)))
    options = [
        f"-atheris_runs={inputs}",
        f"-seed={seed}",
        "-max_len=2000",
        "-timeout=60",
        "-rss_limit_mb=4096",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
