"""Where `sidelight` and `python -m sidelight` begin."""

import os

INTERRUPTED = "sidelight: interrupted; nothing unfinished is left behind"


def leave(*_: object) -> None:
    """End at once, with a line: nothing has begun that would have to be ended."""
    os.write(2, INTERRUPTED.encode() + b"\n")
    os._exit(130)


try:
    import signal
except KeyboardInterrupt:
    leave()


def main() -> None:
    """Run the command line; an interrupt is one line and status 130, from before it is loaded to its end."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else: a background job, which ignores it
    if ours:
        signal.signal(signal.SIGINT, leave)  # until a verb begins
    from sidelight.cli.app import main as run  # noqa: PLC0415 - only now

    try:
        run()
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done


if __name__ == "__main__":
    main()
