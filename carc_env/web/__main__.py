"""The command that starts the server: ``python -m carc_env.web --port 8000 --no-browser``."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import tyro
import uvicorn

from carc_env.web.app import make_app
from carc_env.web.messages import MAX_MESSAGE

BACKLOG = 512
LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Settings:
    """Play and analyse Carcassonne in the browser; in the terminal with carc-env play --text."""

    port: int = 0
    """Port to listen on; 0 takes any that is free."""
    host: str = "127.0.0.1"
    """Address to listen on. Other than loopback, everybody in the network can play."""
    browser: bool = True
    """Open the page in the browser."""
    data: Path = platformdirs.user_data_path("carc_env") / "games"
    """Folder where games are kept."""
    agents: tuple[str, ...] = ()
    """Agents of your own that may sit down, such as my_bots:Bold."""


def serve(settings: Settings) -> None:
    """Serve until Ctrl-C."""
    listener = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)  # who comes at once waits until the application is made
    except OSError as error:
        raise SystemExit(f"cannot listen on {settings.host}:{settings.port}: {error}") from error
    is_local = settings.host in LOOPBACK
    name = settings.host if is_local else socket.gethostname()
    address = f"http://{name}:{listener.getsockname()[1]}/"
    print(
        f"Carcassonne: {address}  (Ctrl-C ends it; games are kept in {settings.data})", flush=True
    )
    if not is_local:
        print(f"Anybody who can reach {settings.host} can play and look on.", flush=True)
    app = make_app(settings.data, agents=settings.agents, hosts=LOOPBACK if is_local else ("*",))
    config = uvicorn.Config(
        app, log_level="warning", ws="websockets-sansio", ws_max_size=MAX_MESSAGE
    )
    if settings.browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    uvicorn.Server(config).run([listener])


def main(arguments: Sequence[str] | None = None, program: str | None = None) -> int:
    """Serve as a command line says; returns the exit status."""
    serve(tyro.cli(Settings, args=arguments, prog=program))
    return 0


if __name__ == "__main__":
    sys.exit(main())
