"""The mutants of one source file, and which of them our tests notice.

python scripts/mutants_of_file.py measures/classics.py tests/unit/measures/test_classics.py ...

mutmut says what to change (its operators: a flipped comparison, another constant, an argument left out).  Its own
runner starts pytest anew for every mutant, in no order of the tests, and leaves decorated functions out; we have 36,000
mutants, so ours is another:

1. pytest collects the tests once.
2. A fork of that process runs them all, watched by coverage.py: which test executes which line, and for how long.
3. For every mutant another fork exchanges the code of the one function that is changed (also of a property or a cached
   function), and runs only the tests that execute the changed statement: those that killed a neighbour first, then
   those that promise most kills in a second, until one fails or their time is used up.

A test kills a mutant only if it passes, in a fork like that, without the mutant.  A mutant that runs out of its
processor time is killed too, and counted apart.  Every verdict is written at once to .cache/mutants/verdicts/, so a run
can be stopped at any time; scripts/mutants.py condenses them to a letter each in .cache/mutants/kept/, and a later run
goes on from there.
"""

from __future__ import annotations
import __future__

import ast
import dataclasses
import functools
import gc
import hashlib
import importlib
import json
import os
import pickle
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import coverage
import libcst as cst
import pytest
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import NEVER_MUTATE_FUNCTION_NAMES, Mutation, MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import get_ignored_lines

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "sidelight"
CACHE = ROOT / ".cache" / "mutants"
KEPT = CACHE / "kept"

BUDGET = 3.0
"""Seconds of tests, at most, that a mutant has to survive (by their processor time when nothing is mutated)."""
SLOWEST = 5.0
"""A test that takes longer than this many seconds is not used."""
OTHERS = 0.2
"""A test that has other processes work for longer is not used: nothing is changed in those."""
MOST_MEMORY = 6 * 2**30
PATIENCE = 300.0
"""Seconds of the clock before a silent fork is given up.  Endless work ends by its processor time, long before: this is
for what waits for ever, and cores may be shared with others."""

ROOMS = ("policy", "worlds", "measures", "publish")

KILLED, SURVIVED, TIMEOUT, UNTESTED, UNTRIED = "killed", "survived", "timeout", "no test", "not tried"
LETTERS = {"k": KILLED, "s": SURVIVED, "t": TIMEOUT, "n": UNTESTED, ".": UNTRIED}


# --- what can be changed -------------------------------------------------------------------------------------------


class Key(NamedTuple):
    """Which mutant of a file: also in another run, as long as its function is written as it was."""

    function: str
    was: str
    becomes: str
    number: int  # which of the mutants with the same texts
    digest: str  # of the whole function as it is written

    @property
    def percentile(self) -> int:
        """A number below 100, as if by chance: those below 30 are a sample of 30 % of a file's mutants."""
        return zlib.crc32("\0".join([self.function, self.was, self.becomes, str(self.number)]).encode()) % 100


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change to one function: `was` and `becomes` are the lines that differ, without their indentation."""

    function: str
    was: str
    becomes: str
    number: int
    digest: str = dataclasses.field(compare=False)
    first_line: int = dataclasses.field(compare=False)  # of the function, with its decorators
    lines: range = dataclasses.field(compare=False)  # of the changed statement
    before: str = dataclasses.field(compare=False, repr=False)  # the definition that holds it, as written
    code: str = dataclasses.field(compare=False, repr=False)  # and changed
    code_line: int = dataclasses.field(compare=False, repr=False)

    @property
    def key(self) -> Key:
        """What a stored verdict is about."""
        return Key(self.function, self.was, self.becomes, self.number, self.digest)


class _Visitor(MutationVisitor):
    """mutmut's visitor; it also goes into decorated functions, and remembers where it was."""

    def __init__(self, file: str, code: str, wrapper: MetadataWrapper) -> None:
        super().__init__(mutation_operators, get_ignored_lines(file, code, wrapper, None))
        self.statements = {id(statement): number for number, statement in enumerate(wrapper.module.body)}
        self.statement, self.line = 0, 1
        self.found: list[tuple[int, int, Mutation]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.statement = self.statements.get(id(node), self.statement)
        place = self.get_metadata(PositionProvider, node, None)
        if isinstance(place, CodeRange):
            self.line = place.start.line
        return super().on_visit(node)

    def _create_mutations(self, node: cst.CSTNode) -> None:
        before = len(self.mutations)
        super()._create_mutations(node)
        self.found.extend((self.statement, self.line, mutation) for mutation in self.mutations[before:])

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef):
            overloaded = any(getattr(decorator.decorator, "value", "") == "overload" for decorator in node.decorators)
            return overloaded or node.name.value in NEVER_MUTATE_FUNCTION_NAMES
        return super()._skip_node_and_children(node)


