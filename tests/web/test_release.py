"""A search in a real Chromium: begun, followed, cancelled, looked at from two tabs, compared and published."""

import re
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from sidelight.answers.candidates import SearchChoice
from sidelight.cli.serve import workspace
from sidelight.publish.publish import read_published
from sidelight.web.searches import SearchState
from sidelight.web.workspace import State, Workspace

pytestmark = pytest.mark.browser

SLOW = {
    "quasi": ("age", "education", "sex", "race", "marital-status", "workclass"),
    "limits": ("group size >= 5", "implications(k=3) < 0.5", "acquaintance(rules_out=2, others=2, family=2) < 1/2"),
}
"""A search over thousands of generalisations, each of which is measured: it takes minutes."""


@pytest.fixture(scope="module")
def held() -> Workspace:
    return workspace(None)


def opened(page: Page, address: str, state: State, **also) -> None:
    page.request.get(address)  # for the cookie
    page.goto(address.partition("/?")[0] + state.address("/release", also))


def of_all(held: Workspace, **changes) -> State:
    return held.start.but(levels=(), **changes)


def test_from_limits_to_a_published_release(held, serve, quiet_page, tmp_path):
    page = quiet_page
    page.goto(serve(replace(held, output=tmp_path)))
    page.get_by_role("navigation", name="Views").get_by_role("link", name=re.compile("Readers")).click()
    page.get_by_role("link", name="Next: find a release within these limits").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Not searched yet within 5 limits")
    page.get_by_role("button", name="Search").press("Enter")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Within policy: all 5 limits hold")
    expect(heading).to_contain_text("for 46,033 people in 18 groups")
    expect(page.locator("#shape svg.marks")).to_be_visible()
    expect(page.locator("#front svg.marks")).to_be_visible()
    expect(page.locator("#asked")).to_contain_text("A learner, who trains a model")
    expect(page.locator("#asked")).to_contain_text("An insider, who knows the method and the policy too")

    page.reload()  # what was found stays, at its address
    expect(heading).to_contain_text("in 18 groups")
    page.get_by_label("Beside the one that is taken").select_option(index=2)
    expect(page.locator("#beside table").first).to_contain_text("level of education")
    expect(page.locator("#beside .pair table")).to_have_count(2)
    page.get_by_role("link", name="Take age 1, education 3, sex 1").press("Enter")
    expect(heading).to_contain_text("in 16 groups")
    expect(page.locator("#sample")).to_contain_text("--levels age=1,education=3,sex=1")
    page.go_back()
    expect(heading).to_contain_text("in 18 groups")

    page.get_by_label("Name of the file").fill("../census")
    page.get_by_role("button", name="Publish into").click()
    expect(page.locator("#name-problem")).to_contain_text("is no name for a file here")
    page.get_by_label("Name of the file").fill("census")
    page.get_by_role("button", name="Publish into").click()
    expect(page.locator("#publish")).to_contain_text("Published, within policy, judged again")
    assert read_published(tmp_path / "census.parquet").size == 46_033
    with page.expect_download() as kept:
        page.get_by_role("button", name="Publish and download").click()
        page.get_by_role("link", name="Keep release.zip").click()
    assert kept.value.suggested_filename == "release.zip"


def test_a_search_is_followed_from_two_tabs_and_cancelled_from_one(held, serve, quiet_page):
    page, state = quiet_page, of_all(held, **SLOW)
    address = serve(replace(held))
    opened(page, address, state, ask="nobody", suppress="0.2")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".job-line")).to_contain_text(re.compile("looked at [0-9,]+ of at most"))
    other = page.context.new_page()
    opened(other, address, state, ask="nobody", suppress="0.2")
    expect(other.locator(".job-line")).to_contain_text(re.compile("looked at [0-9,]+ of at most"))
    before = other.locator(".job-line").inner_text()
    expect(other.locator(".job-line")).not_to_have_text(before)
    other.get_by_role("radio", name=re.compile("mondrian")).check()
    expect(other.locator("#options")).to_contain_text("Keep the limit on shares also for")
    other.get_by_role("button", name="Search").click()
    expect(other.locator(".job-line")).to_contain_text("waiting its turn, after: Searching by lattice")
    other.get_by_role("button", name="Cancel").click()
    expect(other.get_by_role("heading", level=1)).to_contain_text("The search was cancelled")

    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("The search was cancelled; nothing was published.")
    expect(page.get_by_role("button", name="Search")).to_be_visible()


def test_after_a_restart_the_address_says_what_to_do(held, serve, page):
    state = of_all(held, limits=("group size >= 100",))
    opened(page, serve(replace(held)), state, method="mondrian", ask="nobody", published="7")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Not searched yet within 1 limit")
    expect(page.get_by_role("radio", name=re.compile("mondrian"))).to_be_checked()
    running = replace(held)
    first = serve(running)
    opened(page, first, of_all(held, **SLOW), ask="nobody", suppress="0.2")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".job")).to_be_visible()
    running.jobs.close()  # as the server does when it ends
    question = SearchState(held, of_all(held, **SLOW), SearchChoice(suppress="0.2", ask="nobody")).question
    assert running.jobs.of(question).stage == "cancelled"
    expect(page.get_by_role("heading", level=1)).to_contain_text("The search was cancelled")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 820)])
def test_everybody_can_read_a_search_and_what_it_found(held, serve, quiet_page, scheme, width):
    page = quiet_page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, serve(replace(held)), of_all(held, limits=("group size >= 50",)), method="lattice", suppress="0.01")
    for name in ("before", "after"):
        if name == "after":
            page.get_by_role("button", name="Search").click()
            expect(page.locator("#publishing")).to_be_visible()
            expect(page.locator("#shape svg.marks")).to_be_visible()
        violations = Axe().run(page).response["violations"]
        assert [each["id"] for each in violations if each["impact"] in ("serious", "critical")] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
