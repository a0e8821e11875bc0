"""From a file to a published release and its signed report, in a real Chromium, as a newcomer goes: four steps."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect
from support.explorer import opened, without_aborted

from sidelight.publish.publish import read_published
from sidelight.web.security import write_opener

pytestmark = pytest.mark.browser


def test_from_a_file_to_a_published_release_and_its_report(serve, quiet_page, sample_files, tmp_path_factory):
    page, folder = quiet_page, tmp_path_factory.mktemp("published")
    held = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")
    page.goto(serve(replace(held, output=folder)))
    steps = page.get_by_role("navigation", name="Views").locator("ol.steps a")
    assert [re.sub(r"\s+", " ", text).strip() for text in steps.all_inner_texts()] == [
        "1 Data",
        "2 Readers",
        "3 Release",
        "4 Report",
    ]
    expect(page.get_by_role("heading", level=1)).to_contain_text("Not within policy")

    steps.nth(0).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("of 40 people")
    page.get_by_role("link", name="Next: who may read it").click()
    page.wait_for_url("**/readers*")
    page.locator("#set-1-bound").fill("2/3")
    expect(page.locator("#text-1")).to_have_text("implications(k=1) < 2/3")
    page.get_by_role("link", name="Next: find a release within these limits").click()

    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Within policy: ")
    page.get_by_label("Name of the file").wait_for()
    page.get_by_label("Name of the file").fill("patients-2026")
    page.get_by_role("button", name="Publish into").click()
    expect(page.locator("#publish")).to_contain_text("Published, within policy")
    released = read_published(folder / "patients-2026.parquet")

    page.get_by_role("link", name="Next: the report, for who signs").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Within policy: ")
    expect(page.get_by_role("heading", level=1)).to_contain_text(
        f"for {released.size} people in {len(released)} groups"
    )
    expect(page.locator("#about")).to_contain_text("that was found by")
    page.get_by_label("Decision").select_option("approved")
    page.get_by_label("Who decides").fill("Ada Lovelace")
    page.get_by_label("Reasons, conditions or a comment").fill("Both limits hold.")
    page.get_by_label("Reasons, conditions or a comment").blur()
    expect(page.locator("#document .signature")).to_contain_text("Ada Lovelace")
    with page.expect_download() as taken:
        page.get_by_role("link", name="Take it as HTML").click()
    text = taken.value.path().read_text(encoding="utf-8")
    assert "Both limits hold." in text
    assert "14050" not in text  # a zip code: no row of a person

    second = page.context.new_page()  # another tab goes on where this one is
    second.goto(page.url)
    expect(second.locator("#document .signature")).to_contain_text("Ada Lovelace")
    steps.nth(3).click()  # without what was typed, the report is still that of what was found
    expect(page.locator("#about")).to_contain_text("that was found by")
    page.get_by_role("link", name="The report of what is looked at under Data instead").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Not within policy")


def test_the_first_screen_answers_before_it_asks_and_notes_can_be_switched_off(census, quiet_page):
    page = quiet_page
    page.goto(census)
    expect(page.get_by_role("heading", level=1)).to_contain_text("implications(k=2) is 7/9, limit < 2/3")
    expect(page.locator(".path li .hint")).to_have_count(3)
    page.get_by_role("link", name="Hide notes").click()
    expect(page.locator(".path li .hint")).to_have_count(0)
    for name in ("Report", "Other releases"):
        page.get_by_role("navigation", name="Views").get_by_role("link", name=re.compile(name)).click()
        expect(page.locator("#main .question")).to_be_visible()
        expect(page.locator("aside.note")).to_have_count(0)


@pytest.mark.parametrize("path", ["/report", "/other-releases", "/api/report", "/report/download/html"])
def test_a_wrong_token_sees_nothing(census, page, path):
    answer = page.goto(census.partition("/?")[0] + path + "?token=wrong")
    assert answer.status == 403
    expect(page.locator("body")).to_contain_text("This page needs its token")


def test_leaving_a_page_that_still_asks_is_no_error_and_a_server_that_is_gone_is(census, quiet_page):
    assert without_aborted(["htmx:afterRequest", "htmx:sendError", "ours"], 1) == ["ours"]
    assert without_aborted(["htmx:afterRequest", "htmx:sendError"], 0) == ["htmx:afterRequest", "htmx:sendError"]
    assert without_aborted(["htmx:afterRequest", "htmx:sendAbort", "htmx:afterRequest", "htmx:sendError"], 1) != []
    quiet_page.goto(census)
    quiet_page.evaluate("() => { htmx.ajax('GET', '/skyline', {swap: 'none'}); }")
    quiet_page.get_by_role("navigation", name="Views").get_by_role("link", name="Data").click()
    quiet_page.wait_for_url("**/data*")
    expect(quiet_page.locator("#answer")).to_be_visible()


def test_a_file_on_this_machine_opens_the_page(serve, page, sample_files, tmp_path):
    address = serve(opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies"))
    page.goto(write_opener(tmp_path, address).as_uri())
    expect(page.get_by_role("heading", level=1)).to_contain_text("Not within policy")
    assert "token" not in page.url
    page.goto(address.partition("?")[0])  # by the cookie
    expect(page.get_by_role("heading", level=1)).to_contain_text("Not within policy")
