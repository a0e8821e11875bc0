"""Who may ask, and what may a page do?  Checked on every request before anything else sees it.

    1  Host      is this server's own address: a name that somebody points to 127.0.0.1 is refused (DNS rebinding)
    2  Origin    if there is one, it is this server's; Sec-Fetch-Site likewise: no page of another site may ask
    3  token     in the address or in the cookie, compared in constant time; an address that has it gets the cookie,
                 which is HttpOnly and SameSite=Strict, and is sent on to the same address without it
    4  size      of what is sent: the length that is announced, and what really arrives

Answers forbid scripts and styles that are not files of ours (Content-Security-Policy), being framed, being kept in a
cache, and being referred to by other sites (among our own, as browsers else send forms from nowhere: Origin null).
There is no CORS: no answer ever allows another origin.

*Not covered.*  Browsers send cookies to every port of a host, so that a server of somebody else on this machine sees
the cookie if one visits it with the same browser; who can run servers here under another account should not be
trusted with the browser either.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, urlencode

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 256 * 1024 * 1024
"""What may be uploaded at once."""

TOKEN = "token"  # noqa: S105 - the name of the field
NAMES = ("127.0.0.1", "localhost")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
KEPT_NOWHERE = (b"cache-control", b"no-store")


def new_token() -> str:
    """Draw a token that nobody guesses."""
    return secrets.token_urlsafe(32)


class TooLarge(Exception):
    """More was sent than is taken."""


class Guard:
    """Lets those in who know the token, from this machine's own page; everything else is refused in a sentence."""

    def __init__(self, inner: Application, *, token: str, port: int, most_bytes: int = MOST_BYTES) -> None:
        self._inner, self._token, self._port, self._most_bytes = inner, token, port, most_bytes
        self._hosts = {f"{name}:{port}" for name in NAMES}
        self._cookie = f"sidelight-{port}"  # another server on this machine has one of its own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request; what is no request of the web (a websocket) is refused too."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        send = _with_headers(send)
        headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        why = self._refusal(headers)
        if why is not None:
            await _say(send, 403, why)
            return
        fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if any(name == TOKEN and self._is_token(text) for name, text in fields):
            await self._let_in(scope, send, [field for field in fields if field[0] != TOKEN])
            return
        if not any(self._is_token(text) for text in self._cookies(headers)):
            await _say(send, 403, "This page needs its token: open the address that 'sidelight serve' printed.")
            return
        if _announced(headers) > self._most_bytes:
            await _say(send, 413, self._too_large())
            return
        await self._counted(scope, receive, send)

    def _refusal(self, headers: list[tuple[bytes, str]]) -> str | None:
        """Say why a request is refused by where it comes from, if it is."""
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "This server answers to its own address only."
        origins = {value for name, value in headers if name == b"origin"}
        if not origins <= {f"http://{hosts[0].lower()}"}:
            return "Another page may not ask this server."
        if not {value for name, value in headers if name == b"sec-fetch-site"} <= {"same-origin", "none"}:
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

    async def _let_in(self, scope: Scope, send: Send, fields: list[tuple[str, str]]) -> None:
        """Give the cookie, and send on to the address without the token, so that it is not kept or copied."""
        query = urlencode(fields)
        path = "/" + quote(scope["path"].lstrip("/"))  # one slash: two would name another host
        headers = [
            (b"location", (f"{path}?{query}" if query else path).encode("latin-1")),
            (b"set-cookie", f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict".encode()),
            KEPT_NOWHERE,
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what arrives, whatever length was announced."""
        arrived, begun = 0, False

        async def counting() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > self._most_bytes:
                raise TooLarge
            return message

        async def unless_too_large(message: Message) -> None:
            nonlocal begun
            if begun or arrived <= self._most_bytes:  # else what the inside makes of it is not sent
                begun = True
                await send(message)

        with suppress(TooLarge):
            await self._inner(scope, counting, unless_too_large)
        if arrived > self._most_bytes and not begun:
            await _say(send, 413, self._too_large())

    def _too_large(self) -> str:
        return f"That is more than {self._most_bytes // (1024 * 1024):,} MB; give a smaller file, or start with it."


def _announced(headers: list[tuple[bytes, str]]) -> int:
    lengths = [value for name, value in headers if name == b"content-length"]
    return max((int(value) for value in lengths if value.isascii() and value.isdigit()), default=0)


def _with_headers(send: Send) -> Send:
    """Add to every answer what a browser may do with it."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            names = {name.lower() for name, _ in headers}
            headers += [each for each in (*HEADERS, KEPT_NOWHERE) if each[0] not in names]
            message = {**message, "headers": headers}
        await send(message)

    return sending


async def _say(send: Send, status: int, sentence: str) -> None:
    body = sentence.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
