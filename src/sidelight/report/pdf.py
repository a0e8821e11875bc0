"""How does a page get onto paper?  The system's Chromium prints the HTML file; nothing is fetched."""

from __future__ import annotations

import os
import shutil
import subprocess

from sidelight.errors import SidelightError
from sidelight.files import open_private, private_folder

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")

SECONDS = 120


def pdf_page(html: str) -> bytes:
    """Print an HTML file to PDF."""
    browser = browser_path()
    with private_folder() as folder:
        page, printed = folder / "page.html", folder / "page.pdf"
        with open_private(page) as file:
            file.write(html.encode())
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
            # no name resolves, so that the page can fetch nothing
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder / 'profile'}",
            "--no-pdf-header-footer",
            f"--print-to-pdf={printed}",
            *(["--no-sandbox"] if _is_root() else []),
            page.as_uri(),
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)  # noqa: S603 - our own words
            return printed.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            reason = type(error).__name__
            message = f"'{browser}' could not print the page ({reason}); write --html FILE, and print that by hand"
            raise SidelightError(message) from None


def browser_path() -> str:
    """Find the system's Chromium, or say what to do without it."""
    for name in BROWSERS:
        path = shutil.which(name)
        if path is not None:
            return path
    message = (
        f"--pdf needs a Chromium on this system (one of {', '.join(BROWSERS)}), and there is none; "
        "install one, or write "
        "--html FILE and print that from any browser"
    )
    raise SidelightError(message)


def _is_root() -> bool:
    """Whether the sandbox cannot be used: Chromium refuses to run as root with it."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
