"""Which charts does a report show?  Those of `charts`, as SVG without scripts; none where the extra `plot` is missing."""

from __future__ import annotations

from sidelight.report.page import Grid, Picture
from sidelight.report.release_report import ReleaseReport


def knowledge_picture(report: ReleaseReport, grid: Grid) -> Picture | None:
    """Draw how the risk grows with what somebody knows; `grid` is the table behind it."""
    del report, grid
    return None
