"""Charts: from plain data to an Altair chart, a file for each family (see `plots` for what all have in common).

First the numbers, which are the table behind a chart, then the ink, which does no arithmetic of its own.

- `risk_curves`: how does the risk grow with what somebody knows?
- `skyline`: how much of three kinds of knowledge at once does a release withstand?
- `groups`: how large are the groups, which values have their people, which columns single them out?
- `searches`: how was a release found, and what does it cost?
- `attackers`: how sure do attackers get, and how right are they?
- `promise`: what does noise promise?
- `limits`: does each limit hold, and did it before?
"""
