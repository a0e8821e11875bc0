"""Who is let in, and what a page may do: every refusal by name."""

import http.client
import os
import socket
import threading
import time
from contextlib import ExitStack, closing, suppress
from itertools import cycle, islice

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from support.explorer import HOME, PORT, TOKEN, guest, opened, stranger
from support.words import mentions

from sidelight.web import security
from sidelight.web.app import server_of
from sidelight.web.security import MOST_SILENT, Guard, new_token, write_opener


@pytest.fixture
def held(sample_files):
    return opened(sample_files / "patients.parquet")


def test_tokens_are_long_and_differ():
    assert len(new_token()) >= 43
    assert new_token() != new_token()


@pytest.mark.parametrize("path", ["/", "/data", "/readers", "/api/readers", "/openapi.json", "/static/page.css", "/x"])
def test_without_the_token_nothing_is_answered(held, path):
    answer = stranger(held).get(path)
    assert answer.status_code == 403
    assert mentions(answer.text, "needs its token", "'sidelight serve'")
    assert len(answer.text) < 100  # and nothing of the page


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "é", "\x00"])
def test_a_wrong_token_is_refused(held, token):
    assert stranger(held).get("/", params={"token": token}).status_code == 403
    client = stranger(held)
    client.cookies.set(f"sidelight-{PORT}", token.encode("ascii", "ignore").decode() or "x")
    assert client.get("/data").status_code == 403


def test_the_token_becomes_a_cookie_and_leaves_the_address(held):
    answer = stranger(held).get(f"/readers?quasi=age&token={TOKEN}&limit=group+size+%3E%3D+5")
    assert (answer.status_code, answer.headers["location"]) == (303, "/readers?quasi=age&limit=group+size+%3E%3D+5")
    cookie = answer.headers["set-cookie"]
    assert cookie == f"sidelight-{PORT}={TOKEN}; Path=/; HttpOnly; SameSite=Strict"
    assert answer.headers["cache-control"] == "no-store"


def test_the_address_that_follows_names_no_other_host(held):
    for path in ("//example.com/x", "/\\example.com", "/%2f/example.com"):
        location = stranger(held).get(f"{HOME}{path}?token={TOKEN}").headers["location"]
        assert location.startswith("/")
        assert not location.startswith(("//", "/\\"))


def test_a_second_tab_is_let_in_by_the_cookie_and_by_the_token(held):
    client = guest(held)
    assert client.get("/data").status_code == 200
    assert client.get(f"/readers?token={TOKEN}").status_code == 200
    assert client.get("/readers").status_code == 200


