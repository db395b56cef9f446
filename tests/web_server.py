"""Test helpers: a web server in its own thread, and a page that only exchanges messages."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect

from carc_env.game.table import Table
from carc_env.web.app import make_app
from carc_env.web.door import Door, Limits
from carc_env.web.messages import MAX_MESSAGE

PATIENCE = 300
"""Seconds after which a test gives up waiting, even on a slow machine."""
LIMITS = Limits()
PERSONS = [{"name": "Ann"}, {"name": "Ben"}]


@contextmanager
def serving(data: Path, port: int = 0, limits: Limits = LIMITS, **settings: Any) -> Iterator[int]:
    """Serve the games of a folder and yield the port; port 0 selects a free one."""
    listener = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(
        make_app(data, **settings),
        log_level="error",
        http="h11",
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        ws_ping_timeout=PATIENCE,
    )
    server = Door(config, limits)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()
        listener.close()


class Ponderer:
    """An agent that holds the interpreter lock until a file exists.

    In its folder, the agent creates a file ``begun`` and waits for a file ``go``.
    """

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def act(self, table: Table) -> int:
        """Count to a thousand until the file exists; return the first legal action."""
        (self.folder / "begun").touch()
        while not (self.folder / "go").exists():
            sum(range(1000))
        return table.legal_actions()[0]


class Latecomer:
    """An agent whose constructor waits until there is a file ``go`` in its folder."""

    def __init__(self, folder: str, end: bool = False) -> None:
        while not Path(folder, "go").exists():
            sleep(0.02)
        if end:
            raise ValueError("as asked")

    def act(self, table: Table) -> int:
        """Return the first legal action."""
        return table.legal_actions()[0]


def slow(folder: Path) -> str:
    """Return the agent spec of a :class:`Ponderer`."""
    return f"{__name__}:{Ponderer.__name__}?folder={folder}"


def late(folder: Path) -> str:
    """Return the agent spec of a :class:`Latecomer`."""
    return f"{__name__}:{Latecomer.__name__}?folder={folder}"


class Page:
    """A page without a display: it builds its view from the changes that the server sends."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.view: dict[str, Any] = {}
        self.heard: list[dict[str, Any]] = []
        self.texts: list[str] = []
        self.game = ""
        self.hello = self.hear("hello")
        self.ask("leave")  # the server disconnects a page that sends nothing

    def ask(self, what: str, **content: Any) -> None:
        self.socket.send(json.dumps({"do": what, **content}))

    def hear(self, *kinds: str, when: Callable[[dict[str, Any]], bool] | None = None) -> Any:
        """Return the next message of some kinds; record it and all messages before it."""
        while True:
            text = self.socket.recv(PATIENCE)
            message = json.loads(text)
            self.texts.append(str(text))
            self.heard.append(message)
            if message["is"] == "state":
                self._merge(message)
            if message["is"] == "entered":
                self.game = message["game"]
            if message["is"] in kinds and (when is None or when(message)):
                return message
            if message["is"] == "error" and "error" not in kinds:
                raise AssertionError(message["text"])

    def skip_to(self, kind: str) -> Any:
        """Return the next message of a kind, even if errors arrive before it."""
        while (message := self.hear(kind, "error"))["is"] != kind:
            pass
        return message

    def _merge(self, message: dict[str, Any]) -> None:
        if message["full"]:
            self.view = message["view"]
            return
        for key, value in message["view"].items():
            grows = key in ("tiles", "log")
            self.view[key] = self.view[key][: value["keep"]] + value["add"] if grows else value

    def begin(self, seats: Any = PERSONS, seed: int = 1, **rules: Any) -> dict[str, Any]:
        self.ask("new", rules=rules, seats=seats, seed=seed)
        self.hear("state")
        return self.view

    def wait_for(self, ply: int) -> None:
        """Receive states until the game reaches the decision ``ply``."""
        while self.view["ply"] != ply:
            self.hear("state")

    def wait_for_a_person(self) -> None:
        """Receive states until a person must decide or the game is over."""
        while not self.view["over"] and self.view["sitters"][self.view["decider"]]["agent"]:
            self.hear("state")

    def act(self, random: Random) -> None:
        """Take a random legal action as soon as the page has received any."""
        while not self.view["actions"]:
            self.hear("state")
        action = random.choice(self.view["actions"])["action"]
        ply = self.view["ply"]
        self.ask("act", ply=ply, action=action)
        while self.view["ply"] == ply:
            self.hear("state")


@contextmanager
def page(port: int, **settings: Any) -> Iterator[Page]:
    """Connect to a server and yield the page."""
    patience = {"open_timeout": PATIENCE, "ping_timeout": PATIENCE}
    with connect(f"ws://127.0.0.1:{port}/talk", max_size=None, **patience, **settings) as socket:
        yield Page(socket)