class _Replace(cst.CSTTransformer):
    def __init__(self, old: cst.CSTNode, new: cst.CSTNode) -> None:
        super().__init__()
        self.old, self.new = old, new

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        return self.new if original_node is self.old else updated_node


@dataclasses.dataclass(frozen=True)
class _Function:
    name: str
    lines: range
    digest: str


def _functions(tree: ast.AST, lines: Sequence[str], within: str = "") -> Iterator[_Function]:
    """All functions that stand in no other function, by their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min(node.lineno, *(decorator.lineno for decorator in node.decorator_list), node.lineno)
            text = "\n".join(lines[first - 1 : node.end_lineno])
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            yield _Function(within + node.name, range(first, (node.end_lineno or first) + 1), digest)
        else:
            inner = f"{within}{node.name}." if isinstance(node, ast.ClassDef) else within
            yield from _functions(node, lines, inner)


def _statements(tree: ast.AST) -> dict[int, range]:
    """For each line the lines of the innermost statement there: of a compound one its head, of a definition all."""
    found: dict[int, range] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = node.end_lineno or node.lineno
            head = range(node.lineno, max(body[0].lineno - 1 if body else end, node.lineno) + 1)
            whole = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for line in head:
                if line not in found or len(head) < len(found[line]):
                    found[line] = range(node.lineno, end + 1) if whole else head
    return found


def mutants(code: str, file: str = "") -> list[Mutant]:
    """All mutants of the functions in a file's text.

    >>> [(mutant.was, mutant.becomes) for mutant in mutants("def f(x):\\n    return x < 1\\n")]
    [('return x < 1', 'return x <= 1'), ('return x < 1', 'return x < 2')]
    """
    wrapper = MetadataWrapper(cst.parse_module(code))
    module, lines, tree = wrapper.module, code.splitlines(), ast.parse(code)
    visitor = _Visitor(file, code, wrapper)
    wrapper.visit(visitor)
    texts = [module.code_for_node(statement) for statement in module.body]
    begins, place = [], 0
    for text in texts:
        place = code.index(text, place)
        begins.append(code.count("\n", 0, place) + 1)
        place += len(text)
    functions, statements = list(_functions(tree, lines)), _statements(tree)
    found: list[Mutant] = []
    seen: dict[tuple[str, str, str], int] = {}
    for place, line, mutation in visitor.found:
        function = next((function for function in functions if line in function.lines), None)
        if function is None:
            continue  # outside of all functions: constants, fields, names of types
        changed = module.body[place].visit(_Replace(mutation.original_node, mutation.mutated_node))
        text = module.code_for_node(changed)  # type: ignore[arg-type]
        was, becomes = _difference(texts[place], text)
        number = seen[function.name, was, becomes] = seen.get((function.name, was, becomes), -1) + 1
        touched = statements.get(line, function.lines)
        found.append(
            Mutant(
                function.name, was, becomes, number,
                function.digest, function.lines.start, touched, texts[place], text, begins[place],
            )
        )  # fmt: skip
    return found


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines that differ, stripped and joined."""
    old, new = before.splitlines(), after.splitlines()
    head = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    rest = min(len(old), len(new)) - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return tuple(" ".join(line.strip() for line in text[head : len(text) - tail]) for text in (old, new))  # type: ignore[return-value]


# --- exchanging the code of live functions -------------------------------------------------------------------------


def _find_code(code: CodeType, name: str, first_line: int) -> CodeType | None:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_qualname == name and inner.co_firstlineno == first_line:
                return inner
            if (found := _find_code(inner, name, first_line)) is not None:
                return found
    return None


def _defaults(text: str, name: str) -> tuple[list[ast.expr], dict[str, ast.expr]]:
    """The default values of a function's parameters, as written."""
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        inner = [each for each in ast.walk(node) if getattr(each, "name", None) == part and each is not node]
        node = inner[-1]  # of overloaded ones, the one that runs
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return node.args.defaults, {argument.arg: value for argument, value in named if value is not None}


