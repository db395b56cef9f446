"""The command that starts the server: ``python -m carc_env.web --port 8000 --no-browser``."""

from __future__ import annotations

import errno
import os
import re
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import platformdirs
import tyro
import uvicorn
from starlette.applications import Starlette

from carc_env.arguments import UserPath
from carc_env.files import user_path
from carc_env.plain_output import print_anywhere
from carc_env.web.app import LOOPBACK, make_app
from carc_env.web.door import Door, Limits
from carc_env.web.messages import MAX_MESSAGE

BACKLOG = 512
MAX_PORT = 65_535
TOKEN, TOKEN_BYTES = re.compile(r"[A-Za-z0-9_-]{8,100}"), 12
NONE = tyro.conf.arg(help_behavior_hint="(default: none)")


@dataclass(frozen=True)
class Settings:
    """Play and analyse Carcassonne in the browser."""

    port: int = 0
    """Port to listen on; 0 picks any free port."""
    host: str = "127.0.0.1"
    """Address to listen on. Any address except loopback needs --names or --token (a token is
    generated if you give none)."""
    token: Annotated[str | None, NONE] = None
    """A word of at least 8 letters or digits that everybody must pass as ?token=WORD in the
    address."""
    names: Annotated[tuple[str, ...], NONE] = ()
    """Host names of this machine, such as games.example.org: pages can reach it only under these
    names."""
    browser: bool = True
    """Open the page in the browser."""
    data: UserPath = user_path(platformdirs.user_data_path("carc_env")) / "games"
    """Folder for games."""
    agents: Annotated[tuple[str, ...], NONE] = ()
    """Your own agents that may take a seat, such as my_bots:Bold."""
    connections: int = Limits.each
    """Maximum connections per address; raise it if many players share an address, as behind a
    proxy."""

    @property
    def problem(self) -> str | None:
        """The reason why these settings cannot work, in words."""
        if not 0 <= self.port <= MAX_PORT:
            return f"--port must be from 0 to {MAX_PORT}, got {self.port}"
        if self.connections < 1:
            return f"--connections must be 1 or more, got {self.connections}"
        if self.token is not None and not TOKEN.fullmatch(self.token):
            return (
                "--token must have 8 or more characters: letters without accents, digits, - and _"
            )
        return None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    @property
    def known_names(self) -> tuple[str, ...]:
        """All names under which pages may request the server."""
        here = socket.gethostname()
        own = (here, f"{here}.local", self.host) if self.by_address else ()
        return tuple(dict.fromkeys(name.lower() for name in (*LOOPBACK, *own, *self.names)))

    @property
    def by_address(self) -> bool:
        """Whether pages may request the server by any address, and by the machine's name."""
        return not self.is_local and not self.names

    def token_needed(self) -> str | None:
        """Return the token that everybody needs; a generated token is stored in the games folder.

        This keeps links that were sent to friends valid after a restart.
        """
        if self.token is not None or not self.by_address:
            return self.token
        path = self.data / "token"
        kept = path.read_text("ascii", "replace").strip() if path.exists() else ""
        if not kept:  # a kill or a full disk may have left an empty file
            kept = secrets.token_urlsafe(TOKEN_BYTES)
            self.data.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            with os.fdopen(os.open(path, flags, 0o600), "w") as file:
                file.write(kept)
        if not TOKEN.fullmatch(kept):
            reason = "the file token there contains none: delete it, and a new one is generated"
            raise OSError(errno.EINVAL, reason, str(path))
        return kept


def serve(settings: Settings) -> None:
    """Serve until Ctrl-C.

    Raises
    ------
    OSError
        The address or the folder cannot be used; the message names it.
    """
    app, token = _app(settings)
    listener = _listener(settings)
    if settings.is_local:
        name = _in_url(settings.host)
    else:
        name = settings.names[0] if settings.names else socket.gethostname()
    address = f"http://{name}:{listener.getsockname()[1]}/"
    address += "" if token is None else f"?token={token}"
    print(
        f"Carcassonne: {address} (press Ctrl-C to stop; games are kept in {settings.data})",
        flush=True,
    )
    if not settings.is_local:
        print(_about_network(settings, token), flush=True)
    config = uvicorn.Config(
        app, log_level="warning", http="h11", ws="websockets-sansio", ws_max_size=MAX_MESSAGE
    )
    if settings.browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    Door(config, Limits(each=settings.connections)).run([listener])


def _about_network(settings: Settings, token: str | None) -> str:
    """Return who can do what over the network."""
    names = ", ".join(settings.known_names)
    if token is None:
        who = "Anybody who reaches it"
        more = "There is no token: --token WORD makes everybody need one."
    else:
        who = "Anybody who has the complete address, with its token,"
        more = "All others are refused: give the address only to people who may play."
    by = f"an address or {names}; --names allows only some names" if settings.by_address else names
    return (
        f"Open to the network at {settings.host}. {who} can play, watch, and open or delete any "
        f"game that is kept here and not protected by invitations. {more}\n"
        f"Pages may ask for {by}."
    )


def _listener(settings: Settings) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)  # a page that connects at once waits until the server runs
    except OSError as error:
        listener.close()
        raise OSError(
            f"cannot listen on {settings.host}, port {settings.port} ({error.strerror}): choose "
            "another --port or --host"
        ) from error
    return listener


def _app(settings: Settings) -> tuple[Starlette, str | None]:
    """Return the application, and the token that it requires."""
    try:
        token = settings.token_needed()
        app = make_app(
            settings.data,
            agents=settings.agents,
            hosts=settings.known_names,
            by_address=settings.by_address,
            token=token,
        )
        return app, token
    except OSError as error:
        raise OSError(
            f"games cannot be kept in {settings.data} ({error.strerror}): choose another --data"
        ) from error


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def run(settings: Settings) -> int:
    """Serve, or print why that is not possible; return the exit status."""
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
    """Serve with command-line options; return the exit status."""
    print_anywhere()
    return run(tyro.cli(Settings, args=arguments))


if __name__ == "__main__":
    sys.exit(main())
