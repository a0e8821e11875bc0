"""Run the notebooks and put what they show into the documentation: `make pictures WHAT=notebooks`.

    python scripts/notebooks.py            all pages and pictures of docs/notebooks/
    python scripts/notebooks.py --check    run them, and fail where a page shows something else

A notebook is a file of marimo: cells are functions.  A page has the words of its cells `mo.md(…)`, the code of the
others, and what each shows: a chart as a picture, a list of sentences as a list, anything else as its text.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from sidelight.report.plots import save_chart

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
PAGES = ROOT / "docs" / "notebooks"


@dataclass(frozen=True)
class Cell:
    """The source of a cell, without what it hands on; or its words."""

    code: str
    words: str | None


def cells_of(source: str) -> Iterator[Cell]:
    """Read the cells of a notebook."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        body = [step for step in node.body if not isinstance(step, ast.Return)]
        code = "\n".join(lines[body[0].lineno - 1 : body[-1].end_lineno])
        yield Cell(dedent(code), _words(body))


def _words(body: list[ast.stmt]) -> str | None:
    (only, *others) = body
    if others or not (isinstance(only, ast.Expr) and isinstance(only.value, ast.Call)):
        return None
    call = only.value
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "md" and isinstance(call.args[0], ast.Constant)):
        return None
    return dedent(str(call.args[0].value)).strip()


def page_of(path: Path, outputs: list[object], pictures: dict[str, object]) -> str:
    """Put one notebook down as Markdown; its charts go into `pictures`."""
    name = path.stem.replace("_", "-")
    parts = []
    for cell, output in zip(cells_of(path.read_text(encoding="utf-8")), outputs, strict=True):
        if cell.words is not None:
            parts.append(cell.words)
            continue
        parts.append(f"```py\n{cell.code}\n```")
        if hasattr(output, "to_dict"):
            file = f"{name}-{len([each for each in pictures if each.startswith(name)]) + 1}.svg"
            pictures[file] = output
            parts.append(f"![{_title(output)}]({file})")
        elif output is not None:
            parts.append(shown_as_text(output))
    command = f"`marimo edit notebooks/{path.name}` opens it, `python notebooks/{path.name}` runs it."
    return "\n\n".join([parts[1], *parts[:1], *parts[2:], f"---\n\n*A notebook*: {command}", ""])


def _title(chart: object) -> str:
    title = chart.to_dict(validate=False).get("usermeta", {}).get("sidelight", {}).get("title", "")  # type: ignore[attr-defined]
    return str(title).replace("[", "").replace("]", "")


def shown_as_text(output: object) -> str:
    """Sentences as a list, anything else as it prints."""
    if isinstance(output, list | tuple):
        return "\n".join(f"- {each}".replace("<", "&lt;") for each in output)
    return f"```text\n{output}\n```"


def run(path: Path) -> list[object]:
    """Run a notebook; gives what each cell shows."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs, _ = module.app.run()
    return list(outputs)


def main() -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    PAGES.mkdir(exist_ok=True)
    other = []
    for path in NOTEBOOKS:
        pictures: dict[str, object] = {}
        page = page_of(path, run(path), pictures)
        file = PAGES / f"{path.stem.replace('_', '-')}.md"
        if check:
            before = file.read_text(encoding="utf-8") if file.exists() else ""
            if before != page:
                other.append(f"{file.relative_to(ROOT)} shows something else: run make pictures WHAT=notebooks")
            other += [f"{name} is missing" for name in pictures if not (PAGES / name).exists()]
            continue
        file.write_text(page, encoding="utf-8")
        for name, chart in pictures.items():
            save_chart(chart, PAGES / name, force=True)  # type: ignore[arg-type]
        print(file.relative_to(ROOT))
    print("\n".join(other), end="\n" if other else "")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
