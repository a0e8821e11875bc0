"""One file per view: its route, what it asks the library, and what its template gets to draw.

`data`, `readers` (and the first screen), `skyline`, `what_if`, `release`, `other_releases` and `report`; `jobs`
tells how far long work is.
"""
