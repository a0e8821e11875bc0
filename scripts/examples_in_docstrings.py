"""For the reference pages: show the `>>>` examples and the indented formulas of our docstrings as code.

mkdocstrings looks for examples only under a heading "Examples:", and our docstrings have none.
"""

from __future__ import annotations

import re

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*?(?=\n\n(?!>>> )|\Z)", re.MULTILINE | re.DOTALL)


class ExamplesAsCode(Extension):
    """Fence the examples before the page is rendered."""

    def on_instance(self, *, obj: Object, **_: object) -> None:
        """Rewrite one docstring."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    r"""Fence runs of examples; what follows an empty line is text again.

    >>> fenced("A question?\n\n>>> 1 + 1\n2\n\nSource: school.").split("```")
    ['A question?\n\n', 'pycon\n>>> 1 + 1\n2\n', '\n\nSource: school.']
    """
    return EXAMPLE.sub(lambda example: f"```pycon\n{example[0].rstrip()}\n```", text)
