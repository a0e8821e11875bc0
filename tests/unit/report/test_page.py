"""What a page is made of, and how it is kept short."""

from support.words import mentions

from sidelight.report.page import Code, Grid, Page, PageSection, Paragraph, Picture, Points

LONG = "word " * 100


def test_short_pages_stay_as_they_are():
    page = Page("Title", (PageSection("One", (Paragraph("text"), Points(("a", "b")))),))
    assert page.shorter(10, 100, pictures=True) == page


def test_tables_lists_and_texts_are_cut_and_say_so():
    rows = tuple((str(number), LONG) for number in range(50))
    blocks = (Grid(("a", "b"), rows), Points(tuple(map(str, range(50)))), Paragraph(LONG, "quotation"), Code(LONG))
    (section,) = Page("Title", (PageSection("One", blocks),)).shorter(10, 30, pictures=True).sections
    grid, points, quotation, code = section.blocks
    assert (len(grid.rows), grid.omitted) == (10, 40)
    assert grid.rows[0][1].endswith("(470 more)")
    assert points.lines[-1] == "… and 40 more"
    assert quotation.text.endswith("(470 more)")
    assert code.text.endswith("(470 more)")


def test_of_a_picture_that_is_left_out_the_table_stays():
    table = Grid(("a",), (("1",),))
    page = Page("Title", (PageSection("One", (Picture("<svg/>", "words", table), Picture("<svg/>", "words"))),))
    assert page.shorter(10, 30, pictures=False).sections[0].blocks == (table,)


def test_parts_that_are_left_out_are_counted():
    section = PageSection("One", (), tuple(PageSection(str(number), (Paragraph("text"),)) for number in range(20)))
    (kept,) = Page("Title", (section,)).shorter(5, 30, pictures=True).sections
    assert len(kept.parts) == 5
    assert mentions(kept.blocks[-1].text, "15 more", "JSON document", "all")
