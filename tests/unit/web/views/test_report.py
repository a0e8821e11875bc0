"""The report on the page: the same document as `sidelight report`, with the sign-off that the address says."""

import pytest
from support.explorer import guest, opened

from sidelight.web.views.report import read_choice

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
    assert "published.csv as it stands, as if it were published so." in page


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
    choice = read_choice(fields)
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
