"""Searching, looking, comparing and publishing without a browser: as a page and as data."""

import io
import re
import zipfile
from dataclasses import replace

import pytest
from support.explorer import guest, opened
from support.words import says

import sidelight as sl

WITHIN = ("group size >= 3",)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.fixture
def held(sample_files, folder):
    read = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies", limits=WITHIN)
    held = replace(read, output=folder)
    yield held
    held.jobs.close()


def fields(held, **more):
    return {name: [text for key, text in held.start.pairs() if key == name] for name, _ in held.start.pairs()} | more


def searched(held, **more):
    client = guest(held)
    client.post("/release", data=fields(held, **more))
    assert held.jobs.numbered(1).wait(30)
    return client


def test_nothing_is_searched_by_looking(held):
    page = guest(held).get("/release")
    assert says(page.text, "Not searched yet", "1 limit")
    assert held.jobs.numbered(1) is None
    assert "sidelight protect" in page.text


def test_cuts_are_drawn_as_a_tree(held):
    client = searched(held, method="mondrian", ask="nobody")
    page = client.get(held.start.address("/release", {"method": "mondrian", "ask": "nobody"})).text
    assert re.search(r"\d+ cuts made \d+ groups", page)
    assert "groups published" in page


def test_what_is_found_is_told_drawn_and_offered(held):
    client = searched(held, ask="nobody")
    page = client.get(held.start.address("/release", {"ask": "nobody"})).text
    assert "Within policy: the limit holds" in page
    assert page.count("data-vega=") >= 1
    assert says(page, "Two readers", "limits do not name")
    assert "was not asked: nobody wished so" in page
    answer = client.get(held.start.address("/api/release", {"ask": "nobody"})).json()
    assert (answer["holds"], answer["findings"][0]["holds"]) == (True, True)
    assert answer["before"][0]["holds"] is False
    assert {each["reader"] for each in answer["readers"]} >= {"learner", "insider"}


def test_a_candidate_is_taken_and_stands_in_the_command(held):
    client = searched(held, ask="nobody")
    *_, last = client.get(held.start.address("/api/release", {"ask": "nobody"})).json()["candidates"]
    page = client.get(held.start.address("/release", {"ask": "nobody", "take": last["key"]})).text
    assert f"--levels {last['key']}" in page
    assert "Two candidates side by side" in page


@pytest.mark.parametrize("method", ["mondrian", "anatomy", "microaggregation"])
def test_every_method_has_a_page(held, method):
    client = searched(held, method=method, ask="nobody")
    page = client.get(held.start.address("/release", {"method": method, "ask": "nobody"})).text
    assert "Within policy:" in page
    assert "14050" not in page  # a zip code: nobody asked about it


def test_nothing_within_policy_is_told_with_what_would_pass(held):
    state = held.start.but(limits=("group size >= 999",))
    client = guest(held)
    client.post("/release", data=fields(held, limit=list(state.limits)))
    assert held.jobs.numbered(1).wait(20)
    page = client.get(state.address("/release")).text
    assert "✗" in page
    assert "Nothing within policy was found." in page
    assert "group size" in client.get(state.address("/api/release")).json()["problem"]


def test_an_error_stands_at_its_field_in_the_words_of_the_command_line(held):
    client = guest(held)
    page = client.post("/release", data=fields(held, suppress="2")).text
    assert held.jobs.numbered(1) is None
    assert 'id="problem-suppress"' in page
    assert says(page, "--suppress 2", "not a share")
    assert 'value="2"' in page
    without = client.get(held.start.but(limits=()).address("/release")).text
    assert "no limit is set" in without


def test_a_release_that_was_published_is_not_searched_again(held, sample_files, tmp_path):
    table = sl.read_table(sample_files / "patients.parquet", quasi=["age", "sex"], sensitive="disease")
    sl.protect(table, sl.GroupSize() >= 2, method="mondrian", ask="nobody").publish(tmp_path / "before.parquet")
    page = guest(opened(tmp_path / "before.parquet")).get("/release").text
    assert says(page, "published already", "needs the table")


def publishing(held, client, **more):
    return client.post("/release/publish", data=fields(held, ask="nobody", name="release", ending=".csv", **more))


