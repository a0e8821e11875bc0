"""Paper needs a Chromium: without one, or with one that fails, the remedy is named."""

from __future__ import annotations

import pytest

from sidelight.errors import SidelightError
from sidelight.report.pdf import browser_path, pdf_page


def test_without_a_chromium_the_remedy_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SidelightError, match=r"--pdf needs a Chromium .* there is none; install one, or write --html"):
        browser_path()


def test_a_browser_that_fails_is_named_with_the_remedy(monkeypatch, tmp_path):
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\nexit 3\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(SidelightError, match=r"could not print the page .*; write --html FILE, and print that by hand"):
        pdf_page("<!DOCTYPE html>")