def live_functions(file: Path) -> dict[tuple[str, int], list[FunctionType]]:
    """Every function object that was compiled from a file, whatever decorators put around it."""
    found: dict[tuple[str, int], list[FunctionType]] = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename == str(file):
            found.setdefault((each.__code__.co_qualname, each.__code__.co_firstlineno), []).append(each)
    return found


def apply(mutant: Mutant, functions: Sequence[FunctionType]) -> bool:
    """Change functions that live in this process; False if nothing is different afterwards."""
    live = functions[0].__code__
    code = _compiled(mutant.code, mutant, live)
    if code != _compiled(mutant.before, mutant, live):  # the live code may differ from both by how it calls imports
        for function in functions:
            function.__code__ = code
        return True
    old, old_named = _defaults(mutant.before, mutant.function)
    new, new_named = _defaults(mutant.code, mutant.function)
    other = {number: ast.literal_eval(new[number]) for number in range(len(new)) if _differ(old[number], new[number])}
    named = {name: ast.literal_eval(new_named[name]) for name in new_named if _differ(old_named[name], new_named[name])}
    for function in functions:
        before = enumerate(function.__defaults__ or ())
        function.__defaults__ = tuple(other.get(number, value) for number, value in before) or None
        function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), **named} or None
    return bool(other or named)


def _compiled(written: str, mutant: Mutant, live: CodeType) -> CodeType:
    """Compile the function of a mutant from its definition, as written before or changed."""
    tree = ast.parse("\n" * (mutant.code_line - 1) + written)

    def compiled() -> CodeType:
        flags = live.co_flags & __future__.annotations.compiler_flag
        whole = compile(tree, live.co_filename, "exec", flags, dont_inherit=True)
        code = _find_code(whole, mutant.function, mutant.first_line)
        assert code is not None, f"{mutant.function} is not at line {mutant.first_line} of its own mutant"
        return code

    if live.co_freevars and not compiled().co_freevars:
        _hold_on_to_class(tree, mutant)
    return compiled()


def _hold_on_to_class(tree: ast.Module, mutant: Mutant) -> None:
    """Let a method that no longer says super() mention its class all the same: code is exchanged only for its like."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == mutant.function.rpartition(".")[2]:
            never = ast.parse("if False: __class__").body[0]
            node.body.append(ast.copy_location(never, node.body[-1]))
            ast.fix_missing_locations(never)


def _differ(before: ast.expr, after: ast.expr) -> bool:
    return ast.dump(before) != ast.dump(after)


# --- forks ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Ran:
    """How a fork ended: the number of tests that passed, whether the next one failed, what was handed back."""

    passed: int
    ended: str  # "passed", "failed", "timeout" or "crashed"
    answer: object = None


class Forks:
    """A pytest plugin that holds collected tests, and runs some of them in forks."""

    def __init__(self) -> None:
        self.items: dict[str, pytest.Item] = {}
        self.failed: list[str] = []
        self.caches: list[functools._lru_cache_wrapper[object]] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.items = {
            item.nodeid: item
            for item in items
            if not any(item.get_closest_marker(mark) for mark in ("spark", "browser", "skip"))
            and "postgres" not in getattr(item, "fixturenames", ())
        }

    def prepare(self) -> None:
        """Find what remembers answers since the tests were collected: a fork forgets them.  Then stop tidying up."""
        kind = type(functools.cache(len))
        every = [each for each in gc.get_objects() if isinstance(each, kind)]
        self.caches = [each for each in every if getattr(each, "__module__", "").startswith("sidelight")]
        gc.freeze()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def run(
        self,
        tests: Sequence[str],
        seconds: dict[str, float],
        *,
        first: Callable[[], object] = lambda: None,
        around: Callable[[str, Callable[[], None]], None] = lambda _, run: run(),
        last: Callable[[], object] = lambda: None,
        stop: bool = True,
    ) -> Ran:
        """Run tests one after the other in a fork; each may use ten times its seconds of processor time, and some."""
        reader, writer = os.pipe()
        folder = tempfile.mkdtemp(prefix="mutant-")
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                _become_quiet(folder, self.items)
                for cache in self.caches:
                    cache.cache_clear()
                try:
                    first()
                except Exception as error:  # noqa: BLE001
                    _send(writer, b"x" + repr(error).encode(errors="replace"))
                    os._exit(0)
                for number, test in enumerate(tests):
                    _limit_time(10 * seconds.get(test, SLOWEST) + 3)
                    self.failed.clear()
                    item = self.items[test]
                    following = self.items[tests[number + 1]] if number + 1 < len(tests) else None
                    around(test, lambda: item.ihook.pytest_runtest_protocol(item=item, nextitem=following))  # noqa: B023
                    if self.failed and stop:
                        _send(writer, b"f")
                        os._exit(0)
                    _send(writer, b".")
                _send(writer, b"!" + pickle.dumps(last()))
            except BaseException as error:  # noqa: BLE001
                _send(writer, b"e" + repr(error).encode(errors="replace"))
            finally:
                os._exit(0)
        os.close(writer)
        patience = PATIENCE + 100 * max((seconds.get(test, SLOWEST) for test in tests), default=0)
        said, in_time = _hear(reader, patience)
        if not in_time:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        shutil.rmtree(folder, ignore_errors=True)
        return _understood(said, in_time=in_time, status=status)


def _understood(said: bytes, *, in_time: bool, status: int) -> Ran:
    dots = len(said) - len(said.lstrip(b"."))
    end = said[dots : dots + 1]
    if end == b"!":
        return Ran(dots, "passed", pickle.loads(said[dots + 1 :]))
    if end in (b"f", b"e"):
        return Ran(dots, "failed", said[dots + 1 :].decode(errors="replace"))
    if end == b"x":
        message = f"the mutant could not be made: {said[dots + 1 :].decode(errors='replace')}"
        raise RuntimeError(message)
    slow = not in_time or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL))
    return Ran(dots, "timeout" if slow else "crashed")


def _become_quiet(folder: str, items: dict[str, pytest.Item]) -> None:
    """Write nowhere that the parent or a sibling writes."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    for item in list(items.values())[:1]:
        item.config._tmp_path_factory._basetemp = Path(folder)  # type: ignore[attr-defined]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))  # what is only reserved, as V8 does, is free


