"""The topics of a report about a release, and their order: blocks drawn from the document, without arithmetic.

A topic has the order of a screen: the question in words, the answer with its number, the picture, who is worst off,
what follows, and the table behind it.

An outline has the order and the titles of the topics: our own, or that of a regime's document.  It is data
(`templates/outlines.toml`): titles, topics below them, and questions that no program can answer, which are printed as a
blank "to be filled in by …".  Topics that an outline lacks are at the end, under "Besides": nothing is left out of a
report because a regime does not ask for it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Literal, TypeAlias

from sidelight.errors import NotAvailable, SidelightError, did_you_mean, expect, parameter
from sidelight.policy.measure_names import ASK_CHOICES, asked_attackers
from sidelight.report.page import (
    Blank,
    Block,
    Blocks,
    Code,
    Grid,
    Page,
    PageSection,
    Paragraph,
    Picture,
    Points,
    Signature,
)
from sidelight.report.page import Verdict as PageVerdict
from sidelight.report.plots import expect_pictures
from sidelight.report.release_report import AttackTried, CheckedBeliefs, HowMade, ReleaseReport, RiskBefore
from sidelight.report.render import html_page, markdown_page, read_template
from sidelight.report.report import ATTACKERS, attacker_of, conclude
from sidelight.rounding import ROUNDED
from sidelight.search.protect import METHODS
from sidelight.search.utility import MEANINGS
from sidelight.text import capitalize, counted, form

VERDICTS: dict[bool | None, tuple[str, str, PageVerdict | None]] = {
    True: ("✓ within", ": within", "within"),
    False: ("✗ not within", ": not within", "not within"),
    None: ("no limit", "", None),
}
"""The words of a verdict in a table, after a number, and in a document."""


# The page.


def page_of(report: ReleaseReport, sections: tuple[PageSection, ...], title: str, *, summary: bool) -> Page:
    """Build the page: the question and its answer, with `summary` a row per limit, then the sections."""
    answer = report.answer
    audit, facts = answer.audit, answer.audit.release
    opening: list[Block] = [
        Paragraph(f"What does {report.source or 'this release'} reveal to somebody who already knows something?"),
        conclude(audit.findings, facts.size_in_words()),
        *(_risk(report) if summary else ()),
    ]
    if audit.verdict == "within policy":
        opening.append(
            Paragraph(
                "Nothing here is called safe or anonymous: the verdict is about these limits, the readers they name "
                "and this file. Read what is not covered before you sign."
            )
        )
    elif audit.verdict == "not within policy":
        opening.append(
            Paragraph(
                "What would pass: a coarser release. sidelight protect TABLE --policy POLICY finds the most useful one "
                "within the policy, and sidelight compare shows several ways."
            )
        )
    day = f"{answer.date}. " if answer.date else ""
    digest = next((f", SHA-256 {each.sha256[:12]}…" for each in answer.files), "")
    return Page(
        title=title,
        subtitle=f"{day}{facts.size_in_words()}; sensitive: {facts.sensitive_in_words()}",
        opening=(*opening, *explain_missing_charts()),
        sections=tuple(section for section in sections if not section.empty),
        foot=f"Drawn by Sidelight {answer.versions.get('sidelight', '')} from a JSON document that holds the same; "
        "sidelight report … --output FILE writes it.",
        # at the foot of every page on paper: pages get lost
        running=f"{report.source or 'A release'}{digest}",
    )


def explain_missing_charts() -> Iterator[Paragraph]:
    """Yield how to install the extra for charts, where it is missing."""
    try:
        expect_pictures()
    except NotAvailable as remedy:
        yield Paragraph(f"Drawn without its charts: {remedy}.", "quiet")


def _pictures(report: ReleaseReport, name: str, *, above_its_table: bool = False) -> Iterator[Picture]:
    """Yield the charts of a topic, if the extra is installed; without their tables where the topic's own follows."""
    try:
        from sidelight.report.pictures import pictures_of  # noqa: PLC0415 - slow, and an extra

        # all are drawn before the first is yielded, so that an error leaves no half of a topic
        for picture in pictures_of(report, name):
            yield replace(picture, table=None) if above_its_table else picture
    except (ImportError, SidelightError):
        return


# What was published, and how it was made.


