"""Seat ownership: links carry secrets, of which the server stores only hashes.

Before the first invitation, anybody who opens a game can play for all the people in it. After that,
the game is protected: each person's seat is played by the holder of its key, and everybody else
only watches.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

KEY_BYTES = 16


@dataclass
class Owners:
    """Seat locks.

    Attributes
    ----------
    locks
        The SHA-256 of each owned seat's key, in hexadecimal.
    host
        The SHA-256 of the key that belongs to the person who made the first invitation; empty in
        games from before there were hosts, in which every owner is a host.
    """

    locks: dict[int, str] = field(default_factory=dict)
    host: str = ""

    @property
    def is_protected(self) -> bool:
        """Whether only owners can play."""
        return bool(self.locks)

    def give(self, seat: int) -> str:
        """Return a new key for a seat; older keys become invalid."""
        key = secrets.token_urlsafe(KEY_BYTES)
        self.locks[seat] = _lock(key)
        return key

    def appoint(self) -> str:
        """Return the host's key."""
        key = secrets.token_urlsafe(KEY_BYTES)
        self.host = _lock(key)
        return key

    def is_host(self, keys: Iterable[str]) -> bool:
        """Return whether the holder of these keys is the host; in open games, all are."""
        if not self.is_protected:
            return True
        if not self.host:
            return bool(self.opened_by(keys))
        return any([hmac.compare_digest(self.host, _lock(key)) for key in keys])

    def opened_by(self, keys: Iterable[str]) -> frozenset[int]:
        """Return the seats that the keys open."""
        tried = [_lock(key) for key in keys]
        return frozenset(
            seat
            for seat, lock in self.locks.items()
            if any([hmac.compare_digest(lock, one) for one in tried])
        )

    def moved_on(self, n_seats: int) -> Owners:
        """Return the same owners, with everybody moved on by one seat."""
        locks = {(seat - 1) % n_seats: lock for seat, lock in self.locks.items()}
        return Owners(locks, self.host)


def _lock(key: str) -> str:
    return sha256(key.encode()).hexdigest()