def _limit_time(seconds: float) -> None:
    used = time.process_time()
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, hard))


def _seconds_of_others() -> float:
    """Processor time of the processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _send(writer: int, what: bytes) -> None:
    view = memoryview(what)
    while view:
        view = view[os.write(writer, view) :]


def _hear(reader: int, patience: float) -> tuple[bytes, bool]:
    """Everything that a fork says until it ends, or is silent for too long."""
    said = bytearray()
    try:
        while True:
            ready, _, _ = select.select([reader], [], [], patience)
            if not ready:
                return bytes(said), False
            if not (more := os.read(reader, 1 << 16)):
                return bytes(said), True
            said += more
    finally:
        os.close(reader)


# --- which test executes which line --------------------------------------------------------------------------------


class Watched(NamedTuple):
    """Of one file of tests: the seconds of each that passes, and for each source file the tests on each line."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[str]]]
    digests: dict[str, str]


def digest(path: Path) -> str:
    """Tell one state of a file from another."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""


def watched(tests: str) -> Watched | None:
    """What is known about a file of tests, unless it or a source file that it executes has changed since."""
    stored = CACHE / "tests" / f"{tests}.pickle"
    if not stored.exists():
        return None
    known = Watched(*pickle.loads(stored.read_bytes()))
    return known if all(digest(ROOT / path) == then for path, then in known.digests.items()) else None


def _watch(forks: Forks, tests: str) -> Watched:
    """Run a file of tests in a fork, once, under coverage.py."""
    names = [name for name in forks.items if name.partition("::")[0] == tests]
    watching = coverage.Coverage(
        data_file=None, config_file=False, messages=False, include=[f"{SOURCE / room}/*" for room in ROOMS]
    )
    seconds: dict[str, float] = {}

    def around(test: str, run: Callable[[], None]) -> None:
        watching.switch_context(test)
        begin, others = time.process_time(), _seconds_of_others()
        run()
        if not forks.failed and _seconds_of_others() - others < OTHERS:
            seconds[test] = time.process_time() - begin

    def lines() -> tuple[dict[str, float], dict[str, dict[int, list[str]]]]:
        watching.stop()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", coverage.exceptions.CoverageWarning)  # none of our lines were executed
            data = watching.get_data()
        files = {str(Path(file).relative_to(ROOT)): data.contexts_by_lineno(file) for file in data.measured_files()}
        return seconds, {
            file: {line: [test for test in on if test in seconds] for line, on in by_line.items()}
            for file, by_line in files.items()
        }

    patience = dict.fromkeys(names, 60.0)
    ran = forks.run(names, patience, first=watching.start, around=around, last=lines, stop=False)
    found, on_lines = ran.answer if ran.ended == "passed" else ({}, {})  # type: ignore[misc]
    if ran.ended != "passed":
        print(f"{tests}: {ran.ended} after {ran.passed} tests: {ran.answer}", flush=True)
    for lost in sorted(set(names) - set(found)):
        print(f"not used: {lost}", flush=True)
    known = Watched(found, on_lines, {path: digest(ROOT / path) for path in (tests, *on_lines)})
    stored = CACHE / "tests" / f"{tests}.pickle"
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_bytes(pickle.dumps(tuple(known)))
    return known


class Watch(Forks):
    """Watch files of tests, and end."""

    def __init__(self, files: Sequence[str]) -> None:
        super().__init__()
        self.files = files

    def pytest_runtestloop(self) -> bool:
        """Instead of running the tests here."""
        self.prepare()
        for file in self.files:
            _watch(self, file)
        return True


# --- the mutants of a file against its tests -----------------------------------------------------------------------


def beside(file: str) -> list[str]:
    """The tests that stand beside a source file: its own file of tests, and the examples in its docstrings."""
    path = Path(file)
    own = f"tests/unit/{path.with_name(f'test_{path.name}')}"
    return [*([own] if (ROOT / own).exists() else []), f"src/sidelight/{file}"]


class Verdicts:
    """Verdicts on the mutants of one source file, read from the cache.

    `kept_path` has a letter for each mutant of each function, valid as long as the function is written as it was.
    `path` has a line of JSON for each mutant tried since, with the test that gave the verdict.
    """

    def __init__(self, file: str) -> None:
        self.file, self.source = file, SOURCE / file
        self.path, self.kept_path = CACHE / "verdicts" / f"{file}.jsonl", KEPT / f"{file}.toml"
        self.known: dict[Key, tuple[str, str, str]] = {}
        self.tests = "some"
        if self.kept_path.exists():
            self._load()
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                key, verdict, by, tests = json.loads(line)
                self.known[Key(*key)] = verdict, by, tests

    def _load(self) -> None:
        kept = tomllib.loads(self.kept_path.read_text(encoding="utf-8"))
        self.tests, by_function = kept["tests"], self._by_function()
        for name, letters in kept["functions"].items():
            keys = by_function.get(name, [])
            if len(keys) == len(letters):
                self.known |= {key: (LETTERS[letter], "", "") for key, letter in zip(keys, letters, strict=True)}

    def _by_function(self) -> dict[str, list[Key]]:
        found: dict[str, list[Key]] = {}
        for key in self.keys():
            found.setdefault(f"{key.function} {key.digest}", []).append(key)
        return found

    def kept(self, tests: str) -> dict[str, object]:
        """Return the document for `kept_path`; `tests`: whether all or some were asked."""
        letter = {verdict: letter for letter, verdict in LETTERS.items()}
        functions = {
            name: "".join(letter[self.of(key)[0]] for key in keys) for name, keys in self._by_function().items()
        }
        return {"tests": tests, "functions": functions}

    @functools.cache  # noqa: B019 - there are as many as files
    def keys(self) -> list[Key]:
        """The mutants of the file as it is written now; what was worked out before is in the cache."""
        path, now = self.path.with_suffix(".keys.json"), digest(self.source)
        if path.exists():
            then, keys = json.loads(path.read_text(encoding="utf-8"))
            if then == now:
                return [Key(*key) for key in keys]
        keys = [mutant.key for mutant in mutants(self.source.read_text(encoding="utf-8"), str(self.source))]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([now, keys]), encoding="utf-8")
        return keys

    def of(self, key: Key) -> tuple[str, str, str]:
        """The verdict, the test that gave it, and the digest of the tests that were asked."""
        return self.known.get(key, (UNTRIED, "", ""))

    def add(self, key: Key, verdict: str, by: str, tests: str) -> None:
        """Write a verdict at once: whoever stops us loses nothing."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps([key, verdict, by, tests]) + "\n")
        self.known[key] = verdict, by, tests