def what_is_published(report: ReleaseReport) -> Blocks:
    """Yield the contents of the file: its people, how each column is printed, and what was left out."""
    answer = report.answer
    facts, making = answer.audit.release, answer.made
    name = report.source or "The release"
    about = f"what should not be found out is {facts.sensitive_in_words()}"
    yield Paragraph(f"{name} tells of {facts.size_in_words()}; {about}.")
    if making is None:
        yield Paragraph("How the file was made is not known: no sidecar of Sidelight stands beside it.", "quiet")
    else:
        yield from _describe_making(making, answer.before)
    rows = tuple(
        (
            each.column,
            each.role,
            each.technique,
            "" if each.labels is None else f"{each.labels:,}",
            ", ".join(text if len(text) <= 40 else f"{text[:39]}…" for text in each.examples),
        )
        for each in answer.columns
        if each.role != "not published"
    )
    headings = ("column", "role", "what was done to it", "different labels", "for example (labels of many people)")
    yield Grid(headings, rows, figures=frozenset({3}))
    if any("level" in each.technique for each in answer.columns):
        yield Paragraph("Level 0 is the column as it is; the last level prints * for everybody.", "quiet")
    yield from _explain_labels(report)
    left_out = [each.column for each in answer.columns if each.role == "not published"]
    if answer.before is None and making is not None:
        yield Paragraph("Which columns of the table were left out is not told: it was not at hand.", "quiet")
    elif answer.before is not None and left_out:
        yield Paragraph(f"Left out, {counted(len(left_out), 'column')} of the table: {', '.join(left_out)}.")
    notes = [*report.notes, *(making.warnings if making else ())]
    if notes:
        # a note may stand in the document and in the sidecar: once is enough
        yield Points(tuple(dict.fromkeys(notes)))


def _describe_making(making: HowMade, before: RiskBefore | None) -> Iterator[Block]:
    people = counted(making.people_in, "person")
    gone = making.suppressed
    left = f"{gone:,} of these people {form('is', gone)}" if gone else "none of these people is"
    day = (
        f" It was judged as read back from the disk, and published, on {making.published}." if making.published else ""
    )
    yield Paragraph(f"It was made from a table of {people} by the method “{making.method}”; {left} suppressed.{day}")
    if making.rows_in <= making.people_in:
        return
    # more rows were read than there are people, which looks like a mistake and is none
    if before is not None and before.left_out:
        yield Paragraph(f"About the rows of the table: {'; '.join(before.left_out)}.")
    else:
        yield Paragraph(
            f"{counted(making.rows_in, 'row')} of the table were read, more than there are people: rows without a "
            "sensitive value may have been dropped, or people have several rows. The table tells which (--table TABLE)."
        )


def _explain_labels(report: ReleaseReport, most: int = 12) -> Iterator[Block]:
    """Yield the values under printed labels, at most `most` labels of a column."""
    lines = []
    for facts in report.answer.columns:
        labels = [*facts.covers.items()]
        lines += [
            f"{facts.column} “{label}” stands for {', '.join(values)}." for label, values in labels[:most] if values
        ]
        more = len(labels) - most
        lines += [f"{facts.column}: {counted(more, 'more label')}; the sidecar has all."] if more > 0 else []
    if lines:
        yield Points(tuple(lines))


def how_it_was_made(report: ReleaseReport) -> Blocks:
    """Yield the method, how far its search went, and its first cuts."""
    making = report.answer.made
    if making is None:
        yield Paragraph("Not known: no sidecar of Sidelight stands beside the file.")
    else:
        if making.method in METHODS:
            yield Paragraph(f"Method “{making.method}”: {METHODS[making.method].description}.")
        if making.checked:
            end = "" if making.complete else " It was stopped before its end: a more useful release may exist."
            yield Paragraph(f"The search looked at {counted(making.checked, 'candidate')}.{end}", "quiet")
        if making.resists:
            who = " and ".join(kind.attacker.who for kind in asked_attackers() if kind.attacker.knows_method)
            yield Paragraph(f"It was made to resist {who}: {making.resists}.")
    cuts = tuple(_pictures(report, "cuts"))
    yield from cuts
    if cuts:
        yield Paragraph(
            "In which order people were cut apart is told to whoever decides: readers see the groups alone.", "quiet"
        )


