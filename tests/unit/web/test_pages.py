"""How a view is drawn: every text is text, and htmx is told the address."""

import pytest
from support.explorer import ESCAPE, INJECTED, TURNED, guest, opened, write_hostile

from sidelight.table.roles import Roles
from sidelight.web.pages import static_address


@pytest.fixture
def hostile(tmp_path):
    roles = Roles(quasi=("age", "<b>sex</b>"), sensitive="disease")
    return guest(opened(write_hostile(tmp_path / "<i>hostile.csv"), roles))


@pytest.mark.parametrize("path", ["/", "/data", "/readers"])
def test_cells_that_are_scripts_formulas_or_escapes_are_text(hostile, path):
    text = hostile.get(path).text
    for raw in (INJECTED, "<b>sex</b>", "<i>hostile", "<img src=x", ESCAPE, TURNED):
        assert raw not in text
    assert path == "/" or "&lt;b&gt;sex&lt;/b&gt;" in text


def test_hostile_addresses_are_text_too(hostile):
    for name in ("quasi", "limit", "add", "level"):
        answer = hostile.get("/readers", params={"sensitive": "disease", "quasi": ["age", INJECTED], name: INJECTED})
        assert INJECTED not in answer.text


def test_a_request_of_htmx_is_told_the_address_of_what_it_shows(sample_files):
    client = guest(opened(sample_files / "patients.parquet"))
    address = "/readers?quasi=age&sensitive=disease&limit=implications(k%3D1)+%3C+1/2&set-0-k=3&set-0-bound=0.4"
    answer = client.get(address, headers={"hx-request": "true"})
    assert answer.headers["hx-replace-url"] == (
        "/readers?quasi=age&sensitive=disease&limit=implications%28k%3D3%29+%3C+0.4"
    )
    without_scripts = client.get(address)
    assert str(without_scripts.url).endswith(answer.headers["hx-replace-url"])


def test_files_of_ours_name_their_version():
    assert static_address("page.css").startswith("/static/page.css?v=")
