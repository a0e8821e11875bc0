"""What is built installs into an empty environment, from the wheel and from the source archive alike, and works there."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import sidelight as sl

ROOT = Path(__file__).parents[2]
PLACE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(*words, cwd=ROOT):
    done = subprocess.run([*map(str, words)], cwd=cwd, env=PLACE, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(kind, folder, *, cwd=ROOT):
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder, cwd=cwd)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def source_archive(tmp_path_factory):
    return build("sdist", tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def unpacked(source_archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(source_archive) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return folder / f"sidelight-{sl.__version__}"


@pytest.fixture(scope="module")
def wheel(unpacked, tmp_path_factory):
    """The wheel, built from the source archive as `make dist` does."""
    return build("wheel", tmp_path_factory.mktemp("wheel"), cwd=unpacked)


@pytest.fixture(scope="module")
def scripts(wheel, tmp_path_factory):
    """An empty environment with the wheel; the libraries that it needs are those of the tests."""
    place = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", place)
    run(sys.executable, "-m", "uv", "pip", "install", "--offline", "--no-deps", "--python", place, wheel)
    (packages,) = place.glob("lib/python*/site-packages")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")  # their own .pth files are not read
    return place / "bin"


def test_the_wheel_has_what_it_needs_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    there = {Path(name).relative_to("sidelight").as_posix() for name in names if name.startswith("sidelight/")}
    source = ROOT / "src" / "sidelight"
    tracked = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    assert there == {name for name in tracked if "__pycache__" not in name}
    assert {Path(name).suffix for name in there} >= {".py", ".html", ".css", ".js", ".parquet"}
    assert "py.typed" in there
    assert {name.split("/")[0] for name in names} == {"sidelight", f"sidelight-{sl.__version__}.dist-info"}


def test_the_same_source_gives_the_same_bytes(source_archive, wheel, unpacked, tmp_path):
    """Also in another folder, with files of other ages that only their owner may read, at another hour of the day."""
    copy = tmp_path / "elsewhere"
    shutil.copytree(unpacked, copy, copy_function=shutil.copyfile)
    for at, path in enumerate(sorted(copy.rglob("*"))):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (1_000_000_000 + at, 1_000_000_000 + 2 * at))
    before = os.umask(0o077)
    try:
        again = {kind: build(kind, tmp_path / kind, cwd=copy) for kind in ("sdist", "wheel")}
    finally:
        os.umask(before)
    for first, second in ((source_archive, again["sdist"]), (wheel, again["wheel"])):
        assert first.name == second.name
        assert first.read_bytes() == second.read_bytes()


def test_it_runs_in_an_empty_environment(scripts, tmp_path):
    place = run(scripts / "python", "-c", "import sidelight; print(sidelight.__file__)", cwd=tmp_path)
    assert Path(place.strip()).is_relative_to(scripts.parent)
    assert run(scripts / "sidelight", "--version", cwd=tmp_path).strip().endswith(sl.__version__)
    run(scripts / "sidelight", "demo", cwd=tmp_path)
    assert (tmp_path / "sidelight-demo" / "report.html").stat().st_size > 10_000


def test_the_version_is_the_same_everywhere():
    (first, *_) = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert first == citation["version"] == sl.__version__
    assert project["dynamic"] == ["version"]


def test_the_citation_has_what_its_format_asks_for():
    """Of the Citation File Format 1.2.0: its required keys, of the whole and of each reference, and what people are."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] in ("software", "dataset")
    for each in (citation, *citation["references"]):
        assert {"authors", "title", "type"} <= each.keys()
        assert all({"name"} == author.keys() or {"family-names"} <= author.keys() for author in each["authors"])
    assert {"message", "license"} <= citation.keys()
    for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines():
        if paper := re.search(r"^- (?:[A-Z]\.\S* \w+.*?): \*(.+)", line):
            assert any(each["title"].startswith(paper[1].rstrip("*. ")[:40]) for each in citation["references"]), line


# --- what others wrote ----------------------------------------------------------------------------------------

