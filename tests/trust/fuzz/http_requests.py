"""Requests to the explorer, in this process: addresses, forms, headers, uploads, by guests and by strangers."""

from __future__ import annotations

import asyncio
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlencode

from hypothesis import strategies as st
from support.explorer import PORT, TOKEN, opened
from trust.fuzz import csv_files, facts, limits, statements
from trust.fuzz.bars import Broken, Target
from trust.fuzz.near_valid import STRANGE, near
from trust.fuzz.people import NAMES, TYPED, rows

from sidelight.table.roles import Roles
from sidelight.web.app import explorer
from sidelight.web.uploads import Uploads

VIEWS = ("", "data", "readers", "release", "report", "skyline", "what-if", "other-releases")
PATHS = (
    *(f"/{view}" for view in VIEWS),
    *(f"/api/{view}" for view in VIEWS[1:]),
    *("/api/uploads", "/api/what-if/completions", "/jobs/1", "/jobs/x/cancel", "/api/jobs/1", "/release/publish"),
    *("/release/published/1", "/report/download/html", "/report/download/x", "/static/page.css", "/static/../app.py"),
    *("/openapi.json", "//", "/%00", "/static/%2e%2e/%2e%2e/app.py", "/nothing", "/jobs/99999999999999999999"),
)
FIELDS = (
    *(
        "quasi",
        "sensitive",
        "missing",
        "level",
        "limit",
        "notes",
        "add",
        "remove",
        "set-0-k",
        "set-0-bound",
        "set-0-value",
    ),
    *(
        "as-zip",
        "to-age",
        "value",
        "below",
        "others",
        "know",
        "other",
        "people",
        "known",
        "secret",
        "present",
        "at_most",
    ),
    *("same", "locate", "outline", "decision", "signed_by", "reasons", "date", "of", "take", "method", "text", "at"),
    *("target", "given", "who", "name", "format", "layout", "as_people", "token", "up_to", "suppress", "utility"),
)
texts = st.one_of(
    st.sampled_from(TYPED),
    st.sampled_from(["age:1", "age:99", "drop", "off", "1", "0", "10", "Flu", "group size", "mondrian", "csv", "x:y"]),
    st.sampled_from(STRANGE),
    near(limits.documents(), changes=1),
    near(facts.facts, changes=1),
    near(statements.documents, changes=1),
)
GOOD = [("quasi", "age"), ("quasi", "sex"), ("sensitive", "disease")]


@st.composite
def requests(draw: st.DrawFn) -> dict[str, object]:
    """A request near one that the page makes."""
    path = (
        draw(near(st.sampled_from(PATHS), changes=1)) if draw(st.integers(0, 9)) == 9 else draw(st.sampled_from(PATHS))
    )
    fields = draw(st.lists(st.tuples(st.sampled_from(FIELDS), texts), max_size=4))
    fields = ([*GOOD] if draw(st.integers(0, 3)) else []) + fields
    method = draw(st.sampled_from(["GET"] * 6 + ["POST", "POST", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "X"]))
    headers = [("host", f"127.0.0.1:{PORT}"), ("cookie", f"sidelight-{PORT}={TOKEN}")]
    if draw(st.integers(0, 5)) == 5:
        kinds = ["host", "cookie", "origin", "content-length", "content-type", "sec-fetch-site", "accept", "hx-request"]
        headers.append((draw(st.sampled_from(kinds)), draw(texts)))
    body, kind = b"", None
    if method in ("POST", "PUT"):
        kind = draw(st.sampled_from(["form", "upload", "upload", "noise"]))
        if kind == "form":
            body = urlencode([(name, text.encode("utf-8", "replace")) for name, text in fields]).encode()
            headers.append(("content-type", "application/x-www-form-urlencoded"))
        elif kind == "upload":
            content = draw(csv_files.encoded(near(csv_files.documents(), changes=1)))
            name = draw(
                st.sampled_from(["t.csv", "t.csv.sidelight.json", "../t.csv", "t.exe", "", "t.parquet", "t.xlsx"])
            )
            head = f'--xx\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
            body = head.encode() + content + draw(st.sampled_from([b"\r\n--xx--\r\n", b"\r\n--xx--\r\n", b"", b"--xx"]))
            headers.append(("content-type", "multipart/form-data; boundary=xx"))
        else:
            body = draw(st.binary(max_size=40))
    return {"method": method, "path": path, "fields": fields, "headers": headers, "body": body}


@cache
def page() -> tuple[object, object, asyncio.Runner]:
    folder = Path(tempfile.mkdtemp())
    (folder / "people.csv").write_text("\n".join(",".join(row) for row in (NAMES, *rows(16))))
    held = opened(folder / "people.csv", Roles(quasi=("age", "sex"), sensitive="disease"))
    kept = Uploads(Path(tempfile.mkdtemp()))
    return explorer(held, token=TOKEN, port=PORT, uploads=kept), kept, asyncio.Runner()


def ask(request: dict[str, object]) -> str:
    """Make a request as a server would hand it on; what a view raises, the server would answer with 500."""
    app, kept, runner = page()
    kept._files.clear()  # else there would be no place for more
    sent = []
    kept.folder = Path(tempfile.mkdtemp(dir=kept.folder.parent, prefix=kept.folder.name[:12]))
    path = request["path"].encode("utf-8", "surrogatepass")
    query = urlencode([(name, text.encode("utf-8", "surrogatepass")) for name, text in request["fields"]])
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request["method"],
        "scheme": "http",
        "path": path.decode("utf-8", "replace"),
        "raw_path": quote(path).encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), text.encode("latin-1", "replace")) for name, text in request["headers"]],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", PORT),
    }
    messages = [{"type": "http.request", "body": request["body"], "more_body": False}]

    async def receive() -> dict[str, object]:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    driving = asyncio._get_running_loop()  # of a browser that other tests of this process drive
    asyncio._set_running_loop(None)
    try:
        runner.run(app(scope, receive, send))
    finally:
        asyncio._set_running_loop(driving)
    status = sent[0]["status"]
    body = b"".join(message.get("body", b"") for message in sent[1:]).decode("utf-8", "replace")
    if status >= 500:
        message = f"status {status}: {body[:200]}"
        raise Broken(message)
    return body if status >= 400 else ""


TARGET = Target("HTTP", requests(), ask, share=60, short=40, prepare=page)
