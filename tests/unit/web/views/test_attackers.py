"""Readers: what each could find out, as the library says it; tuned, added, taken away."""

from functools import partial

import pytest
from support.explorer import PATIENTS, guest, opened
from support.long_work import measure_implications_slowly
from support.waiting import PATIENCE
from support.words import mentions, says

import sidelight as sl
from sidelight.answers.attackers import place_finding
from sidelight.cli.serve import workspace
from sidelight.table.roles import Roles
from sidelight.web.views import attackers
from sidelight.web.views.attackers import tuned_state


@pytest.fixture
def held(sample_files):
    return opened(sample_files / "published.csv")


@pytest.fixture
def client(held):
    return guest(held)


def test_it_says_what_the_library_says(held, client, sample_files):
    release = sl.read_release(sample_files / "published.csv", group=["age", "sex"], sensitive="disease")
    shown = client.get(held.start.address("/api/readers")).json()
    verdict = sl.Policy(sl.GroupSize() >= 5, sl.Implications(1) < sl.errors.Fraction(1, 2)).judge(release)
    assert [reader["findings"][0]["explanation"] for reader in shown["readers"]] == [
        finding.explain() for finding in verdict.findings
    ]
    assert shown["people"] == 40
    assert shown["holds"] == verdict.safe


def test_verdicts_are_words(held, client):
    within = client.get(held.start.but(limits=("group size >= 2",)).address("/readers")).text
    assert "✓ within ≥ 2" in within
    assert says(within, "Within policy", "the limit holds", "40 people in 4 groups")
    assert says(within, "Attackers", "not name", "not judged")
    broken = client.get(held.start.but(limits=("group size >= 500", "group size >= 3")).address("/readers")).text
    assert says(broken, "Not within policy", "1 of 2 limits", "not kept", "40 people in 4 groups")
    nothing = client.get(held.start.but(limits=("group size",)).address("/readers")).text
    assert "No limit is set: nothing is judged" in nothing


def test_limits_are_counted_as_in_an_audit_and_who_was_not_asked_is_said(tmp_path):
    rows = [f"{n % 2},{n % 3},{n % 5}" for n in range(40)]
    (tmp_path / "two.csv").write_text("\n".join(["age,disease,income", *rows]) + "\n")
    held = opened(tmp_path / "two.csv", Roles(quasi=("age",), sensitive=("disease", "income")))
    limits = ("group size >= 2", "implications(k=1) < 1/100", "journalist risk <= 1/2")
    sentence = guest(held).get(held.start.but(limits=limits).address("/api/readers")).json()["sentence"]
    assert says(sentence, "Not within policy", "2 of 3 limits", "not kept", "40 people in 2 groups")
    assert says(sentence, "1 reader", "could not be asked")


def test_a_reader_that_cannot_be_asked_is_not_passed_over(held, client):
    state = held.start.but(limits=("group size >= 2", "insider <= 0.5"))
    shown = client.get(state.address("/api/readers")).json()
    assert shown["holds"] is None
    assert shown["readers"][1]["problem"]
    assert mentions(shown["sentence"], "Could not tell", "40 people in 4 groups", "1 reader", "could not be asked")
    assert "Could not tell:" in client.get(state.address("/readers")).text


def test_readers_are_tuned_added_and_taken_away(held):
    state = held.start
    fields = [("set-1-k", "2"), ("set-1-bound", "3/4"), ("add", "distinct values >= 2")]
    assert tuned_state(held, state, fields).limits == (
        "group size >= 5",
        "implications(k=2) < 3/4",
        "distinct values >= 2",
    )
    assert tuned_state(held, state, [("remove", "0")]).limits == ("implications(k=1) < 1/2",)
    assert tuned_state(held, state, [("set-99-k", "2"), ("remove", "x")]) == state


def test_an_error_stands_at_the_field_that_caused_it(held, client):
    answer = client.get(held.start.address("/readers", {"add": "implicatons(k=1) < 0.5"}))
    assert "did you mean &#39;implications&#39;?" in answer.text
    assert 'aria-describedby="add-problem"' in answer.text
    tuning = client.get(held.start.address("/readers", {"set-1-k": "many"}))
    assert "give a whole number" in tuning.text
    assert "implications(k=1) &lt; 1/2" in tuning.text


