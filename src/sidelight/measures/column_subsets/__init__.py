"""Which columns identify people: every subset of the columns, and what an attacker who knows these columns finds.

Here are questions about *some* of the columns at a time, which need all distinct rows of a table or release: the walk
over subsets, which of them identify people, minimal sample uniques, and the three risks of WP216 (singling out,
linkability, inference).  Not here: risks of the groups themselves, whatever columns made them
(`measures/named_risks`), and which roles columns should have.

Begin with `subsets` (the walk over all subsets, with keys that are counted, or marked with their only person),
then `identifying_columns` (and the worst columns, and minimal uniques) and `three_risks` (those of WP216).
"""
