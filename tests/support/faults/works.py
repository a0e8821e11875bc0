"""What is run while faults happen, and what must be found afterwards, whatever happened.

A *work* is a command in a folder of its own, where something stands already.  After a fault:

    whole     what stood there or all of the new, as every reader sees it (digests decide); never a mixture, never a half
    spent     the ledger can be read, and knows whatever noise is there
    private   what is left over is called unfinished, a lock or temporary, and only its owner can open it
    inputs    are as they were
    true      a run that ended says what a reader finds: all of the new, or what stood there
    again     the same command, run at once and with nothing in between, succeeds, has done what it says, has paid once,
              and leaves nothing but what it names.  Whoever looks, looks at a copy: reading settles what is there.
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from support.command_line import invoke

AGES, DISEASES = range(20, 50), ("Flu", "Cold", "Ulcer", "Asthma")
PEOPLE = "id,age,sex,disease\n" + "".join(
    f"{n},{AGES[n * 7 % 30]},{'fm'[n % 2]},{DISEASES[n * n % 4]}\n" for n in range(240)
)
INPUTS = {
    "people.csv": PEOPLE,
    "levels/age.csv": "".join(f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};*\n" for age in AGES),
    "levels/sex.csv": "f;*\nm;*\n",
}
ROLES = ("-g", "age", "-g", "sex", "-s", "disease")
TEMPORARY = "tmp"


def protecting(size: int, output: str, *more: str) -> tuple[str, ...]:
    limit = ("-l", f"group size >= {size}")
    return ("protect", "people.csv", *ROLES, *limit, "--ask", "nobody", "-o", output, "--force", *more)


def mondrian(size: int, output: str = "release.csv", *more: str) -> tuple[str, ...]:
    return protecting(size, output, "--method", "mondrian", *more)


def noise(epsilon: str) -> tuple[str, ...]:
    counting = ("--levels", "age=1", "--levels", "sex=0", "--hierarchies", "levels")
    values = [word for disease in DISEASES for word in ("--domain", disease)]
    paying = ("-e", epsilon, "--ledger", "ledger.json", "-o", "noisy.csv", "--force")
    return ("noise", "people.csv", *counting, "--sensitive", "disease", *values, "--person", "id", *paying)


def answers(size: int) -> tuple[str, ...]:
    files = ("-o", "answer.json", "--html", "answer.html", "--markdown", "answer.md", "--force")
    return ("audit", "people.csv", *ROLES, "-l", f"group size >= {size}", *files)


def report(signed: str) -> tuple[str, ...]:
    return ("report", "release.csv", "--signed-by", signed, "--html", "report.html", "--force")


BEGIN = ("ledger", "begin", "ledger.json", "-e", "1000")


def release_state(path: Path) -> str:
    """Say which release a reader finds, by what its sidecar says."""
    import sidelight as sl  # noqa: PLC0415 - imported in children, whoever imports this
    from sidelight.files import settle  # noqa: PLC0415

    settle(path)
    if not path.exists():
        assert not [*path.parent.glob(f"{path.name}*json")], "there is a sidecar or a dictionary alone"
        return "nothing"
    read = sl.read_published(path)
    assert int(read.groups.sizes.sum()) == 240, "people are missing"
    return next(iter(re.findall(r"group size (?:>=|≥) (\d+)", str(read.provenance.policy))))


def ledger_state(path: Path) -> str:
    import sidelight as sl  # noqa: PLC0415

    counts = path.with_name("noisy.csv")
    if not path.exists():
        assert not counts.exists(), "noise without a ledger"
        return "nothing"
    account = sl.Ledger(path).read()
    spent = f"{len(account.entries)} spent"
    if not counts.exists():
        return f"{spent}, nothing published"
    noisy = sl.read_noise(counts)
    assert noisy.receipt is not None
    assert any(entry.receipt == noisy.receipt for entry in account.entries), "the ledger forgot noise that is there"
    return f"{spent}, epsilon {noisy.spending.epsilon}"


def page_state(path: Path) -> str:
    if not path.exists():
        return "nothing"
    text = path.read_text(encoding="utf-8")
    assert text.rstrip().endswith("</html>"), "half a page"
    return "Ann" if "Ann Early" in text else "Lea" if "Lea Late" in text else "neither"


def answer_states(folder: Path) -> str:
    """Say what the three files of an answer are; each is whole, and none relies on another."""
    document = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    assert document["kind"]
    assert (folder / "answer.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    limits = [
        re.findall(r"group size[^0-9]{1,200}?(\d+)", (folder / f"answer.{kind}").read_text(encoding="utf-8"))[:1]
        for kind in ("json", "md")
    ]
    return str(limits)


@dataclass
class Work:
    """A command, what was done there before, how to say what a reader finds, and what there is in the end."""

    name: str
    words: tuple[str, ...]
    state: Callable[[Path], str]
    outputs: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    stays: tuple[str, ...] = ()  # what else is there in the end
    again: str = ""  # how the next run may be refused: it is done
    room: int | None = None  # how many keys a search may hold, and rows be sorted at a time
    allowed: Callable[[str, str, str], bool] = lambda state, old, new: state in (old, new)
    repeated: Callable[[str, str], str] = lambda state, new: new  # what there is after a state and one more run
    said: str = ""  # by the last run, where it was refused

    def prepare(self, folder: Path) -> None:
        """Make a folder with what there is before."""
        for name, text in INPUTS.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        (folder / TEMPORARY).mkdir()
        for words in self.before:
            assert self._invoked(words, folder) == 0, (words, self.said)

    def run(self, folder: Path) -> int:
        """Run the command there."""
        return self._invoked(self.words, folder)

    def _invoked(self, words: tuple[str, ...], folder: Path) -> int:
        os.chdir(folder)
        tempfile.tempdir = str(folder / TEMPORARY)
        if self.room is not None:
            little_room(self.room)
        outcome = invoke(words)
        said = outcome.stderr.strip()
        assert "Traceback" not in said, said
        assert "should not have" not in said, said
        assert outcome.exit_code in (0, 1) or said.count("\n") == 0, said
        self.said = said
        return 0 if outcome.exit_code in (0, 1) else outcome.exit_code

    def found(self, folder: Path) -> str:
        """Say what a reader finds; an `AssertionError` or an error of ours where it is not whole."""
        return self.state(folder / self.outputs[0] if self.outputs[0] != "." else folder)

    def problems(self, folder: Path, old: str, new: str, status: int | None) -> tuple[str, list[str]]:
        """Say what a reader finds after a fault, and what must not be; run in a child, as it reads.

        `status` is what the disturbed run ended with, if it ended by itself.
        """
        found = [*self._left_open(folder), *self._changed_inputs(folder)]
        os.chdir(folder)
        tempfile.tempdir = str(folder / TEMPORARY)
        try:
            state = self.found(folder)
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is told
            return "", [*found, f"cannot be read: {type(problem).__name__} {problem}"]
        if not self.allowed(state, old, new):
            found.append(f"found {state}, neither {old} nor {new}")
        if status is not None and (status == 0) != (state == new) and old != new:
            found.append(f"it ended with {status}, and a reader finds {state}, after {old} and before {new}")
        return state, found

    def again_problems(self, folder: Path, state: str, new: str) -> list[str]:
        """Run the command again, where a reader would find `state`, and say what must not be; run in a child."""
        return [*self._again(folder, state, new)]

    def _again(self, folder: Path, state: str, new: str) -> Iterator[str]:
        self.said = ""
        status = self.run(folder)
        if status:
            done = self.again and self.again in self.said
            yield from () if done else (f"the same command again ends with {status}: {self.said}",)
            return
        try:
            after, expected = self.found(folder), self.repeated(state, new)
            if after != expected:
                yield f"the same command again leaves {after} and not {expected}"
        except Exception as problem:  # noqa: BLE001
            yield f"what the same command again wrote cannot be read: {type(problem).__name__} {problem}"
        there = {each.name for each in folder.iterdir()} - {"people.csv", "levels", TEMPORARY}
        expected_names = {*self.names, *self.stays}
        if there != expected_names:
            yield f"after the same command again {sorted(there ^ expected_names)} is left over or missing"
        if any((folder / TEMPORARY).iterdir()):
            yield "temporary files are left after the same command again"

    @property
    def names(self) -> set[str]:
        """All that it writes: what is beside a release or noisy counts too."""
        beside = {"release": (".sidelight.json", "-metadata.json"), "noisy": (".noise.json",)}
        names = {name for name in self.outputs if name != "."}
        alone = {name for name in names if name.count(".") == 1}
        return names | {f"{name}{more}" for name in alone for more in beside.get(name.partition(".")[0], ())}

    def _left_open(self, folder: Path) -> Iterator[str]:
        """Look for names that say nothing, and for folders that others can open."""
        known = {"people.csv", "levels", TEMPORARY, *self.names, *self.stays}
        for each in folder.iterdir():
            target, _, rest = each.name.rpartition(".")
            if each.name in known or (target in known and rest in ("lock", "before")):
                continue
            if not (target in known and rest.startswith("unfinished-")):
                yield f"{each.name} is left, and its name does not say what it is"
            elif stat.S_IMODE(each.stat().st_mode) != 0o700:
                yield f"{each.name} can be opened by others"
        for each in (folder / TEMPORARY).iterdir():
            if not each.name.startswith("sidelight-") or stat.S_IMODE(each.stat().st_mode) not in (0o600, 0o700):
                yield f"{each.name} is left among temporary files, or can be opened by others"

    def _changed_inputs(self, folder: Path) -> Iterator[str]:
        for name, text in INPUTS.items():
            if (folder / name).read_text(encoding="utf-8") != text:
                yield f"the input {name} was changed"


def little_room(keys: int) -> None:
    """Let a search hold few keys, and sort few rows at a time, so that it puts the rest into temporary files."""
    from sidelight.engines.duckdb import source as duckdb_session  # noqa: PLC0415
    from sidelight.search import mondrian_streamed  # noqa: PLC0415
    from sidelight.streams.memory import Memory  # noqa: PLC0415

    store, room = mondrian_streamed.StreamedStore, {"keys": keys, "histograms": 10**6, "groups": 10**9}
    mondrian_streamed.StreamedStore = lambda *given, **_: store(*given, **room)
    Memory.rows_to_sort = lambda _, words: keys
    duckdb_session.FEW_BYTES = 0  # as of many rows: DuckDB may spill


RELEASE = ("release.csv",)
WORKS = (
    Work("publish", mondrian(3), release_state, RELEASE),
    Work("publish over an earlier release", mondrian(3), release_state, RELEASE, before=(mondrian(40),)),
    Work(
        "publish two tables over two",
        protecting(3, "release.csv", "-l", "distinct values >= 2", "--method", "anatomy"),
        release_state,
        (*RELEASE, "release.values.csv"),
        before=(protecting(2, "release.csv", "-l", "distinct values >= 2", "--method", "anatomy"),),
    ),
    Work(
        "begin a ledger",
        BEGIN,
        ledger_state,
        ("ledger.json",),
        stays=("ledger.json.lock",),
        again="there is a ledger 'ledger.json' already",
    ),
    Work(
        "noise from a ledger",
        noise("1/2"),
        ledger_state,
        ("ledger.json", "noisy.csv"),
        before=(BEGIN, noise("1/4")),
        stays=("ledger.json.lock",),
        # a spending without its noise is what a crash may leave, and never the other way round
        allowed=lambda state, old, new: state in (old, new, old.replace("1 spent", "2 spent")),
        repeated=lambda state, new: new.replace("2 spent", f"{int(state.split()[0]) + 1} spent"),
    ),
    Work(
        "report",
        report("Lea Late"),
        page_state,
        ("report.html",),
        before=(mondrian(3), report("Ann Early")),
        stays=("release.csv", "release.csv.sidelight.json", "release.csv-metadata.json"),
    ),
    Work(
        "three answers",
        answers(3),
        answer_states,
        (".", "answer.json", "answer.html", "answer.md"),
        before=(answers(4),),
        allowed=lambda state, old, new: True,  # each is whole, and of which run it is does not matter to the others
    ),
    Work(
        "search out of core",
        mondrian(3, "release.parquet", "--memory", "1GB"),
        release_state,
        ("release.parquet",),
        before=(mondrian(40, "release.parquet"),),
        room=50,
    ),
)


def copied(template: Path, to: Path) -> Path:
    """Copy a folder with its links as links: two names of one file are so in the copy."""
    to.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", str(template), str(to)], check=True)
    return to
