"""How is a view drawn?  A template with the frame around it, in which every text is text.

Whatever stands between braces of a template is escaped, and what nobody would see in it is shown (`visible`): cells
that are HTML, scripts or terminal escapes are read, never run.  Numbers come from documents of the library.

Below: the command, and the Python, that do what a view shows, written so that both run as they stand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from inspect import signature
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sidelight import __version__
from sidelight.answers.protect import levels_text
from sidelight.documents.document import DocumentPart
from sidelight.engines.read import read_table
from sidelight.errors import SidelightError, visible
from sidelight.measures.about import About
from sidelight.measures.criterion import Criterion
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.limit_grammar import limit_text
from sidelight.measures.measure import Measure
from sidelight.policy.limits import measure_maker
from sidelight.release.read import read_release
from sidelight.report.answer import Recipe
from sidelight.report.plots import COLOURS
from sidelight.table.roles import Roles
from sidelight.text import as_names, counted, form, shell
from sidelight.web.limits import as_text
from sidelight.web.state import State
from sidelight.web.workspace import ExploredFile, Workspace

MARKS = {True: "✓", False: "✗", None: "?"}
"""Verdicts are told by shape and word first, by colour second."""

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


CHART_COLOURS = json.dumps({light: dark for light, (_, dark) in COLOURS.items()})
"""What each colour of a chart is on a dark page."""


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


MOST_FIELDS = 400


async def posted(request: Request) -> list[tuple[str, str]]:
    """Read the fields of a form that was posted; a file among them is not looked at."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return parse_qsl(body, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        message = f"more than {MOST_FIELDS} fields were sent"
        raise SidelightError(message) from None


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
    templates.filters |= {"counted": counted, "form": form, "figure": _figure, "listed": _listed}
    templates.globals |= {
        "marks": MARKS,
        "htmx_configuration": CONFIGURATION,
        "static": static_address,
        "chart_colours": CHART_COLOURS,
    }
    return templates


def _shown(thing: Any) -> Any:  # noqa: ANN401 - whatever a template prints
    return visible(thing) if isinstance(thing, str) and not isinstance(thing, Markup) else thing


def _figure(number: int) -> str:
    """Write a whole number with its thousands apart."""
    return f"{number:,}"


def _listed(names: Sequence[str], last: str = "and") -> str:
    """List names as a sentence does.

    >>> _listed(["age", "sex", "zip"]), _listed(["age"])
    ('age, sex and zip', 'age')
    """
    *others, end = names or [""]
    return f"{', '.join(others)} {last} {end}" if others else end


STATIC = files("sidelight.web") / "static"


def static_address(name: str) -> str:
    """Name a file of ours; the version in the address lets a browser keep it until there is another."""
    return f"/static/{name}?v={__version__}"


class Complaint(DocumentPart):
    """What is wrong, in the words of the command line."""

    problem: str


OPTIONS = {
    "person": "--person",
    "values": "--values",
    "missing": "--missing",
    "missing_marks": "--missing-mark",
    "keep": "--keep",
    "weight": "--weight",
    "split": "--split",
    "encoding": "--encoding",
    "sheet": "--sheet",
    "domain": "--domain",
    "kinds": "--kind",
    "sensitive_level": "--sensitive-level",
    "suppressed": "--suppressed",
}
"""What roles are called on the command line, beside the columns that others know and the sensitive ones."""

NOT_OPTIONS_OF: Mapping[str, tuple[str, ...]] = {
    "audit": ("keep", "kinds", "sensitive_level"),
    "report": ("keep", "kinds", "sensitive_level"),
    "believe": ("keep", "weight", "sensitive_level", "suppressed"),
    "explore": ("keep", "weight", "sensitive_level", "suppressed"),
    "columns": ("domain", "sensitive_level", "suppressed"),
    "attack": ("keep", "weight", "person", "domain", "sensitive_level", "suppressed"),
    "hierarchies": ("suppressed",),
    "protect": ("suppressed",),
}
"""Which roles a verb does not ask for: they decide nothing of its answer."""


def role_options(roles: Roles, verb: str = "protect") -> list[str]:
    """Write roles as the options that a verb has."""
    words = [word for name in roles.quasi for word in ("--group", name)]
    words += [word for name in roles.value_columns for word in ("--sensitive", name)]
    for name, value in roles.stated().items():
        if name in OPTIONS and name not in NOT_OPTIONS_OF[verb]:
            words += [word for text in _option_texts(name, value) for word in (OPTIONS[name], text)]
    return words


def _option_texts(name: str, value: Any) -> Iterator[str]:  # noqa: ANN401 - whatever a role is
    if name == "kinds":
        yield from (f"{column}={kind if isinstance(kind, str) else '<'.join(map(str, kind))}" for column, kind in value)
    elif isinstance(value, Mapping):  # of several columns, which only a policy file can say
        return
    else:
        yield from map(str, [value] if isinstance(value, int) else as_names(value))