STATIC = ROOT / "src" / "sidelight" / "web" / "static"
PERMISSION = ("Permission to use, copy", "Permission is hereby granted", "Redistribution and use", "public domain")
TRACES = {  # what minifying leaves of a package: texts, numbers and names of properties
    "base64-js": "Length must be a multiple of 4",
    "buffer": "Attempt to allocate Buffer larger than maximum size",
    "clone": "clonePrototype",
    "d3-array": "Float64Array(32)",
    "d3-color": "rebeccapurple",
    "d3-delaunay": ".inedges",
    "d3-dispatch": "unknown type: ",
    "d3-dsv": 'new Function("d","return {"',
    "d3-ease": "7.5625",
    "d3-force": "node not found: ",
    "d3-format": "invalid format: ",
    "d3-geo": "polygonStart",
    "d3-geo-projection": "mollweide:",
    "d3-hierarchy": "multiple roots",
    "d3-interpolate": r"[-+]?(?:\d+\.?\d*|\.?\d+)",
    "d3-path": "negative radius: ",
    "d3-quadtree": ".cover(",
    "d3-scale": 'Symbol("implicit")',
    "d3-scale-chromatic": '("1f77b4ff7f0e2ca02c',
    "d3-shape": "areaStart:",
    "d3-time": "6048e5",
    "d3-time-format": "%x, %X",
    "d3-timer": "._restart=",
    "delaunator": "Expected coords to contain numbers.",
    "esprima": "Octal literals are not allowed in strict mode.",
    "events": "MaxListeners",
    "fast-deep-equal": "valueOf!==Object.prototype.valueOf",
    "fast-json-patch": "SEQUENCE_NOT_AN_ARRAY",
    "fast-json-stable-stringify": "Converting circular structure to JSON",
    "ieee754": "Math.pow(2,-77)",
    "internmap": "_intern",
    "json-stringify-pretty-compact": r'("(?:[^\\"]|\\.)*")|[:,]',
    "lodash": "__lodash_hash_undefined__",
    "lodash.debounce": "Expected a function",
    "msgpack": "msgpack",
    "process": "process.chdir is not supported",
    "robust-predicates": "134217729",
    "semver": "Invalid comparator: ",
    "topojson-client": '"GeometryCollection"===',
    "tslib": "__awaiter",
    "vega": "vegaEmbed",
    "vega-embed": "vega-embed",
    "vega-lite": "github.com/vega/vega-lite",
    "vega-schema-url-parser": r"schema\/([\w-]+)",
    "vega-themes": "fivethirtyeight",
    "vega-tooltip": "vg-tooltip-element",
    "yallist": "yallist",
}


@pytest.fixture(scope="module")
def licences():
    """The licence of each package that vega.js is made of, by name."""
    _, *parts = re.split(r"^== (.*)\n", (STATIC / "licences" / "vega.txt").read_text(), flags=re.MULTILINE)
    return {name: text for names, text in zip(parts[::2], parts[1::2], strict=True) for name in names.split(", ")}


@pytest.mark.parametrize("package", TRACES)
def test_each_package_inside_a_script_has_its_licence_beside_it(licences, package):
    assert (TRACES[package] in (STATIC / "vega.js").read_text()) == (package in licences)


def test_each_licence_names_its_holder_and_what_is_permitted(licences):
    assert set(licences) <= set(TRACES)
    for name, text in licences.items():
        assert "Copyright" in text or "public domain" in text, name
        assert any(words in text for words in PERMISSION), name
        assert '"AS IS"' in text, name


def test_the_notice_names_all_that_others_made(licences):
    notice = (ROOT / "NOTICE").read_text()
    ours = {"completion.js", "page.js", "theme.js"}
    scripts = {path.name for path in STATIC.glob("*.js")} - ours
    data = {path.name for path in (ROOT / "src" / "sidelight" / "datasets").glob("*.parquet")}
    families = {re.sub("^(d3|vega)-.*", r"\1", name) for name in licences}
    assert {name for name in scripts | data | families if name.lower() not in notice.lower()} == set()
    assert {path.stem for path in (STATIC / "licences").iterdir()} == {name.partition(".")[0] for name in scripts}
