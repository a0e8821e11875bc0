"""Counting the worlds in which facts are so, exactly."""
