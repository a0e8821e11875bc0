"""Another release is dropped: who is exposed by both, of whom nobody can tell, and what would pass."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient
from support.explorer import INJECTED, PORT, TOKEN, guest, opened
from support.words import mentions, says

import sidelight as sl
from sidelight.table.roles import Roles
from sidelight.web.app import application
from sidelight.web.security import Guard
from sidelight.web.uploads import MOST_FILES, Uploads

ROWS = [("30", "m", "Flu"), ("31", "m", "AIDS"), ("40", "f", "Flu"), ("41", "f", "Cold")]
OTHER = "age,sex,disease\n30-39,m,AIDS\n30-39,m,Ulcer\n40-49,f,Flu\n40-49,f,Cold\n"


def write(folder, rows=ROWS):
    (folder / "people.csv").write_text("age,sex,disease\n" + "".join(",".join(row) + "\n" for row in rows))
    return folder / "people.csv"


@pytest.fixture
def client(tmp_path):
    (tmp_path / "kept").mkdir()
    held = opened(write(tmp_path), Roles(quasi=("age", "sex"), sensitive="disease"))
    return guest(held, Uploads(tmp_path / "kept"))


def dropped(client, name="other.csv", text=OTHER, **more):
    files = [("file", (name, io.BytesIO(text.encode())))]
    return client.post("/other-releases?quasi=age&quasi=sex&sensitive=disease", files=files, **more)


def test_a_dropped_file_is_answered_under_an_address_of_its_own(client):
    page = dropped(client)
    assert page.status_code == 200
    assert "other=" in str(page.url)
    assert "What other.csv says" in page.text
    assert "other.csv" in page.text
    assert str(client.get(str(page.url)).status_code) == "200"


def test_what_both_give_away_is_counted_and_told_by_what_is_printed(client):
    key = client.post("/api/uploads", files={"file": ("o.csv", OTHER)}).json()["key"]
    address = f"/api/other-releases?quasi=sex&sensitive=disease&other={key}"
    answer = client.get(address).json()
    assert (answer["people"], answer["given_away"], answer["alone"], answer["by_the_other_alone"]) == (4, 2, 0, 0)
    assert answer["holds"] is False
    assert "Only AIDS is in all of them." in answer["witness"]
    who, where = answer["witness"].splitlines()[:2]
    assert mentions(who, "2 people", "alike")
    assert where.startswith("release 1: group 2 (sex m)")
    assert answer["at_least"] is True
    assert client.get(f"{address}&at_most=1/2").json()["holds"] is None  # two is a lower bound
    assert client.get(f"{address}&at_most=1").json()["holds"] is True
    unsure = client.get(f"{address}&present=0.5").json()
    assert (unsure["given_away"], unsure["holds"]) == (0, None)


def test_people_who_are_not_found_are_not_called_safe(client):
    other = "age,sex,disease\nyoung,m,AIDS\nyoung,m,Ulcer\n"
    key = client.post("/api/uploads", files={"file": ("o.csv", other)}).json()["key"]
    address = f"/api/other-releases?quasi=sex&sensitive=disease&other={key}"
    assert "say which are the same" in client.get(address).json()["problem"]
    answer = client.get(f"{address}&same=%3D").json()
    assert (answer["given_away"], answer["holds"]) == (0, None)
    assert "nobody can tell" in answer["sentence"]


def test_what_would_pass_is_a_coarser_release(tmp_path):
    rows = [(str(age), "mf"[age % 2], disease) for age in (30, 31, 40, 41) for disease in ("Flu", "Cold")]
    held = opened(write(tmp_path, rows), Roles(quasi=("age", "sex"), sensitive="disease"))
    client = guest(held, Uploads(tmp_path))
    other = "sex,disease\nm,Flu\nm,Flu\nm,Cold\nm,Ulcer\nf,Flu\nf,Cold\nf,Ulcer\nf,Flu\n"
    text = other.replace("m,Cold\n", "m,Ulcer\n")
    key = client.post("/api/uploads", files={"file": ("o.csv", text)}).json()["key"]
    answer = client.get(f"/api/other-releases?quasi=age&quasi=sex&sensitive=disease&other={key}").json()
    assert answer["given_away"] == 4
    assert all(each["given_away"] <= 4 for each in answer["coarser"])


def test_roles_are_asked_for_where_names_differ(client):
    page = dropped(client, text="age,sex,illness\n30-39,m,AIDS\n")
    assert says(page.text, "which column of other.csv", "nobody should find out")
    said = client.get(f"{page.url}&as-age=quasi&as-sex=leave+out&as-illness=sensitive")
    assert "known=age" in str(said.url)
    assert "secret=illness" in str(said.url)


@pytest.mark.parametrize("name", ["x.exe", "../../x", ""])
def test_what_is_no_table_is_refused_at_the_field(client, name):
    page = dropped(client, name=name or "x")
    assert page.status_code == 422
    assert 'role="alert"' in page.text


def test_cells_and_names_that_are_scripts_are_text(client):
    page = dropped(client, name=f"{INJECTED}.csv", text=f"age,sex,disease\n30,m,{INJECTED}\n31,m,{INJECTED}\n")
    assert "<script>document" not in page.text


def test_a_file_that_cannot_be_read_is_named_as_it_was_given(client, tmp_path):
    page = dropped(client, name="mine.parquet", text="no parquet")
    assert "mine.parquet" in page.text
    assert str(tmp_path / "kept") not in page.text


def test_a_key_of_yesterday_is_told(client):
    page = client.get("/other-releases?quasi=age&sensitive=disease&other=0123456789abcdef")
    assert page.status_code == 200
    assert "that file is gone" in page.text


def test_other_pages_may_not_upload(client):
    assert dropped(client, headers={"origin": "http://example.com"}).status_code == 403
    assert dropped(client, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    client.cookies.clear()
    assert dropped(client).status_code == 403


def test_more_than_the_limit_is_cut_while_it_streams(tmp_path):
    held = opened(write(tmp_path), Roles(quasi=("age",), sensitive="disease"))
    (tmp_path / "kept").mkdir()
    inner = application(held, Uploads(tmp_path / "kept"))
    client = TestClient(Guard(inner, token=TOKEN, port=PORT, most_bytes=2_000), base_url=f"http://127.0.0.1:{PORT}")
    client.cookies.set(f"sidelight-{PORT}", TOKEN)
    sent = []

    def body():
        yield b'--b\r\ncontent-disposition: form-data; name="file"; filename="x.csv"\r\n\r\n'
        for _ in range(100):
            sent.append(1)
            yield b"x" * 1_000

    answer = client.post("/api/uploads", content=body(), headers={"content-type": "multipart/form-data; boundary=b"})
    assert answer.status_code == 413
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_release_that_was_published_asks_for_people(tmp_path, sample_files):
    rows = [{"age": 20 + n, "sex": "mf"[n % 2], "disease": ("Flu", "Cold", "Ulcer")[n % 3]} for n in range(30)]
    table = sl.read_table(pa.Table.from_pylist(rows), quasi=["age", "sex"], sensitive="disease")
    sl.protect(table, sl.Policy(sl.GroupSize() >= 3), method="mondrian", ask="nobody").publish(tmp_path / "r.csv")
    client = guest(opened(tmp_path / "r.csv", Roles()), Uploads(tmp_path / "kept"))
    (tmp_path / "kept").mkdir()
    page = dropped(client, text=OTHER.replace("AIDS", "Cold"))
    asked = client.get(str(page.url).replace("/other-releases", "/api/other-releases"))
    assert "drop a file of the people" in asked.json()["problem"]
    people = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), people)
    people.seek(0)
    answered = client.post(f"{page.url}&as_people=yes", files={"file": ("people.parquet", people)})
    assert "people=" in str(answered.url)
    answer = client.get(str(answered.url).replace("/other-releases", "/api/other-releases")).json()
    assert answer["people"] == 30


@pytest.mark.parametrize("name", ["present", "people", "other", "at_most", "secret", "same"])
def test_what_is_too_long_is_refused_in_one_line_on_the_page_as_in_the_data(client, name, tmp_path):
    query = f"/other-releases?quasi=age&sensitive=disease&{name}={'a' * 3_000}"
    words = client.get(f"/api{query}").json()["problem"]
    assert words.startswith(f"query.{name}: String should have at most")
    page = client.get(query)
    assert (page.status_code, words in page.text) == (422, True)
    assert client.post(query, files={"file": ("other.csv", OTHER)}).status_code == 422
    assert list((tmp_path / "kept").iterdir()) == []


def test_too_many_columns_are_refused_before_a_file_is_kept(client, tmp_path):
    many = "&".join(f"quasi=q{number}" for number in range(61))
    assert client.get(f"/other-releases?{many}").status_code == 422
    assert client.post(f"/other-releases?{many}", files={"file": ("other.csv", OTHER)}).status_code == 422
    assert list((tmp_path / "kept").iterdir()) == []


@pytest.mark.parametrize("address", ["/api/uploads", "/other-releases?quasi=age&sensitive=disease"])
def test_files_that_are_refused_take_no_place(client, tmp_path, address):
    for _ in range(MOST_FILES + 1):
        refused = client.post(address, files={"file": ("mine.parquet", "no parquet")})
        assert refused.status_code == 422
        assert "mine.parquet" in refused.text
    assert list((tmp_path / "kept").iterdir()) == []
    assert client.post("/api/uploads", files={"file": ("other.csv", OTHER)}).status_code == 200


def test_a_release_that_its_sidecar_does_not_fit_is_refused_and_takes_no_place(client, tmp_path):
    rows = [{"age": 20 + n, "sex": "mf"[n % 2], "disease": ("Flu", "Cold", "Ulcer")[n % 3]} for n in range(30)]
    table = sl.read_table(pa.Table.from_pylist(rows), quasi=["age", "sex"], sensitive="disease")
    sl.protect(table, sl.Policy(sl.GroupSize() >= 3), method="mondrian", ask="nobody").publish(tmp_path / "r.csv")
    sidecar, text = (tmp_path / "r.csv.sidelight.json").read_bytes(), (tmp_path / "r.csv").read_text()
    for changed, status in ((text.replace("Flu", "Ulcer", 1), 422), (text, 200)):
        files = [("file", ("r.csv", changed)), ("file", ("r.csv.sidelight.json", sidecar))]
        answer = client.post("/api/uploads", files=files)
        assert answer.status_code == status
    assert len(list((tmp_path / "kept").iterdir())) == 1
