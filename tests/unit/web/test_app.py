"""Which address gets which answer: views, data, files of ours, and words for what is wrong."""

import pytest
from support.explorer import guest, opened
from support.words import says


@pytest.fixture
def client(sample_files):
    return guest(opened(sample_files / "patients.parquet"))


def test_a_view_without_a_state_begins_where_the_command_began(client):
    answer = client.get("/readers")
    assert str(answer.url).endswith(
        "/readers?quasi=age&quasi=sex&sensitive=disease&limit=group+size+%3E%3D+5&limit=implications%28k%3D1%29+%3C+1%2F2"
    )


def test_an_unknown_address_is_told_in_words(client):
    assert (client.get("/nothing").status_code, "There is no such page." in client.get("/nothing").text) == (404, True)
    assert client.get("/api/nothing").json() == {"problem": "There is no such page."}
    assert client.get("/static/../app.py").status_code == 404
    assert client.get("/static/..%2fapp.py").status_code == 404


def test_what_is_wrong_is_said_in_one_line_with_status_422(client):
    address = "/api/readers?quasi=agee&sensitive=disease"
    assert client.get(address).status_code == 422
    assert "did you mean 'age'?" in client.get(address).json()["problem"]
    page = client.get("/readers?quasi=agee&sensitive=disease")
    assert page.status_code == 422
    assert "did you mean &#39;age&#39;?" in page.text


@pytest.mark.parametrize("path", ["/readers", "/skyline", "/what-if", "/release", "/report"])
def test_views_say_what_is_missing_where_nobody_said_who_is_who(client, path):
    page = client.get(f"{path}?quasi=age")
    assert page.status_code == 200
    assert says(page.text, "choose", "others know", "nobody should find out")
    assert 'href="/data?quasi=age"' in page.text
    assert f'href="{path}?quasi=age" aria-current="page"' in page.text


def test_nothing_is_changed_by_asking(client):
    for path in ("/", "/data", "/readers", "/api/data", "/api/readers"):
        assert client.post(path).status_code == 405


def test_files_of_ours_may_be_kept_by_the_browser_and_nothing_else(client):
    assert "max-age" in client.get("/static/page.css").headers["cache-control"]
    assert client.get("/static/none.css").headers["cache-control"] == "no-store"
    assert client.get("/data").headers["cache-control"] == "no-store"


def test_the_schema_describes_the_data_of_every_step(client):
    schema = client.get("/openapi.json").json()
    assert {"/api/data", "/api/readers"} <= {*schema["paths"]}
    assert client.get("/docs").status_code == 404


def test_no_row_of_the_table_is_sent(client):
    for path in ("/", "/data", "/readers", "/release", "/api/data", "/api/readers", "/api/release"):
        assert "14050" not in client.get(path).text  # a zip code, which nobody asked about


@pytest.mark.parametrize(("text", "times"), [("a" * 60, 1), ("a" * 60, 100), ("9" * 5_000, 1)])
def test_whatever_stands_in_a_field_of_an_address_is_answered_or_refused(client, text, times):
    schema = client.get("/openapi.json").json()["paths"]
    views = [path for path in schema if client.get(path.removeprefix("/api")).status_code == 200]
    assert "/api/other-releases" in views
    for path in views:
        for name in (each["name"] for each in schema[path]["get"]["parameters"]):
            query = "&".join(["quasi=age&sensitive=disease", *[f"{name}={text}"] * times])
            answer = client.get(f"{path.removeprefix('/api')}?{query}")
            assert answer.status_code in (200, 422), (path, name)
