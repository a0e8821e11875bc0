"""What is told of an audit: one versioned JSON document, and how it is drawn for people.

Here belong the document (`report`), its views (`terminal`) and charts (`plots` is their look, `charts/` has a file per
question).  Not here: measuring and judging, which are done when a report is made; and a view computes no number itself.
Read `report` first.
"""
