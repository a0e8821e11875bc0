"""What is told of releases: versioned JSON documents, and how they are drawn for people.

Here belong the documents (`document` has what all are made of, `report` is of an audit, `release_report` for whoever
signs), what they say topic by topic (`contents`, with `how_made`, `readers` and `attacks_tried`), in which order
(`outlines`), their views (`terminal`; a `page` as `html`, `markdown` or `pdf`) and charts (`plots` is their look,
`charts/` has a file per question, `pictures` puts them into a page, `picture_data` is what they draw).  Not here:
measuring and judging, which are done when a report is made; and a view computes no number itself.

Read `report` first, then `release_report` and `page`.
"""
