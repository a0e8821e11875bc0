"""Where `sidelight` and `python -m sidelight` begin."""

import signal


def main() -> None:
    """Run the command line; an interrupt while it is being loaded just ends the process, without a traceback."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else: a background job, which ignores it
    if ours:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from sidelight.cli import main as run  # noqa: PLC0415 - only now

    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