def _groups(report: ReleaseReport) -> Blocks:
    bands = report.answer.sizes
    if not bands:
        return
    people = counted(report.answer.audit.release.people, "person")
    unique = sum(band.people for band in bands if band.sizes == "1")
    smallest = report.answer.smallest_group
    if unique:
        yield Paragraph(f"{unique:,} of {people} {form('stands', unique)} alone in a group.")
    else:
        yield Paragraph(f"Nobody of {people} stands alone; the smallest group has {smallest:,} people.")
    rows = tuple((band.sizes, f"{band.groups:,}", f"{band.people:,}") for band in bands if band.groups)
    table = Grid(("people in a group", "groups", "people"), rows, figures=frozenset({1, 2}))
    # a picture brings the same table with it
    yield from tuple(_pictures(report, "sizes")) or (table,)
    values = tuple(_pictures(report, "values"))
    if values:
        yield PageSection("Which values people have", values)


# Attackers, limits and risks.


def _attackers(report: ReleaseReport) -> Blocks:
    limits: dict[tuple[str, str], list[str]] = {}
    for each in report.answer.audit.findings:
        attacker = attacker_of(each.measure)
        limits.setdefault((attacker.who, attacker.knowledge_in_words(each.settings)), []).append(each.text)
    columns = report.answer.audit.release.columns
    if columns:
        yield Paragraph(
            f"Every reader holds the file. What it prints of a person is {', '.join(columns)}; all readers are taken "
            "to know that of whoever they look for."
        )
    rows = tuple((who, knows, "; ".join(texts)) for (who, knows), texts in limits.items())
    yield Grid(("reader", "is taken to know", "asked by"), rows)


def _risk(report: ReleaseReport) -> Iterator[Block]:
    before, audit = report.answer.before, report.answer.audit
    if before is not None:
        columns = ", ".join(audit.release.columns) or "printed columns"
        yield Paragraph(
            f"Before: in the table itself {before.alone:,} of {counted(before.people, 'person')} "
            f"{form('stands', before.alone)} alone: nobody else has the same {columns}. It has "
            f"{counted(before.groups, 'group')} of people alike."
        )
    elif audit.verdict != "no policy":
        yield Paragraph("The risk before is not told: the table was not at hand (--table TABLE).", "quiet")
    yield from _pictures(report, "limits", above_its_table=True)
    yield _risk_grid(report)
    if any("." in each.result.text for each in audit.findings):
        yield Paragraph(ROUNDED.replace("--json", "the JSON document"), "quiet")


def _risk_grid(report: ReleaseReport) -> Grid:
    audit, before = report.answer.audit, report.answer.before
    judged = [each for each in audit.findings if each.limit is not None]
    others = [each for each in audit.findings if each.limit is None]
    headings = ["what is counted", *(["the table"] if before else []), *(["wanted"] if judged else []), "the release"]
    rows = []
    # results of the table have the order of the limits
    for finding, earlier in zip_longest((*judged, *others), before.results[: len(judged)] if before else ()):
        cells = [f"{attacker_of(finding.measure).counts} — {finding.text}"]
        cells += [earlier.text if earlier else ""] if before else []
        cells += [finding.limit.text if finding.limit else ""] if judged else []
        cells += [finding.result.text + (" (an estimate)" if finding.estimate else "")]
        rows.append((*cells, *([VERDICTS[finding.holds][0]] if judged else [])))
    figures = frozenset(range(1, len(headings)))
    return Grid((*headings, *(["verdict"] if judged else [])), tuple(rows), figures=figures)


def _worst_off(report: ReleaseReport) -> Blocks:
    yield Paragraph(
        "For each limit, the person or group that is worst off, in words that can be checked by hand: keep the rows of "
        "the file that print what the group prints, and count the values."
    )
    # limits that do not hold first; the sort is stable, so that the policy's order remains otherwise
    for finding in sorted(report.answer.audit.findings, key=lambda each: each.holds is not False):
        attacker, result = attacker_of(finding.measure), finding.result
        limit = f"; wanted is {finding.limit.text}" if finding.limit else ""
        estimate = ", an estimate" if finding.estimate else ""
        _, words, verdict = VERDICTS[finding.holds]
        value = f"{capitalize(attacker.counts)}: {result.text}{estimate}{limit}{words}."
        blocks: list[Block] = [Paragraph(value, "plain", verdict), Paragraph(finding.explanation, "quotation")]
        if finding.broken_by is not None and finding.broken_by.groups:
            blocks.append(Paragraph(finding.broken_by.in_words()))
        if result.exact != result.text:
            exactly = "To more places, rounded towards caution:" if result.rounded else "Exactly"
            blocks.append(Paragraph(f"{exactly} {result.exact}.", "quiet"))
        if finding.notes:
            blocks.append(Points(finding.notes))
        yield PageSection(f"{capitalize(attacker.who)} — {finding.text}", tuple(blocks))


