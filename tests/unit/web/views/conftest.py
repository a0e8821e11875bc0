"""Pages are asked by programs here, which see what there is after a moment, and ask once."""

from __future__ import annotations

import pytest

from sidelight.web.jobs import Job
from sidelight.web.views import attackers


@pytest.fixture(autouse=True)
def long_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page wait a thousand times longer for its answers, so that a busy machine has them in time."""
    monkeypatch.setattr(attackers, "MOMENT", 300)
    usual = Job.wait
    monkeypatch.setattr(Job, "wait", lambda job, seconds: usual(job, 1000 * seconds))
