"""Worst-case implications, (c,k)-safety: the adversary and the programs behind it."""
