"""Kinds of files: how each is read, and how releases are written.

Read `text` (CSV, TSV, other encodings, packed files), `parquet` (with the checksums of pages), `in_memory`
(spreadsheets, Stata, SPSS, SAS) and `write` (sheets, whose rows are shuffled by chance).

A new kind is a `FileFormat` here and its name in `engines/files`.
"""
