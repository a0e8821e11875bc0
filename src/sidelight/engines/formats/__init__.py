"""Kinds of files: how each is read and, where releases are written so, how.

Read `file_format` (what a kind says of itself, and what is written: sheets) and `registry` (all of them, by the ending
of a name), then `text` (CSV, TSV, other encodings, packed files), `parquet` (with the checksums of pages) and
`in_memory` (spreadsheets, Stata, SPSS, SAS).

A new kind is a class here and its name in `registry`.
"""
