"""The report on the page: the same document as `sidelight report`, with the sign-off that the address says."""

import pytest
from support.explorer import guest, opened
from support.words import mentions, says

from sidelight.answers.signing import ReportChoice
from sidelight.table.roles import Roles
from sidelight.web.uploads import Uploads

SIGNED = "&signed_by=Ada+%3Cb%3E&role=DPO&decision=refused&reasons=Too+telling&date=2026-01-31"


@pytest.fixture
def client(sample_files):
    return guest(opened(sample_files / "published.csv"))


def query(client):
    return str(client.get("/report").url).partition("?")[2]


def test_the_document_stands_on_the_page_with_its_sign_off(client):
    page = client.get(f"/report?{query(client)}&outline=hipaa{SIGNED}").text
    assert "Expert determination under 45 CFR" in page
    assert '<dd dir="auto">Ada &lt;b&gt;</dd>' in page
    assert "Too telling" in page
    assert "--outline hipaa" in page
    assert says(page, "published.csv as it stands")


@pytest.mark.parametrize(("form", "begins"), [("html", "<!DOCTYPE html>"), ("md", "# ")])
def test_it_is_taken_as_a_file(client, form, begins):
    answer = client.get(f"/report/download/{form}?{query(client)}{SIGNED}")
    assert answer.headers["content-disposition"] == f'attachment; filename="published.csv.report.{form}"'
    assert answer.text.startswith(begins)
    assert "Too telling" in answer.text
    assert "2026-01-31" in answer.text


def test_the_same_is_data(client):
    answer = client.get(f"/api/report?{query(client)}{SIGNED}").json()["answer"]
    assert answer["sign_off"] == {
        "name": "Ada <b>",
        "role": "DPO",
        "date": "2026-01-31",
        "decision": "refused",
        "reasons": "Too telling",
    }
    assert [file["name"] for file in answer["files"]] == ["published.csv"]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"decision": "approved", "reasons": "x"}, "signed_by"),
        ({"decision": "approved", "signed_by": "x"}, "reasons"),
        ({"decision": "perhaps", "signed_by": "x", "reasons": "x"}, "decision"),
        ({"date": "yesterday"}, "date"),
        ({"outline": "gdpr"}, "outline"),
    ],
)
def test_what_is_incomplete_is_said_at_its_field_and_signs_nothing(client, fields, name):
    choice = ReportChoice.read(fields)
    assert [*choice.problems] == [name]
    assert choice.sign_off.decision == ""
    more = "".join(f"&{field}={text}" for field, text in fields.items())
    assert client.get(f"/report/download/html?{query(client)}{more}").status_code == 422
    assert choice.problems[name] in client.get(f"/report?{query(client)}{more}").text


def test_levels_that_were_chosen_by_hand_are_told_with_the_risk_before(sample_files):
    client = guest(opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies"))
    address = f"{query(client)}&level=age:2"
    assert "No such file is written yet." in client.get(f"/report?{address}").text
    answer = client.get(f"/api/report?{address}").json()["answer"]
    assert (answer["made"]["method"], answer["made"]["levels"]) == ("levels chosen by hand", {"age": 2})
    assert answer["before"]["alone"] > 0


def test_without_roles_the_page_says_what_to_do(client):
    page = client.get("/report?quasi=age")
    assert page.status_code == 200
    assert "There is nothing to sign yet." in page.text


PEOPLE = "age,sex,disease\n30,m,Flu\n31,m,AIDS\n40,f,Flu\n41,f,Cold\n"
OTHER = "sex,disease\nm,AIDS\nm,Ulcer\nf,Flu\nf,Cold\n"
NOT_TRIED = "somebody who holds another release about the same people"


@pytest.fixture
def attacked(tmp_path):
    """A client, and the state of a release that was attacked with another one."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "kept").mkdir()
    held = opened(tmp_path / "people.csv", Roles(quasi=("sex",), sensitive="disease"))
    client = guest(held, Uploads(tmp_path / "kept"))
    key = client.post("/api/uploads", files={"file": ("last year.csv", OTHER)}).json()["key"]
    state = "quasi=sex&sensitive=disease"
    assert NOT_TRIED in client.get(f"/report?{state}").text
    assert client.get(f"/api/other-releases?{state}&other={key}").json()["given_away"] == 2
    return client, state, key


def test_what_was_tried_with_another_release_is_told(attacked):
    client, state, key = attacked
    client.get(f"/api/other-releases?{state}&other={key}&at_most=1/2")  # the same attack
    page = client.get(f"/report?{state}").text
    assert says(page, "Together", "give away", "at least 2 of 4 people")
    assert NOT_TRIED not in page
    assert "--attack attack-1.json" in page
    assert "attacks={&#39;last year.csv&#39;: exposure_1}" in page
    (attack,) = client.get(f"/api/report?{state}").json()["answer"]["attacks"]
    assert (attack["kind"], attack["source"], attack["facts"]["people"]) == ("attack", ["last year.csv"], 4)
    assert any(mentions(each, "2 releases", "give away", "at least 2 of 4 people") for each in attack["notes"])
    assert "last year.csv" in client.get(f"/report/download/md?{state}").text


def test_an_attack_can_be_left_out_and_is_told_of_no_other_release(attacked):
    client, state, key = attacked
    left_out = f"{state}&without={key}"
    assert client.get(f"/api/report?{left_out}").json()["answer"]["attacks"] == []
    page = client.get(f"/report?{left_out}&signed_by=Ada").text
    assert "Left out: with last year.csv." in page
    assert f'name="without" value="{key}"' in page
    assert NOT_TRIED in page
    for other in ("quasi=age&sensitive=disease", f"{state}&level=sex:1"):
        assert client.get(f"/api/report?{other}").json()["answer"]["attacks"] == []


def test_what_a_search_found_is_told_with_attacks_on_the_same_levels(attacked):
    client, _, key = attacked
    fields = {"quasi": ["age", "sex"], "sensitive": "disease", "limit": "group size >= 2", "ask": "nobody"}
    client.post("/release", data=fields)
    address = "quasi=age&quasi=sex&sensitive=disease&limit=group+size+%3E%3D+2&ask=nobody"
    while "progress" in (page := client.get(f"/report?{address}").text):
        pass
    levels = client.get(f"/api/report?{address}").json()["answer"]["made"]["levels"]
    asked = "".join(f"&level={name}:{level}" for name, level in levels.items())
    assert "Nobody has tried here" in page
    answer = client.get(f"/api/other-releases?quasi=age&quasi=sex&sensitive=disease{asked}&other={key}").json()
    (attack,) = client.get(f"/api/report?{address}").json()["answer"]["attacks"]
    assert attack["facts"]["people"] == answer["people"] == 4
    assert "[found.release, other]" in client.get(f"/report?{address}").text
