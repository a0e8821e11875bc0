"""Which address gets which answer?  The views, the same as data under `/api`, and the files that pages are made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import ModuleType

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from sidelight import __version__
from sidelight.errors import SidelightError
from sidelight.web.pages import STATIC, Complaint, PageView, go_to, page
from sidelight.web.security import Application, Guard
from sidelight.web.state import read_state
from sidelight.web.uploads import Uploads
from sidelight.web.views import data, readers, start
from sidelight.web.workspace import Workspace

VIEWS: tuple[ModuleType, ...] = (start, data, readers)
"""Each view is a file with a `VIEW` and a `router`; those with a step are the path, the others stand beside it."""

TROUBLE = PageView("/trouble", "Something is wrong", "What is wrong, and what would help?")


def explorer(workspace: Workspace, *, token: str, port: int, uploads: Uploads | None = None) -> Application:
    """Make the explorer of a workspace, which answers only to who knows the token."""
    return Guard(application(workspace, uploads), token=token, port=port)


def application(workspace: Workspace, uploads: Uploads | None = None) -> FastAPI:
    """Make the application behind the guard."""
    app = FastAPI(title="Sidelight explorer", version=__version__, docs_url=None, redoc_url=None)
    app.state.workspace = workspace
    app.state.uploads = uploads
    app.state.views = [module.VIEW for module in VIEWS]
    for module in VIEWS:
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=str(STATIC)), name="static")
    app.middleware("http")(_begin_with_a_state)
    app.add_exception_handler(SidelightError, _trouble)
    app.add_exception_handler(HTTPException, _trouble)
    app.add_exception_handler(RequestValidationError, _trouble)
    return app


async def _begin_with_a_state(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    """Let a view that is asked for without any state begin where the command line began."""
    views = {view.path for view in request.app.state.views}
    if request.method == "GET" and request.url.path in views and not request.url.query:
        return go_to(request, request.app.state.workspace.start.address(request.url.path))
    response = await answer(request)
    if request.url.path.startswith("/static/") and response.status_code == 200:
        response.headers["cache-control"] = "private, max-age=86400"
    return response


def _trouble(request: Request, error: Exception) -> Response:
    """Say in one line what is wrong: as data to programs, as a page to people."""
    status = error.status_code if isinstance(error, HTTPException) else 422
    if isinstance(error, HTTPException):
        words = "There is no such page." if status == 404 else str(error.detail)
    elif isinstance(error, RequestValidationError):
        words = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
    else:
        words = str(error)
    if request.url.path.startswith("/api/"):
        return JSONResponse(Complaint(problem=words).model_dump(), status_code=status)
    try:
        state = read_state(request.query_params.multi_items())
    except SidelightError:
        state = request.app.state.workspace.start
    response = page(request, TROUBLE, state, words=words)
    response.status_code = status
    return response
