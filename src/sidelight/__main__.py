"""`python -m sidelight` is `sidelight`."""

from sidelight.cli import main

if __name__ == "__main__":
    main()
