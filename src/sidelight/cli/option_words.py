"""Messages in the words of the command line: what Python calls `missing="a value"` is `--missing "a value"` here."""

from __future__ import annotations

import re

OPTIONS = {
    "accounting": "--accounting",
    "budget": "--budget",
    "by": "--hierarchies",
    "cells": "--cells",
    "delta": "--delta",
    "domain": "--domain",
    "epsilon": "--epsilon",
    "force": "--force",
    "group": "--group",
    "layout": "--layout",
    "ledger": "--ledger",
    "levels": "--levels",
    "locate": "--locate",
    "method": "--method",
    "missing": "--missing",
    "missing_marks": "--missing-mark",
    "neighbours": "--neighbours",
    "nodes": "--nodes",
    "outside": "--outside",
    "people": "--people",
    "person": "--person",
    "prior": "--prior",
    "quasi": "--group",
    "same_values": "--same-value",
    "sensitive": "--sensitive",
    "suppress": "--suppress",
    "suppressed": "--suppressed",
    "truth": "--truth",
    "utility": "--utility",
    "values": "--values",
    "written_as": "--written-as",
}
"""What each parameter is called on the command line."""

_QUOTED = r"(?<!\w)'[^']*'"  # somebody's own words stay as they are
_IN_PYTHON = r" \(in Python[^()]*(?:\([^()]*\)[^()]*)*\)"
_MAPPING = r"(?P<mapping>\{(?:'(?P<key>[^']*)': '?(?P<held>[^'}]*)'?)?\})"
_PARAMETER = rf"\b(?P<name>{'|'.join(OPTIONS)})=(?:{_MAPPING}|(?P<value>\"[^\"]*\"|'[^']*'|-?[\w.]+))?"
_WORDS = re.compile(f"{_QUOTED}|(?P<python>{_IN_PYTHON})|{_PARAMETER}")


def as_options(message: str) -> str:
    """Say options where a message says parameters, and leave out what is about Python.

    >>> as_options('2 people have no disease; say missing="a value" or missing="drop" (in Python, also a dataframe)')
    '2 people have no disease; say --missing "a value" or --missing "drop"'
    >>> as_options("column 'age=3' is listed twice in group=; list it once")
    "column 'age=3' is listed twice in --group; list it once"
    """
    return _WORDS.sub(_said, message)


def _said(found: re.Match[str]) -> str:
    if found["python"]:
        return ""
    if not found["name"]:
        return found[0]
    option = OPTIONS[found["name"]]
    if found["mapping"]:  # an empty one is '='
        return f"{option} '{found['key'] or ''}={found['held'] or ''}'"
    return f"{option} {found['value']}" if found["value"] else option
