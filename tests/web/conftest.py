"""A real Chromium, and the explorer served to it: of the census, or of any file that a test writes."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect
from support.explorer import without_aborted
from support.waiting import PATIENCE, wait_for

from sidelight.cli.serve import workspace
from sidelight.web.app import explorer, server_of
from sidelight.web.uploads import Uploads
from sidelight.web.workspace import Workspace

TOKEN = "a-token-for-tests"
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    absent = pytest.mark.skip(reason="needs Chromium (Debian: apt-get install chromium)")
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("browser") and CHROMIUM is None:
            item.add_marker(absent)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """The system's Chromium; without its sandbox, which containers do not allow."""
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ["--no-sandbox"]}


MILLISECONDS = 120_000
"""To wait for a page or a part of it, on a busy machine."""

expect.set_options(timeout=MILLISECONDS)


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    """Wait for pages and their parts as long as a busy machine needs."""
    context.set_default_timeout(MILLISECONDS)
    return context


@contextmanager
def served(held: Workspace, folder: Path) -> Iterator[str]:
    """Serve a workspace at a port that is free; gives the address with the token."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    port = listener.getsockname()[1]
    app = explorer(held, token=TOKEN, port=port, uploads=Uploads(folder))
    server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    wait_for(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{port}/?token={TOKEN}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


@pytest.fixture(scope="session")
def census(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the explorer of the bundled census."""
    with served(workspace(None), tmp_path_factory.mktemp("uploads")) as address:
        yield address


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Workspace], str]]:
    """Serve workspaces until the test ends."""
    from contextlib import ExitStack  # noqa: PLC0415

    with ExitStack() as stack:
        yield lambda held: stack.enter_context(served(held, tmp_path_factory.mktemp("uploads")))


@pytest.fixture
def quiet_page(page):
    """A page of the browser on which nothing may be complained about, and which asks nobody but the explorer."""
    complaints: list[str] = []
    aborted: list[str] = []
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda each: None if "//127.0.0.1:" in each.url else complaints.append(f"asked {each.url}"))
    page.on("requestfailed", lambda each: aborted.append(each.url) if "ERR_ABORTED" in (each.failure or "") else None)
    yield page
    assert without_aborted(complaints, len(aborted)) == []
