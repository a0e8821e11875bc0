"""The command line, run in this process: quick, and with everything it prints at hand."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from types import SimpleNamespace
from unittest import mock

from sidelight.cli.app import app
from sidelight.cli.run import run

SCHEMAS = ("policy-schema", "report-schema", "release-report-schema", "sidecar-schema")
"""The verbs that print a schema, which take nothing."""

# A shell starts without pydantic; where it is there, cyclopts has it check all options once more, which takes longest.
WITHOUT_PYDANTIC = SimpleNamespace(modules={})


@dataclass(frozen=True)
class Outcome:
    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def invoke(arguments: Sequence[object], verbs=app) -> Outcome:
    """Run a command as a shell would; `verbs` is another command line than ours, for tests of how verbs end."""
    out, err = io.StringIO(), io.StringIO()
    as_in_a_shell = mock.patch("cyclopts.argument._argument.sys", WITHOUT_PYDANTIC)
    with redirect_stdout(out), redirect_stderr(err), as_in_a_shell:
        status = run(verbs, [*map(str, arguments)])
    return Outcome(int(status), out.getvalue(), err.getvalue())


def verbs_of(verbs, path=()):
    """All verbs by the words that call them, also those of two words."""
    names = {(*path, name): verbs[name] for name in verbs if not name.startswith("-")}
    parts = [
        {" ".join(words): verb} if verb.default_command is not None else verbs_of(verb, words)
        for words, verb in names.items()
    ]
    return {words: verb for part in parts for words, verb in part.items()}


def answer(result):
    """What a verb answers as JSON, in the envelope that all of them have."""
    document = json.loads(result.stdout)
    assert list(document) == ["kind", "schema_version", "source", "answer", "notes"]
    return document["answer"]
