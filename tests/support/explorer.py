"""The explorer without a browser: a client that was let in, of files that tests write."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from sidelight.answers.request import Settings
from sidelight.cli.serve import workspace
from sidelight.table.roles import Roles
from sidelight.web.app import explorer
from sidelight.web.uploads import Uploads
from sidelight.web.workspace import Workspace

PORT = 8000
TOKEN = "the-token"
HOME = f"http://127.0.0.1:{PORT}"

PATIENTS = Roles(quasi=("age", "sex"), sensitive="disease")

INJECTED = "<script>document.title='pwned'</script>"
FORMULA = '=HYPERLINK("http://example.com")'
ESCAPE = "\x1b[31mred\x1b[0m"
TURNED = "\u202egnitide"


def opened(file: Path, roles: Roles = PATIENTS, **more: object) -> Workspace:
    """Open a file as `sidelight serve` does."""
    return workspace(str(file), Settings(**more), roles)


def stranger(held: Workspace, uploads: Uploads | None = None, **headers: str) -> TestClient:
    """A client of the explorer that does not know the token."""
    app = explorer(held, token=TOKEN, port=PORT, uploads=uploads)
    return TestClient(app, base_url=HOME, headers=headers, follow_redirects=False)


def guest(held: Workspace, uploads: Uploads | None = None) -> TestClient:
    """A client that came in with the token, and has the cookie."""
    client = stranger(held, uploads)
    assert client.get(f"/?token={TOKEN}").status_code == 303
    client.follow_redirects = True
    return client


def write_hostile(path: Path) -> Path:
    """A file whose names and cells are HTML, scripts, formulas and terminal escapes; eight people who look alike."""
    rows = ["age,<b>sex</b>,disease"]
    for age in (INJECTED, '"""><img src=x onerror=alert(1)>"'):
        rows += [f"{age},{sex},{disease}" for sex in ("m", TURNED) for disease in (INJECTED, ESCAPE, "'", "Flu")]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def without_aborted(complaints: list[str], aborted: int) -> list[str]:
    """Leave out what htmx says of requests that nobody waits for any more.

    A newer question replaced them, as a slider that goes on does, or the page was left: the browser counts these as
    `aborted`.  A request that failed otherwise, as with a server that is gone, is complained about.
    """
    replaced = [at for at, text in enumerate(complaints) if text.startswith("htmx:sendAbort")]
    failed = [at for at, text in enumerate(complaints) if text.startswith("htmx:sendError")]
    left = failed[: max(aborted - len(replaced), 0)]
    of_no_error = {place for at in (*replaced, *left) for place in (at - 1, at)}
    return [text for at, text in enumerate(complaints) if at not in of_no_error]