def role_keywords(roles: Roles, known: str) -> str:
    """Write roles as keywords of `read_table` (`known` is "quasi") or `read_release` ("group")."""
    words = [f"{known}={list(roles.quasi)!r}", f"sensitive={_one_or_list(roles.value_columns)}"]
    stated, taken = roles.stated(), signature(read_table if known == "quasi" else read_release).parameters
    words += [
        f"{name}={_python(dict(stated[name]) if name == 'kinds' else stated[name])}"
        for name in OPTIONS
        if name in stated and name in taken
    ]
    return ", ".join(words)


def coarser_values_line(roles: Roles) -> list[str]:
    """Say in Python that sensitive values are published more coarsely, where they are."""
    level = roles.sensitive_level
    return [] if level is None else [f"table = sl.coarser_values(table, by=hierarchies, to={_python(level)})"]


def publishing_limits(limits: Sequence[Criterion]) -> list[str]:
    """Say limits as options of `protect`, which publishes nothing without one: one that all keep where there is none.

    >>> publishing_limits([])
    ['--limit', 'group size >= 1']
    """
    return [word for each in limits or [GroupSize() >= 1] for word in ("--limit", as_text(each))]


def judged(source: ExploredFile, roles: Roles, state: State, readers: Sequence[Criterion | Measure]) -> Recipe:
    """Return how limits are judged, and measures taken, of the file as it stands or as coarse as the state says."""
    limits = [each for each in readers if isinstance(each, Criterion)]
    measures = [each for each in readers if isinstance(each, Measure)]
    verb = "protect" if state.levels and limits else "audit"
    words = ["sidelight", verb, source.name, *role_options(roles, verb)]
    words += [word for each in limits for word in ("--limit", as_text(each))]
    if verb == "protect":
        words += ["--hierarchies", source.hierarchy_folder or "hierarchies"]
        words += ["--levels", levels_text(dict(state.levels))]
    else:
        words += [word for each in measures for word in ("--measure", as_text(each))]
    lines = [*reading(source, roles, state), ""]
    if limits:
        lines += ["policy = sl.Policy(", *(f"    {in_python(each)}," for each in limits), ")"]
        lines += ["verdict = policy.judge(release)", "print(verdict)"]
        lines += ["for finding in verdict.findings:", "    print(finding.explain())"]
    lines += [f"print({in_python(each)}.measure(release).explain())" for each in measures]
    first = _before(source, state, roles)
    if state.levels and not limits:  # nothing is published without a limit
        first += ["# of the file as it stands; here it is made coarser first"]
    return Recipe("\n".join([*first, shell(words)]), with_imports(lines))


def reading(source: ExploredFile, roles: Roles, state: State) -> list[str]:
    """Say in Python how the release is read that is looked at."""
    first = ["import sidelight as sl", ""]
    as_published = (roles.quasi, roles.value_columns) == (source.roles.quasi, source.roles.value_columns)
    if source.sidecar is not None and as_published:  # it says how the file is read
        return [*first, f"release = sl.read_published({source.name!r})"]
    if not state.levels:
        return [*first, f"release = sl.read_release({source.name!r}, {role_keywords(roles, 'group')})"]
    folder = source.hierarchy_folder or "hierarchies"
    return [
        *first,
        f"table = sl.read_table({source.name!r}, {role_keywords(roles, 'quasi')})",
        f"hierarchies = sl.read_hierarchies({folder!r})",
        *coarser_values_line(roles),
        f"release = sl.generalise(table, by=hierarchies, to={dict(state.levels)!r})",
    ]


def _before(source: ExploredFile, state: State, roles: Roles) -> list[str]:
    """Name what has to be there first."""
    if source.title:
        return ["sidelight demo  # writes these files"]
    if state.levels and source.hierarchy_folder is None:
        return [
            shell(["sidelight", "hierarchies", source.name, *role_options(roles, "hierarchies"), "-o", "hierarchies"])
        ]
    return []


def in_python(reader: Criterion | Measure) -> str:
    """Write a criterion or a measure as Python."""
    if isinstance(reader, Criterion):
        return limit_text(in_python(reader.measure), reader.comparison, _python(reader.bound), typed=True)
    if isinstance(reader, About):
        known = f", known={list(reader.known)!r}" if reader.known else ""
        return f"{in_python(reader.question)}.about({reader.of!r}{known})"
    kind = type(reader)
    maker = f"sl.{kind.__name__}" + ("" if measure_maker(kind) is kind else ".from_settings")
    settings = ", ".join(f"{name}={_python(value)}" for name, value in reader.settings().items())
    return f"{maker}({settings})"


def _one_or_list(names: Sequence[str]) -> str:
    return repr(names[0]) if len(names) == 1 else repr(list(names))


def _python(value: object) -> str:
    """Write a value as Python reads it."""
    if isinstance(value, float) and math.isinf(value):
        return "math.inf"
    return repr(dict(value) if isinstance(value, Mapping) else value)


def with_imports(lines: Sequence[str]) -> str:
    """Put the imports first that the lines need."""
    body = "\n".join(lines)
    needed = {"math.": "import math", "Fraction(": "from fractions import Fraction"}
    imports = [line for name, line in needed.items() if name in body and line not in body]
    return "\n".join([*imports, *([""] if imports else []), body])