def _knowledge(report: ReleaseReport) -> Blocks:
    curves = report.answer.curves
    if not curves:
        return
    amounts = curves[0].amounts
    certain = next((amount for amount, risk in zip(amounts, curves[0].risks, strict=True) if risk.exact == "1"), None)
    people = counted(report.answer.audit.release.people, "person")
    judged = (each.limit for each in report.answer.audit.findings if each.measure == curves[0].measure)
    limit = next(filter(None, judged), None)
    holds = [limit is None or limit.holds(risk.value) for risk in curves[0].risks]
    if limit is not None and not all(holds):
        enough = counted(amounts[holds.index(False)], "well-chosen fact")
        yield Paragraph(
            f"From {enough} on, the limit ({limit.text}) is no longer kept: nothing is promised against readers who "
            "know so much."
        )
    reached = (
        f"Knowing {amounts[-1]} well-chosen facts, somebody could become {curves[0].risks[-1].text} sure"
        if certain is None
        else f"From {counted(certain, 'well-chosen fact')} on, somebody could become certain"
    )
    yield Paragraph(f"{reached} of the value of one of {people}.")
    kinds = {"implications": "facts “if she has this value, he has that one”", "negations": "values ruled out"}
    headings = ("known besides the file", *(kinds.get(curve.measure, curve.measure) for curve in curves))
    rows = tuple((f"{amount}", *(curve.risks[row].text for curve in curves)) for row, amount in enumerate(amounts))
    yield from _pictures(report, "knowledge", above_its_table=True)
    yield Grid(headings, rows, title="How sure somebody could become of one person's value", figures=frozenset({1, 2}))
    cells = tuple(_pictures(report, "cells"))
    if cells:
        yield PageSection("An acquaintance who knows more of several things at once", cells)


# Attacks.

CHECKED_CLAIMS_WARNING = (
    "How right the claims are was checked against the table: this part is for whoever decides, and not to be published "
    "with the file."
)


def attack_section(attack: AttackTried) -> PageSection:
    """Build the section of one attack: its sentences, how often it was right, and its numbers in words."""
    sources = attack.source if isinstance(attack.source, tuple) else (attack.source,) if attack.source else ()
    kind = capitalize(attack.kind)
    blocks: list[Block] = [Points(attack.notes)] if attack.notes else []
    if attack.checked is not None:
        blocks += _calibration(attack.checked)
    elif any(name.startswith("truth: ") for name in attack.facts):
        blocks.append(Paragraph(CHECKED_CLAIMS_WARNING))
    rows, called = [], tomllib.loads(read_template("facts.toml"))
    for name, value in attack.facts.items():
        # the name has a number of values in it, so that no dictionary can list all
        left = re.fullmatch(r"values left: (before|after): people: (\d+)", name)
        words = called.get(name, name)
        if left is not None:
            by_whom = {"before": "the best release leaves", "after": "all together leave"}[left[1]]
            words = f"people to whom {by_whom} {counted(int(left[2]), 'value')}"
        figure = f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else str(value)
        rows.append((words, figure))
    blocks += [Grid(("what", "is"), tuple(rows), figures=frozenset({1}))] if rows else []
    return PageSection(f"{kind}: {', '.join(sources)}" if sources else kind, tuple(blocks))


def _calibration(beliefs: CheckedBeliefs) -> Iterator[Block]:
    yield Paragraph(
        f"Of {counted(beliefs.people, 'person')}, the {beliefs.model} model guesses {beliefs.right:.1%} right, and "
        f"claims to be {beliefs.claimed:.1%} sure on average. {CHECKED_CLAIMS_WARNING}"
    )
    try:
        from sidelight.report.pictures import calibration_picture  # noqa: PLC0415 - slow, and an extra

        yield calibration_picture(beliefs)
    # without the extra for charts, the same numbers as a table
    except (ImportError, SidelightError):
        yield Grid(
            ("claimed from", "claimed to", "people", "claimed on average", "right"),
            tuple(
                (f"{each.low:g}", f"{each.high:g}", f"{each.people:,}", f"{each.claimed:.4f}", f"{each.right:.4f}")
                for each in beliefs.calibration
            ),
            figures=frozenset(range(5)),
        )
    if beliefs.withheld:
        withheld = f"{counted(beliefs.withheld, 'person')} {form('is', beliefs.withheld)}"
        yield Paragraph(f"{withheld} left out: too few claims alike.", "quiet")


