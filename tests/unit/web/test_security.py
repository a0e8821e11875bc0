"""Who is let in, and what a page may do: every refusal by name."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from support.explorer import HOME, PORT, TOKEN, guest, opened, stranger

from sidelight.web.security import Guard, new_token


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
    assert answer.text == "This page needs its token: open the address that 'sidelight serve' printed."


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
    assert (answer.status_code, answer.text) == (403, "This server answers to its own address only.")
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
