"""Rendering of views: a template with the frame around it, in which every text stays text.

Every expression of a template is escaped, and invisible characters are made visible (`visible`): cells that are HTML,
scripts or terminal escapes are shown, never run.  Numbers come from documents of the library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sidelight import __version__
from sidelight.documents.document import DocumentPart
from sidelight.errors import SidelightError, visible
from sidelight.report.plots import COLOURS
from sidelight.text import counted, form, join_words

if TYPE_CHECKING:
    from sidelight.web.workspace import State, Workspace

CONFIGURATION = json.dumps(
    {
        "includeIndicatorStyles": False,  # inline style, which the content security policy forbids
        "allowEval": False,
        "allowScriptTags": False,
        "selfRequestsOnly": True,
        "historyCacheSize": 0,  # no page stays in the browser
        "refreshOnHistoryMiss": True,
        "defaultSettleDelay": 0,
        "scrollBehavior": "auto",
        "responseHandling": [{"code": ".*", "swap": True}],
    }
)
"""The settings of htmx."""


@dataclass(frozen=True, slots=True)
class PageView:
    """A view: its path, its title, and its step on the newcomer's path, if it has one."""

    path: str
    title: str
    question: str
    step: int | None = None


def page(
    request: Request,
    view: PageView,
    state: State,
    *,
    template: str = "",
    also: Mapping[str, object] | None = None,
    **context: object,
) -> Response:
    """Render a view in a state, by the template named like its path or by `template`.

    A request of htmx gets the same page, of which it takes the parts that it selects, and the address to show.
    """
    workspace: Workspace = request.app.state.workspace
    name = template or view.path.strip("/") or "start"
    text = (
        environment()
        .get_template(f"{name}.html")
        .render(
            view=view,
            views=request.app.state.views,
            state=state,
            source=workspace.source,
            also=also or {},
            version=__version__,
            **context,
        )
    )
    headers = {"vary": "HX-Request"}
    if "hx-request" in request.headers:
        headers["hx-replace-url"] = state.address(view.path, also)
    return HTMLResponse(text, headers=headers)


def go_to(request: Request, address: str) -> Response:
    """Redirect the browser; htmx gets a header with which it loads the whole page."""
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"hx-redirect": address})
    return RedirectResponse(address, status_code=303)


async def posted(request: Request) -> list[tuple[str, str]]:
    """Parse the fields of a posted form, which has no files."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return parse_qsl(body, keep_blank_values=True, max_num_fields=400)
    except ValueError:
        raise SidelightError("more than 400 fields were sent") from None


PostedFields = Annotated[list[tuple[str, str]], Depends(posted)]
"""The fields of a posted form, as a parameter of a view."""


@cache
def environment() -> Environment:
    """Build the environment of templates, which escapes everything and raises on an undefined name."""
    templates = Environment(
        loader=PackageLoader("sidelight.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"counted": counted, "form": form, "figure": "{:,}".format, "listed": join_words}
    templates.globals |= {
        # verdicts differ by shape and word first, by colour second
        "marks": {True: "✓", False: "✗", None: "?"},
        "htmx_configuration": CONFIGURATION,
        "static": static_address,
        # the colours of charts on a dark page
        "chart_colours": json.dumps({light: dark for light, (_, dark) in COLOURS.items()}),
    }
    return templates


def _shown(thing: Any) -> Any:  # noqa: ANN401 - whatever a template prints
    return visible(thing) if isinstance(thing, str) and not isinstance(thing, Markup) else thing


STATIC = files("sidelight.web") / "static"


def static_address(name: str) -> str:
    """Return the address of a static file, with the version up to which a browser may cache it."""
    return f"/static/{name}?v={__version__}"


class Complaint(DocumentPart):
    """What is wrong, in terms of the command line."""

    problem: str