def _asked_attackers(report: ReleaseReport) -> Blocks:
    answers = report.answer.audit.readers
    # attacks by one attacker on one file are here, those by several files under attacks
    attacks = [each for each in report.answer.attacks if each.kind in ASK_CHOICES]
    have_sections = {each.kind for each in attacks}
    attackers = [kind.attacker for kind in asked_attackers()]
    number = {1: "One reader is", 2: "Two readers are"}.get(len(attackers), f"{len(attackers)} readers are")
    who = "; and ".join(f"{each.who}, {each.in_report or each.deed}" for each in attackers)
    yield Paragraph(
        f"{number} seldom named in a policy, and need no more than the file and patience: {who}. How sure could they "
        "get of the value of one person?"
    )
    if any(each.outcome != "not asked" for each in answers):
        yield from _pictures(report, "attackers")
    lines = [each for each in answers if each.outcome != "not asked" or each.reader not in have_sections]
    if lines:
        yield Points(tuple(f"{capitalize(each.text)}." for each in lines))
    yield from map(attack_section, attacks)


def _attacks(report: ReleaseReport) -> Blocks:
    attacks = [each for each in report.answer.attacks if each.kind not in ASK_CHOICES]
    if not attacks:
        yield Paragraph(
            "None, besides what the limits and the two readers ask. sidelight attack tries what the file and another "
            "release give away together; its answer (--output FILE) is put in here by --attack FILE."
        )
    yield from map(attack_section, attacks)


# What it is worth, how to do it again, and who signs.


def _utility(report: ReleaseReport) -> Blocks:
    making = report.answer.made
    if making is None or not making.utility:
        yield Paragraph("Not known: no sidecar of Sidelight stands beside the file, and the search was not run here.")
        return
    yield Paragraph("Of all of these less is better; they compare releases of the same table.")

    def write(worth: float | None) -> str:
        return "infinite" if worth is None else f"{worth:,.0f}" if worth >= 1000 else f"{worth:.3g}"

    meanings = {**MEANINGS, "suppressed": "people whose rows are suppressed"}
    rows = tuple((name, write(worth), meanings.get(name, "")) for name, worth in making.utility.items())
    yield from _pictures(report, "utility", above_its_table=report.answer.candidates is None)
    yield Grid(("utility", "", "what it counts"), rows, figures=frozenset({1}))


def _repeat(report: ReleaseReport) -> Blocks:
    again = report.answer.again
    if again.commands or again.python:
        release_again = (
            " The release itself is made again by sidelight protect with the method, levels and policy told here; its "
            "rows are put in a new order by chance, so that its checksum differs and its numbers do not."
            if report.answer.made is not None
            else ""
        )
        yield Paragraph(
            "The same numbers, verdict and checksums come out. No file is replaced unasked: name another one, such as "
            f"--html again.html.{release_again}"
        )
    if again.commands:
        yield Code("\n".join(again.commands), "On the command line", "sh")
    if again.python:
        yield Code(again.python, "In Python", "python")
    if again.policy:
        yield Code(again.policy, "The policy, as a file (policy.toml)", "toml")


def _versions(report: ReleaseReport) -> Blocks:
    answer = report.answer
    if answer.files:
        rows = tuple((each.name, each.sha256) for each in answer.files)
        yield Grid(("file", "SHA-256 of its bytes"), rows)
        yield Paragraph(
            "sha256sum FILE prints the same, if the file is the one that was judged. Of the table no checksum is told, "
            "by which whoever knows nearly all of it could try guesses at the rest: keep it in your own records.",
            "quiet",
        )
    yield Grid(("software", "version"), tuple(answer.versions.items()))


def _sign_off(report: ReleaseReport) -> Blocks:
    answer = report.answer
    signed = answer.sign_off
    # by its checksum, so that nobody signs for another file
    file = next((f"{each.name} (SHA-256 {each.sha256})" for each in answer.files), None)
    what = file or f"{report.source or 'a release'}, of which no checksum is known"
    about = f"This is about {what}, {answer.audit.release.size_in_words()}."
    yield Paragraph(f"{about} Verdict: {answer.audit.verdict}.")
    yield Paragraph(
        "Whoever decides signs for the decision and its reasons, not for the arithmetic above, which can be done "
        "again.",
        "quiet",
    )
    yield Signature(
        (
            Blank("Prepared by"),
            Blank("Decision", text=signed.decision, hint="approved, refused, approved on conditions"),
            Blank("Reasons, and conditions", text=signed.reasons, lines=3),
            Blank("To be looked at again", hint="by which day, or when what changes"),
            Blank("Name", text=signed.name),
            Blank("Role", text=signed.role),
            Blank("Date", text=signed.date),
            Blank("Signature"),
        )
    )


