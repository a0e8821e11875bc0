"""Where `sidelight` and `python -m sidelight` begin."""

import os

TO_BEGIN, PER_PROCESSOR = 1 << 30, 72 << 20
"""How many bytes of addresses the libraries take at least, and for the threads of each processor: with fewer, some of
them crash or never end, and say nothing."""


standard_error = 2
"""Where lines are written to: not 2 where libraries write to nowhere (`_silence_libraries`)."""


def leave(*_: object) -> None:
    """End at once, with a line: nothing has begun that would have to be ended."""
    os.write(standard_error, b"sidelight: interrupted; nothing unfinished is left behind\n")
    os._exit(130)


try:
    import signal
    import sys
    from contextlib import suppress
except KeyboardInterrupt:
    leave()


def address_limit() -> int | None:
    """Return how many bytes of addresses this process may have (`ulimit -v`); None: as many as there are."""
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


def watch_where_memory_is_limited() -> None:
    """Go on in a child where memory is limited (`ulimit -v`); if a library crashes there, end with a line, status 2."""
    limit = address_limit()
    if limit is None or not hasattr(signal, "sigwaitinfo"):
        return
    heard = {signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, heard)  # none comes between the fork and the wait
    # before any library is loaded: a fork with threads running could copy a lock that is never released
    child = os.fork()
    if child == 0:
        _end_with_parent()
        _silence_libraries()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    ended = 0
    while not ended:
        news = signal.sigwaitinfo(heard)
        if news.si_signo != signal.SIGCHLD and news.si_code <= 0:  # by a process; a terminal sends it to the child too
            os.kill(child, news.si_signo)
        ended, status = os.waitpid(child, os.WNOHANG)
    code = os.waitstatus_to_exitcode(status)
    # a library ends its process so where it cannot go on without memory: nothing in that process can prevent it
    if -code in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP):
        sizes = f"not enough memory within {limit >> 20:,} MB (ulimit -v)"
        os.write(2, f"sidelight: {sizes}; raise the limit, or give fewer columns or a smaller file\n".encode())
        code = 2
    if code < 0:  # as it ended: whoever started this asks by which signal
        with suppress(OSError):  # SIGKILL is never handled
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _end_with_parent() -> None:
    """Have the system kill this process when the one that watches it is killed."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - only here

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG, on Linux


def _silence_libraries() -> None:
    """Let what libraries say of their own end go nowhere, unless it is asked for; what is ours is written as before."""
    global standard_error  # noqa: PLW0603 - it is one of the process, as 2 is
    if sys.stderr is None or "--debug" in sys.argv:
        return
    with suppress(OSError, ValueError):
        standard_error = os.dup(2)
        sys.stderr = os.fdopen(
            standard_error, "w", buffering=1, encoding=sys.stderr.encoding, errors="backslashreplace"
        )
        # C libraries write to descriptor 2 itself; our own stream was moved to another one above
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def leave_at_once(status: object) -> None:
    """Leave without taking libraries down where one ran out of memory: some crash over it after all was said."""
    if status == 2 and address_limit() is not None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(2)


def main() -> None:
    """Run the command line; an interrupt is one line and status 130, from before it is loaded to its end.

    Where SIGINT is ignored (`nohup sidelight … &`), it stays so, and SIGTERM ends the command.
    """
    refuse_too_little_memory()
    watch_where_memory_is_limited()
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, leave)  # until a verb begins
    elif signal.getsignal(signal.SIGINT) == signal.SIG_IGN and hasattr(signal, "pthread_sigmask"):
        # libraries (uvicorn, pyspark) set handlers of their own; threads that start later inherit the mask
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
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
