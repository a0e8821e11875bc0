"""The report on the page, in a real Chromium: read, ordered for a regime, signed, and taken as a file."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from support.explorer import INJECTED, opened, write_hostile

from sidelight.table.roles import Roles

pytestmark = pytest.mark.browser


@pytest.fixture
def address(serve, sample_files):
    return serve(opened(sample_files / "published.csv"))


def look(page, address):
    page.goto(address)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Report").click()


def test_it_is_signed_with_reasons_and_taken(address, quiet_page):
    page = quiet_page
    look(page, address)
    document = page.locator("#document")
    expect(document).to_contain_text("Report on a release")
    page.get_by_label("In the order of").select_option("hipaa")
    expect(document).to_contain_text("Expert determination under 45 CFR")
    page.get_by_label("Decision").select_option("refused")
    expect(page.locator("#problem-reasons")).to_contain_text("a decision needs its reasons")
    expect(page.locator("#take")).to_contain_text("when what stands below is complete")
    page.get_by_label("Who decides").fill(INJECTED)
    page.get_by_label("Reasons, conditions or a comment").fill("Two facts suffice.")
    page.get_by_label("Reasons, conditions or a comment").blur()
    expect(document.locator(".signature")).to_contain_text("Two facts suffice.")
    expect(document.locator(".signature")).to_contain_text(INJECTED)
    assert "decision=refused" in page.url
    page.reload()
    expect(document.locator(".signature")).to_contain_text("Two facts suffice.")
    for form, begins in (("HTML", b"<!DOCTYPE html>"), ("Markdown", b"# "), ("PDF", b"%PDF")):
        with page.expect_download() as taken:
            page.get_by_role("link", name=f"Take it as {form}").click()
        content = taken.value.path().read_bytes()
        assert content.startswith(begins)
        assert form == "PDF" or b"Two facts suffice." in content
    assert "pwned" not in page.title()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 820)])
def test_everybody_can_read_it(address, quiet_page, scheme, width):
    page = quiet_page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    look(page, address)
    violations = Axe().run(page).response["violations"]
    assert [each["id"] for each in violations if each["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_cells_that_are_scripts_are_text_in_the_document(serve, quiet_page, tmp_path):
    page = quiet_page
    roles = Roles(quasi=("age", "<b>sex</b>"), sensitive="disease")
    look(page, serve(opened(write_hostile(tmp_path / "hostile.csv"), roles)))
    expect(page.locator("#document")).to_contain_text("<b>sex</b>")
    assert "pwned" not in page.title()