def test_publishing_writes_into_the_folder_of_the_command_and_never_over_a_file(held, folder):
    client = searched(held, ask="nobody")
    client.get(held.start.address("/release", {"ask": "nobody"}))
    page = publishing(held, client, to="folder")
    assert says(page.text, "Published", "within policy", "read from the disk", "release.csv")
    assert {path.name for path in folder.iterdir()} >= {"release.csv", "release.csv.sidelight.json"}
    before = (folder / "release.csv").read_bytes()
    again = publishing(held, client, to="folder", bounds="on")
    assert "release.csv" in again.text
    assert "exists" in again.text
    assert (folder / "release.csv").read_bytes() == before


def test_publishing_without_a_folder_is_a_download(held, folder):
    client = searched(held, ask="nobody")
    client.get(held.start.address("/release", {"ask": "nobody"}))
    page = publishing(held, client, to="download")
    number = str(page.url).rpartition("published=")[2]
    kept = client.get(f"/release/published/{number}")
    names = zipfile.ZipFile(io.BytesIO(kept.content)).namelist()
    assert {"release.csv", "release.csv.sidelight.json"} <= {*names}
    assert list(folder.iterdir()) == []
    assert client.get("/release/published/1").status_code == 404  # a search
    assert client.get("/release/published/99").status_code == 404


@pytest.mark.parametrize("name", ["../release", "/etc/passwd", "a/b", "", ".hidden", "release\x00", "con:", "a" * 101])
def test_a_name_that_is_not_plain_is_refused_and_nothing_written(held, name, folder):
    client = searched(held, ask="nobody")
    client.get(held.start.address("/release", {"ask": "nobody"}))
    page = client.post("/release/publish", data=fields(held, ask="nobody", name=name, ending=".csv", to="folder"))
    assert "is no name for a file here" in page.text
    assert list(folder.iterdir()) == []


def test_nothing_is_published_that_was_not_found_here(held, folder):
    page = publishing(held, guest(held), to="folder")
    assert (page.status_code, "search first" in page.text) == (422, True)
    assert list(folder.iterdir()) == []


def test_no_row_of_a_person_is_sent(held):
    client = searched(held, ask="nobody")
    for path in ("/release", "/api/release"):
        text = client.get(held.start.address(path, {"ask": "nobody"})).text
        assert "14050" not in text


def test_a_candidate_of_another_search_is_told_with_how_that_found_it(held):
    client = searched(held, ask="nobody")
    client.post("/release", data=fields(held, method="mondrian", ask="nobody"))
    assert held.jobs.numbered(2).wait(30)
    key = held.jobs.numbered(2).answer[0].key
    also = {"method": "lattice", "ask": "nobody", "take": f"mondrian: {key}"}
    for path in ("/release", "/report"):
        page = client.get(held.start.address(path, also)).text
        assert "--method mondrian" in page
        assert "method=&#39;mondrian&#39;" in page
    assert "found by mondrian" in page


def test_a_candidate_that_is_gone_is_neither_published_nor_signed_as_another(held, folder):
    client = searched(held, ask="nobody")
    also = {"method": "lattice", "ask": "nobody", "take": "age=99"}
    page = client.get(held.start.address("/release", also)).text
    assert says(page, "address", "not known here")
    assert "age=99" not in page
    report = client.get(held.start.address("/report", {**also, "decision": "approved", "signed_by": "x"}))
    assert (report.status_code, "search again under Release" in report.text) == (422, True)
    assert client.get(held.start.address("/api/report", also)).status_code == 422
    publishing(held, client, to="folder", take="age=99")
    assert list(folder.iterdir()) == []


def test_a_report_on_what_was_found_is_not_one_on_the_file_after_a_restart(held):
    report = guest(held).get(held.start.address("/report", {"method": "lattice", "decision": "approved"}))
    assert (report.status_code, "nothing was found by it here" in report.text) == (422, True)


def test_what_a_release_loses_is_one_number_on_the_page(held):
    client = searched(held, ask="nobody")
    page = client.get(held.start.address("/release", {"ask": "nobody"})).text
    loss = re.search(r"at a balanced loss of ([0-9.]+)\. Attackers", page)
    assert f'<td class="figure">{loss[1]}</td>' in page
