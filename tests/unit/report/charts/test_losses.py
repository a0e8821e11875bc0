"""What is lost: only utilities that are shares share a scale."""

from __future__ import annotations

import pytest

from sidelight.errors import BadMeasure
from sidelight.report.charts.losses import losses_chart
from sidelight.report.plots import svg, table_behind, title_of


def test_only_shares_are_drawn():
    chart = losses_chart({"discernibility": 1e9, "loss": 0.25, "balanced loss": 0.5})
    assert table_behind(chart).rows == (("balanced loss", 0.5), ("loss", 0.25))
    assert title_of(chart) == "Of what the table told, the release loses 0.5 by balanced loss"


def test_without_any_there_is_no_picture():
    with pytest.raises(BadMeasure, match="no picture"):
        losses_chart({"discernibility": 5.0})


def test_no_digit_is_added_to_those_that_a_sidecar_tells():
    chart = losses_chart({"balanced loss": 0.508, "loss": 0.526, "non-uniform entropy": 0.639})
    assert title_of(chart).endswith("loses 0.508 by balanced loss")
    assert all(text in svg(chart) for text in (">0.508<", ">0.526<", ">0.639<"))
