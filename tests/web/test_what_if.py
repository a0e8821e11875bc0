"""What would somebody conclude, in a real Chromium: names are offered, errors are marked where they stand."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from support.explorer import INJECTED, opened, write_hostile

from sidelight.table.roles import Roles

pytestmark = pytest.mark.browser


def opened_what_if(page, address):
    page.goto(address)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="What if").click()


def test_a_fact_is_written_by_keyboard_alone_and_moves_beliefs(census, quiet_page):
    page = quiet_page
    opened_what_if(page, census)
    expect(page.locator("#answer")).to_contain_text("Nothing is known yet: write a fact below")
    field = page.get_by_role("combobox", name="Somebody knows")
    field.focus()
    page.keyboard.type("#1 != sal")
    expect(page.get_by_role("option", name="Sales")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="Sales")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(field).to_have_value("#1 != Sales")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Knowing 1 fact, somebody would be")
    expect(page.locator("#answer")).to_contain_text("of 46,033 people")
    expect(page.locator("#belief svg.marks")).to_contain_text("before")
    expect(page.locator("#movers")).to_contain_text("#1 in group 1 (age 0-19, education School, sex Female)")
    expect(page.locator("#sample")).to_contain_text("sl.posteriors(release, given=['#1 != Sales']")
    assert "know=%231+%21%3D+Sales" in page.url
    said = page.locator("#answer").inner_text()
    page.reload()
    expect(page.locator("#answer")).to_have_text(said)


def test_errors_are_marked_where_they_stand(census, quiet_page):
    page = quiet_page
    opened_what_if(page, census)
    field = page.get_by_role("combobox", name="Somebody knows")
    field.fill("#1 = Sales and")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("at character 15: a person is missing before the end")
    expect(page.get_by_role("combobox", name="Somebody knows")).to_have_attribute("aria-invalid", "true")
    page.get_by_role("combobox", name="Somebody knows").fill("#1 = Salles")
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_have_text("Salles")
    page.get_by_role("combobox", name="Somebody knows").fill("#1 = Sales")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Knowing 1 fact")
    page.get_by_role("combobox", name="and").fill("#1 != Sales")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("These cannot all be true")
    page.go_back()
    expect(page.locator("#answer")).to_contain_text("Knowing 1 fact")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 820)])
def test_everybody_can_read_it(census, quiet_page, scheme, width):
    page = quiet_page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    opened_what_if(page, census)
    page.get_by_role("link", name="#1 != ").click()
    expect(page.locator("#belief svg.marks")).to_have_count(1)
    page.get_by_role("combobox", name="and").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("listbox")).to_be_visible()
    violations = Axe().run(page).response["violations"]
    assert [each["id"] for each in violations if each["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_names_that_are_scripts_are_offered_as_text(serve, quiet_page, tmp_path):
    page = quiet_page
    roles = Roles(quasi=("age", "<b>sex</b>"), sensitive="disease")
    opened_what_if(page, serve(opened(write_hostile(tmp_path / "hostile.csv"), roles)))
    field = page.get_by_role("combobox", name="Somebody knows")
    field.press_sequentially("#1 = scr")
    option = page.get_by_role("option", name=re.compile("script"))
    expect(option).to_contain_text(INJECTED)
    option.click()
    page.keyboard.press("Enter")
    expect(page.locator("#movers")).to_contain_text(INJECTED)
    expect(page.locator("#belief svg.marks")).to_contain_text("script")
    assert "pwned" not in page.title()