@pytest.mark.parametrize(
    "host", ["example.com", f"example.com:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"127.0.0.1.nip.io:{PORT}", ""]
)
def test_other_hosts_are_refused_even_with_the_token(held, host):
    answer = stranger(held, host=host).get(f"/?token={TOKEN}")
    assert (answer.status_code, mentions(answer.text, "own address only")) == (403, True)
    assert len(answer.text) < 100  # and nothing of the page
    assert "set-cookie" not in answer.headers


def test_localhost_is_its_own_address_too(held):
    assert stranger(held, host=f"localhost:{PORT}").get(f"/?token={TOKEN}").status_code == 303


@pytest.mark.parametrize("origin", ["http://example.com", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1"])
def test_other_origins_are_refused(held, origin):
    client = guest(held)
    for ask in (client.get, client.post):
        answer = ask("/readers", headers={"origin": origin})
        assert (answer.status_code, answer.text) == (403, "Another page may not ask this server.")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_that_another_page_caused_are_refused(held, site):
    assert guest(held).get("/readers", headers={"sec-fetch-site": site}).status_code == 403


def test_its_own_origin_may_ask(held):
    assert guest(held).get("/readers", headers={"origin": HOME, "sec-fetch-site": "same-origin"}).status_code == 200


def test_every_answer_forbids_what_a_page_need_not_do(held):
    client = guest(held)
    for answer in (client.get("/"), client.get("/api/data"), client.get("/none"), stranger(held).get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_no_page_has_scripts_or_styles_of_its_own(held):
    client = guest(held)
    for path in ("/", "/data", "/readers", "/nowhere"):
        text = client.get(path).text
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick=" not in text
        assert all("src=" in tag for tag in text.split("<script")[1:])
        assert "http://" not in text.replace("http://www.w3.org", "")
        assert "https://" not in text


def test_preflights_get_no_permission(held):
    answer = guest(held).options("/api/readers", headers={"access-control-request-method": "GET"})
    assert not [name for name in answer.headers if name.startswith("access-control-")]


async def take_it_all(scope, receive, send):
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"taken"})


def small_guest():
    client = TestClient(Guard(take_it_all, token=TOKEN, port=PORT, most_bytes=10), base_url=HOME)
    client.cookies.set(f"sidelight-{PORT}", TOKEN)
    return client


def test_more_than_the_limit_is_refused_whether_it_is_announced_or_not():
    client = small_guest()
    assert client.post("/", content=b"x" * 10).text == "taken"
    assert client.post("/", content=b"x" * 11).status_code == 413
    assert client.post("/", content=iter([b"x" * 6, b"x" * 6])).status_code == 413


def test_websockets_are_refused():
    client = small_guest()
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/"):
        pass


# --- the address is opened by a file ---------------------------------------------------------------------------

BY_A_FILE = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def test_a_file_may_open_the_address_with_the_token(held):
    answer = stranger(held, **BY_A_FILE).get(f"/readers?quasi=age&token={TOKEN}&limit=group+size+%3E%3D+5")
    assert (answer.status_code, "location" in answer.headers) == (200, False)
    assert answer.headers["set-cookie"].startswith(f"sidelight-{PORT}={TOKEN}; ")
    assert 'url=/readers?quasi=age&amp;limit=group+size+%3E%3D+5"' in answer.text
    assert TOKEN not in answer.text


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("/", BY_A_FILE),
        ("/?token=wrong", BY_A_FILE),
        *(
            (f"/?token={TOKEN}", {**BY_A_FILE, "sec-fetch-dest": dest})
            for dest in ("iframe", "image", "script", "empty")
        ),
        *((f"/?token={TOKEN}", {**BY_A_FILE, "sec-fetch-mode": mode}) for mode in ("cors", "no-cors")),
        (f"/?token={TOKEN}", {"sec-fetch-site": "cross-site"}),
        (f"/?token={TOKEN}", {**BY_A_FILE, "origin": "null"}),
    ],
)
def test_nothing_else_from_elsewhere_is_let_in(held, address, headers):
    answer = stranger(held, **headers).get(address)
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


def test_the_file_that_opens_the_address_is_for_its_owner_alone(tmp_path):
    before = os.umask(0)
    try:
        path = write_opener(tmp_path, "http://127.0.0.1:1/?a=1&token=x")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert "url=http://127.0.0.1:1/?a=1&amp;token=x" in path.read_text()


# --- connections that say nothing ------------------------------------------------------------------------------

HALF_OPEN = {  # what somebody sends who does not go on, and holds the connection
    "nothing": b"",
    "half a line": b"GET / HT",
    "blank lines": b"\r\n\r\n",
    "headers without an end": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    "a request that is refused": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a body that does not come": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n",
}


async def answers(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def listening():
    """A guarded server on a real socket, and its port."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
        server = server_of(Guard(answers, token=TOKEN, port=port))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield port, server
        server.should_exit = True
        thread.join(30)


def ask(connection):
    """Ask as the owner does, who has the cookie."""
    connection.request("GET", "/", headers={"cookie": f"sidelight-{connection.port}={TOKEN}"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def connected(port):
    return closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60))


def silent(port):
    return closing(socket.create_connection(("127.0.0.1", port), timeout=60))


def test_connections_that_go_no_further_lock_nobody_out(listening):
    port, server = listening
    resource = pytest.importorskip("resource")
    most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as opened_ones, connected(port) as mine, connected(port) as another:
        opened_ones.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (most, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # both ends are of this process
        assert ask(mine) == (200, b"ok")
        for sent in islice(cycle(HALF_OPEN.values()), 1100):  # of each kind more than may be silent
            each = opened_ones.enter_context(silent(port))
            with suppress(OSError):  # it may have been closed already
                each.sendall(sent.replace(b"127.0.0.1", f"127.0.0.1:{port}".encode()))
        assert ask(another) == (200, b"ok")
        assert ask(mine) == (200, b"ok")  # one that has spoken is kept
        deadline = time.monotonic() + 30
        while len(server.server_state.connections) > MOST_SILENT + 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_connection_that_says_nothing_is_closed_after_a_while(monkeypatch, listening):
    monkeypatch.setattr(security, "SILENT_SECONDS", 0.2)
    port, server = listening
    with connected(port) as mine:
        assert ask(mine) == (200, b"ok")
        with silent(port) as other, suppress(ConnectionResetError):
            assert other.recv(1) == b""
        assert len(server.server_state.connections) == 1
        assert ask(mine) == (200, b"ok")
