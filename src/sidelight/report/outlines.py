"""In which order, and under which titles?  The same content as a regime's own document has it.

An outline is data (`templates/outlines.toml`): titles, topics below them, and what the regime asks that no program can
know, which is printed as a blank "to be filled in by …" and never invented.  Where an outline says nothing of a
topic, it stands at the end, under "Besides": nothing is left out of a report because a regime does not ask for it.

Sources, looked at in 2026 (docs/do/report.md has the addresses):
    ema        EMA policy 0070, external guidance EMA/90915/2016, chapter 3, steps of the anonymisation process, and the
               harmonised EMA/Health Canada anonymisation report template, as secondary sources describe its sections
    hipaa      45 CFR 164.514(b)(1), and the guidance of HHS on expert determination
    iso-27559  ISO/IEC 27559:2022, titles of its clauses 6 to 9 as its table of contents has them
    ico        ICO guidance on anonymisation, "How do we ensure anonymisation is effective?", titles of its questions
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, TypeAlias

from sidelight.errors import SidelightError, did_you_mean, expect, parameter
from sidelight.report.contents import TOPICS, page_of, topic_section
from sidelight.report.page import Blank, Page, PageSection

if TYPE_CHECKING:
    from sidelight.report.release_report import ReleaseReport

OutlineName: TypeAlias = Literal["ema", "hipaa", "iso-27559", "ico"]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A title of a regime's document: what we tell there, and what somebody has to fill in."""

    title: str
    topics: tuple[str, ...] = ()
    blanks: tuple[Blank, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The order and the titles of a document."""

    title: str
    chapters: tuple[Chapter, ...]
    source: str = ""


CONTROLLER = "the data controller"

OWN = Outline(
    "Report on a release",
    tuple(
        Chapter(
            title,
            (topic,),
            (
                Blank(
                    "What the data are, whose they are, for which purpose they are released, and on which ground",
                    CONTROLLER,
                ),
                Blank("To whom the file goes: to anybody, or to whom and under which agreement", CONTROLLER),
            )
            if topic == "published"
            else (),
        )
        for topic, (title, _) in TOPICS.items()
        if topic != "risk"  # which opens it
    ),
)


def _read_outlines() -> Mapping[str, Outline]:
    text = files("sidelight.report").joinpath("templates", "outlines.toml").read_text(encoding="utf-8")
    return {
        name: Outline(
            outline["title"],
            tuple(
                Chapter(
                    chapter["title"],
                    tuple(chapter.get("topics", ())),
                    tuple(Blank(what, by) for what, by in chapter.get("blanks", ())),
                )
                for chapter in outline["chapters"]
            ),
            outline["source"],
        )
        for name, outline in tomllib.loads(text).items()
    }


OUTLINES = _read_outlines()


def release_page(report: ReleaseReport, outline: OutlineName | None = None) -> Page:
    """Lay a report out as a page, in our own order or in that of a regime.

    >>> from sidelight.release.release import Release
    >>> from sidelight.report.release_report import assemble_report
    >>> from sidelight.report.report import audit_report
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}])
    >>> page = release_page(assemble_report(audit_report(release), release), "hipaa")
    >>> page.sections[0].title, page.sections[0].blocks[0].by
    ('The expert', 'the expert')
    """
    if outline is not None and expect(str, outline, parameter("outline")) not in OUTLINES:
        known = parameter("outline", outline)
        message = f"{known} is none of {', '.join(OUTLINES)}{did_you_mean(outline, list(OUTLINES))}"
        raise SidelightError(message)
    chosen = OWN if outline is None else OUTLINES[outline]
    sections = [_chapter(report, chapter) for chapter in chosen.chapters]
    summary = chosen is OWN
    # our own outline has the risk in its opening; what no chapter covers goes to the end
    covered = {topic for chapter in chosen.chapters for topic in chapter.topics} | ({"risk"} if summary else set())
    besides = tuple(topic_section(report, topic) for topic in TOPICS if topic not in covered)
    if besides:
        sections.append(PageSection("Besides", (), besides))
    title = f"{chosen.title}: {report.source}" if report.source else chosen.title
    return page_of(report, tuple(sections), title, summary=summary)


def _chapter(report: ReleaseReport, chapter: Chapter) -> PageSection:
    """Build the section of a chapter; a single topic stands right below the chapter's title."""
    if len(chapter.topics) == 1:
        section = topic_section(report, chapter.topics[0], chapter.title)
        return PageSection(section.title, (*section.blocks, *chapter.blanks), section.parts)
    parts = tuple(topic_section(report, topic) for topic in chapter.topics)
    return PageSection(chapter.title, chapter.blanks, tuple(part for part in parts if not part.empty))
