"""Many use the page at once: all get their answers, searches take turns and can be cancelled, and nothing piles up.

`python benchmarks/load.py` does the same for longer, with more clients and in a process that can be looked at.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import urlencode

import httpx
import pytest
from load import Load, arrived, share, use_at_once
from support import long_work
from support.explorer import HOME, PORT, TOKEN, guest, opened
from support.waiting import PATIENCE, wait_for

from sidelight.web import jobs, searches
from sidelight.web.app import explorer
from sidelight.web.views import what_if
from sidelight.web.workspace import MOST_KEPT, MOST_TABLES

COOKIE = {"cookie": f"sidelight-{PORT}={TOKEN}"}


@pytest.fixture
def held(sample_files):
    held = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")
    yield held
    held.jobs.close()


def run(work):
    """Run it in a thread of its own: a browser of other tests may have a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result(PATIENCE)


def unfinished(held):
    return [each for each in held.jobs._jobs.values() if each.goes_on]


def test_ten_at_once_get_their_answers(held, serve):
    load = run(use_at_once(serve(held), clients=10, seconds=3))
    assert load.errors == []
    assert load.asked >= 20  # everybody was let in, however busy this machine is
    assert "| all |" in load.table()
    wait_for(lambda: not unfinished(held))
    assert len(held.tables) <= MOST_TABLES
    assert len(held.answers) <= MOST_KEPT
    assert len(held.jobs._jobs) <= 2 * jobs.MOST_ENDED + 1
    assert not any(held.jobs._lanes.values())


def test_searches_of_many_are_done_in_the_order_in_which_they_came(held, monkeypatch, tmp_path):
    monkeypatch.setattr(searches, "search", partial(long_work.search_for_long, tmp_path))
    begun = tmp_path / "begun"
    clients = [guest(held) for _ in range(5)]
    limits = [f"group size >= {2 + at}" for at in range(5)]
    asked = [("quasi", "age"), ("sensitive", "disease")]
    numbers = [
        client.post("/api/release", params=[*asked, ("limit", limit)]).json()["number"]
        for client, limit in zip(clients, limits, strict=True)
    ]
    wait_for(begun.exists)
    last = clients[4].get(f"/api/jobs/{numbers[4]}").json()
    assert (last["stage"], last["sentence"].count("Searching by")) == ("waiting", 4)
    assert clients[3].post(f"/api/jobs/{numbers[1]}/cancel").json()["stage"] == "cancelled"  # before its turn
    assert clients[3].post(f"/api/jobs/{numbers[0]}/cancel").json()["stage"] == "cancelled"  # in the middle
    (tmp_path / "go on").touch()
    wait_for(lambda: not unfinished(held))
    assert begun.read_text().splitlines() == [limits[at].replace(">=", "≥") for at in (0, 2, 3, 4)]


def test_who_waits_for_an_answer_is_not_taken_for_gone(held, monkeypatch):
    monkeypatch.setattr(jobs, "FORGOTTEN", 0.02)
    monkeypatch.setattr(what_if, "conclude", long_work.conclude_slowly)
    monkeypatch.setattr(what_if, "WHAT_IF_SECONDS", PATIENCE)
    app = explorer(held, token=TOKEN, port=PORT)

    async def ask_at_once():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=HOME, headers=COOKIE, timeout=PATIENCE) as client:
            path = held.start.but(quasi=("sex",)).address("/api/what-if")
            facts = [f"#1.{who} != {value}" for who in range(1, 16) for value in ("Flu", "AIDS", "Ulcer")]
            return await asyncio.gather(*(client.get(path + "&" + urlencode({"know": fact})) for fact in facts))

    answers = run(ask_at_once())
    assert [answer.text for answer in answers if answer.status_code != 200] == []
    assert len(answers) == 45  # more than threads that answer


def test_what_somebody_went_away_from_is_not_worked_at(held, serve, monkeypatch):
    monkeypatch.setattr(jobs, "FORGOTTEN", 0.1)
    monkeypatch.setattr(what_if, "conclude", long_work.conclude_never)

    async def ask_and_leave(address):
        async with arrived(1, address, Load()) as client:
            asking = asyncio.create_task(client.what_if())
            await asyncio.to_thread(wait_for, lambda: any(each.done for each in unfinished(held)))
            asking.cancel()

    run(ask_and_leave(serve(held)))
    wait_for(lambda: not unfinished(held))
    assert held.jobs._jobs[max(held.jobs._jobs)].stage == "cancelled"


def test_a_share_of_times_is_one_that_was_measured():
    assert [share([3.0, 1.0, 2.0, 4.0], part) for part in (0.5, 0.95, 1)] == [2.0, 4.0, 4.0]
    assert share([], 0.5) == 0
