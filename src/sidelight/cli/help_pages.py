"""What stands at the end of each help page: two examples, and what the exit status says.

The examples are commands that can be typed as they are, with other names of files and columns; a test reads each as the
command line does.
"""

from __future__ import annotations

import re

DEBUG_HINT = "--debug with any verb shows where an error comes from."

PAGES = """
audit
  sidelight audit release.csv -g age -g sex -s disease --limit 'group size >= 5'
  sidelight audit release.csv --policy policy.toml --output report.json
  0 within policy, or nothing was to be judged
  1 not within policy
columns
  sidelight columns table.csv --write policy.toml --hierarchies hierarchies
  sidelight columns table.csv --quasi age --quasi zip -s disease --up-to 4 --alone 0.01 --json
  0 told, and written where asked; nothing is judged
explore
  sidelight explore release.csv -g age -g sex -s disease --value AIDS --below 0.9
  sidelight explore release.csv --policy policy.toml --value AIDS --up-to 100
  0 explored; nothing is judged
protect
  sidelight protect table.csv --policy policy.toml --hierarchies hierarchies
  sidelight protect table.csv -p policy.toml --hierarchies hierarchies --levels age=2,sex=0 -o release.csv
  0 within policy, and published if --output says where
  1 nothing is within policy, or the --levels that were chosen are not
compare
  sidelight compare table.csv --policy policy.toml --hierarchies hierarchies
  sidelight compare table.csv -g age -g sex -s disease -l 'group size >= 5' --method mondrian --json
  0 something is within policy
  1 nothing is within policy
generalisations
  sidelight generalisations table.csv -g age -g sex -s disease --hierarchies h -m 'implications(k=3)'
  sidelight generalisations table.csv --policy policy.toml --hierarchies hierarchies --rows within --json
  0 listed; with limits, something is within them
  1 nothing is within the limits
believe
  sidelight believe release.csv -g age -s disease --know '{age = 30-39} != Flu' --about '{age = 30-39}'
  sidelight believe release.csv -g age -g sex -s disease --know 'P(Flu | sex=m) = 0.3' --top 5
  0 answered; nothing is judged
attack
  sidelight attack spring.csv autumn.csv --people people.csv -g age -g sex -s disease --at-most 0.01
  sidelight attack release.csv --as learner --table table.csv --at-most 0.9
  0 --at-most is kept (people given away; with --as, beliefs), or was not set
  1 it is not kept
  2 bad input, nobody located in a file, or more people may be given away
noise
  sidelight noise table.csv --levels age=2 --hierarchies hierarchies -p policy.toml --epsilon 1 -o counts.csv
  sidelight noise table.csv --levels age=2 --hierarchies h -p policy.toml -e 1 --ledger l.json -o counts.csv
  0 published
  1 the budget does not allow it, and nothing was spent
count
  sidelight count counts.csv --value Flu --where sex=female
  sidelight count counts.csv --where age=20-29 --where age=30-39 --confidence 0.99 --json
  0 counted; nothing is judged
attack-noise
  sidelight attack-noise counts.csv --people people.csv --hierarchies hierarchies --truth disease
  sidelight attack-noise counts.csv --people table.csv --hierarchies h --others table.csv --chance 0.001
  0 weighed; nothing is judged
simulate
  sidelight simulate table.csv -p policy.toml --hierarchies hierarchies --overlap 500 --seed 1
  sidelight simulate table.csv -p policy.toml --hierarchies h --overlap 500 --seed 1 --levels age=2 -e 1
  0 simulated; nothing is judged, and nothing published
  1 nothing within policy could be published of any sample
ledger begin
  sidelight ledger begin budget.json --epsilon 3
  sidelight ledger begin budget.json --epsilon 3 --delta 1e-9 --accounting concentrated
  0 begun
ledger spent
  sidelight ledger spent budget.json --delta 1e-9
  sidelight ledger spent budget.json counts.csv --delta 1e-9 --people 40000 --chance 0.001 --json
  0 accounted for; nothing is judged
promise
  sidelight promise --epsilon 1 --plot promise.svg
  sidelight promise budget.json counts.csv --people 40000 --chance 0.001 --prior 0.01 --json
  0 told; nothing is judged
ledger show
  sidelight ledger show budget.json
  sidelight ledger show budget.json --json
  0 shown
hierarchies
  sidelight hierarchies table.csv -g age -g zip -g sex --cuts age=18,65 --masks zip
  sidelight hierarchies table.csv --policy policy.toml --widths age=5,10 --top age=90 -o hierarchies
  0 written
serve
  sidelight serve
  sidelight serve table.csv --policy policy.toml --hierarchies hierarchies --no-browser
  0 shown until it was closed
  2 bad input: one line on standard error says why
report
  sidelight report release.csv
  sidelight report release.csv --policy policy.toml --table table.csv --outline iso-27559 --html report.html
  0 written; within policy, or nothing was to be judged
  1 written; not within policy
demo
  sidelight demo
  sidelight demo --folder census
  0 published within policy
  1 nothing is within the policy that you changed
"""
"""Of each verb two commands, and what the exit status says; 130 is Ctrl-C for all, and 2 what it is for most."""

EXAMPLES: dict[str, tuple[str, ...]] = {}
STATUSES: dict[str, tuple[str, ...]] = {}
for _verb, *_lines in (_page.splitlines() for _page in re.split(r"\n(?=\w)", PAGES.strip())):
    _texts = [_line.strip() for _line in _lines]
    _statuses = [f"{_text[0]} {_text[1:]}" for _text in _texts if _text[0].isdigit()]
    if not _statuses[-1].startswith("2"):
        _statuses.append("2  bad input, or could not tell: one line on standard error says why")
    EXAMPLES[_verb] = tuple(_text for _text in _texts if not _text[0].isdigit())
    STATUSES[_verb] = tuple(_statuses)


def epilogue(verb: str) -> str:
    """Write the end of a verb's help page.

    >>> epilogue("demo").splitlines()[:3]
    ['Examples:', '  sidelight demo', '  sidelight demo --folder census']
    """
    parts = ("Examples:", *(f"  {break_command(each)}" for each in EXAMPLES[verb]), "")
    return "\n".join((*parts, "Exit status:", *(f"  {each}" for each in STATUSES[verb]), "", DEBUG_HINT))


def break_command(command: str) -> str:
    r"""Break a long command between options, as a shell reads it.

    >>> print(break_command("sidelight audit " + "release.csv " * 4 + "--limit 'group size >= 5' --output report.json"))
    sidelight audit release.csv release.csv release.csv release.csv \
          --limit 'group size >= 5' --output report.json
    """
    lines = [""]
    for part in re.split(r" (?=-)", command):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > 70:  # it fits a narrow terminal
            lines.append("")
        lines[-1] = f"{lines[-1]} {part}".lstrip()
    return " \\\n      ".join(lines)
