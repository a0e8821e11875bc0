"""The import contract: who may import whom, read from the source."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidelight.policy.measure_names import MODULES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "sidelight"

# A folder (or a module beside the folders) may import itself and those named before it.
ORDER = (
    "text",
    "errors",
    "arrays",
    "rounding",
    "files",
    "progress",
    "ahead",
    "interrupts",
    "table",
    "streams",
    "engines",
    "release",
    "knowledge",
    "worlds",
    "measures",
    "max_entropy",
    "learner",
    "policy",
    "intake",
    "search",
    "minimality",
    "attack",
    "documents",
    "noise",
    "publish",
    "report",
    "answers",
    "web",
    "datasets",
    "testing",
    "cli",
    "__main__",
)

# Who may use a library that comes from elsewhere; one that is not named here may be used by all.
ENGINES_AND_FRAMES = ("duckdb", "narwhals", "pandas", "polars", "py4j", "pyreadstat", "pyspark", "python_calamine")
ONLY_IN = {
    **dict.fromkeys(ENGINES_AND_FRAMES, ("engines",)),
    **dict.fromkeys(("pandas", "polars"), ("table", "engines")),  # tables hand themselves out
    "narwhals": ("engines", "intake"),  # rows in whatever engine, to be looked at
    "pyarrow": (
        "table",
        "streams",
        "engines",
        "intake",
        "release",
        "measures",
        "max_entropy",
        "learner",
        "search",
        "minimality",
        "attack",
        "noise",
        "publish",
        "datasets",
    ),  # tables that are read, written or handed out
    "pydantic": (
        "policy",
        "documents",
        "noise",
        "publish",
        "report",
        "answers",
        "web",
    ),  # documents that people write or receive
    "hypothesis": ("testing",),  # an extra: only `sidelight.testing` needs it
    "cyclopts": ("answers", "cli"),  # requests say by which words they are asked
    "rich": ("report", "cli"),
    **dict.fromkeys(("fastapi", "starlette", "uvicorn", "python_multipart"), ("web",)),
    **dict.fromkeys(("jinja2", "markupsafe"), ("report", "web")),
    "opendp": ("noise",),
    "dp_accounting": ("noise",),
    # charts; the others only say what kind of thing they hand on
    "altair": (
        "report",
        "release",
        "measures",
        "policy",
        "max_entropy",
        "learner",
        "search",
        "minimality",
        "attack",
        "noise",
    ),
    "vl_convert": ("report",),
}

# What can be published or drawn hands itself on to a folder below: one line for users, said here so that there are no others.
HANDS_ON = {
    "search/method.py": ("publish", "report"),
    "policy/policy_file.py": ("intake",),  # a file may name a preset
    "policy/measure_names.py": ("minimality",),  # a measure that needs the methods
    "noise/noisy_counts.py": ("publish",),
    "noise/stable_counts.py": ("publish",),
    "noise/semantic_privacy.py": ("report",),
    "measures/criterion.py": ("report",),
    "measures/disclosure_curve.py": ("report",),
    "measures/privacy_skyline/skyline.py": ("report",),
    "max_entropy/beliefs.py": ("report",),
    "learner/learned.py": ("report",),
    "search/protect.py": ("report",),
    "attack/exposure.py": ("report",),
    "release/release.py": ("report",),
    "policy/policy.py": ("report",),
    "measures/column_subsets/identifying_columns.py": ("report",),
    "max_entropy/measure.py": ("report",),
    "minimality/insider.py": ("report",),
}


def imported(tree: ast.AST) -> Iterator[str]:
    """All modules that are imported anywhere in a file: inside functions, for type checking only, or by a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write the whole name: from sidelight.table import …"
            if node.module == "sidelight":
                yield from (f"sidelight.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""
    if any(map(imports_by_text, ast.walk(tree))):  # which of its texts are imported, nobody can tell: all that could be
        yield from filter(None, map(module_in_text, ast.walk(tree)))


def imports_by_text(node: ast.AST) -> bool:
    """Whether this is `import_module` or `__import__`, called or handed on, under whatever prefix."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in ("import_module", "__import__")


def module_in_text(node: ast.AST) -> str | None:
    """The module of ours, or of others under contract, that a text names: "sidelight.cli", "max_entropy.measure"."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    text = node.value.removesuffix(".")
    if text.partition(".")[0] in {"sidelight", *ONLY_IN}:
        return text
    ours = SOURCE.joinpath(*text.split(".")) if text.isascii() and text.replace(".", "").isidentifier() else None
    return f"sidelight.{text}" if ours and (ours.is_dir() or ours.with_suffix(".py").is_file()) else None


def breaches(place: str, tree: ast.AST, *, handed_on: tuple[str, ...] = ()) -> list[str]:
    """What a file in `place` imports and may not."""
    forbidden = []
    for name in imported(tree):
        top, _, rest = name.partition(".")
        # The package itself gives all public names: for the folders that ask questions in a user's words.
        target = rest.partition(".")[0] or (place if place == "answers" else "cli")
        if top != "sidelight":
            if place not in ONLY_IN.get(top, (place,)):
                forbidden.append(f"{place} imports {top}, which only {' and '.join(ONLY_IN[top])} may")
        elif target not in ("__version__", *handed_on) and ORDER.index(target) > ORDER.index(place):
            forbidden.append(f"{place} imports {name}, which stands below it")
    return forbidden


def place_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


FILES = [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_folder_imports_only_those_above_it(path):
    assert place_of(path) in ORDER, "a new folder needs a place in ORDER (and in ARCHITECTURE.md)"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert breaches(place_of(path), tree, handed_on=HANDS_ON.get(path.relative_to(SOURCE).as_posix(), ())) == []


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("table", "from sidelight.release.groups import Groups"),
        ("table", "def f():\n    import sidelight.cli"),
        ("release", "from sidelight import policy"),
        ("measures", "import duckdb"),
        ("release", "import narwhals.stable.v2 as nw"),
        ("policy", "if TYPE_CHECKING:\n    import pandas as pd"),
        ("measures", "from hypothesis import given"),
        ("measures", "import sidelight\nsidelight.MaxEnt"),
        ("measures", "from importlib import import_module\nimport_module('sidelight')"),
        ("measures", "import importlib\nimportlib.import_module('sidelight.max_entropy.measure')"),
        ("measures", "__import__('sidelight.max_entropy')"),
        ("measures", "HOMES = {'MaxEnt': 'max_entropy.measure'}\nimport_module(f'sidelight.{HOMES[name]}')"),
        ("measures", "modules = map(import_module, ['policy'])"),
        ("measures", "import_module('duckdb')"),
    ],
)
def test_the_contract_notices(place, code):
    assert breaches(place, ast.parse(code))


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("policy", "from sidelight.max_entropy.measure import MaxEnt"),
        ("policy", "import_module('sidelight.max_entropy.measure')"),
        ("noise", "import_module('opendp.prelude')"),
        ("measures", "word = 'policy'"),
        ("cli", "import sidelight as sl"),
    ],
)
def test_the_contract_lets_pass(place, code):
    assert breaches(place, ast.parse(code)) == []


