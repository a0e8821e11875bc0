"""Access control: every request is checked here before anything else sees it, and every response gets its headers.

    1  Host      is this server's own address: another name that resolves to 127.0.0.1 is refused (DNS rebinding)
    2  Origin    if there is one, it is this server's; Sec-Fetch-Site likewise: no page of another site may ask
    3  token     in the address or in the cookie, compared in constant time; an address that has it gets the cookie,
                 which is HttpOnly and SameSite=Strict, and is sent on to the same address without it.  Such an address
                 may be opened by a file of ours (`write_opener`), which a browser takes for another site: arguments
                 of a program, in which the token would stand otherwise, are read by every account of a machine
    4  size      of the body: the length that is announced, and what really arrives
    5  patience  a connection without a request is closed after a while, and the oldest ones when there are many; a
                 refusal closes its connection (`ImpatientProtocol`): open connections of others lock nobody out

Answers forbid scripts and styles that are not files of ours (Content-Security-Policy), being framed, being kept in a
cache, and being referred to by other sites (among our own, as browsers else send forms from nowhere: Origin null).
There is no CORS: no answer ever allows another origin.

*Not covered.*  Browsers send cookies to every port of a host, so that another server on this machine sees the
cookie if the same browser visits it; a person who can run servers here under another account should not be trusted
with the browser either.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from html import escape
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, quote, urlencode

from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from sidelight.files import open_private

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

# The largest upload.
MOST_BYTES = 256 * 1024 * 1024

TOKEN = "token"  # noqa: S105 - the name of the field

HEADERS = (
    (
        b"content-security-policy",
        (
            b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
            b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
KEPT_NOWHERE = (b"cache-control", b"no-store")
KEPT_A_DAY = (b"cache-control", b"private, max-age=86400")


def new_token() -> str:
    """Return a new unguessable token."""
    return secrets.token_urlsafe(32)


def write_opener(folder: Path, address: str) -> Path:
    """Write a page, readable by its owner alone, that opens an address."""
    path = folder / "open.html"
    with open_private(path) as file:
        file.write(_going_to(address))
    return path


def _going_to(address: str) -> bytes:
    url = escape(address)
    return (
        '<!DOCTYPE html><meta charset="utf-8"><title>Sidelight</title>'
        f'<meta http-equiv="refresh" content="0; url={url}"><a href="{url}">Open Sidelight</a>\n'
    ).encode()


class Guard:
    """Admits requests with the token from this machine's own page; refuses everything else in a sentence."""

    def __init__(self, inner: Application, *, token: str, port: int, most_bytes: int = MOST_BYTES) -> None:
        self._inner, self._token, self._port, self._most_bytes = inner, token, port, most_bytes
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._cookie = f"sidelight-{port}"  # another server on this machine has one of its own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request; refuse websockets too."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        send = _add_headers(send, is_ours=scope["path"].startswith("/static/"))
        headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        has_token = any(name == TOKEN and self._is_token(text) for name, text in fields)
        foreign = not {value for name, value in headers if name == b"sec-fetch-site"} <= {"same-origin", "none"}
        # whether a browser shows the answer to its user, in a tab and not inside of another page
        fetched = sorted(each for each in headers if each[0] in (b"sec-fetch-mode", b"sec-fetch-dest"))
        navigation = [(b"sec-fetch-dest", "document"), (b"sec-fetch-mode", "navigate")]
        opens_a_page = has_token and scope["method"] == "GET" and fetched == navigation
        why = self._refusal(headers, foreign=foreign and not opens_a_page)
        if why is not None:
            await _say(send, 403, why)
            return
        if has_token:
            await self._let_in(scope, send, [field for field in fields if field[0] != TOKEN], foreign=foreign)
            return
        if not any(self._is_token(text) for text in self._cookies(headers)):
            await _say(send, 403, "This page needs its token: open the address that 'sidelight serve' printed.")
            return
        lengths = [value for name, value in headers if name == b"content-length"]
        announced = max((int(value) for value in lengths if value.isascii() and value.isdigit()), default=0)
        if announced > self._most_bytes:
            await _say(send, 413, self._too_large())
            return
        await self._counted(scope, receive, send)

    def _refusal(self, headers: list[tuple[bytes, str]], *, foreign: bool) -> str | None:
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "This server answers to its own address only."
        origins = {value for name, value in headers if name == b"origin"}
        if not origins <= {f"http://{hosts[0].lower()}"}:
            return "Another page may not ask this server."
        if foreign:
            return "Another page may not ask this server: copy the address into the address bar."
        return None

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode("utf-8", "surrogatepass"), self._token.encode())

    def _cookies(self, headers: list[tuple[bytes, str]]) -> list[str]:
        tokens = []
        for name, value in headers:
            if name == b"cookie":
                try:
                    morsel = SimpleCookie(value).get(self._cookie)
                except CookieError:
                    continue
                tokens += [] if morsel is None else [morsel.value]
        return tokens

    async def _let_in(self, scope: Scope, send: Send, fields: list[tuple[str, str]], *, foreign: bool) -> None:
        """Set the cookie, and redirect to the address without the token, so that it is not kept or copied.

        A request from another site gets a page of ours that redirects: a browser that is redirected by a header still
        counts as coming from there, and does not send the cookie.
        """
        query = urlencode(fields)
        path = "/" + quote(scope["path"].lstrip("/"))  # one slash: two would name another host
        following = f"{path}?{query}" if query else path
        headers = [
            (b"set-cookie", f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict".encode()),
            KEPT_NOWHERE,
            *([(b"content-type", b"text/html")] if foreign else [(b"location", following.encode("latin-1"))]),
        ]
        await send({"type": "http.response.start", "status": 200 if foreign else 303, "headers": headers})
        await send({"type": "http.response.body", "body": _going_to(following) if foreign else b""})

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on while counting the bytes that arrive, whatever length was announced."""
        arrived, begun = 0, False

        async def counting() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > self._most_bytes:
                raise ClientDisconnect  # the rest is not read
            return message

        async def unless_too_large(message: Message) -> None:
            nonlocal begun
            if begun or arrived <= self._most_bytes:  # otherwise the response to a part of it is dropped
                begun = True
                await send(message)

        with suppress(ClientDisconnect):
            await self._inner(scope, counting, unless_too_large)
        if arrived > self._most_bytes and not begun:
            await _say(send, 413, self._too_large())

    def _too_large(self) -> str:
        return f"That is more than {self._most_bytes // (1024 * 1024):,} MB; give a smaller file, or start with it."


def _add_headers(send: Send, *, is_ours: bool) -> Send:
    """Add the headers of policy to every response; static files may be cached."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            kept = KEPT_A_DAY if is_ours and message["status"] == 200 else KEPT_NOWHERE
            names = {name.lower() for name, _ in headers}
            headers += [each for each in (*HEADERS, kept) if each[0] not in names]
            message = {**message, "headers": headers}
        await send(message)

    return sending


async def _say(send: Send, status: int, sentence: str) -> None:
    body = sentence.encode()
    length = (b"content-length", str(len(body)).encode())
    headers = [(b"content-type", b"text/plain; charset=utf-8"), length, (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# The most connections without a request: then the oldest is closed.  A browser opens half a dozen.
MOST_SILENT = 64

# After which a connection without a request is closed.
SILENT_SECONDS = 20.0

if TYPE_CHECKING:
    _Protocol = asyncio.Protocol
else:
    _Protocol = AutoHTTPProtocol


class ImpatientProtocol(_Protocol):
    """The protocol of uvicorn, which closes silent connections so that they do not block others.

    Its own `limit_concurrency` counts silent connections too, and would refuse the next request.
    """

    _silent: dict[ImpatientProtocol, asyncio.TimerHandle]  # of all connections of a server, the oldest first

    @classmethod
    def build_server_class(cls) -> type[ImpatientProtocol]:
        """Build the class whose connections are those of one server."""
        return type(cls.__name__, (cls,), {"_silent": {}})

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start waiting for a request."""
        super().connection_made(transport)
        self._silent[self] = asyncio.get_running_loop().call_later(SILENT_SECONDS, self._hang_up)
        if len(self._silent) > MOST_SILENT:
            next(iter(self._silent))._hang_up()

    def data_received(self, data: bytes) -> None:
        """Receive bytes; the first request has come when there is an exchange, however many bytes came before."""
        super().data_received(data)
        if getattr(self, "cycle", None) is not None:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _hang_up(self) -> None:
        self._stop_waiting()
        self.transport.abort()  # type: ignore[attr-defined]

    def _stop_waiting(self) -> None:
        timer = self._silent.pop(self, None)
        if timer is not None:
            timer.cancel()
