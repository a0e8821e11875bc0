"""Help pages as plain text, in sections, with a word for what to give; nothing is loaded to draw them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand


class Verb(TyperCommand):
    """A verb whose page says first what it cannot do without."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - whichever click typer brings
        """Say how the verb is called: what is required, then that there are options."""
        needed = [_called(each) for each in self.get_params(ctx) if each.required]
        return [*needed, "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the sections."""
        write_parameters(self.get_params(ctx), formatter)


def write_parameters(parameters: Iterable[Any], formatter: Any) -> None:  # noqa: ANN401
    """Write each section of options: how each is called, and what it means."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for each in parameters:
        if not getattr(each, "hidden", False):
            rows = sections.setdefault(_section(each), [])
            rows.append((_names(each), _meaning(each)))
    for title, rows in sections.items():
        with formatter.section(title):
            formatter.write_dl(rows)


def write_verbs(verbs: Iterable[Any], formatter: Any) -> None:  # noqa: ANN401
    """Write what each verb is for, in full."""
    rows = [(verb.name, " ".join(verb.help.partition("\n\n")[0].split())) for verb in verbs if not verb.hidden]
    with formatter.section("Verbs"):
        formatter.write_dl(rows)


def _section(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return "What to read"
    return getattr(parameter, "rich_help_panel", None) or "Options"


def _called(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    return f"{parameter.opts[0]} {parameter.metavar}"


def _names(parameter: Any) -> str:  # noqa: ANN401
    """Write `-g, --group COLUMN`; names without a short form stand below those that have one."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    short = [name for name in parameter.opts if not name.startswith("--")]
    long = [name for name in parameter.opts if name.startswith("--")]
    indent = "" if short else "    "
    return f"{indent}{', '.join([*short, *long])} {parameter.metavar or ''}".rstrip()


def _meaning(parameter: Any) -> str:  # noqa: ANN401
    default = parameter.default
    told = f" (default: {default})" if default is not None and not isinstance(default, bool) else ""
    return f"{parameter.help or ''}{told}"