TOPICS: dict[str, tuple[str, Callable[[ReleaseReport], Blocks]]] = {
    "risk": ("The risk before, the limit, the risk after", _risk),
    "published": ("What was published", what_is_published),
    "technique": ("How it was made", how_it_was_made),
    "groups": ("How large the groups are", _groups),
    "attackers": ("Who reads it, and what each is taken to know", _attackers),
    "worst off": ("Who is worst off", _worst_off),
    "knowledge": ("And if somebody knows more?", _knowledge),
    "asked attackers": (ATTACKERS, _asked_attackers),
    "attacks": ("Other attacks that were tried", _attacks),
    "utility": ("What the release is worth", _utility),
    "not covered": ("What is not covered", lambda report: iter([Points(report.answer.not_covered)])),
    "again": ("How to do it again", _repeat),
    "versions": ("Versions and checksums", _versions),
    "sign-off": ("Sign-off", _sign_off),
}
"""The title of each topic, and the function that yields its blocks."""


def topic_section(report: ReleaseReport, topic: str, title: str | None = None) -> PageSection:
    """Build the section of a topic, under its own title or another one."""
    own, blocks_of = TOPICS[topic]
    contents = list(blocks_of(report))
    blocks = tuple(each for each in contents if not isinstance(each, PageSection))
    return PageSection(title or own, blocks, tuple(each for each in contents if isinstance(each, PageSection)))


# The order.

OutlineName: TypeAlias = Literal["ema", "hipaa", "iso-27559", "ico"]


_OUTLINES: dict[str, dict[str, Any]] = tomllib.loads(read_template("outlines.toml"))

OUTLINES = {name: outline for name, outline in _OUTLINES.items() if name != "own"}
"""The title and the chapters of each regime's document."""


def release_page(report: ReleaseReport, outline: OutlineName | None = None) -> Page:
    """Lay a report out as a page, in our own order or in that of a regime's document.

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
        raise SidelightError(f"{known} is none of {', '.join(OUTLINES)}{did_you_mean(outline, list(OUTLINES))}")
    chosen = _OUTLINES[outline or "own"]
    sections = [_chapter(report, **chapter) for chapter in chosen["chapters"]]
    summary = outline is None
    # our own outline has the risk in its opening; what no chapter covers goes to the end
    covered = {topic for chapter in chosen["chapters"] for topic in chapter.get("topics", ())}
    covered |= {"risk"} if summary else set()
    besides = tuple(topic_section(report, topic) for topic in TOPICS if topic not in covered)
    if besides:
        sections.append(PageSection("Besides", (), besides))
    title = f"{chosen['title']}: {report.source}" if report.source else chosen["title"]
    return page_of(report, tuple(sections), title, summary=summary)


def _chapter(
    report: ReleaseReport, title: str = "", topics: Sequence[str] = (), blanks: Sequence[Sequence[str]] = ()
) -> PageSection:
    """Build the section of a chapter: its topics, and its blanks (what, by whom).

    A single topic is right below the chapter's title, or its own where the chapter has none.
    """
    to_fill_in = tuple(Blank(what, by) for what, by in blanks)
    if len(topics) == 1:
        section = topic_section(report, topics[0], title)
        return PageSection(section.title, (*section.blocks, *to_fill_in), section.parts)
    parts = tuple(topic_section(report, topic) for topic in topics)
    return PageSection(title, to_fill_in, tuple(part for part in parts if not part.empty))


def report_html(report: ReleaseReport, outline: OutlineName | None = None) -> str:
    """Draw a report as one HTML file: at most 1 MB, nothing fetched, no script; `outline` orders it for a regime."""
    return html_page(release_page(expect(ReleaseReport, report, "the report"), outline))


def report_markdown(report: ReleaseReport, outline: OutlineName | None = None) -> str:
    """Write a report as Markdown; `outline` orders it for a regime."""
    return markdown_page(release_page(expect(ReleaseReport, report, "the report"), outline))
