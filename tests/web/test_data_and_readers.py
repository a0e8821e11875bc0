"""The first two steps in a real Chromium: answers follow sliders, addresses say all, nothing runs that is not ours."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from support.browser import redrawn
from support.explorer import INJECTED, opened, write_hostile

from sidelight.table.roles import Roles

pytestmark = pytest.mark.browser


def test_the_story_of_a_newcomer(census, quiet_page):
    page = quiet_page
    page.goto(census)
    assert "token" not in page.url
    expect(page.get_by_role("heading", level=1)).to_contain_text("implications(k=2) is 7/9, limit < 2/3")

    page.get_by_role("navigation", name="Views").get_by_role("link", name=re.compile("Data")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Nobody of 46,033 people stands alone")
    redrawn(page, page.get_by_label("Level of age, as a slider"), [4, 1])
    expect(page.locator("#answer")).to_contain_text("finds 1 of 46,033 people alone")
    assert "level=age%3A1" in page.url
    page.reload()
    expect(page.locator("#answer")).to_contain_text("finds 1 of 46,033 people alone")
    page.get_by_label("Level of age, as a slider").fill("3")
    expect(page.locator("#answer")).to_contain_text("Nobody")

    page.get_by_role("link", name="Next: who may read it").click()
    page.wait_for_url("**/readers*")  # with its scripts: before that nothing follows a slider
    slider = page.locator("[data-for=set-3-k]")
    slider.fill("1")
    expect(page.locator("#result-3")).to_contain_text("7/12")
    expect(page.locator("#result-3")).to_contain_text("✓ within < 2/3")
    expect(page.locator("#sample")).to_contain_text("implications(k=1) < 2/3")
    assert "implications%28k%3D1%29" in page.url
    expect(page.get_by_role("navigation").get_by_role("link", name=re.compile("Data"))).to_have_attribute(
        "href", re.compile("k%3D1")
    )


def test_keyboard_alone_suffices_and_errors_stand_at_their_field(census, quiet_page):
    page = quiet_page
    page.goto(census)
    page.get_by_role("navigation", name="Views").get_by_role("link", name=re.compile("Readers")).press("Enter")
    bound = page.locator("#set-0-bound")
    bound.focus()
    page.keyboard.press("End")
    page.keyboard.type("0")
    expect(page.locator("#result-0")).to_contain_text("✗ not within ≥ 100")
    expect(bound).to_be_focused()
    page.locator("#add-text").focus()
    page.keyboard.type("implicatons(k=1) < 0.5")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'implications'?")
    expect(page.locator("#add-text")).to_have_value("implicatons(k=1) < 0.5")
    page.locator("#add-text").fill("negations(k=1) < 1/2")
    page.keyboard.press("Enter")
    expect(page.locator("#text-5")).to_have_text("negations(k=1) < 1/2")
    page.go_back()
    page.go_back()
    expect(page.locator("#text-5")).to_have_count(0)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 820)])
def test_no_serious_violation_of_what_everybody_can_read(census, quiet_page, scheme, width):
    page = quiet_page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(census)
    for name in ("Start", "Data", "Readers"):
        if name != "Start":
            page.get_by_role("navigation", name="Views").get_by_role("link", name=re.compile(name)).click()
        violations = Axe().run(page).response["violations"]
        assert [each["id"] for each in violations if each["impact"] in ("serious", "critical")] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_cells_that_are_scripts_are_read_and_not_run(serve, quiet_page, tmp_path):
    page = quiet_page
    roles = Roles(quasi=("age", "<b>sex</b>"), sensitive="disease")
    page.goto(serve(opened(write_hostile(tmp_path / "hostile.csv"), roles)))
    for name in ("Data", "Readers"):
        page.get_by_role("navigation", name="Views").get_by_role("link", name=re.compile(name)).click()
        expect(page.locator("main")).to_contain_text("<b>sex</b>" if name == "Data" else INJECTED)
        assert "pwned" not in page.title()


def test_charts_are_drawn_without_evaluating_code(census, quiet_page):
    page = quiet_page
    page.goto(census)
    specification = """{"data": {"values": [{"a": 1, "b": 2}, {"a": 2, "b": 3}]}, "mark": "bar", "encoding": {
        "x": {"field": "a", "type": "ordinal", "axis": {"labelExpr": "datum.label + '!'"}},
        "y": {"field": "b", "type": "quantitative"}, "tooltip": {"field": "b", "type": "quantitative"}}}"""
    page.evaluate(
        """async (specification) => {
            await import("/static/vega.js");
            const place = document.createElement("div");
            place.dataset.vega = specification;
            document.querySelector("main").append(place);
            await (await import(document.querySelector("script[type=module]").src)).drawCharts(document);
        }""",
        specification,
    )
    expect(page.locator("main svg.marks")).to_contain_text("2!")
    page.locator("main svg.marks path[aria-label]").first.hover()


def test_a_stranger_is_told_what_to_do(census, page):
    answer = page.goto(census.partition("?")[0])
    assert answer.status == 403
    expect(page.locator("body")).to_contain_text("open the address that 'sidelight serve' printed")
