"""Each field of a document beside a release, or of a ledger, may be of another kind: one line, and no traceback."""

import json

import pytest
from trust.fuzz import ledgers, sidecars

import sidelight as sl

OTHERS = (["a"], [], "x", "", {"a": 1}, {}, 3, -1, None, True, 0.5, 10**400)


def fields(document, way=()):
    """All ways to something in a document."""
    inner = document.items() if isinstance(document, dict) else enumerate(document)
    for name, each in inner:
        yield (*way, name)
        if isinstance(each, dict | list):
            yield from fields(each, (*way, name))


def changed(document, way, value):
    document = json.loads(json.dumps(document))
    part = document
    for name in way[:-1]:
        part = part[name]
    part[way[-1]] = value
    return document


def refusals(ask, document):
    refused, broken = 0, []
    for way in fields(document):
        for other in OTHERS:
            try:
                ask(changed(document, way, other))
            except sl.SidelightError as error:
                refused += 1
                if "\n" in str(error):
                    broken.append((way, other, str(error)))
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                broken.append((way, other, repr(error)))
    assert broken == []
    return refused


@pytest.mark.parametrize("file", [sidecars.RELEASE, sidecars.COUNTS])
def test_a_document_whose_field_is_of_another_kind(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusals(lambda each: sidecars.ask((file, json.dumps(each).encode(), "read")), sidecars.document(file)) > 100


def test_a_ledger_whose_field_is_of_another_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = {name: each for name, each in ledgers.document().items() if name != "digest"}

    def ask(each):
        signed = {**each, "digest": ledgers.compute_digest(each)}
        ledgers.ask((json.dumps(signed).encode(), "read"))

    assert refusals(ask, document) > 100
