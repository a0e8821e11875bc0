"""How is a view drawn?  A template with the frame around it, in which every text is text.

Whatever stands between braces of a template is escaped, and what nobody would see in it is shown (`visible`): cells
that are HTML, scripts or terminal escapes are read, never run.  Numbers come from documents of the library.
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
        "includeIndicatorStyles": False,  # a style of its own, which the content security policy forbids
        "allowEval": False,
        "allowScriptTags": False,
        "selfRequestsOnly": True,
        "historyCacheSize": 0,  # nothing of the page is kept in the browser
        "refreshOnHistoryMiss": True,
        "defaultSettleDelay": 0,
        "scrollBehavior": "auto",
        "responseHandling": [{"code": ".*", "swap": True}],
    }
)
"""How htmx is told to behave."""


@dataclass(frozen=True, slots=True)
class PageView:
    """A view: where it is, what it is called, and the step of the newcomer's path that it is, if it is one."""

    path: str
    title: str
    question: str
    step: int | None = None


def page(request: Request, view: PageView, state: State, **context: object) -> Response:
    """Draw a view in a state, by the template that is called like its path, or by the `template` that is named.

    A request of htmx gets the same page, of which it takes the parts that it asked for, and is told the address that
    says what it shows.
    """
    workspace: Workspace = request.app.state.workspace
    template = context.pop("template", view.path.strip("/") or "start")
    also = context.pop("also", None)
    assert also is None or isinstance(also, Mapping)
    drawn_by = environment().get_template(f"{template}.html")
    text = drawn_by.render(
        view=view,
        views=request.app.state.views,
        state=state,
        source=workspace.source,
        also=also or {},
        version=__version__,
        **context,
    )
    headers = {"vary": "HX-Request"}
    if "hx-request" in request.headers:
        headers["hx-replace-url"] = state.address(view.path, also)
    return HTMLResponse(text, headers=headers)


def go_to(request: Request, address: str) -> Response:
    """Send the browser to another address: htmx is told so that it loads the whole page."""
    if "hx-request" in request.headers:
        return Response(status_code=204, headers={"hx-redirect": address})
    return RedirectResponse(address, status_code=303)


async def posted(request: Request) -> list[tuple[str, str]]:
    """Read the fields of a form that was posted; a file among them is not looked at."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return parse_qsl(body, keep_blank_values=True, max_num_fields=400)
    except ValueError:
        raise SidelightError("more than 400 fields were sent") from None


PostedFields = Annotated[list[tuple[str, str]], Depends(posted)]
"""The fields of a form that was posted, as a view takes them."""


@cache
def environment() -> Environment:
    """Make the templates' environment: everything is escaped, and what a template does not get is an error."""
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
        # verdicts are told by shape and word first, by colour second
        "marks": {True: "✓", False: "✗", None: "?"},
        "htmx_configuration": CONFIGURATION,
        "static": static_address,
        # what each colour of a chart is on a dark page
        "chart_colours": json.dumps({light: dark for light, (_, dark) in COLOURS.items()}),
    }
    return templates


def _shown(thing: Any) -> Any:  # noqa: ANN401 - whatever a template prints
    return visible(thing) if isinstance(thing, str) and not isinstance(thing, Markup) else thing


STATIC = files("sidelight.web") / "static"


def static_address(name: str) -> str:
    """Name a file of ours; the version in the address lets a browser keep it until there is another."""
    return f"/static/{name}?v={__version__}"


class Complaint(DocumentPart):
    """What is wrong, in the words of the command line."""

    problem: str
