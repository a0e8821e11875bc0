"""What all tests share: how hard hypothesis looks, and what happens to a test that cannot run here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("quick", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=2_000)
settings.load_profile(os.environ.get("SIDELIGHT_HYPOTHESIS", "quick"))

NO_SKIPS = "SIDELIGHT_NO_SKIPS"  # set by .ci/run, where everything the tests need is installed


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_java = pytest.mark.skip(reason="needs Java for Spark (Debian: apt-get install default-jre-headless)")
    if shutil.which("java") is None:
        for item in items:
            if item.get_closest_marker("spark"):
                item.add_marker(no_java)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get(NO_SKIPS) and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and {NO_SKIPS} is set: {report.longrepr}"
    return report
