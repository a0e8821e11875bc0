"""The public names are exactly those that the reference documents, and each can be used and says what it is."""

import inspect
import re
from enum import Enum
from pathlib import Path

import pytest

import sidelight

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
DOCUMENTED = re.findall(
    r"^::: sidelight\.(?:[a-z_]+\.)*(\w+)$",
    "\n".join(page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md"))),
    flags=re.MULTILINE,
)
PUBLIC = [name for name in sidelight.__all__ if name != "__version__"]


def test_the_reference_documents_each_public_name_once_and_no_other():
    assert sorted(DOCUMENTED) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_is_there_and_says_what_it_is(name):
    thing = getattr(sidelight, name)
    assert (thing.__doc__ or "").strip(), f"{name} has no docstring"
    if isinstance(thing, type) and not issubclass(thing, Enum):
        public = {key: method for key, method in vars(thing).items() if callable(method) and not key.startswith("_")}
        assert [
            key for key in public if not inspect.getdoc(getattr(thing, key))
        ] == []  # perhaps that of what it overrides


def test_names_are_listed_once_and_in_dir():
    assert len(set(sidelight.__all__)) == len(sidelight.__all__)
    assert dir(sidelight) == sorted(sidelight.__all__)


def test_an_unknown_name_says_so():
    with pytest.raises(AttributeError, match="No sidelight attribute protekt"):
        _ = sidelight.protekt
