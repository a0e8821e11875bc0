"""What every document is made of: versioned JSON that other programs read.

Here belong the parts that more than one document has; not the documents themselves, which stand in the rooms that fill
them (`noise/`, `publish/`, `report/`), nor how they are drawn (`report/`).

Read `document`: parts that refuse what they do not know, the envelope of all answers, numbers, plain data; then what
is said of a release, its rows and its attackers, wherever it is said.
"""
