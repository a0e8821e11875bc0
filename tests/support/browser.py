"""What a real browser is asked: to move a slider, and how long its effect took."""

from __future__ import annotations

import time
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from playwright.sync_api import CDPSession, Locator, Page, expect


class Redrawn(NamedTuple):
    """Medians in milliseconds: on the clock, and of processor time of this process, which serves, and of the page."""

    clock: float
    processor: float


def redrawn(page: Page, slider: Locator, values: Iterable[int]) -> Redrawn:
    """Move a slider and wait for each effect, charts included; return how long one took."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    clock, processor = [], []
    for value in values:
        before = _processor_time(session)
        page.evaluate("delete document.documentElement.dataset.redrawn")
        slider.fill(str(value))
        expect(page.locator("html[data-redrawn]")).to_have_count(1)
        clock.append(float(page.evaluate("document.documentElement.dataset.redrawn")))
        processor.append(1000 * (_processor_time(session) - before))
    session.detach()
    return Redrawn(median(clock), median(processor))


def _processor_time(session: CDPSession) -> float:
    """Return the seconds that this process and the page's main thread have computed."""
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return time.process_time() + float(metrics["ThreadTime"])
