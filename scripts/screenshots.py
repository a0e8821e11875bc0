"""Make the pictures of the README and the pages again: `make pictures WHAT=screenshots`.

report.png   the first screen of the report that `sidelight demo` writes, in the system's Chromium
known.svg    how sure somebody could become, by how much they know, of the demo's first release
*-view.png   views of the page that `sidelight serve` shows of the census
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Playwright, sync_playwright

import sidelight as sl
from sidelight.report.plots import svg
from sidelight.report.render import browser_path

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


def main() -> None:
    """Run the demo, and keep pictures of what it wrote."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "sidelight-demo"
        subprocess.run([sys.executable, "-m", "sidelight", "demo", "--folder", folder], check=True, capture_output=True)
        photograph(folder / "report.html", PICTURES / "report.png", "900,1130")
        policy = sl.read_policy(folder / "policy.toml")
        rough = sl.read_release(folder / "rough.csv", group=["age", "education", "sex"], sensitive="occupation")
    (worst,) = (each for each in policy.judge(rough).judgements if each.criterion.measure.name == "implications")
    chart = worst.plot(rough)
    (PICTURES / "known.svg").write_text(svg(chart) + "\n", encoding="utf-8")
    photograph_views()


def photograph_views() -> None:
    """Serve the census, do what a reader of the pages would do, and take pictures of views."""
    command = [sys.executable, "-m", "sidelight", "serve", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as browsers:
        try:
            _photograph_views(browsers, server)
        finally:
            server.terminate()


def _photograph_views(browsers: Playwright, server: subprocess.Popen[str]) -> None:
    """Take a picture of each view."""
    assert server.stdout is not None
    browser = browsers.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 1100})
    page.goto(server.stdout.readline().strip())
    page.get_by_role("navigation", name="Views").get_by_role("link", name="3 Release", exact=True).click()
    page.get_by_role("button", name="Search").click()
    page.locator("#publishing").wait_for(timeout=120_000)
    page.locator("#front svg.marks").wait_for()
    page.screenshot(path=PICTURES / "release-view.png")
    page.get_by_role("link", name="Next: the report, for who signs").click()
    page.locator("#document").wait_for(timeout=120_000)
    page.screenshot(path=PICTURES / "report-view.png")
    page.set_viewport_size({"width": 1000, "height": 1120})
    for name, picture, asked in (
        ("Skyline", "#skyline svg.marks", {"below": "0.95", "others": 2}),
        ("What if", "#belief svg.marks", {"know": "#1.2 = Sales -> #1 = Sales"}),
    ):
        page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        page.goto(f"{page.url}&{urlencode({**asked, 'notes': 'off'})}")
        page.locator(picture).wait_for(timeout=60_000)
        page.screenshot(path=PICTURES / f"{name.lower().replace(' ', '-')}-view.png")
    browser.close()


def photograph(page: Path, picture: Path, size: str) -> None:
    """Take a picture of the first screen of a page."""
    words = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={size}", f"--screenshot={picture}"]
    subprocess.run([browser_path(), *words, page.as_uri()], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
