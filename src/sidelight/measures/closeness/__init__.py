"""t-closeness, and the grounds on which distances between values are measured."""
