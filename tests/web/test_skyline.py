"""How much may be known, in a real Chromium: the picture follows the sliders, the address says all of it."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from support.browser import redrawn
from support.explorer import INJECTED, opened, write_hostile

from sidelight.table.roles import Roles

pytestmark = pytest.mark.browser


def opened_skyline(page, address):
    page.goto(address)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Skyline").click()
    expect(page.locator("#skyline svg.marks")).to_have_count(1)


def test_a_point_is_dragged_and_its_address_says_so(census, quiet_page):
    page = quiet_page
    opened_skyline(page, census)
    expect(page.locator("#answer")).to_contain_text("not within the limit, below 2/3")
    page.get_by_label("Nobody as sure as").fill("0.95")
    page.get_by_label("Nobody as sure as").press("Tab")
    expect(page.locator("#answer")).to_contain_text("of 46,033 people in 20 groups: within the limit, below 0.95")
    expect(page.locator("#skyline svg.marks")).to_have_count(1)
    page.evaluate("document.querySelector('#skyline svg.marks').dataset.same = 'yes'")
    redrawn(page, page.locator("[data-for=others]"), [3, 2])
    expect(page.locator("#skyline svg.marks[data-same=yes]")).to_have_count(1)  # the picture that stands is changed
    expect(page.locator("#witness")).to_contain_text("what 2 other people of the same group have")
    expect(page.locator("#sample")).to_contain_text("others=2")
    assert "others=2" in page.url
    said = page.locator("#answer").inner_text()
    page.reload()
    expect(page.locator("#answer")).to_have_text(said)
    page.get_by_label("Value", exact=True).select_option("Armed-Forces")
    expect(page.locator("#skyline-title")).to_contain_text("7,050 other people's values")
    expect(page.locator("#skyline svg.marks")).to_contain_text("no value ruled out")


def test_keyboard_alone_suffices_and_errors_stand_at_their_field(census, quiet_page):
    page = quiet_page
    opened_skyline(page, census)
    page.locator("#others").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#witness")).to_contain_text("what 3 other people of the same group have")
    expect(page.locator("#others")).to_be_focused()
    page.get_by_label("Nobody as sure as").fill("7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("nobody is ever 7 sure")
    expect(page.get_by_label("Nobody as sure as")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Nobody as sure as").fill("3/4")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("the limit, below 3/4")
    expect(page.locator("#skyline svg.marks")).to_have_count(1)
    page.get_by_role("link", name="Make this a limit").press("Enter")
    expect(page.locator("main")).to_contain_text(
        "acquaintance(rules_out=1, others=3, family=1, value=Adm-clerical) < 3/4"
    )


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 820)])
def test_everybody_can_read_it(census, quiet_page, scheme, width):
    page = quiet_page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    opened_skyline(page, census)
    violations = Axe().run(page).response["violations"]
    assert [each["id"] for each in violations if each["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ink = page.locator("#skyline svg.marks text").first.evaluate("each => getComputedStyle(each).fill")
    assert ink == ("rgb(34, 34, 34)" if scheme == "light" else "rgb(236, 236, 236)")


def test_values_that_are_scripts_are_read_and_not_run(serve, quiet_page, tmp_path):
    page = quiet_page
    roles = Roles(quasi=("age", "<b>sex</b>"), sensitive="disease")
    opened_skyline(page, serve(opened(write_hostile(tmp_path / "hostile.csv"), roles)))
    page.get_by_label("Value", exact=True).select_option(INJECTED)
    expect(page.locator("#skyline-title")).to_contain_text(re.compile(re.escape(INJECTED)))
    expect(page.locator("#skyline svg.marks")).to_have_count(1)
    assert "pwned" not in page.title()
