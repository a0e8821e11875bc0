"""How does the explorer bear many who use it at once, on one machine: does it answer, how soon, in how much memory?

    python benchmarks/load.py [--clients 50] [--seconds 60] [--file TABLE …words of `sidelight serve`]

`sidelight serve` runs in a process of its own, on 127.0.0.1 and any free port, with the bundled census if no file is
named.  Each client is let in by the token and then asks one thing after the other, by its own fixed dice: pages,
sliders (a limit that nobody had before), what-if answers (a fact that hardly anybody had), questions that it does not
wait for, and searches that it begins, looks at and cancels.  It ends by itself after the seconds and a minute at most.

An error is a request that fails, a status that is none of those that belong to it, a search that goes on after it was
cancelled, a line that the server wrote to standard error, or a server that still works when nobody asks any more.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import httpx
from results import quick, write_part

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from trust_page import write_section

PAGES = (
    "/data",
    "/readers",
    "/release",
    "/skyline",
    "/what-if",
    "/other-releases",
    "/report",
    "/api/data",
    "/static/page.css",
)
PATIENCE = 150.0
"""Seconds for which an answer is waited for, and which are left to end."""


@dataclass
class Load:
    """What was asked and how long it took, in seconds; what went wrong; the memory of the server, in bytes."""

    times: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    cancelled: int = 0

    def note(self, what: str, seconds: float) -> None:
        """Note that something was answered."""
        self.times.setdefault(what, []).append(seconds)

    @property
    def asked(self) -> int:
        """How much was asked."""
        return sum(map(len, self.times.values()))

    def table(self) -> str:
        """Put it into a table: of each thing that was asked, and of the memory."""
        lines = ["| what | asked | median ms | p95 ms | slowest ms |", "| --- | ---: | ---: | ---: | ---: |"]
        for what, times in {**self.times, "all": [each for one in self.times.values() for each in one]}.items():
            median, late, last = (1000 * share(times, part) for part in (0.5, 0.95, 1))
            lines.append(f"| {what} | {len(times):,} | {median:,.0f} | {late:,.0f} | {last:,.0f} |")
        if self.memory:
            begin, quarter, end = (self.memory[at] for at in (0, len(self.memory) // 4, -1))
            lines += ["", "| memory of the server | MB |", "| --- | ---: |"]
            for when, most in {"begin": begin, "a quarter on": quarter, "end": end, "most": max(self.memory)}.items():
                lines.append(f"| {when} | {most / 1e6:,.0f} |")
        return "\n".join(lines)


def share(times: Sequence[float], part: float) -> float:
    """Give the time that so large a part of all takes at most (nearest rank)."""
    return sorted(times)[max(0, -int(-part * len(times) // 1) - 1)] if times else 0.0


@dataclass
class Client:
    """Somebody who uses the page."""

    number: int
    http: httpx.AsyncClient
    load: Load
    dice: random.Random
    state: str = ""  # the address of where the command began
    values: tuple[str, ...] = ()
    searches: int = 0

    async def ask(
        self, what: str, path: str, *, allowed: tuple[int, ...] = (200,), post: bool = False
    ) -> httpx.Response:
        """Ask for something, and note how long that took."""
        began = time.monotonic()
        answer = await (self.http.post(path) if post else self.http.get(path))
        self.load.note(what, time.monotonic() - began)
        if answer.status_code not in allowed:
            self.load.errors.append(f"{what}: status {answer.status_code} of {path}: {answer.text[:200]}")
        return answer

    async def enter(self, address: str) -> None:
        """Open the address that was printed, and read what can be asked about."""
        await self.http.get(address)
        self.state = (await self.ask("let in", "/readers")).url.query.decode()
        offered = await self.ask(
            "let in", f"/api/what-if/completions?{self.state}&{urlencode({'text': '#1 != ', 'at': 6})}"
        )
        self.values = tuple(each["text"] for each in offered.json()["options"])

    async def page(self) -> None:
        """Look at a page."""
        path = self.dice.choice(PAGES)
        await self.ask(f"page {path}", path if path.startswith("/static") else f"{path}?{self.state}")

    async def slider(self) -> None:
        """Move a limit to where nobody had it."""
        limit = f"implications(k={self.dice.randint(0, 30)}) < {self.dice.randint(1, 998)}/999"
        await self.ask("slider", f"/readers?{self.state}&{urlencode({'limit': limit})}")

    def fact(self) -> str:
        """Make up something that somebody may know."""
        return urlencode({"know": f"#{self.dice.randint(1, 9)} != {self.dice.choice(self.values)}"})

    async def what_if(self) -> None:
        """Ask what follows from a fact; two facts may contradict each other and the release."""
        await self.ask("what if", f"/api/what-if?{self.state}&{self.fact()}&{self.fact()}", allowed=(200, 422))

    async def leave(self) -> None:
        """Ask what follows from a fact, and do not wait for it."""
        with_fact = f"/api/what-if?{self.state}&{self.fact()}&{self.fact()}&{self.fact()}"
        try:
            await asyncio.wait_for(self.http.get(with_fact), 0.02)
        except TimeoutError:
            self.load.note("left", 0.02)

    async def search(self) -> None:
        """Begin a search that nobody else begins, look at it, and cancel it."""
        self.searches += 1
        limit = {"limit": f"group size >= {2 + self.number + 100 * self.searches}", "suppress": "0.01"}
        begun = await self.ask("search begun", f"/api/release?{self.state}&{urlencode(limit)}", post=True)
        if begun.status_code != 200:
            return
        job = f"/api/jobs/{begun.json()['number']}"
        for _ in range(self.dice.randint(0, 3)):
            await self.ask("search looked at", job)
            await asyncio.sleep(0.1)
        told, began = time.monotonic(), time.monotonic()
        stage = (await self.ask("search cancelled", f"{job}/cancel", post=True)).json()["stage"]
        while stage in ("waiting", "running") and told - began < PATIENCE:
            await asyncio.sleep(0.1)
            stage, told = (await self.http.get(job)).json()["stage"], time.monotonic()
        if stage in ("waiting", "running"):
            self.load.errors.append("a search goes on that was cancelled")
        self.load.cancelled += stage == "cancelled"

    async def use(self, until: float) -> None:
        """Ask one thing after the other."""
        deeds: dict[Callable[[], Awaitable[None]], int] = {
            self.page: 55,
            self.slider: 15,
            self.what_if: 20,
            self.leave: 4,
            self.search: 6,
        }
        while time.monotonic() < until:
            (deed,) = self.dice.choices([*deeds], [*deeds.values()])
            try:
                await deed()
            except (httpx.HTTPError, KeyError, ValueError) as error:
                self.load.errors.append(f"{deed.__name__}: {type(error).__name__}: {error}")
                await asyncio.sleep(0.2)


@asynccontextmanager
async def arrived(number: int, address: str, load: Load) -> AsyncIterator[Client]:
    """Let a client in."""
    base = httpx.URL(address).copy_with(path="/", query=None)
    async with httpx.AsyncClient(base_url=base, follow_redirects=True, timeout=PATIENCE, trust_env=False) as http:
        client = Client(number, http, load, random.Random(number))
        await client.enter(address)
        yield client


async def use_at_once(address: str, *, clients: int, seconds: float, server: int | None = None) -> Load:
    """Let many use a page that is served, so many seconds; `server` is the process whose memory is looked at."""
    load, everybody = Load(), asyncio.Barrier(clients)

    async def one(number: int) -> None:
        try:
            async with arrived(number, address, load) as client:
                await everybody.wait()
                await client.use(time.monotonic() + seconds)
        except (httpx.HTTPError, KeyError, ValueError) as error:
            load.errors.append(f"client {number} was not let in: {type(error).__name__}: {error}")
            await everybody.abort()
        except asyncio.BrokenBarrierError:
            pass  # another was not let in, which is told

    looking = asyncio.create_task(_look_at_memory(load, server))
    try:
        await asyncio.wait_for(asyncio.gather(*map(one, range(clients))), seconds + 2 * PATIENCE)
    finally:
        looking.cancel()
    return load


async def _look_at_memory(load: Load, server: int | None) -> None:
    while server is not None:
        load.memory.append(resident(server))
        await asyncio.sleep(0.25)


def resident(process: int) -> int:
    """Give the bytes of memory that a process holds."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processor(process: int) -> float:
    """Give the seconds of processor time that a process has had."""
    cells = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(cells[11]) + int(cells[12])) / os.sysconf("SC_CLK_TCK")


