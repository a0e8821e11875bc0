"""What the verbs of the command line do; `cli.py` only names them and their options."""
