"""Kinds of files: one file of this folder for each, with how it is read and, where releases are written so, how.

Read `file_format` (what a kind says of itself) and `registry` (all of them, by the ending of a name), then `text` (CSV,
TSV, other encodings, packed files), `parquet` (with `page_checksums`), `spreadsheets` and `statistics` (Stata, SPSS,
SAS), whose cells are held in memory (`held`).  `sheet` is what is written: cells, in an order drawn by chance.

A new kind is a file here and its name in `registry`.
"""
