"""Releases that resist: differentially private counts, their accounts, and what they promise in beliefs."""
