"""What all tests share: how hard hypothesis looks, and what happens to a test that cannot run here."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, settings
from support.examples import QUICK
from support.postgres import SECRET, Server, binaries, server
from support.signals import sigint

settings.register_profile("quick", max_examples=QUICK, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# a clean clone says the same twice; more examples would be the same ones each time
settings.register_profile("repeatable", settings.get_profile("quick"), derandomize=True, max_examples=QUICK * 5 // 8)
# whether a test fails, not on what: nothing is made smaller
settings.register_profile("mutants", settings.get_profile("repeatable"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=2_000)
settings.load_profile(os.environ.get("SIDELIGHT_HYPOTHESIS", "quick"))

NO_SKIPS = "SIDELIGHT_NO_SKIPS"  # set by .ci/run, where everything the tests need is installed


def pytest_collection() -> None:
    """Collect no garbage among modules and tests, which stay for ever: going through them takes a tenth of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_java = pytest.mark.skip(reason="needs Java for Spark (Debian: apt-get install default-jre-headless)")
    if shutil.which("java") is None:
        for item in items:
            if item.get_closest_marker("spark"):
                item.add_marker(no_java)
    if binaries() is None:
        no_server = pytest.mark.skip(reason="needs PostgreSQL (Debian: apt-get install postgresql)")
        for item in items:
            if "postgres" in getattr(item, "fixturenames", ()):
                item.add_marker(no_server)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of our own, with its password where a careful user has it."""
    with server() as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGPASSWORD", SECRET)
        yield running


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """SIGINT raises `KeyboardInterrupt`, here and in processes that are started, also where tests run by `nohup … &`."""
    with sigint(signal.default_int_handler):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get(NO_SKIPS) and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and {NO_SKIPS} is set: {report.longrepr}"
    return report


@pytest.fixture
def sample_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files that the printed examples read."""
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_samples(folder: Path) -> None:
    """Forty patients as Parquet, a published CSV of them, their hierarchies in ARX's format, a policy."""
    diseases = ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer")
    people = [
        {"id": n, "age": 20 + n, "sex": "mf"[n % 2], "zip": f"14{n % 4}5{n % 10}", "disease": diseases[n % 5]}
        for n in range(40)
    ]
    pq.write_table(pa.Table.from_pylist(people), folder / "patients.parquet")
    published = [f"{person['age'] // 20 * 20}+,{person['sex']},14***,{person['disease']}" for person in people]
    (folder / "published.csv").write_text("\n".join(["age,sex,zip,disease", *published]) + "\n")
    (folder / "policy.toml").write_text('[[limit]]\nmeasure = "group size"\nat_least = 5\n')
    levels = {
        "age": lambda age: [str(age), f"{int(age) // 5 * 5}-{int(age) // 5 * 5 + 4}", f"{int(age) // 20 * 20}+", "*"],
        "sex": lambda sex: [sex, "*"],
        "zip": lambda zip_code: [zip_code[: 5 - level] + "*" * level for level in range(6)],
    }
    (folder / "hierarchies").mkdir()
    for column, climb in levels.items():
        values = sorted({str(person[column]) for person in people})
        lines = [";".join(climb(value)) for value in values]
        (folder / "hierarchies" / f"{column}.csv").write_text("\n".join(lines) + "\n")