def test_only_declared_libraries_are_used():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    declared = {name.partition("[")[0].partition(">")[0].replace("-", "_") for name in requirements} | {
        "sidelight",
        "pydantic_core",
        "pandas",  # to_pandas and to_polars hand out frames to whoever has the library
        "polars",
        "anyio",  # starlette brings it along
        "py4j",  # pyspark brings it along
        "vl_convert",  # vl-convert-python
    }
    used = {name.partition(".")[0] for path in FILES for name in imported(ast.parse(path.read_text(encoding="utf-8")))}
    assert used - set(sys.stdlib_module_names) - declared == set()


def test_importing_sidelight_imports_nothing_heavy():
    code = "import sys, sidelight, sidelight.errors; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    )
    heavy = {"numpy", "scipy", "pyarrow", "cyclopts", "rich", "pydantic", "hypothesis", *ENGINES_AND_FRAMES}
    assert loaded & heavy == set()


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES} - {SOURCE}), ids=lambda path: path.name)
def test_a_folder_names_each_of_its_files(folder):
    """Whoever opens a room finds every file on its map: the docstring of its `__init__`, and the list of measures."""
    room = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    rooms = {path.parent.name for path in folder.glob("*/__init__.py")}
    named = {*re.findall(r"`(\w+)/?`", room)}
    prefix = ".".join(("sidelight", *folder.relative_to(SOURCE).parts, ""))
    listed = {module.removeprefix(prefix) for module in MODULES.values() if module.startswith(prefix)}
    assert (files | rooms) - named - listed == set()


def test_the_architecture_page_names_every_folder():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    missing = {place for place in map(place_of, FILES) if f"`{place}" not in page}
    assert missing - {"__main__"} == set()


def test_the_architecture_page_names_files_that_are_there():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    walks = page[page.index("## Seven walks") : page.index("## Four rules")]
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)+|_[a-z]+)`", walks))
    assert len(named) > 40
    assert [name for name in sorted(named) if not (SOURCE / f"{name}.py").is_file()] == []
