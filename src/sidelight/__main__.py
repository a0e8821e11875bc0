"""The entry point of `sidelight` and `python -m sidelight`."""

import os

TO_BEGIN, PER_PROCESSOR = 1 << 30, 72 << 20
"""Bytes of address space that libraries need, and those of each processor's threads: with fewer, some crash or hang."""


standard_error = 2
"""The descriptor for messages: not 2 if `_silence_libraries` redirected that."""


def leave(*_: object) -> None:
    """Exit at once with a message: nothing has begun that needs cleaning up."""
    os.write(standard_error, b"sidelight: interrupted; nothing unfinished is left behind\n")
    os._exit(130)


try:
    import atexit
    import signal
    import sys
    import threading
    from contextlib import suppress
except KeyboardInterrupt:
    leave()


def address_limit() -> int | None:
    """Return the limit on the address space of this process in bytes (`ulimit -v`), None if unlimited."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def refuse_too_little_memory() -> None:
    """Exit with a message and status 2 if the memory limit is too low to begin."""
    limit, needed = address_limit(), TO_BEGIN + PER_PROCESSOR * (os.cpu_count() or 1)
    if limit is not None and limit < needed:
        sizes = f"limited to {limit >> 20:,} MB (ulimit -v), and {needed >> 20:,} MB are needed"
        os.write(2, f"sidelight: memory is {sizes} to begin with; raise the limit\n".encode())
        os._exit(2)


def watch_where_memory_is_limited() -> None:
    """Continue in a child process if memory is limited; if a library crashes there, exit with a message, status 2."""
    limit = address_limit()
    if limit is None or not hasattr(signal, "sigwaitinfo"):
        return
    signals = {signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # so that none arrives between the fork and the wait
    # before any library is loaded: a fork with threads running could copy a lock that is never released
    child = os.fork()
    if child == 0:
        _end_with_parent()
        _silence_libraries()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    ended = 0
    while not ended:
        news = signal.sigwaitinfo(signals)
        if news.si_signo != signal.SIGCHLD and news.si_code <= 0:  # by a process; a terminal sends it to the child too
            os.kill(child, news.si_signo)
        ended, status = os.waitpid(child, os.WNOHANG)
    code = os.waitstatus_to_exitcode(status)
    # a library that runs out of memory aborts its process, which nothing in that process can prevent
    if -code in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP):
        sizes = f"not enough memory within {limit >> 20:,} MB (ulimit -v)"
        os.write(2, f"sidelight: {sizes}; raise the limit, or give fewer columns or a smaller file\n".encode())
        code = 2
    if code < 0:  # end by the same signal, which the caller may check
        with suppress(OSError):  # SIGKILL is never handled
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _end_with_parent() -> None:
    """Ask the system to kill this process when its parent is killed."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - only here

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG, on Linux


def _silence_libraries() -> None:
    """Redirect what libraries write to descriptor 2 to nowhere, except with `--debug`; keep our own stream."""
    global standard_error  # noqa: PLW0603 - it is one of the process, as 2 is
    if sys.stderr is None or "--debug" in sys.argv:
        return
    with suppress(OSError, ValueError):
        standard_error = os.dup(2)
        sys.stderr = os.fdopen(
            standard_error, "w", buffering=1, encoding=sys.stderr.encoding, errors="backslashreplace"
        )
        # C libraries write to descriptor 2 itself; our own stream now has another one
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def leave_at_once(status: object) -> None:
    """Exit without finalising libraries if one ran out of memory or the page's threads still use them.

    Some would crash, or list what they leak.  Workers of the page end with their server.
    """
    page = "sidelight.web.jobs" in sys.modules and threading.active_count() > 1
    if isinstance(status, int) and (page or (status == 2 and address_limit() is not None)):
        if page:
            atexit._run_exitfuncs()  # which remove temporary folders
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(status)


def main() -> None:
    """Run the command line; an interrupt is one line and status 130 at any time.

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
