"""What changes code and asks the tests must itself be asked: are its mutants real, and its kills?"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.words import mentions

pytest.importorskip("mutmut")

ROOT = Path(__file__).parents[2]
CODE = """
from fractions import Fraction
from functools import cache, cached_property

LIMIT = 5


@cache
def cached(x):
    return x + 1


def generated(x, *, step=2):
    for each in range(x):
        yield each * step


def imported(share=0.5):
    return Fraction.from_float(share)


class Base:
    def size(self, least=3):
        return least


class Inner(Base):
    @property
    def twice(self):
        return self.size() * 2

    @cached_property
    def once(self):
        return 1 < self.twice

    def size(self, least=4):
        inherited = super().size(least)
        return inherited
"""


def load():
    spec = importlib.util.spec_from_file_location("mutants_of_file", ROOT / "scripts" / "mutants_of_file.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


of_file = load()


@pytest.fixture
def live(tmp_path):
    """A module whose functions may be changed, and how to change them."""
    path = tmp_path / "changing.py"
    path.write_text(CODE)
    spec = importlib.util.spec_from_file_location("changing", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return SimpleNamespace(module=module, functions=of_file.live_functions(path))


@pytest.mark.parametrize(
    ("function", "becomes", "answer"),
    [
        ("cached", "return x - 1", lambda m: m.cached(5) == 4),
        ("imported", "def imported(share=1.5):", lambda m: m.imported() == 1.5),
        ("cached", "return x + 2", lambda m: m.cached(5) == 7),
        ("generated", "yield each / step", lambda m: list(m.generated(3)) == [0, 0.5, 1]),
        ("generated", "def generated(x, *, step=3):", lambda m: list(m.generated(3)) == [0, 3, 6]),
        ("Inner.twice", "return self.size() / 2", lambda m: m.Inner().twice == 2),
        ("Inner.once", "return 2 < self.twice", lambda m: m.Inner().once),
        ("Inner.size", "def size(self, least=5):", lambda m: m.Inner().size() == 5),
        ("Inner.size", "inherited = None", lambda m: m.Inner().size() is None),
        ("Base.size", "def size(self, least=4):", lambda m: m.Base().size() == 4),
    ],
)
def test_a_mutant_changes_the_function_whatever_is_around_it(live, function, becomes, answer):
    assert live.module.Inner().twice == 8
    mutant = next(m for m in of_file.mutants(CODE) if m.function == function and m.becomes == becomes)
    assert of_file.apply(mutant, live.functions[mutant.function, mutant.first_line])
    assert answer(live.module)


def test_every_mutant_can_be_made_and_differs(live):
    found = of_file.mutants(CODE)
    assert {mutant.function for mutant in found} == {
        "cached", "generated", "imported", "Base.size", "Inner.twice", "Inner.once", "Inner.size",
    }  # fmt: skip
    assert len({mutant.key for mutant in found}) == len(found)
    for mutant in found:
        functions = live.functions[mutant.function, mutant.first_line]
        before = [(each.__code__, each.__defaults__, each.__kwdefaults__) for each in functions]
        assert of_file.apply(mutant, functions), mutant
        for each, restored in zip(functions, before, strict=True):
            each.__code__, each.__defaults__, each.__kwdefaults__ = restored


def test_a_mutant_is_on_the_lines_of_its_statement():
    code = "def f(x, y=1):\n    if x < (\n        2\n    ):\n        return 3\n    return y\n"
    lines = {mutant.becomes: mutant.lines for mutant in of_file.mutants(code)}
    assert lines["def f(x, y=2):"] == range(1, 7)
    assert lines["3"] == range(2, 5)
    assert lines["return 4"] == range(5, 6)


SOURCE = '''
from functools import cache


def within(value, limit):
    """
    >>> within(6, 5)
    False
    """
    return value <= limit


def label(number):
    return "many" if number > 3 else "few"


def slow(number):
    while number > 0:
        number = number - 1
    return number


@cache
def remembered(number):
    return number * 2


def nobody(number):
    return number + 1
'''
TESTS = """
import os
from sidelight.policy.limit import label, remembered, slow, within

parent, six = os.getpid(), remembered(3)


def test_limit():
    assert within(5, 5)


def test_label():
    assert label(9) == "many"
    assert label(1) == "few"


def test_slow():
    assert slow(3) == 0


def test_remembered():
    assert remembered(3) == 6


def test_not_in_a_fork():
    assert within(1, 5) and label(3) and os.getpid() == parent
