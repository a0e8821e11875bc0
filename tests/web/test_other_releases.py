"""Another release is dropped on the page, in a real Chromium: who is exposed, what would pass, and what is refused."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from support.explorer import INJECTED, opened

from sidelight.table.roles import Roles

pytestmark = pytest.mark.browser

ROLES = Roles(quasi=("age", "sex"), sensitive="disease")
OTHER = "sex,disease\nm,AIDS\nm,Ulcer\nf,Flu\nf,Cold\n"


@pytest.fixture
def address(serve, tmp_path):
    rows = [("30", "m", "Flu"), ("30", "m", "AIDS"), ("40", "f", "Flu"), ("40", "f", "Cold")]
    (tmp_path / "people.csv").write_text("age,sex,disease\n" + "".join(",".join(row) + "\n" for row in rows))
    return serve(opened(tmp_path / "people.csv", ROLES))


def look(page, address):
    page.goto(address)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Other releases").click()


def drop(page, file):
    page.get_by_label("Drop a release here").set_input_files(file)


def test_a_dropped_release_says_who_is_exposed_and_its_address_is_kept(address, quiet_page, tmp_path):
    page = quiet_page
    look(page, address)
    expect(page.locator("#answer")).to_contain_text("Drop another release")
    (tmp_path / "last year.csv").write_text(OTHER)
    drop(page, tmp_path / "last year.csv")
    expect(page.locator("#answer")).to_contain_text("✗ Together they give away the value of at least 2 of 4 people")
    expect(page.locator("blockquote")).to_contain_text("Only AIDS is in all of them.")
    expect(page.locator("figure svg")).to_have_count(2)
    expect(page.locator("#sample-python")).to_contain_text("sl.read_release('last year.csv', group=['sex']")
    for scheme, width in (("light", 1280), ("dark", 820)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        violations = Axe().run(page).response["violations"]
        assert [each["id"] for each in violations if each["impact"] in ("serious", "critical")] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.reload()
    expect(page.locator("#answer")).to_contain_text("2 of 4 people")
    page.get_by_label("Share of people that may be given away").fill("0.5")
    page.keyboard.press("Tab")
    page.wait_for_url("**at_most=0.5**")
    expect(page.locator("#answer")).not_to_have_class(re.compile("within"))  # the bound decides nothing at a half
    page.get_by_role("link", name="The report of this release").click()
    expect(page.locator("#document")).to_contain_text(
        "Together, 2 releases give away the value of at least 2 of 4 people"
    )
    page.get_by_role("link", name="Leave it out").click()
    expect(page.locator("#tried")).to_contain_text("Left out: with last year.csv.")
    expect(page.locator("#document")).not_to_contain_text("Together, 2 releases")


def test_what_is_no_table_or_a_script_is_told_as_text(address, page, tmp_path):
    look(page, address)
    (tmp_path / "x.exe").write_text("x")
    drop(page, tmp_path / "x.exe")
    expect(page.locator("#problem")).to_contain_text("cannot tell what x.exe is")
    (tmp_path / "hostile.csv").write_text(f"sex,disease\nm,{INJECTED}\nm,Flu\nf,Flu\nf,Cold\n")
    drop(page, tmp_path / "hostile.csv")
    expect(page.locator("main")).to_contain_text("hostile.csv")
    assert "pwned" not in page.title()


def test_a_file_that_is_too_large_is_not_sent(address, quiet_page, tmp_path):
    page = quiet_page
    look(page, address)
    page.locator("#other-file").evaluate("field => { field.dataset.mostBytes = '1048576'; }")
    (tmp_path / "large.csv").write_bytes(b"x" * 1_048_577)
    drop(page, tmp_path / "large.csv")
    expect(page.get_by_role("alert")).to_have_text(re.compile("That is more than 1 MB; give a smaller file"))
    assert "other=" not in page.url


def test_after_a_restart_the_file_is_asked_for_again(address, serve, quiet_page, tmp_path):
    page = quiet_page
    look(page, address)
    (tmp_path / "other.csv").write_text(OTHER)
    drop(page, tmp_path / "other.csv")
    expect(page.locator("#answer")).to_contain_text("Together")
    again = serve(opened(tmp_path / "people.csv", ROLES))
    page.request.get(again)  # for the cookie
    page.goto(again.partition("/?")[0] + "/other-releases?quasi=sex&sensitive=disease&other=0")
    expect(page.locator("#problem")).to_contain_text(
        "that file is gone: it went when the page was closed; give it again"
    )
