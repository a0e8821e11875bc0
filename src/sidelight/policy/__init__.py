"""Measures with bounds, the policy file, verdicts."""
