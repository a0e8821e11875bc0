"""How does a release leave the house?  Files that were read back and judged before they appear, with a sidecar beside.

Here belong the files of a release and the document that tells of them; not the table they were made from, of which
nothing is written.  Noisy counts are made elsewhere (`noise/`) and leave by `noise`, in the same formats.

Read `formats` (what stands in a file), `sidecar` (what is told of it, and how it is read again), then `publish` with
`parts` (a folder of files) and `dictionary` (what each column means), `noise` and `stable_noise`; `release_report`
makes the report that somebody signs.
"""
