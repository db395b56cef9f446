"""The command that starts the server: ``python -m carc_env.web --port 8000 --no-browser``."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import platformdirs
import tyro
import uvicorn
from starlette.applications import Starlette

from carc_env.web.app import LOOPBACK, make_app
from carc_env.web.messages import MAX_MESSAGE

BACKLOG = 512
MAX_PORT = 65_535
NONE = tyro.conf.arg(help_behavior_hint="(default: none)")


@dataclass(frozen=True)
class Settings:
    """Play and analyse Carcassonne in the browser."""

    port: int = 0
    """Port to listen on; 0 takes any that is free."""
    host: str = "127.0.0.1"
    """Address to listen on. Anything but loopback lets everybody on the network play."""
    names: Annotated[tuple[str, ...], NONE] = ()
    """Further names of this machine under which pages may ask for it, such as games.example.org."""
    browser: bool = True
    """Open the page in the browser."""
    data: Path = platformdirs.user_data_path("carc_env") / "games"
    """Folder where games are kept."""
    agents: Annotated[tuple[str, ...], NONE] = ()
    """Agents of your own that may sit down, such as my_bots:Bold."""

    @property
    def problem(self) -> str | None:
        """What cannot be, in words."""
        if not 0 <= self.port <= MAX_PORT:
            return f"--port must be from 0 to {MAX_PORT}, got {self.port}"
        return None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    @property
    def known_names(self) -> tuple[str, ...]:
        """All names under which pages may ask for the server."""
        here = socket.gethostname()
        own = () if self.is_local else (here, f"{here}.local", self.host)
        return tuple(dict.fromkeys(name.lower() for name in (*LOOPBACK, *own, *self.names)))


def serve(settings: Settings) -> None:
    """Serve until Ctrl-C.

    Raises
    ------
    OSError
        The address or the folder cannot be used; the message says which.
    """
    app = _app(settings)
    listener = _listener(settings)
    name = _in_url(settings.host) if settings.is_local else socket.gethostname()
    address = f"http://{name}:{listener.getsockname()[1]}/"
    print(
        f"Carcassonne: {address}  (Ctrl-C ends it; games are kept in {settings.data})", flush=True
    )
    if not settings.is_local:
        print(
            f"Open to the network: whoever reaches {settings.host} can play, watch, and open or "
            "delete any game that is kept here. There is no password.\n"
            f"Pages may ask for an address or for {', '.join(settings.known_names)}; --names adds "
            "names.",
            flush=True,
        )
    config = uvicorn.Config(
        app, log_level="warning", ws="websockets-sansio", ws_max_size=MAX_MESSAGE
    )
    if settings.browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    uvicorn.Server(config).run([listener])


def _listener(settings: Settings) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)  # who comes at once waits until the server runs
    except OSError as error:
        listener.close()
        raise OSError(
            f"cannot listen on {settings.host}, port {settings.port} ({error.strerror}): choose "
            "another --port or --host"
        ) from error
    return listener


def _app(settings: Settings) -> Starlette:
    try:
        return make_app(
            settings.data,
            agents=settings.agents,
            hosts=settings.known_names,
            by_address=not settings.is_local,
        )
    except OSError as error:
        raise OSError(
            f"games cannot be kept in {settings.data} ({error.strerror}): choose another --data"
        ) from error


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def run(settings: Settings) -> int:
    """Serve, or say in words why not; returns the exit status."""
    if settings.problem is not None:
        print(settings.problem, file=sys.stderr)
        return 2
    try:
        serve(settings)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve as a command line says; returns the exit status."""
    return run(tyro.cli(Settings, args=arguments))


if __name__ == "__main__":
    sys.exit(main())
