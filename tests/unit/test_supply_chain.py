import json

import pytest
import supply_chain as chain
from support.words import mentions

PINS = {"jinja2==3.1.6", "numpy==2.4.6", "numpy==2.5.4"}
UNKNOWN = {"name": "numpy", "skip_reason": "Dependency not found on PyPI and could not be audited: numpy (2.4.6)"}
CLEAN = [{"name": pin.split("==")[0], "version": pin.split("==")[1], "vulns": []} for pin in sorted(PINS)]
HOLE = {"id": "OSV-1", "fix_versions": ["9.0"], "aliases": [], "description": "…"}


def verdict(dependencies, *, strict=False):
    return chain.read_answer(json.dumps({"dependencies": dependencies, "fixes": []})).verdict(PINS, strict=strict)


@pytest.mark.parametrize("strict", [False, True])
def test_what_nobody_was_asked_about_is_never_called_clean(strict):
    """pip-audit says "No known vulnerabilities found", with status 0, about packages that its service does not know."""
    for dependencies in ([], [UNKNOWN], [UNKNOWN] * 3):
        line, status = verdict(dependencies, strict=strict)
        assert mentions(line, "not audited", "0 of 3 pins")
        assert "no known" not in line
        assert status == (2 if strict else 0)


@pytest.mark.parametrize("document", ["", "{", "[]", "null", '{"dependencies": [{}]}', '{"dependencies": 3}'])
def test_an_answer_that_broke_off_is_none(document):
    assert chain.read_answer(document) == chain.NOTHING


def test_a_part_is_called_a_part():
    line, status = verdict([CLEAN[0], UNKNOWN])
    assert mentions(line, "no known vulnerabilities", "1 of 3 pins", "not audited", "2 others")
    assert status == 0
    assert verdict([CLEAN[0], UNKNOWN], strict=True)[1] == 2
    line, status = verdict(CLEAN, strict=True)
    assert mentions(line, "no known vulnerabilities", "3 of 3 pins")
    assert ("not audited" in line, status) == (False, 0)


@pytest.mark.parametrize("strict", [False, True])
def test_what_is_known_is_told_and_fails(strict):
    line, status = verdict([CLEAN[0] | {"vulns": [HOLE]}, UNKNOWN], strict=strict)
    assert line.splitlines() == ["known vulnerabilities, in 1 of 3 pins:", "  jinja2 3.1.6: OSV-1, mended in 9.0"]
    assert status == 1


def test_every_pin_is_asked_about_once_and_no_name_twice_in_a_round():
    pins = chain.pins_of(*chain.LOCKS.values())
    assert {pin.split("==")[0] for pin in pins} >= {"numpy", "pyarrow", "duckdb", "pytest"}
    dealt = chain.rounds(pins)
    assert sorted(pin for each in dealt for pin in each) == sorted(pins)
    assert all(len({pin.split("==")[0] for pin in each}) == len(each) for each in dealt)


def test_the_next_service_is_asked_where_one_does_not_answer(monkeypatch, capsys):
    answers = {"pypi": chain.NOTHING, "osv": chain.Answer(chain.pins_of(*chain.LOCKS.values()), ())}
    monkeypatch.setattr(chain, "ask", lambda service, pins: answers[service])
    assert chain.audit(strict=True) == 0
    assert "no known vulnerabilities in" in capsys.readouterr().out


def test_tools_are_pinned_in_the_lock_for_developing():
    names = {pin.split("==")[0] for pin in chain.pins_of(chain.LOCKS["dev"])}
    assert {"pip-audit", "cyclonedx-bom"} <= names


def test_a_tool_that_is_not_installed_audits_nothing(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setattr("sys.argv", ["supply_chain.py", "audit"])
    assert chain.main() == 0
    assert "not audited" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["supply_chain.py", "audit", "--strict"])
    assert chain.main() == 2
