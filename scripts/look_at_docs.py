"""Look at the pages that `make docs` built, in the system's Chromium: is anything cut off, is every formula set?

python scripts/look_at_docs.py [--pictures FOLDER] [words of page names]

Each page is opened at 1300 and at 800 pixels.  A code box that is wider than its frame, a page that is wider than the
window, a formula that was not set, a picture that is missing and a request to another host are failures, one line each.
With --pictures each page is also kept as a picture, to be looked at by people.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from sidelight.report.render import browser_path

SITE = Path(__file__).parents[1] / "site"
WIDTHS = (1300, 800)
FAULTS = """() => {
  const texts = (selector, is_fault) => [...document.querySelectorAll(selector)].filter(is_fault)
    .map(each => (each.textContent || each.src || "").trim().slice(0, 60));
  return {
    "is wider than the window": texts("html", each => each.scrollWidth > innerWidth).map(() => "the page"),
    "is cut off": texts("pre, pre > code", each => each.scrollWidth > each.clientWidth + 1),
    "is a formula that was not set": texts(".arithmatex", each => !each.querySelector(".katex-html")),
    "is a formula with a mistake": texts(".katex-error", () => true),
    "is a picture that is not there": texts("article img", each => each.complete && !each.naturalWidth),
  };
}"""


def main() -> int:
    """Look at all pages, or at those whose names contain a word."""
    reader = argparse.ArgumentParser(description="Look at the built documentation.")
    reader.add_argument("words", nargs="*")
    reader.add_argument("--pictures", type=Path)
    asked = reader.parse_args()
    files = [
        file for file in sorted(SITE.rglob("*.html")) if not asked.words or any(w in str(file) for w in asked.words)
    ]
    if not files:
        print("there are no pages to look at: `make docs` builds them")
        return 1
    faults = list(look_at(files, asked.pictures))
    print("\n".join([*faults, f"looked at {len(files)} pages of {SITE}: {len(faults) or 'no'} faults"]))
    return 1 if faults else 0


def look_at(files: list[Path], pictures: Path | None) -> Iterator[str]:
    """Open every page at every width, and say what is wrong."""
    asked_elsewhere: list[str] = []
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(
            executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
        )
        page = browser.new_page(viewport={"width": WIDTHS[0], "height": 1000})
        page.on("request", lambda request: request.url.startswith("http") and asked_elsewhere.append(request.url))
        page.route("http*://**", lambda route: route.abort())
        for file in files:
            page.goto(file.as_uri())
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 1000})
                yield from (f"{file.relative_to(SITE)} at {width} pixels: {fault}" for fault in faults_of(page))
                if pictures:
                    name = "-".join(file.relative_to(SITE).with_suffix("").parts)
                    page.screenshot(path=pictures / f"{name}-{width}.png", full_page=True)
        browser.close()
    yield from (f"a page asks another host: {address}" for address in sorted({*asked_elsewhere}))


def faults_of(page: Page) -> list[str]:
    """What is wrong with a page as it stands."""
    return [f"“{text}” {fault}" for fault, texts in page.evaluate(FAULTS).items() for text in texts]


if __name__ == "__main__":
    sys.exit(main())
