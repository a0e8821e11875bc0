"""Texts that want to be more than texts, and pages that hold them everywhere."""

from sidelight.report.page import (
    Blank,
    Code,
    Grid,
    Page,
    PageSection,
    Paragraph,
    Points,
    Signature,
)

NASTY = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    '=HYPERLINK("http://evil.example","click")',
    "javascript:alert(1)",
    "\x1b[31mred\x1b]8;;http://evil.example\x07",
    "\u202egpj.exe",
    "a\x00b\u2028c",
    "</style><style>*{display:none}",
    "&lt;b&gt;",
)


def page_of(text):
    blocks = (
        Paragraph(text),
        Paragraph(text, "answer", "not within"),
        Points((text,)),
        Grid((text,), ((text,),), title=text),
        Paragraph(text, "quotation"),
        Code(text, text),
        Blank(text, text),
        Signature((Blank(text, text=text, hint=text),)),
    )
    return Page(
        text, (PageSection(text, blocks, (PageSection(text, blocks),)),), subtitle=text, opening=blocks, foot=text
    )
