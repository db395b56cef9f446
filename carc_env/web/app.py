"""The web application: the page and its WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from secrets import compare_digest
from urllib.parse import parse_qs, urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request, cookie_parser
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from carc_env.web.art import outlines, seat_looks
from carc_env.web.cards import cards_told
from carc_env.web.choices import rules_offered
from carc_env.web.door import Limits
from carc_env.web.guests import offered
from carc_env.web.history import levels
from carc_env.web.hub import Hub, Reader
from carc_env.web.journal import Journal
from carc_env.web.messages import MAX_TEXT
from carc_env.web.play import MAX_NAME
from carc_env.web.texts import LANGUAGES, texts

LOOPBACK = ("127.0.0.1", "localhost", "::1")
STATIC = Path(__file__).parent / "static"
TOO_SLOW = 1013
COOKIE, COOKIE_AGE = "carc_env_token", 365 * 86_400
FAREWELL = 1.0
"""Seconds allowed for the last message to a page that is being disconnected."""
HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


class OwnPagesOnly:
    """Refuses requests for other hosts, and requests from pages with another origin.

    Parameters
    ----------
    app : ASGIApp
        The application that handles all other requests.
    hosts : sequence of str
        Names and addresses under which the server is known, in lower case and without a port.
    by_address : bool
        Whether any address is accepted. A page elsewhere can point its own name to this server, but
        a browser that requests an address has really reached the machine with that address.
    token : str, optional
        A word that everybody needs: first in the address, ``?token=WORD``, and after that in a
        cookie.
    """

    def __init__(
        self, app: ASGIApp, hosts: Sequence[str], by_address: bool, token: str | None = None
    ) -> None:
        self.app, self.hosts, self.by_address, self.token = app, hosts, by_address, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request or refuse it."""
        if scope["type"] in ("http", "websocket") and (reason := self._problem(scope)):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": reason})
            else:
                await PlainTextResponse(reason, 403)(scope, receive, send)
            return
        if self.token is not None and _token_asked(scope) is not None:
            await _with_cookie(self.token)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _problem(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = _name_in(host)
        if name not in self.hosts and not (self.by_address and _is_address(name)):
            return (
                f"this server is not known as {name!r}: open it under the address that it "
                f"printed, or start it with --host and --names {name}"
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "pages of other origins get no answer"
        if self.token is not None and not self._is_known(scope, headers):
            return (
                "this server needs its token: open the complete address that it printed, which "
                "ends in ?token= and a word, or ask the person who started it for a link"
            )
        return ""

    def _is_known(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a request has the token, in its address or as a cookie."""
        assert self.token is not None
        cookies = cookie_parser(headers.get("cookie", ""))
        shown = _token_asked(scope) or cookies.get(COOKIE, "")
        return compare_digest(shown.encode(), self.token.encode())


def _token_asked(scope: Scope) -> str | None:
    """Return the token in a page's address."""
    asked = parse_qs(scope["query_string"].decode("latin-1")) if scope["type"] == "http" else {}
    return asked["token"][0] if "token" in asked else None


def _with_cookie(token: str) -> Response:
    """Redirect to the page without the token in its address, which keeps it out of the history.

    The cookie is also sent when users follow links from other pages, since friends receive links by
    mail.
    """
    answer = RedirectResponse("/", 303, headers=HEADERS)
    answer.set_cookie(COOKIE, token, max_age=COOKIE_AGE, httponly=True, samesite="lax")
    return answer


def _name_in(host: str) -> str:
    """Return the name or address in a ``Host`` header, without the port; empty if there is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def make_app(
    data: Path,
    *,
    agents: Sequence[str] = (),
    hosts: Sequence[str] = LOOPBACK,
    by_address: bool = False,
    token: str | None = None,
    silence: float = Limits.silence,
) -> Starlette:
    """Return the application.

    Parameters
    ----------
    data : Path
        The folder for games.
    agents : sequence of str
        Agents that may take a seat besides the registered agents, by name.
    hosts : sequence of str
        Names under which pages may request the application.
    by_address : bool
        Whether pages may also request it by any address.
    token : str, optional
        The token that every request needs.
    silence : float
        Seconds that a page may take to send its first message.
    """
    hub = Hub(Journal(data), agents)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        hub.compile()
        yield
        await hub.close()

    async def page(_: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers=HEADERS)

    async def talk(socket: WebSocket) -> None:
        await _talk(socket, hub, token, silence)

    return Starlette(
        routes=[
            Route("/", page),
            WebSocketRoute("/talk", talk),
            Route("/static/cards/{language}.json", _in_language(cards_told)),
            Route("/static/lang/{language}.json", _in_language(texts)),
            Mount("/static", _Static(directory=STATIC)),
        ],
        middleware=[Middleware(OwnPagesOnly, hosts=hosts, by_address=by_address, token=token)],
        lifespan=lifespan,
    )


def _in_language(tell: Callable[[str], object]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers in the request's language."""

    async def answer(request: Request) -> Response:
        language = request.path_params["language"]
        if language not in LANGUAGES:
            return PlainTextResponse("this language has no texts", 404, headers=HEADERS)
        return JSONResponse(tell(language), headers=HEADERS)

    return answer


class _Static(StaticFiles):
    """The page's files, with the headers that all responses have."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers.update(HEADERS)
        return response


def _greeting(hub: Hub, token: str | None) -> dict[str, object]:
    """Return the first messages to a page."""
    return {
        "agents": offered(hub.allowed),
        "rules": rules_offered(),
        "seats": seat_looks(),
        "figures": outlines(),
        "limits": {"name": MAX_NAME, "text": MAX_TEXT},
        "levels": [level.agent for level in levels()],
        "token": token,  # the page has presented it, and puts it into links
    }


async def _talk(socket: WebSocket, hub: Hub, token: str | None, silence: float) -> None:
    """Read and write until the page leaves, reads too slowly, or sends nothing at all."""
    await socket.accept()
    reader = Reader()
    reader.tell("hello", **_greeting(hub, token))
    errands = (_listen(socket, hub, reader, silence), _write(socket, reader), reader.is_slow.wait())
    tasks = [asyncio.create_task(errand) for errand in errands]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.forget(reader)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if socket.application_state == WebSocketState.CONNECTED and reader.is_slow.is_set():
        await _say_farewell(socket, "the page reads too slowly")


async def _say_farewell(socket: WebSocket, why: str) -> None:
    with suppress(TimeoutError):  # a page that reads nothing at all does not even receive it
        async with asyncio.timeout(FAREWELL):
            await socket.close(TOO_SLOW, why)


async def _listen(socket: WebSocket, hub: Hub, reader: Reader, silence: float) -> None:
    """Handle messages until the page leaves, or sends nothing in the first seconds."""
    patience: float | None = silence
    while True:
        try:
            async with asyncio.timeout(patience):
                message = await socket.receive()
        except TimeoutError:
            await _say_farewell(socket, "the page sends nothing")
            return
        patience = None
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        await hub.handle(reader, message.get("bytes") or b"" if text is None else text)
        await asyncio.sleep(0)  # let others go first, even if the next message has already arrived


async def _write(socket: WebSocket, reader: Reader) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # the page has gone
        while True:
            await socket.send_text(await reader.next_message())
