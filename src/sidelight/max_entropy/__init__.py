"""What a statistician would believe: the distribution of largest entropy that fits a release and some statements."""
