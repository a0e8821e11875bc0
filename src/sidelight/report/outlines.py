"""In which order, and under which titles?  The same content as a regime's own document has it.

An outline is data: titles, topics below them, and what the regime asks that no program can know, which is printed as a
blank "to be filled in by …" and never invented.  Where an outline says nothing of a topic, it stands at the end, under
"Besides": nothing is left out of a report because a regime does not ask for it.

Sources, looked at in 2026 (docs/do/report.md has the addresses):
    ema        EMA policy 0070, external guidance EMA/90915/2016, chapter 3, steps of the anonymisation process, and the
               harmonised EMA/Health Canada anonymisation report template, as secondary sources describe its sections
    hipaa      45 CFR 164.514(b)(1), and the guidance of HHS on expert determination
    iso-27559  ISO/IEC 27559:2022, titles of its clauses 6 to 9 as its table of contents has them
    ico        ICO guidance on anonymisation, "How do we ensure anonymisation is effective?", titles of its questions
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sidelight.errors import SidelightError, did_you_mean, expect, parameter
from sidelight.report.contents import TOPICS, Topic, page_of, topic_section
from sidelight.report.page import Blank, Page, PageSection
from sidelight.report.release_report import ReleaseReport

OutlineName: TypeAlias = Literal["ema", "hipaa", "iso-27559", "ico"]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A title of a regime's document: what we tell there, and what somebody has to fill in."""

    title: str
    topics: tuple[Topic, ...] = ()
    blanks: tuple[Blank, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The order and the titles of a document."""

    title: str
    chapters: tuple[Chapter, ...]
    source: str = ""


CONTROLLER = "the data controller"
EXPERT = "the expert"
SPONSOR = "the sponsor or applicant"

OWN_BLANKS: dict[Topic, tuple[Blank, ...]] = {
    "published": (
        Blank(
            "What the data are, whose they are, for which purpose they are released, and on which ground", CONTROLLER
        ),
        Blank("To whom the file goes: to anybody, or to whom and under which agreement", CONTROLLER),
    )
}

OWN = Outline(
    "Report on a release",
    tuple(
        Chapter(TOPICS[topic][0], (topic,), OWN_BLANKS.get(topic, ()))
        for topic in TOPICS
        if topic != "risk"  # which opens it
    ),
)

OUTLINES: dict[OutlineName, Outline] = {
    "ema": Outline(
        "Anonymisation report",
        (
            Chapter(
                "Anonymisation methodology",
                ("technique", "groups"),
                (Blank("Why this methodology was chosen for these documents, and the procedure number", SPONSOR),),
            ),
            Chapter(
                "Identification of data variables: direct and indirect identifiers, and the technique for each",
                ("published",),
                (
                    Blank(
                        "Direct identifiers that stood in the documents (names, numbers, addresses), "
                        "and how each was removed: "
                        "they are not in the file, so that nothing here can tell",
                        SPONSOR,
                    ),
                ),
            ),
            Chapter(
                "Possible adversaries and plausible attacks",
                ("readers", "asked readers", "attacks"),
                (
                    Blank(
                        "In which context the data are released, and why other adversaries are not plausible", SPONSOR
                    ),
                ),
            ),
            Chapter(
                "Data utility considerations",
                ("utility",),
                (Blank("What the loss means for secondary analyses", SPONSOR),),
            ),
            Chapter(
                "Risk of re-identification: initial risk, threshold, residual risk",
                ("risk", "worst off", "knowledge"),
                (Blank("Why this threshold, such as 0.09 for public release, is the right one here", SPONSOR),),
            ),
            Chapter("What is not covered", ("not covered",)),
            Chapter("Documentation of the process", ("again", "versions")),
            Chapter("Conclusion and sign-off", ("sign-off",)),
        ),
        "EMA policy 0070 and Health Canada PRCI",
    ),
    "hipaa": Outline(
        "Expert determination under 45 CFR 164.514(b)(1)",
        (
            Chapter(
                "The expert",
                (),
                (
                    Blank(
                        "Name, and knowledge of and experience with generally accepted statistical "
                        "and scientific principles "
                        "and methods for rendering information not individually identifiable",
                        EXPERT,
                    ),
                ),
            ),
            Chapter(
                "The information, and its anticipated recipient",
                ("published", "groups"),
                (
                    Blank(
                        "Who the anticipated recipients are, and under which agreement and controls they get it",
                        "the covered entity",
                    ),
                ),
            ),
            Chapter(
                "Other reasonably available information: who could know what",
                ("readers",),
                (
                    Blank(
                        "Which data sources are available to the anticipated recipient; for each "
                        "feature its replicability, "
                        "availability and distinguishability",
                        EXPERT,
                    ),
                ),
            ),
            Chapter("Principles and methods applied", ("technique", "utility")),
            Chapter(
                "Results of the analysis: the risk of identification",
                ("risk", "worst off", "knowledge", "asked readers", "attacks"),
                (
                    Blank(
                        "Why the risk is very small that the information could be used to identify an individual",
                        EXPERT,
                    ),
                ),
            ),
            Chapter("What is not covered", ("not covered",), (Blank("For how long the determination holds", EXPERT),)),
            Chapter("Documentation of the methods and results", ("again", "versions")),
            Chapter("Determination", ("sign-off",)),
        ),
        "45 CFR 164.514(b)(1)",
    ),
    "iso-27559": Outline(
        "De-identification assessment along ISO/IEC 27559:2022",
        (
            Chapter(
                "6 Context assessment",
                ("readers",),
                (
                    Blank("6.2.2 Security and privacy practices of the recipients", CONTROLLER),
                    Blank("6.2.3 Motives and capacity to re-identify", CONTROLLER),
                    Blank("6.3.2 Transparency of actions and stakeholder engagement", CONTROLLER),
                    Blank("6.3.3 Privacy-related harms", CONTROLLER),
                ),
            ),
            Chapter("7 Data assessment: 7.2 Data features", ("published", "groups")),
            Chapter(
                "7 Data assessment: 7.3 Attack modelling",
                ("knowledge",),
                (
                    Blank(
                        "7.3.2 and 7.3.3 Whether the largest or the average risk counts, and whether people are looked "
                        "up in the population or in the sample",
                        CONTROLLER,
                    ),
                ),
            ),
            Chapter("8.2 Assessing identifiability: 8.2.2 Quantifying identifiability", ("risk", "worst off")),
            Chapter("8.2 Assessing identifiability: 8.2.3 Adversarial testing", ("asked readers", "attacks")),
            Chapter(
                "8.3 Mitigation: 8.3.3 Transforming the data",
                ("technique", "utility"),
                (
                    Blank("8.3.2 How the environment was reconfigured: contracts, access, monitoring", CONTROLLER),
                    Blank("8.3.4 Re-evaluation after both", CONTROLLER),
                ),
            ),
            Chapter(
                "9 De-identification governance",
                ("not covered", "again", "versions", "sign-off"),
                (
                    Blank(
                        "9.2 Before data are made available: roles and responsibilities; principles, policies and "
                        "procedures; how a disclosure is identified and managed; what stakeholders are told",
                        CONTROLLER,
                    ),
                    Blank("9.3 After data are made available: how the data environment is monitored", CONTROLLER),
                    Blank("9.4 What is done in case of an incident", CONTROLLER),
                ),
            ),
        ),
        "ISO/IEC 27559:2022",
    ),
    "ico": Outline(
        "Identifiability assessment with a motivated intruder test",
        (
            Chapter(
                "What should the anonymisation process achieve?",
                ("published", "technique", "utility"),
                (
                    Blank(
                        "The purpose of the release, and whether it goes to the world at large or to a defined group",
                        CONTROLLER,
                    ),
                ),
            ),
            Chapter(
                "The key indicators of identifiability: singling out, linkability, inferences",
                ("risk", "worst off", "groups"),
            ),
            Chapter(
                "Which means are reasonably likely to be used, and by whom?",
                ("readers",),
                (
                    Blank(
                        "Costs, time and technology it would take; who else may be able to identify "
                        "people, insiders included",
                        CONTROLLER,
                    ),
                ),
            ),
            Chapter(
                "The motivated intruder test",
                ("knowledge", "asked readers", "attacks"),
                (
                    Blank(
                        "Who played the intruder, with which resources (web, libraries, public "
                        "records, asking people), and what "
                        "they found: an arithmetic worst case does not replace somebody who tries",
                        "whoever ran the test",
                    ),
                ),
            ),
            Chapter("What is not covered", ("not covered",)),
            Chapter(
                "When is the assessment reviewed?",
                (),
                (Blank("When, by whom, and what would bring it forward", CONTROLLER),),
            ),
            Chapter("Documentation", ("again", "versions")),
            Chapter("Deciding when and how to release", ("sign-off",)),
        ),
        "ICO guidance on anonymisation",
    ),
}


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
    chosen = outline_of(outline)
    sections = [_chapter(report, chapter) for chapter in chosen.chapters]
    summary = chosen is OWN
    # our own outline has the risk in its opening; what no chapter covers goes to the end
    covered = {topic for chapter in chosen.chapters for topic in chapter.topics} | ({"risk"} if summary else set())
    besides = tuple(topic_section(report, topic) for topic in TOPICS if topic not in covered)
    if besides:
        sections.append(PageSection("Besides", (), besides))
    return page_of(report, tuple(sections), _title(report, chosen), summary=summary)


def outline_of(name: str | None) -> Outline:
    """Return an outline by its name; without one, our own."""
    if name is None:
        return OWN
    expect(str, name, parameter("outline"))
    for known, outline in OUTLINES.items():
        if known == name:
            return outline
    message = f"{parameter('outline', name)} is none of {', '.join(OUTLINES)}{did_you_mean(name, list(OUTLINES))}"
    raise SidelightError(message)


def _title(report: ReleaseReport, outline: Outline) -> str:
    return f"{outline.title}: {report.source}" if report.source else outline.title


def _chapter(report: ReleaseReport, chapter: Chapter) -> PageSection:
    """Build the section of a chapter; a single topic stands right below the chapter's title."""
    if len(chapter.topics) == 1:
        section = topic_section(report, chapter.topics[0], chapter.title)
        return PageSection(section.title, (*section.blocks, *chapter.blanks), section.parts)
    parts = tuple(topic_section(report, topic) for topic in chapter.topics)
    return PageSection(chapter.title, chapter.blanks, tuple(part for part in parts if not part.empty))
