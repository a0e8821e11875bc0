"""Answers become pages: the sentence that answers, pictures, the rest, and how to ask again."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

import sidelight as sl
from sidelight.errors import SidelightError
from sidelight.report.answer import Answer, Live, Recipe
from sidelight.report.page import Blocks, Code, Grid, PageSection, Paragraph, Picture, Points
from sidelight.report.plots import Drawing

GRID = Grid(("name",), (("a.csv",),))


class Guess(Answer[dict[str, Any]]):
    """Blocks and charts as they are given."""

    question: ClassVar[str] = "Which columns identify people?"

    parts: Live[tuple[object, ...]]
    drawn: Live[object] = None

    def blocks(self) -> Blocks:
        """Yield the parts."""
        yield from self.parts

    def charts(self) -> Iterator[Drawing]:
        """Yield one chart, or fail."""
        if isinstance(self.drawn, Exception):
            raise self.drawn
        if self.drawn is not None:
            yield self.drawn.plot()


def page_of(*parts, charts=None):
    answer = Guess(
        kind="guess", schema_version=1, source=("a.csv", "b.csv"), answer={"a": 1}, parts=parts, drawn=charts
    )
    return answer.page(Recipe(commands=("sidelight columns 'a.csv'",), python="print(1)"))


def test_the_question_stands_first_and_the_recipe_last():
    page = page_of(Paragraph("Nobody is disclosed."))
    assert (page.title, page.subtitle) == ("Which columns identify people?", "a.csv, b.csv")
    assert page.opening == (Paragraph("Nobody is disclosed."),)
    assert page.sections[-1].blocks == (
        Code("sidelight columns a.csv", "On the command line", "sh"),
        Code("print(1)", "In Python", "python"),
    )


def test_an_answer_without_python_has_its_command_alone():
    answer = Guess(kind="guess", schema_version=1, answer={}, parts=())
    page = answer.page(Recipe(commands=("sidelight columns a.csv",)))
    assert page.opening == ()
    (command,) = page.sections[-1].blocks
    assert command.language == "sh"


def test_the_sentence_that_answers_stands_before_the_pictures_and_those_before_tables():
    release = sl.Release.from_counts([{"Flu": 6, "Cold": 5}])
    answer = Paragraph("Nobody is disclosed.", "answer")
    page = page_of(GRID, answer, Paragraph("Rounded."), charts=release)
    assert [type(block) for block in page.opening] == [Paragraph, Picture, Grid, Paragraph]
    assert page.opening[0] is answer


@pytest.mark.parametrize("problem", [SidelightError("there is nothing to draw"), ImportError("matplotlib")])
def test_what_cannot_be_drawn_is_left_out(problem):
    assert page_of(Paragraph("Nobody."), charts=problem).opening == (Paragraph("Nobody."),)


def test_blocks_after_a_section_stand_below_it():
    notes = PageSection("Notes", (Points(("one", "two")),))
    page = page_of(Paragraph("First"), notes, GRID)
    assert page.opening == (Paragraph("First"),)
    assert page.sections[:-1] == (notes, PageSection("", (GRID,)))


def test_what_only_drawing_needs_is_not_in_the_document():
    answer = Guess(kind="guess", schema_version=1, answer={}, parts=(GRID,))
    assert "parts" not in answer.to_json()
