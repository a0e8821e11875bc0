"""Each benchmark can be named and imported; the quick ones run; figures are read from RESULTS.md as they stand."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import bench
import charts
import peers
import promises
import pytest
import results

FOLDER = Path(bench.__file__).parent


def test_every_script_is_a_benchmark_or_shared():
    names = [script.name for script in bench.SCRIPTS]
    assert sorted([*names, *bench.SHARED]) == sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", bench.SCRIPTS, ids=lambda script: script.name)
def test_a_benchmark_imports_and_says_what_it_asks(script, monkeypatch):
    monkeypatch.setenv(results.QUICK, "1")
    with monkeypatch.context() as patched:
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
            patched.setenv(name, "1")  # put back afterwards, as a script sets them
        module = importlib.import_module(script.name)
    assert module.__doc__.splitlines()[0].endswith("?") or "?" in module.__doc__
    assert f"python benchmarks/{script.name}.py" in module.__doc__


def test_a_quick_run_writes_nothing():
    before = results.RESULTS.read_bytes()
    command = [sys.executable, str(FOLDER / "bench.py"), "--quick", "lattice"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    assert "| 4 columns | 1,900 | 72 |" in done.stdout
    assert results.RESULTS.read_bytes() == before


def test_an_unknown_benchmark_is_an_error():
    done = subprocess.run(
        [sys.executable, str(FOLDER / "bench.py"), "speed"], check=False, capture_output=True, text=True
    )
    assert (done.returncode, "no benchmark is called speed" in done.stderr) == (2, True)


def test_a_part_replaces_itself_and_leaves_the_others(tmp_path, monkeypatch):
    file = tmp_path / "RESULTS.md"
    monkeypatch.setattr(results, "RESULTS", file)
    monkeypatch.setattr(charts, "draw", lambda *names: None)
    monkeypatch.delenv(results.QUICK, raising=False)
    for name, value in (("b", "2"), ("a", "1,000.5"), ("b", "3")):
        results.write_part(name, "how", f"| who | ratio |\n| --- | ---: |\n| x | {value} |")
    parts = results.read_parts(file)
    assert list(parts) == ["a", "b"]
    assert parts["b"].grids == (results.Grid(("who", "ratio"), (("x", "3"),)),)
    assert [results.number(parts[name].grids[0].rows[0][1]) for name in parts] == [1000.5, 3.0]
    assert "cores of" in file.read_text()
    assert str(FOLDER) not in file.read_text()


def test_the_page_shows_what_stands_in_the_results():
    page = charts.PAGE.read_text(encoding="utf-8")
    assert charts.renewed(page, results.read_parts()) == page, "run: python benchmarks/charts.py"


def test_every_part_has_its_picture():
    parts = results.read_parts()
    assert {each.part for each in charts.PICTURES_DRAWN} >= set(parts)
    assert [name for name in parts if not (charts.PICTURES / charts.file_name(name)).exists()] == []


@pytest.mark.parametrize("promise", promises.PROMISES, ids=lambda promise: promise.words)
def test_a_promise_finds_its_figure_where_its_part_was_measured(promise):
    parts = results.read_parts()
    assert promise.part not in parts or promise.measured(parts) is not None


def test_of_several_rows_the_worst_counts():
    grid = results.Grid(("who", "ratio", "ratio"), (("a", "1.5", "7"), ("a b", "0.5", ""), ("c", "9", "9")))
    parts = {"p": results.Part("p", "", (grid,))}
    assert promises.Promise("", "p", "a", "ratio", 2).measured(parts) == 1.5
    assert promises.Promise("", "p", "a", "ratio", 2, at_least=True).measured(parts) == 0.5
    assert promises.Promise("", "p", "a", "ratio", 2, place=1).measured(parts) == 7
    assert promises.Promise("", "p", "c", "ratio", 2, against="a b").measured(parts) == 18
    assert promises.Promise("", "q", "a", "ratio", 2).measured(parts) is None


def test_a_difference_between_answers_needs_a_reason():
    contest = peers.CONTESTS[0]
    assert peers.compare(contest, {"group size": 5.0}, {"group size": 5.0})[0].endswith("| equal |")
    assert "rounds down" in peers.compare(contest, {"entropy diversity": 2.0}, {"entropy diversity": 2.5})[0]
    with pytest.raises(AssertionError, match="nobody has said why"):
        peers.compare(contest, {"group size": 5.0}, {"group size": 6.0})


def test_the_pins_of_the_peers_have_hashes():
    for name, wanted in peers.ENVIRONMENTS.items():
        pins = peers.lock_of(name).read_text(encoding="utf-8")
        assert all(f"\n{each.partition('>')[0].partition('<')[0]}==" in f"\n{pins}" for each in wanted)
        assert pins.count("--hash=sha256:") > pins.count("==")
