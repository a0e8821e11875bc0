"""How does a release leave the house?  Files that were read back and judged before they appear, with a sidecar beside.

Here belong the files of a release and the documents beside them: writing, reading back, taking turns.  Not the table
they were made from, of which nothing is written, nor what is reported of them for people (`report/`).  Noisy counts are
made elsewhere (`noise/`) and leave by `noise` and `stable_noise`, in the same formats.

Read `formats` (what stands in a file; `parts` where Spark writes it), `sidecar` (what is told of it, and how it is read
again) and `dictionary` (what each column is), then `publish`; `noise_document` and `noise`.
"""
