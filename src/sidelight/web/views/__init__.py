"""One file per view: it parses the address, asks the library, and renders a template.

`data`, `attackers` (and the first screen), `skyline`, `what_if`, `release`, `other_releases` and `report`; `jobs`
shows the progress of long work.
"""