def measure(words: Sequence[str], *, clients: int, seconds: float) -> Load:
    """Serve, let many use it, and see that the server rests when they are gone."""
    with tempfile.TemporaryFile() as complaints:
        command = [sys.executable, "-m", "sidelight", "serve", *words, "--no-browser"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            load = asyncio.run(use_at_once(address, clients=clients, seconds=seconds, server=server.pid))
            load.errors += _unrest(server.pid)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE)
        complaints.seek(0)
        load.errors += [line for line in complaints.read().decode().splitlines() if "interrupted" not in line]
    return load


def _unrest(process: int) -> list[str]:
    """Say if a server still works when nobody asks: what was left is given up soon, searches were cancelled."""
    for _ in range(20):
        before = processor(process)
        time.sleep(1)
        if processor(process) - before < 0.2:
            return []
    return ["the server still works, and nobody asks any more"]


def main() -> int:
    """Measure, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--dry", action="store_true", help="write nothing")
    parser.add_argument(
        "--file", nargs=argparse.REMAINDER, default=[], help="a table, and other words of sidelight serve"
    )
    options = parser.parse_args()
    load = measure(options.file, clients=options.clients, seconds=options.seconds)
    how = (
        f"`python benchmarks/load.py`: {options.clients} clients on 127.0.0.1 for {options.seconds:g} s, each asking "
        f"one thing after the other; {load.asked:,} answers, {len(load.errors)} errors, {load.cancelled:,} searches "
        "cancelled."
    )
    print(f"{how}\n\n{load.table()}\n" + "\n".join(sorted(set(load.errors))[:20]))
    if not (options.dry or quick() or load.errors):
        write_part("load", how, load.table())
        write_section("load", f"{how}\n\n{load.table()}")
    return 1 if load.errors else 0


if __name__ == "__main__":
    sys.exit(main())
