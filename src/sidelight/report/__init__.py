"""Reports about releases: versioned JSON documents, how they are made, and how they are drawn for people.

documents   `answer` (common to all answers), `report` (of an audit), `release_report` (for the person who signs);
making      `make` (from a release, a search's result, a published file or its sidecar; attacks that were tried);
describing  `contents` (the topics of a report, and their order);
drawing     `terminal`; a `page` as HTML, Markdown or PDF (`render`); charts (`plots` is their look, `charts/` has a
            file per family, `pictures` chooses those of a report).

Measuring and judging are done when a report is made, by the rooms above; a view computes no number itself.  Not here:
the documents beside a published file (`publish/`), which reports read.
Read `report` first, then `release_report`, `make` and `page`.
"""
