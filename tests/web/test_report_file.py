"""The report as a file in a real browser: it asks nothing of any network, and cells stay text."""

from __future__ import annotations

import pytest

import sidelight as sl

INJECTED = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>"


@pytest.mark.parametrize("outline", [None, "ema"])
def test_it_fetches_nothing_runs_nothing_and_shows_cells_as_text(page, tmp_path, outline):
    rows = [{INJECTED: 12, "=1+1|cmd": 11, "\x1b[31mred": 14}, {INJECTED: 15, "=1+1|cmd": 13, "\x1b[31mred": 12}]
    release = sl.Release.from_counts(rows, labels=[{"age": INJECTED}, {"age": "40"}])
    policy = sl.Policy(sl.GroupSize() >= 5, sl.Implications(1) < 0.9, sl.Acquaintance() < 0.9)
    file = tmp_path / "report.html"
    file.write_text(sl.report_html(sl.release_report(release, policy), outline), encoding="utf-8")
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    assert requests == [file.as_uri()]
    assert not errors
    assert "taken" not in page.title()
    assert page.locator("main img, main script").count() == 0
    assert page.locator("main figure svg").count() >= 4
    assert INJECTED in page.locator("main").inner_text().replace("\n", " ")
