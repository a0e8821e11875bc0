"""The application: the views, the same as data under `/api`, and static files.

`serve` runs it on 127.0.0.1 alone, at a free port, until Ctrl-C.
"""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import ModuleType

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from sidelight import __version__
from sidelight.errors import BadTable, SidelightError
from sidelight.web.jobs import warm_up
from sidelight.web.pages import STATIC, Complaint, PageView, go_to, page
from sidelight.web.security import (
    MOST_SILENT,
    TOKEN,
    Application,
    Guard,
    ImpatientProtocol,
    Receive,
    Scope,
    Send,
    new_token,
    write_opener,
)
from sidelight.web.uploads import Uploads, own_temporary_folder
from sidelight.web.views import attackers, data, jobs, other_releases, release, report, skyline, what_if
from sidelight.web.workspace import Workspace, read_state

VIEWS: tuple[ModuleType, ...] = (data, attackers, release, report, skyline, what_if, other_releases)
"""Each view is a module with a `VIEW` and a `router`; those with a step are the newcomer's path."""


def explorer(workspace: Workspace, *, token: str, port: int, uploads: Uploads | None = None) -> Application:
    """Build the explorer of a workspace, which answers only requests with the token."""
    return Guard(application(workspace, uploads), token=token, port=port)


def application(workspace: Workspace, uploads: Uploads | None = None) -> FastAPI:
    """Build the application behind the guard."""
    app = FastAPI(
        title="Sidelight explorer", version=__version__, docs_url=None, redoc_url=None, lifespan=_with_many_threads
    )
    app.state.workspace = workspace
    app.state.uploads = uploads
    app.state.views = [attackers.START, *(module.VIEW for module in VIEWS)]
    for module in VIEWS:
        app.include_router(module.router)
    app.include_router(jobs.router)
    app.mount("/static", StaticFiles(directory=str(STATIC)), name="static")
    app.add_middleware(begin_with_state)
    for error in (SidelightError, HTTPException, RequestValidationError):
        app.add_exception_handler(error, _trouble)
    return app


@asynccontextmanager
async def _with_many_threads(_: FastAPI) -> AsyncIterator[None]:
    # threads for many requests at a time: most of the slow ones wait for jobs, and do nothing
    current_default_thread_limiter().total_tokens = 100
    yield


def begin_with_state(inner: Application) -> Application:
    """Redirect a view without any state to the state that the command line began with.

    Not an `app.middleware`, behind which a disconnect of the client is not seen (starlette's `BaseHTTPMiddleware`).
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        answering = inner
        if scope["type"] == "http":
            request = Request(scope)
            path, views = request.url.path, {view.path for view in request.app.state.views}
            if request.method == "GET" and path in views and not request.url.query:
                answering = go_to(request, request.app.state.workspace.start.address(path))
        await answering(scope, receive, send)

    return answer


def _trouble(request: Request, error: Exception) -> Response:
    """Render an error in one line: as data for programs, as a page for people."""
    status = error.status_code if isinstance(error, HTTPException) else 422
    words = str(error)
    if isinstance(error, HTTPException):
        words = "There is no such page." if error.detail == "Not Found" else str(error.detail)
    elif isinstance(error, RequestValidationError):
        words = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
    elif isinstance(error, SidelightError):
        words = request.app.state.workspace.wording(error)
    if request.url.path.startswith("/api/"):
        return JSONResponse(Complaint(problem=words).model_dump(), status_code=status)
    try:
        state = read_state(request.query_params.multi_items())
    except SidelightError:
        state = request.app.state.workspace.start
    lacks_roles = isinstance(error, BadTable) and not (state.quasi and state.sensitive)
    views = {view.path: view for view in request.app.state.views}
    if lacks_roles and request.url.path in views:  # not an error: roles come first
        return page(request, views[request.url.path], state, template="too-early", words=words)
    trouble = PageView("/trouble", "Something is wrong", "What is wrong, and what would help?")
    response = page(request, trouble, state, words=words)
    response.status_code = status
    return response


def serve(
    workspace: Workspace, *, port: int = 0, open_browser: bool = True, say: Callable[[str], None] = lambda _: None
) -> None:
    """Serve the explorer until it is interrupted; port 0 is any free one."""
    token, host = new_token(), "127.0.0.1"  # out of reach of other machines
    warm_up()
    with own_temporary_folder() as folder, socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()  # a browser that opens the address at once waits, and is not refused
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SidelightError(f"cannot listen to port {port}: {reason}; name another with --port") from None
        number = listener.getsockname()[1]
        address = f"http://{host}:{number}/?{TOKEN}={token}"
        app = explorer(workspace, token=token, port=number, uploads=Uploads(folder))
        say(address)
        if open_browser:
            threading.Timer(0.3, webbrowser.open, [write_opener(folder, address).as_uri()]).start()
        try:
            server_of(app).run(sockets=[listener])
        finally:
            workspace.jobs.close()  # before the folder that they may write into is removed


def server_of(app: Application) -> uvicorn.Server:
    """Build the server of an explorer."""
    config = uvicorn.Config(
        app,
        http=ImpatientProtocol.build_server_class(),
        ws="none",
        log_level="error",
        access_log=False,  # addresses contain columns and limits
        server_header=False,
        backlog=MOST_SILENT,  # accepted at a time, before they are counted
        timeout_keep_alive=120,  # a user who thinks for a while loses no form
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)
