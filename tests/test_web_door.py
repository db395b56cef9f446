"""Connections to the server: only a few at once, and silent ones are closed."""

import os
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from carc_env.web.__main__ import Settings
from carc_env.web.door import Limits, _origin, most_connections
from tests.web_server import PATIENCE, page, serving

pytestmark = pytest.mark.once

ASKED = b"GET /static/icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def let_in() -> Iterator[Callable[[socket.socket], socket.socket]]:
    """Return a function that registers a guest, to be closed at the end of the test."""
    with ExitStack() as guests:
        yield guests.enter_context


def come(port: int, said: bytes = b"") -> socket.socket:
    guest = socket.create_connection(("127.0.0.1", port), PATIENCE)
    guest.sendall(said)
    return guest


def answered(guest: socket.socket) -> bytes:
    """Return the first bytes that a guest receives, or none if the connection is closed."""
    try:
        return guest.recv(12)
    except ConnectionError:
        return b""


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    "limits", [Limits(each=3, silence=PATIENCE), Limits(every=3, silence=PATIENCE)]
)
def test_connections_beyond_the_limit_are_refused(tmp_path: Path, caplog, let_in, limits: Limits):
    with serving(tmp_path, limits=limits) as port:
        with page(port) as tab:
            tab.begin(seed=4)
            guests = [let_in(come(port)) for _ in range(2)]
            for _ in range(5):
                with come(port, ASKED) as refused:
                    assert answered(refused) == b""
            tab.act(Random(1))
            guests.pop().close()

            def is_let_in() -> bool:
                with come(port, ASKED) as guest:
                    return answered(guest) == b"HTTP/1.1 200"

            until(is_let_in)
    assert caplog.text.count("refusing those of 127.0.0.1") == 1


@pytest.mark.parametrize("said", [b"", b"GET / HT", ASKED, ASKED + b"GET"])
def test_silent_connections_are_closed(tmp_path: Path, said: bytes):
    limits = Limits(silence=0.05)
    with serving(tmp_path, limits=limits) as port, page(port) as tab:
        with come(port, said) as guest:
            while answered(guest):
                pass
        tab.begin(seed=4)
        tab.act(Random(1))


def test_a_page_that_never_speaks_is_sent_away(tmp_path: Path):
    with serving(tmp_path, silence=0.05) as port, page(port) as tab:
        with connect(f"ws://127.0.0.1:{port}/talk", max_size=None) as silent:
            with pytest.raises(ConnectionClosed, match="sends nothing"):
                while True:
                    silent.recv(PATIENCE)
        tab.begin(seed=4)  # this page has already sent a message


def test_an_error_of_accepting_is_logged_once(tmp_path: Path, caplog, let_in):
    limits = Limits(retry=0.01)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with serving(tmp_path, limits=limits) as port, page(port) as tab:
        guests = [let_in(socket.socket()) for _ in range(2)]
        for guest in guests:
            guest.settimeout(PATIENCE)
        free = os.dup(0)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
        try:
            for guest in guests:
                guest.connect(("127.0.0.1", port))
                guest.sendall(ASKED)
            until(lambda: "cannot accept a connection" in caplog.text)
            for _ in range(20):
                tab.ask("games")
                tab.skip_to("error")  # no file can be opened, either
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert [answered(guest) for guest in guests] == [b"HTTP/1.1 200"] * 2
    assert caplog.text.count("cannot accept a connection") == 1


def test_descriptors_are_kept_for_files():
    assert [most_connections(n) for n in (10, 64, 256, 1024)] == [1, 1, 96, 480]


def test_what_counts_as_one_address():
    assert _origin("192.0.2.1") == "192.0.2.1" != _origin("192.0.2.2")
    assert _origin("2001:db8::1") == _origin("2001:db8::ffff:1") != _origin("2001:db8:0:1::1")
    assert _origin("::ffff:192.0.2.1") != _origin("::ffff:192.0.2.2")
    assert _origin("fe80::1%eth0") == _origin("fe80::2")


def test_a_limit_below_one_is_refused():
    assert "--connections must be 1 or more" in str(Settings(connections=0).problem)
