"""Measure how fast the page's server answers while many games are played at once.

    python scripts/web_load.py --games 200 --seconds 60

Each client plays against ``value`` and thinks for a few seconds per move. An answer is complete
when the client's and the agent's moves are shown and the client can make its next decision.

Other programs on the machine make answers slower. The processor time per answer (Linux only) shows
what the server itself needs.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
import tyro
from websockets.asyncio.client import connect


@dataclass(frozen=True)
class Settings:
    """Measure how fast the page's server answers while many games are played at once."""

    games: int = 200
    seconds: float = 60.0
    think: float = 4.0
    """Mean seconds between an answer and the next move."""


@dataclass
class Client:
    """A client that plays the first legal action."""

    address: str
    think: float
    random: Random
    waited: list[float] = field(default_factory=list)
    """Response times in seconds."""

    async def play(self) -> None:
        """Play until the game is over."""
        async with connect(self.address, max_size=None, open_timeout=120) as talk:
            seats = [{"name": "me"}, {"name": "value", "agent": "value"}]
            seed = self.random.randrange(2**32)
            await talk.send(json.dumps({"do": "new", "rules": {}, "seats": seats, "seed": seed}))
            view: dict[str, object] = {}
            sent: tuple[float, int] | None = None
            async for text in talk:
                message = json.loads(text)
                if message["is"] == "entered":
                    await talk.send('{"do": "pace", "delay": 0}')
                if message["is"] != "state":
                    continue
                view |= message["view"]
                if sent is not None and self._is_answered(view, sent[1]):
                    self.waited.append(time.perf_counter() - sent[0])
                    sent = None
                if view["over"]:
                    return
                if view["decider"] == 0 and sent is None:
                    await asyncio.sleep(self.think * self.random.uniform(0.3, 1.7))
                    sent = time.perf_counter(), view["ply"]
                    action = view["actions"][0]["action"]
                    await talk.send(json.dumps({"do": "act", "ply": view["ply"], "action": action}))

    @staticmethod
    def _is_answered(view: dict[str, object], ply: int) -> bool:
        return bool(view["over"]) or (view["decider"] == 0 and view["ply"] != ply)


async def measure(address: str, settings: Settings) -> list[float]:
    """Return the response times of all games, in seconds."""
    clients = [Client(address, settings.think, Random(k)) for k in range(settings.games)]
    tasks = [asyncio.create_task(client.play()) for client in clients]
    done, going_on = await asyncio.wait(tasks, timeout=settings.seconds)
    for task in going_on:
        task.cancel()
    await asyncio.gather(*going_on, return_exceptions=True)
    if failed := [task.exception() for task in done if task.exception() is not None]:
        raise RuntimeError(f"{len(failed)} games have failed") from failed[0]
    return [seconds for client in clients for seconds in client.waited]


def processor_time(pid: int) -> float:
    """Return the seconds of processor time that a process has used; NaN if they are not known."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return float("nan")
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving() -> Iterator[tuple[str, int]]:
    """Run a server that keeps its games only until the end; yield its address and process ID."""
    command = [sys.executable, "-m", "carc_env.web", "--no-browser", "--connections", "9999"]
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen(
            [*command, "--data", folder], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None, "the server did not tell its address"
            try:
                yield found[0], server.pid
            finally:
                server.terminate()


def main(settings: Settings) -> None:
    """Start a server, measure, and print the results."""
    with serving() as (address, pid):
        before = processor_time(pid)
        waited = asyncio.run(measure(address.replace("http", "ws", 1) + "talk", settings))
        used = processor_time(pid) - before
    middle, most = np.percentile(waited, (50, 99))
    print(
        f"{settings.games} games, {len(waited)} answers: half within {1000 * middle:.0f} ms, "
        f"99% within {1000 * most:.0f} ms, the longest {1000 * max(waited):.0f} ms; "
        f"{1000 * used / len(waited):.1f} ms of processor time per answer, "
        f"load average {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main(tyro.cli(Settings))
