"""Which columns identify people: every subset of the columns, and what somebody who knows these columns finds.

Here belongs what asks about *some* of the columns at a time, so that it needs all distinct rows of a table or release:
the subsets and how they are gone through, which of them identify, minimal sample uniques, and the three risks of WP216
(singling out, linkability, inference).  Not here: risks of the groups themselves, whatever columns made them
(`measures/named_risks`), and which roles columns should have.

Begin with `subsets` (the walk over all subsets, with keys that are counted, or marked with the one person they are),
then `identifying_columns` (and the worst columns, and minimal uniques) and `three_risks` (those of WP216).
"""
