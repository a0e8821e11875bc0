"""Faults on purpose, and what must hold after each: `make verify WHAT=faults` runs all of them, `tests/trust/test_faults.py` some.

children   jobs in forked processes: what they answer, and how they are killed at a step or at a moment
works      what is run (publishing, a ledger, a report, a search out of core), and what must be found afterwards
kills      each of them killed around every step, and at moments drawn by chance
disks      a disk that is full, files that may not grow, a folder that is read-only
flips      one byte of a file changed, format by format
passes     a file that changes while it is read
"""
