"""What Sidelight is made of: list it (a CycloneDX document), and ask whether vulnerabilities in it are known.

    python scripts/supply_chain.py sbom FOLDER       writes sidelight-VERSION-run.cdx.json and …-dev.cdx.json there
    python scripts/supply_chain.py audit [--strict]  asks PyPI's advisories, or OSV's where PyPI does not answer

Both read the pins of the lock files.  The tools they call (pip-audit, cyclonedx-py) are in requirements-dev.lock too.

`audit` never calls a pin clean of which nobody was asked.  (pip-audit by itself says "No known vulnerabilities found",
with status 0, also where its service knew none of the packages.)  Status: 0 where nothing is known, or nobody could be
asked and `--strict` is not given; 1 where something is known; 2, with `--strict`, where any pin was not looked up.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKS = {"run": ROOT / "requirements.lock", "dev": ROOT / "requirements-dev.lock"}
SERVICES = ("pypi", "osv")
NOT_AUDITED = "no advisory service reachable: not audited"


@dataclass(frozen=True)
class Answer:
    """What services said about pins: whether each was looked up, and what is known against it."""

    looked_up: frozenset[str]
    known: tuple[str, ...]

    def __or__(self, other: Answer) -> Answer:
        return Answer(self.looked_up | other.looked_up, tuple(sorted({*self.known, *other.known})))

    def verdict(self, pins: Iterable[str], *, strict: bool) -> tuple[str, int]:
        """Say it in one line (and one for each thing that is known), with the status."""
        every = frozenset(pins)
        asked, missed = len(every & self.looked_up), len(every - self.looked_up)
        if self.known:
            return "\n".join([f"known vulnerabilities, in {asked} of {len(every)} pins:", *self.known]), 1
        if not asked:
            return f"{NOT_AUDITED} (0 of {len(every)} pins)", 2 if strict else 0
        rest = f"; not audited: {missed} others" if missed else ""
        return f"no known vulnerabilities in {asked} of {len(every)} pins{rest}", 2 if strict and missed else 0


NOTHING = Answer(frozenset(), ())


def pins_of(*locks: Path) -> frozenset[str]:
    """List `name==version` of every pin, for whichever Python and system it is."""
    texts = [lock.read_text(encoding="utf-8") for lock in locks]
    return frozenset(found[1] for text in texts for found in re.finditer(r"^([\w.-]+==[^\s;\\]+)", text, re.MULTILINE))


def rounds(pins: Iterable[str]) -> list[list[str]]:
    """Deal the pins so that no name is twice in a round, which pip-audit refuses: another Python has another version.

    >>> rounds(["numpy==1", "rich==3", "numpy==2"])
    [['numpy==1', 'rich==3'], ['numpy==2']]
    """
    dealt: list[dict[str, str]] = []
    for pin in sorted(pins):
        name = pin.partition("==")[0]
        free = next((each for each in dealt if name not in each), None)
        if free is None:
            dealt.append(free := {})
        free[name] = pin
    return [[*each.values()] for each in dealt]


def read_answer(document: str) -> Answer:
    """Read pip-audit's JSON: a dependency with `skip_reason` was not looked up."""
    try:
        listed = json.loads(document)["dependencies"]
        looked_up = [each for each in listed if "skip_reason" not in each]
        known = {
            f"  {each['name']} {each['version']}: {hole['id']}, mended in {' '.join(hole['fix_versions']) or 'none'}"
            for each in looked_up
            for hole in each["vulns"]
        }
        return Answer(frozenset(f"{each['name']}=={each['version']}" for each in looked_up), tuple(sorted(known)))
    except (ValueError, KeyError, TypeError):  # it broke off, and said nothing that counts
        return NOTHING


def ask(service: str, pins: Iterable[str]) -> Answer:
    """Ask one service about pins, until a round in which it looks up nothing."""
    answer = NOTHING
    for each in rounds(pins):
        with tempfile.TemporaryDirectory() as folder:
            listed, output = Path(folder) / "pins.txt", Path(folder) / "answer.json"
            listed.write_text("\n".join(each), encoding="utf-8")
            words = ["-s", service, "-f", "json", "-o", output, "--progress-spinner", "off", "--timeout", "10"]
            command = [tool("pip-audit"), *words, "--no-deps", "--disable-pip", "--requirement", listed]
            subprocess.run(command, check=False, capture_output=True)
            told = read_answer(output.read_text(encoding="utf-8") if output.exists() else "")
        if not told.looked_up:
            break
        answer |= told
    return answer


def audit(*, strict: bool) -> int:
    """Ask services in turn until one has looked up anything, and tell."""
    pins = pins_of(*LOCKS.values())
    answers = (ask(service, pins) for service in SERVICES)
    answer = next((each for each in answers if each.looked_up), NOTHING)
    line, status = answer.verdict(pins, strict=strict)
    print(line)
    return status


def sbom(folder: Path) -> int:
    """List the pins of each lock file, with their hashes; the same pins give the same bytes."""
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src/sidelight/__init__.py").read_text(encoding="utf-8"))[1]
    folder.mkdir(parents=True, exist_ok=True)
    for name, lock in LOCKS.items():
        words = ["requirements", "--output-reproducible", "--mc-type", "library", "--pyproject", "pyproject.toml"]
        command = [str(tool("cyclonedx-py")), *words, lock.name]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        document = json.loads(done.stdout)
        document["metadata"]["component"] |= {"version": version, "purl": f"pkg:pypi/sidelight@{version}"}
        path = folder / f"sidelight-{version}-{name}.cdx.json"
        path.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{path}: {len(document['components'])} components")
    return 0


def tool(name: str) -> Path:
    """Return the path of a tool in the environment of this Python; raise `FileNotFoundError` if it is not installed."""
    path = Path(sys.executable).with_name(name)
    if not path.exists():
        message = f"{name} is not installed beside {sys.executable}: install requirements-dev.lock"
        raise FileNotFoundError(message)
    return path


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("sbom").add_argument("folder", type=Path)
    verbs.add_parser("audit").add_argument("--strict", action="store_true")
    given = parser.parse_args()
    try:
        return sbom(given.folder) if given.verb == "sbom" else audit(strict=given.strict)
    except FileNotFoundError as missing:
        if given.verb == "audit":
            print(f"not audited: {missing}")
            return 2 if given.strict else 0
        raise


if __name__ == "__main__":
    sys.exit(main())
