"""Attacks: what releases about the same people disclose together, tried before an attacker does.

Here belongs what an attacker does with what was published and what is known of people elsewhere; not what a printed
label covers or who may be in which group (`release.locate`), and not noise (`noise.attack`); what counts with noise let
expect is attacked here, beside other releases (`posterior.ExpectedCounts`).

Read `intersection` first: `intersect` is the attack, from people (whom the attacker looks for, and what a search's
result adds to `release.locate`) and releases to an exposure.  It passes through `posterior` (which values are left, and
what each release says of them), `common_ground` (how likely they are by all of them) and ends in `exposure` (the
figures, and the witness for one person), which `report` puts into words.  `intersection` also counts how right the
attacker is; `simulation` repeats it on samples of a table; `named_witness` names the real people behind a worst case,
for the publisher alone.
"""
