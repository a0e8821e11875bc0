"""What a real browser is asked: to move a slider, and how long its effect took."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from playwright.sync_api import Locator, Page, expect


def redrawn(page: Page, slider: Locator, values: Iterable[int]) -> float:
    """Move a slider and wait for each effect, charts included; the median time in milliseconds."""
    times = []
    for value in values:
        page.evaluate("delete document.documentElement.dataset.redrawn")
        slider.fill(str(value))
        expect(page.locator("html[data-redrawn]")).to_have_count(1)
        times.append(float(page.evaluate("document.documentElement.dataset.redrawn")))
    return median(times)