def test_several_sensitive_columns_are_asked_about_one_by_one(sample_files):
    held = opened(sample_files / "patients.parquet", sl.table.roles.Roles(quasi=("sex",), sensitive=("disease", "zip")))
    shown = guest(held).get(held.start.but(limits=("distinct values >= 2",)).address("/api/readers")).json()
    assert {each["text"] for each in shown["readers"][0]["findings"]} == {
        "distinct values(of=disease)",
        "distinct values(of=zip)",
    }


@pytest.mark.parametrize("name", ["group size", "delta disclosure", "beta likeness", "prior belief(stubbornness=inf)"])
def test_gauges_stay_on_their_line(held, client, name):
    shown = client.get(held.start.but(limits=(name,)).address("/readers"))
    assert shown.status_code == 200
    assert PATIENTS.quasi == held.start.quasi


def test_a_gauge_of_a_share_goes_from_0_to_1(held):
    from sidelight.report.report import audit_report  # noqa: PLC0415

    release = held.release(held.start)
    criterion = sl.Implications(1) < 0.5
    (finding,) = audit_report(release, verdict=sl.Policy(criterion).judge(release)).answer.findings
    drawn = place_finding(finding, criterion.measure.limits)
    assert (drawn["low"], drawn["high"], drawn["limit"]) == ("0", "1", 50)
    assert drawn["at"] == round(100 * float(finding.result.number), 2)


def test_a_slow_reader_keeps_nobody_waiting(held, monkeypatch, tmp_path):
    monkeypatch.setattr(attackers, "measure_attacker", partial(measure_implications_slowly, tmp_path))
    monkeypatch.setattr(attackers, "MOMENT", 0.0001)
    client = guest(held)
    page = client.get("/readers").text
    assert "Measuring implications(k=1) &lt; 1/2" in page
    assert "Could not tell yet" in page or "Not within policy" in page
    assert "group size" in page
    number = held.jobs.of(("attacker", held.start.subject, "implications(k=1) < 1/2")).number
    cancelled = client.post(f"/jobs/{number}/cancel").text
    assert "Could not tell: it was cancelled" in cancelled
    assert "Ask again" in cancelled
    (tmp_path / "go on").touch()
    client.post(f"/jobs/{number}/again")
    assert held.jobs.of(("attacker", held.start.subject, "implications(k=1) < 1/2")).wait(PATIENCE)
    assert "Measuring" not in client.get("/readers").text


def test_the_census_answers_first_and_shows_three_steps():
    held = workspace(None)
    client = guest(held)
    text = client.get("/").text
    counted = "2 of 5 limits", "not kept", "46,033 people in 20 groups"
    assert says(text, "Not within policy", *counted, "implications(k=2)", "7/9")
    assert says(text, "Adm-clerical", "probability 7/9")
    assert text.count('class="hint"') == 3
    assert 'class="hint"' not in client.get(held.start.but(notes=False).address("/")).text


def test_notes_about_the_example_stand_by_no_other_file(sample_files):
    held = opened(sample_files / "patients.parquet")
    assert 'class="hint"' not in guest(held).get(held.start.address("/")).text


def test_a_file_that_nobody_described_says_what_is_missing(tmp_path):
    (tmp_path / "odd.csv").write_text("x1,x2\n" + "".join(f"{n},{n * 7 % 5}\n" for n in range(40)))
    held = opened(tmp_path / "odd.csv", Roles())
    answer = guest(held).get(held.start.address("/"))
    assert answer.status_code == 200
    assert "Nothing can be told yet." in answer.text


def test_what_was_taken_for_granted_is_said_first(tmp_path):
    rows = [f"{20 + n % 30},{'mf'[n % 2]},{('Flu', 'Cold', 'N/A')[n % 3]}" for n in range(60)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,sex,disease", *rows]) + "\n")
    held = opened(tmp_path / "patients.csv", Roles())
    client = guest(held)
    for path in ("/", "/data"):
        assert says(client.get(path).text, "Each row", "person", "people have several rows")
    assert says(client.get("/").text, "known to others", "age and sex")
    assert says(client.get("/").text, "Nobody should find out", "disease")
    assert "as suggested: a value" in client.get("/data").text
