"""Writes releases so that what is published is what was judged, and nothing else."""
