"""What could be true: worlds that fit a release, counted exactly."""