class Trial(Forks):
    """The mutants of one file, tried one after the other."""

    def __init__(self, file: str, share: int, tests: Sequence[str]) -> None:
        super().__init__()
        self.file, self.share, self.tests, self.near = file, share, tests, beside(file)
        self.seconds: dict[str, float] = {}
        self.on_line: dict[int, set[str]] = {}
        self.fine: dict[str, bool] = {}
        self.killers: dict[str, list[str]] = {}
        self.kills: Counter[str] = Counter()

    def pytest_runtestloop(self) -> bool:
        """Instead of running the tests here."""
        source, done = SOURCE / self.file, 0
        importlib.import_module(".".join(("sidelight", *Path(self.file).with_suffix("").parts)))
        functions, verdicts = live_functions(source), Verdicts(self.file)
        self.prepare()
        for file in self.tests:
            known = watched(file) or _watch(self, file)
            self.seconds |= {test: took for test, took in known.seconds.items() if took <= SLOWEST}
            for line, on in known.lines.get(f"src/sidelight/{self.file}", {}).items():
                self.on_line.setdefault(line, set()).update(on)
        everything = mutants(source.read_text(), str(source))
        suite = "".join(digest(ROOT / file) for file in self.tests)
        for mutant in everything:
            tests = self.tests_of(mutant)
            asked = hashlib.sha256("".join([*sorted(tests), suite]).encode()).hexdigest()[:12]
            before = verdicts.of(mutant.key)
            if before[0] in (KILLED, TIMEOUT) or before[2] == asked:
                continue
            if before[0] == UNTRIED and mutant.key.percentile >= self.share:
                continue
            live = functions.get((mutant.function, mutant.first_line))
            verdict, by = self.try_one(mutant, live, tests) if live and tests else (UNTESTED, "")
            verdicts.add(mutant.key, verdict, by, asked)
            done += 1
            if done % 100 == 0:
                print(f"{self.file}: {done} tried, of {len(everything)}", flush=True)
        return True

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that execute the changed statement: as the head of this file says, within the budget."""
        hit = {test for line in mutant.lines for test in self.on_line.get(line, ())} & self.seconds.keys()
        killers = self.killers.get(mutant.function, [])

        def soon(test: str) -> tuple[int, float]:
            before = killers.index(test) if test in killers else len(killers)
            near = 5 * (test.partition("::")[0] in self.near)
            return before, -(self.kills[test] + near + 0.1) / (self.seconds[test] + 0.02)  # kills in a second

        chosen, left = [], BUDGET
        for test in sorted(sorted(hit & self.items.keys()), key=soon):
            if self.seconds[test] <= left or not chosen:
                chosen.append(test)
                left -= self.seconds[test]
        return chosen

    def try_one(self, mutant: Mutant, live: Sequence[FunctionType], tests: list[str]) -> tuple[str, str]:
        """Whether a test notices, and which."""
        while tests:
            ran = self.run(tests, self.seconds, first=lambda: apply(mutant, live))
            if ran.ended == "passed":
                return SURVIVED, ""
            killer = tests[min(ran.passed, len(tests) - 1)]
            if killer not in self.fine:
                self.fine[killer] = self.run([killer], self.seconds).ended == "passed"
                if not self.fine[killer]:
                    print(f"not used, it fails in a fork of its own: {killer}", flush=True)
            if self.fine[killer]:
                order = self.killers.setdefault(mutant.function, [])
                if killer in order:
                    order.remove(killer)
                order.insert(0, killer)
                self.kills[killer] += 1
                return (TIMEOUT if ran.ended == "timeout" else KILLED), killer
            tests = [test for test in tests if test != killer]
        return UNTESTED, ""


def ask_pytest(files: Sequence[str], plugin: Forks) -> int:
    """Collect tests without what only reports them, and let a plugin run them."""
    os.environ |= {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "SIDELIGHT_HYPOTHESIS": "mutants",
        "OPENBLAS_NUM_THREADS": "1",
        "POLARS_MAX_THREADS": "1",
    }
    os.chdir(ROOT)
    quiet = ["-q", "-s", "--no-header", "--no-summary", "--assert=plain", "--tb=no", "-p", "no:cacheprovider"]
    return int(pytest.main([*quiet, *files], plugins=[plugin]))


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "watch":
        status = ask_pytest(arguments, Watch(arguments))
    else:
        file, share, *tests = arguments
        status = ask_pytest(tests, Trial(file, int(share), tests))
    sys.stdout.flush()
    os._exit(status)  # what was frozen for the forks needs no tidying
