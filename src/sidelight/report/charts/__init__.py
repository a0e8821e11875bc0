"""Charts: from plain data to an Altair chart, a file per family (`plots` has what all share).

First the numbers, which are the table behind a chart, then the ink, which does no arithmetic of its own.

- `risk_curves`: the risk against an attacker's knowledge
- `skyline`: the risk at several kinds of knowledge at once
- `groups`: sizes of groups, values of people, columns that make people unique
- `searches`: how a release was found, and what it costs
- `attackers`: how confident attackers become, and how often they are right
- `promise`: what noise promises
- `limits`: whether each limit holds, and whether it did before
"""
