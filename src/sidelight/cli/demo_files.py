"""What does `sidelight demo` write, and `sidelight serve` show of the census where no file is named?"""

from __future__ import annotations

FOLDER = "sidelight-demo"
"""Where `sidelight demo` writes the files that the commands on the page of the census name."""

LEVELS = {"age": 3, "education": 2}
"""Ages in steps of twenty years, education as school or college: coarse enough for the classic limits."""

FILES = ("census.parquet", "rough.csv", "policy.toml", "release.csv", "report.json", "report.html")
HIERARCHIES = "hierarchies"

POLICY = """\
# What a release of the census table must keep.  Try other numbers, then run:
#   sidelight protect census.parquet --policy policy.toml --hierarchies hierarchies -o release.csv --force

[roles]
quasi = ["age", "education", "sex"]
sensitive = "occupation"
missing = "drop"                # people who have no occupation

# The classic limits: nobody stands alone, and no group says much about its people ...

[[limit]]
measure = "group size"          # k-anonymity
at_least = 10

[[limit]]
measure = "distinct values"     # l-diversity, in its simplest form
at_least = 5

[[limit]]
measure = "entropy diversity"   # l-diversity, in its entropy form
at_least = 3.5

# ... and what they say nothing about: attackers who know a little.

[[limit]]
measure = "implications"        # whoever knows two facts like "if she is in sales, so is her friend"
k = 2
below = "2/3"

[[limit]]
measure = "acquaintance"        # a neighbour: knows one thing it is not, one other person, one of the family
rules_out = 1
others = 1
family = 1
below = "2/3"
"""
