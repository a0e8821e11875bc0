"""What is told of releases: reports as versioned JSON documents, how they are made, and how they are drawn for people.

documents   `answer` (what all answers share), `report` (of an audit), `release_report` (for whoever signs);
making      `make` (from a release, a search's result, a published file or its sidecar; attacks that were tried);
describing  `contents` (what is said topic by topic, and in which order);
drawing     `terminal`; a `page` as HTML, Markdown or PDF (`render`); charts (`plots` is their look, `charts/` has a
            file per family, `pictures` says which a report shows, and what stands behind them).

Measuring and judging are done when a report is made, by the rooms above; a view computes no number itself.  Not here:
what is written beside a published file (`publish/`), which reports read.
Read `report` first, then `release_report`, `make` and `page`.
"""
