"""Connection limits for the server: a few per address, and none that stay silent.

Connections are accepted one at a time, so that file descriptors always remain for the game files.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any

import uvicorn

RESERVE = 64
"""Descriptors reserved for game files, processes and everything else except connections."""
EACH = 2
"""Descriptors that a connection may hold: its own, and that of a file that it reads."""
UNLIMITED = 10_000
"""Maximum number of connections if the system sets no limit."""
_LOG = logging.getLogger(__name__)


def most_connections(n_files: int) -> int:
    """Return how many connections are allowed if this many files can be open."""
    return max(1, (n_files - RESERVE) // EACH)


def _most_here() -> int:
    """Return how many connections this process may have."""
    if sys.platform == "win32":
        return UNLIMITED
    import resource

    n_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return UNLIMITED if n_files == resource.RLIM_INFINITY else most_connections(n_files)


@dataclass(frozen=True)
class Limits:
    """Connection limits.

    Attributes
    ----------
    each
        Maximum connections per address; an IPv6 /64 network counts as one address.
    every
        Maximum total number of connections; None keeps only some file descriptors in reserve.
    silence
        Seconds. A connection that makes no request for one to two times this long is closed; a page
        that has sent a message may stay silent.
    retry
        Seconds between attempts while no connection can be accepted.
    """

    each: int = 64
    every: int | None = None
    silence: float = 20.0
    retry: float = 1.0


class Door(uvicorn.Server):
    """A server that limits connections.

    Parameters
    ----------
    config : uvicorn.Config
        The server configuration.
    limits : Limits
        The connection limits.
    """

    def __init__(self, config: uvicorn.Config, limits: Limits) -> None:
        super().__init__(config)
        self._limits = limits
        self._most = _most_here() if limits.every is None else limits.every
        self._refused: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections on listening sockets."""
        await super().startup(sockets=[])  # it would accept all at once
        work = (*map(self._accept, sockets or ()), self._close_silent())
        self._tasks = [asyncio.create_task(one) for one in work]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and close all open ones."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().shutdown(sockets)

    async def _accept(self, listener: socket.socket) -> None:
        loop, is_told = asyncio.get_running_loop(), False
        listener.setblocking(False)
        while True:
            try:
                accepted, address = await loop.sock_accept(listener)
            except OSError as error:
                if not is_told:
                    _LOG.error("cannot accept a connection; trying again: %s", error)
                is_told = True
                await asyncio.sleep(self._limits.retry)
                continue
            is_told = False
            if self._has_room_for(address[0]):
                await loop.connect_accepted_socket(self._protocol, accepted)
            else:
                accepted.close()

    def _protocol(self) -> asyncio.Protocol:
        make: Any = self.config.http_protocol_class
        made: asyncio.Protocol = make(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made

    def _n_of(self, origin: str) -> int:
        """Return how many connections an address has."""
        connections: set[Any] = {*self.server_state.connections}
        clients = (connection.client for connection in connections)
        return sum(client is not None and _origin(client[0]) == origin for client in clients)

    def _has_room_for(self, host: str) -> bool:
        """Return whether one more connection is allowed; log the first refusal for each address."""
        origin = _origin(host)
        has_room = len(self.server_state.connections) < self._most
        if has_room and self._n_of(origin) < self._limits.each:
            return True
        if origin not in self._refused:
            _LOG.warning("too many connections: refusing those of %s", origin)
        self._refused.add(origin)
        return False

    async def _close_silent(self) -> None:
        """Close connections that have made no new request since the last check."""
        before: dict[Any, Any] = {}
        while True:
            await asyncio.sleep(self._limits.silence)
            asked = {
                connection: connection.cycle
                for connection in self.server_state.connections
                if hasattr(connection, "cycle")  # WebSocket connections have none
            }
            for connection, cycle in asked.items():
                if connection in before and before[connection] is cycle:
                    connection.transport.abort()
            before = asked
            self._refused = {one for one in self._refused if self._n_of(one) >= self._limits.each}


def _origin(host: str) -> str:
    """Return the network that counts as one address."""
    address = ip_address(host.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return f"{IPv6Address(int(address) >> 64 << 64)}/64"
    return str(address)
