"""One file per view: its route, what it asks the library, and what its template gets to draw.

`start`, `data`, `readers`, `skyline`, `what_if`, `release` with `publishing`, `other_releases` and `report`; `jobs`
tells how far long work is.
"""
