"""How far work is, as a part of a page and as data; what ended or is forgotten lets its page load what there is."""

import time

import pytest
from support.explorer import guest, opened
from support.long_work import report_markup_for_ever


@pytest.fixture
def held(sample_files):
    held = opened(sample_files / "patients.parquet")
    yield held
    held.jobs.close()


def test_a_job_is_drawn_until_it_is_cancelled(held):
    client = guest(held)
    job = held.jobs.start("x", lambda: report_markup_for_ever, title="Counting", address="/readers?quasi=age")
    while not job.done:
        time.sleep(0.002)
    part = client.get("/jobs/1", headers={"hx-request": "true"})
    assert part.status_code == 200
    assert "Counting: &lt;b&gt;steps&lt;/b&gt;: 3 of 12." in part.text
    assert 'max="12" value="3"' in part.text
    assert client.get("/api/jobs/1").json()["stage"] == "running"

    client.follow_redirects = False
    answer = client.post("/jobs/1/cancel")
    assert (answer.status_code, answer.headers["location"]) == (303, "/readers?quasi=age")
    part = client.get("/jobs/1", headers={"hx-request": "true"})
    assert (part.status_code, part.headers["hx-trigger"]) == (286, "job-ended")
    assert client.post("/api/jobs/1/cancel").json()["problem"] == "it was cancelled"


def test_work_of_a_server_that_was_closed_is_told_as_gone(held):
    client = guest(held)
    part = client.get("/jobs/7", headers={"hx-request": "true"})
    assert (part.status_code, part.headers["hx-trigger"]) == (286, "job-ended")
    assert client.get("/jobs/7").status_code == 404
    assert "started again since" in client.get("/jobs/7").text
    assert "started again since" in client.get("/api/jobs/7").json()["problem"]
    assert client.post("/jobs/7/cancel").status_code == 404
    assert client.get("/api/jobs/-1").status_code == 422
