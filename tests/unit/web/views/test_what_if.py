"""What if: the fractions are the library's, and what could not be told is said to be so."""

from fractions import Fraction
from functools import partial

import pytest
from support.explorer import guest, opened
from support.words import says

import sidelight as sl
from sidelight.table.roles import Roles
from sidelight.web.jobs import Job
from sidelight.web.views import what_if


@pytest.fixture
def held(sample_files):
    return opened(sample_files / "published.csv")


@pytest.fixture
def client(held):
    return guest(held)


def test_it_says_what_the_library_says(held, client, sample_files):
    release = sl.read_release(sample_files / "published.csv", group=["age", "sex"], sensitive="disease")
    fact = "#1.2 = Flu -> #1 = Flu"
    shown = client.get(held.start.address("/api/what-if", {"know": [fact]})).json()
    first = sl.posteriors(release, given=fact).top(1)[0]
    assert shown["model"] == "worlds"
    assert (
        Fraction(shown["movers"][0]["after"].partition("(")[2].rstrip(")") or shown["movers"][0]["after"])
        == first[first.value]
    )
    assert shown["people"] == 40
    assert "of 40 people" in shown["sentence"]


def test_a_job_that_ends_while_its_page_is_rendered_is_still_polled(held, client, monkeypatch):
    describe = Job.describe

    def describe_then_end(job):
        shown = describe(job)
        assert job.wait(30)
        return shown

    monkeypatch.setattr(what_if, "begin", partial(what_if.begin, within=0))
    monkeypatch.setattr(Job, "describe", describe_then_end)
    page = client.get(held.start.address("/what-if", {"know": ["#1 != Flu"]})).text
    assert 'class="job-line"' in page
    assert "Could not tell" not in page
    assert 'id="movers"' in client.get(held.start.address("/what-if", {"know": ["#1 != Flu"]})).text


def test_shares_are_asked_of_maximum_entropy(tmp_path):
    rows = "".join(f"{'20-29' if n % 2 else '30-39'},{['Flu', 'Cold', 'Gout'][n % 3]}\n" for n in range(24))
    (tmp_path / "ages.csv").write_text(f"age,disease\n{rows}")
    held = opened(tmp_path / "ages.csv", Roles(quasi=("age",), sensitive="disease"))
    shown = guest(held).get(held.start.address("/api/what-if", {"know": ["P(Flu | age=25) = 0.9"]})).json()
    assert shown["model"] == "maximum entropy"
    assert shown["movers"][0]["after_number"] == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (["#1 ="], "at character 5: a value is missing"),
        (["#99 = Flu"], "no group 99 in the release; they are numbered 1 to 4"),
        (["#1 = Fluu"], "did you mean &#39;Flu&#39;?"),
        (["P(Flu | sex=) = 0.3"], "a value is missing before"),
        (["Ann = Flu"], "the release names nobody"),
        (["x" * 501], "longer than 500 characters"),
        (["#1 = Flu", "P(Flu) >= 0.1"], "ask with one kind at a time"),
        (["#1 = Flu", "#1 != Flu"], "cannot all hold"),
    ],
)
def test_what_could_not_be_told_is_said_to_be_so(held, client, known, words):
    page = client.get(held.start.address("/what-if", {"know": known})).text
    assert words in page
    assert "Could not tell" in page or "These cannot all be true" in page
    assert client.get(held.start.address("/api/what-if", {"know": known})).status_code == 422


def test_an_empty_page_says_what_to_do(held, client):
    page = client.get(held.start.address("/what-if")).text
    assert says(page, "Nothing is known yet", "write a fact")
    assert "#1 != " in page
    assert client.get(held.start.address("/api/what-if")).status_code == 422


def test_names_are_offered(held, client):
    address = held.start.address("/api/what-if/completions", {"text": "#1 = fl", "at": 7})
    assert client.get(address).json()["options"][0] == {"text": "Flu", "what": "a value"}


def test_one_of_several_sensitive_columns_is_chosen(tmp_path):
    rows = "".join(f"{20 + n % 2},{['Flu', 'Cold'][n % 2]},{['baker', 'smith', 'clerk'][n % 3]}\n" for n in range(12))
    (tmp_path / "jobs.csv").write_text(f"age,disease,job\n{rows}")
    held = opened(tmp_path / "jobs.csv", Roles(quasi=("age",), sensitive=("disease", "job")))
    client = guest(held)
    first = client.get(held.start.address("/what-if")).text
    assert '<option value="disease" selected>' in first
    assert client.get(held.start.address("/api/what-if", {"of": "job", "know": ["#1 != baker"]})).status_code == 200
    page = client.get(held.start.address("/what-if", {"of": "job", "know": ["#1 != baker"]})).text
    assert '<option value="job" selected>' in page
    assert "Knowing 1 fact" in page
    assert "of=job" in page  # links keep it
    assert "--sensitive job" in page
    offered = held.start.address("/api/what-if/completions", {"text": "#1 = ba", "at": 7, "of": "job"})
    assert client.get(offered).json()["options"][0]["text"] == "baker"
    assert "About the column" not in client.get("/what-if?quasi=age&sensitive=job").text
