"""How does a release leave the house?  Files that were read back and judged before they appear, with a sidecar beside.

Here belong the files of a release and the documents beside them: writing, reading back, taking turns.  Not the table
they were made from, of which nothing is written, nor what is reported of them for people (`report/`).  Noisy counts are
made elsewhere (`noise/`) and leave by `noise`, in the same formats (`engines/formats`).

Read `sidecar` (the document, what fills it, and what each column is); `publish` (which files there are, written, read
back as their sidecar says, and judged); `noise`.
"""