"""


@pytest.fixture
def project(tmp_path):
    """A project of one file, with our scripts."""
    for folder in ("scripts", "docs", "src/sidelight/policy", "tests/unit/policy"):
        (tmp_path / folder).mkdir(parents=True)
    for script in ("mutants.py", "mutants_of_file.py", "trust_page.py"):
        shutil.copy(ROOT / "scripts" / script, tmp_path / "scripts")
    for package in ("sidelight", "sidelight/policy"):
        (tmp_path / "src" / package / "__init__.py").touch()
    (tmp_path / "src/sidelight/policy/limit.py").write_text(SOURCE)
    (tmp_path / "tests/unit/policy/test_limit.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --doctest-modules --import-mode=importlib\n")
    (tmp_path / "docs/trust.md").write_text("a\n<!-- mutants -->\nold\n<!-- /mutants -->\nz\n")

    def make_mutants(*arguments):
        command = [sys.executable, "scripts/mutants.py", "--beside", "--jobs", "1", *arguments]
        surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "src"), *sys.path])}
        return subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)

    return SimpleNamespace(root=tmp_path, make_mutants=make_mutants)


def test_survivors_are_named_until_they_are_listed(project):
    first = project.make_mutants("policy/limit.py")
    assert first.returncode == 1, first.stdout + first.stderr
    assert '+ return "many" if number >= 3 else "few"' in first.stdout
    assert "+ return number - 1" in first.stdout  # which no test executes
    assert "+ return value < limit" not in first.stdout  # which one test notices
    assert "+ return number / 2" not in first.stdout  # also where an answer was remembered before
    assert "not used: tests/unit/policy/test_limit.py::test_not_in_a_fork" in first.stdout
    verdicts = project.root / ".cache/mutants/verdicts/policy/limit.py.jsonl"
    before = verdicts.read_text()
    assert '"timeout"' in before
    assert before.count('"no test"') == 2

    lists = [("label", line) for line in first.stdout.splitlines() if line.startswith('  + return "many" if')]
    lists += [
        ("nobody", "  + return number - 1"),
        ("nobody", "  + return number + 2"),
        ("within", "  + return value < limit"),
    ]
    was = {
        "label": 'return "many" if number > 3 else "few"',
        "nobody": "return number + 1",
        "within": "return value <= limit",
    }
    listed = project.root / "tests/mutants/survivors/policy/limit.py.toml"
    listed.parent.mkdir(parents=True)
    changes = [[name, was[name], line.removeprefix("  + ")] for name, line in lists]
    listed.write_text(f"[[survivors]]\nreason = 'an example'\nchanges = {json.dumps(changes)}\n")
    second = project.make_mutants("policy/limit.py")
    killed = [line for line in second.stdout.splitlines() if mentions(line, "killed", "listed as a survivor")]
    assert "within: return value < limit" in {line.split("survivor: ")[-1] for line in killed}
    assert verdicts.read_text() == before  # nothing was tried again
    left = [line for line in second.stdout.splitlines() if line.startswith("  + ")]
    assert second.returncode == int(bool(left)), second.stdout
    shutil.rmtree(project.root / ".cache/mutants/verdicts")
    assert second.stdout.endswith(project.make_mutants("--judge").stdout)  # from the condensed verdicts
    page = (project.root / "docs/trust.md").read_text()
    assert page.startswith("a\n<!-- mutants -->\n")
    assert "| `policy/limit.py`, by some of the tests |" in page
    assert page.endswith("<!-- /mutants -->\nz\n")


def test_a_sample_is_drawn_and_goes_on(project):
    some = project.make_mutants("policy/limit.py", "--share", "50")
    _, mutants, tried, *_ = some.stdout.splitlines()[-1].split(" | ")
    assert 0 < int(tried) < int(mutants)
    shutil.rmtree(project.root / ".cache/mutants/verdicts")
    kept = (project.root / ".cache/mutants/kept/policy/limit.py.toml").read_text()
    assert 'tests = "some"' in kept
    rest = project.make_mutants("policy/limit.py")
    assert rest.stdout.splitlines()[-1].split(" | ")[1:3] == [mutants, mutants]
    assert (project.root / ".cache/mutants/verdicts/policy/limit.py.jsonl").read_text().count("killed") < int(mutants)


def test_reasons_are_given_by_number(project):
    first = project.make_mutants("policy/limit.py")
    numbers = [line.partition(":")[0] for line in first.stdout.splitlines() if ": policy/limit.py: " in line]
    second = project.make_mutants("policy/limit.py", "--judge", "--because", "an example", "--numbers", *numbers)
    assert ": policy/limit.py: " not in second.stdout
    assert "an example" in (project.root / "tests/mutants/survivors/policy/limit.py.toml").read_text()
    assert (second.returncode, second.stdout.splitlines()[-1].endswith("| 100.0 % |")) == (0, True)


def test_figures_of_the_whole_stay_while_some_files_have_no_verdicts(project):
    (project.root / "src/sidelight/policy/other.py").write_text("def more(number):\n    return number + 1\n")
    ran = project.make_mutants("policy/limit.py")
    assert "docs/trust.md stays as it is" in ran.stdout
    assert (project.root / "docs/trust.md").read_text() == "a\n<!-- mutants -->\nold\n<!-- /mutants -->\nz\n"


def test_a_file_that_is_not_there_is_told(project):
    ran = project.make_mutants("policy/other.py")
    assert ran.returncode == 1
    assert mentions(ran.stderr, "no source file policy/other.py", "src/sidelight", "measures/sums.py")
    assert ran.stderr.strip().count("\n") == 0
