"""Where `sidelight` and `python -m sidelight` begin."""

import os

INTERRUPTED = "sidelight: interrupted; nothing unfinished is left behind"

TO_BEGIN, PER_PROCESSOR = 1 << 30, 72 << 20
"""How many bytes of addresses the libraries take at least, and for the threads of each processor: with fewer, some of
them crash or never end, and say nothing."""


def leave(*_: object) -> None:
    """End at once, with a line: nothing has begun that would have to be ended."""
    os.write(2, INTERRUPTED.encode() + b"\n")
    os._exit(130)


try:
    import signal
    import sys
    from contextlib import suppress
except KeyboardInterrupt:
    leave()


def address_limit() -> int | None:
    """Say how many bytes of addresses this process may have (`ulimit -v`); None: as many as there are."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def refuse_too_little_memory() -> None:
    """End at once, with a line and status 2, where memory is limited to less than it takes to begin."""
    limit, needed = address_limit(), TO_BEGIN + PER_PROCESSOR * (os.cpu_count() or 1)
    if limit is not None and limit < needed:
        sizes = f"limited to {limit >> 20:,} MB (ulimit -v), and {needed >> 20:,} MB are needed"
        os.write(2, f"sidelight: memory is {sizes} to begin with; raise the limit\n".encode())
        os._exit(2)


def leave_at_once(status: object) -> None:
    """Leave without taking libraries down where one ran out of memory: some crash over it after all was said."""
    if status == 2 and address_limit() is not None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(2)


def main() -> None:
    """Run the command line; an interrupt is one line and status 130, from before it is loaded to its end."""
    refuse_too_little_memory()
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else: a background job, which ignores it
    if ours:
        signal.signal(signal.SIGINT, leave)  # until a verb begins
    from sidelight.cli.app import main as run  # noqa: PLC0415 - only now

    try:
        run()
    except SystemExit as end:
        leave_at_once(end.code)
        raise
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done


if __name__ == "__main__":
    main()
