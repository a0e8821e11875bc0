"""Answers: the document for programs, and the blocks that every surface draws for people.

A question's module declares `class ExploreAnswer(FlatAnswer)`: its fields are the JSON, and `blocks` lays them out as
paragraphs, grids and points, which `report.terminal` and `report.render` draw.  What only drawing needs (a release,
curves as objects) is a field of type `Live[…]`, which stays out of the JSON.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeAlias, TypeVar

from pydantic import Field, GetPydanticSchema, SerializerFunctionWrapHandler, model_serializer
from pydantic_core import CoreSchema, core_schema

from sidelight import __version__
from sidelight.documents.document import DocumentPart, Envelope
from sidelight.errors import SidelightError
from sidelight.report.page import Block, Blocks, Code, Page, PageSection, Paragraph, Picture, Verdict
from sidelight.text import shell

if TYPE_CHECKING:
    from sidelight.report.plots import Drawing

AnswerT = TypeVar("AnswerT")
Thing = TypeVar("Thing")


def _leave_unchecked(_source: object, _handler: object) -> CoreSchema:
    """Keep pydantic from looking into an object of the library, which checked itself when it was made."""
    return core_schema.any_schema()


Live: TypeAlias = Annotated[Thing, GetPydanticSchema(_leave_unchecked), Field(exclude=True)]
"""An object that an answer is drawn from, and that stays out of the JSON."""


class Recipe(DocumentPart):
    """The commands, the Python and the policy file that make an answer again; empty where there is none."""

    commands: tuple[str, ...] = ()
    python: str = ""
    policy: str = Field(default="", description="as a policy file")

    @property
    def command(self) -> str:
        """The commands, a line each."""
        return "\n".join(self.commands)


class Answer(Envelope[AnswerT], Generic[AnswerT]):
    """The answer to a question."""

    question: ClassVar[str]  # the title of a page

    @property
    def verdict(self) -> Verdict | None:
        """What was judged; nothing where no limit was set."""
        return None

    def blocks(self) -> Blocks:
        """Yield the content for people, from top to bottom: blocks, then sections with a title; at least the notes."""
        return map(Paragraph, self.notes)

    def private_blocks(self) -> Blocks:
        """Yield blocks for the terminal alone that are kept out of every file, such as names of people."""
        return iter(())

    def remarks(self) -> tuple[str, ...]:
        """Return remarks for standard error, which are no part of the answer."""
        return ()

    def charts(self) -> Iterator[Drawing]:
        """Yield the charts of a page; they need the extra `plot`."""
        return iter(())

    def page(self, recipe: Recipe) -> Page:
        """Lay the answer out as a page: its sentence, its pictures, the rest, and how to repeat it."""
        opening: list[Block] = []
        sections: list[PageSection] = []
        for each in self.blocks():
            # Blocks after the first section belong to no section of their own.
            if isinstance(each, PageSection):
                sections.append(each)
            elif sections:
                sections.append(PageSection("", (each,)))
            else:
                opening.append(each)
        answer = next((each for each in opening if isinstance(each, Paragraph) and each.emphasis == "answer"), None)
        first = [answer] if answer is not None else opening[:1]
        rest = [each for each in opening if each is not first[0]] if first else []
        command = [Code(shell(shlex.split(recipe.command)), "On the command line", "sh")]
        python = [Code(recipe.python, "In Python", "python")] if recipe.python else []
        sources = (self.source,) if isinstance(self.source, str) else self.source or ()
        return Page(
            title=self.question,
            subtitle=", ".join(sources),
            opening=(*first, *self._pictures(), *rest),
            sections=(*sections, PageSection("How to do it again", (*command, *python))),
            foot=f"Drawn by Sidelight {__version__}; sidelight … --json gives the same answer to programs.",
        )

    def _pictures(self) -> Iterator[Picture]:
        """Yield the charts, drawn; none without the extra `plot`, or where there is nothing to draw."""
        try:
            from sidelight.report.plots import picture_of  # noqa: PLC0415 - slow, and an extra

            yield from [picture_of(chart) for chart in self.charts()]
        # a page is complete without its pictures, whose numbers stand in its tables
        except (ImportError, SidelightError):
            return


class FlatAnswer(Answer[None]):
    """An answer whose own fields are under "answer", without those that were not set; `as_` is the key "as"."""

    answer: None = None
    judged: Live[Verdict | None] = None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict; None where no limit was set."""
        return self.judged

    @model_serializer(mode="wrap")
    def _gather_fields(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        own = write(self)
        document = {name: own.pop(name) for name in Envelope.model_fields}
        answer = {name.rstrip("_"): each for name, each in own.items() if name in self.model_fields_set}
        return {**document, "answer": answer}
