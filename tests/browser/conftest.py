"""A server and a browser for all tests here; without a browser, the tests are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.web_server import PATIENCE, serving

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: run make test-browser"
)

DESKTOP = {
    "viewport": {"width": 1280, "height": 800},
    "reduced_motion": "reduce",
    "locale": "en-GB",
}
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="module")  # while it runs, nothing else in the process can run an event loop
def chromium() -> Iterator[Any]:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not found:
        pytest.skip("chromium is not installed: on Debian apt-get install chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("games")) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture
def window(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open an empty page in a separate window, with long timeouts."""
    contexts = []

    def open_window(**settings: Any) -> Any:
        context = chromium.new_context(**{**DESKTOP, **settings})
        contexts.append(context)
        context.set_default_timeout(1000 * PATIENCE)
        return context.new_page()

    yield open_window
    for context in contexts:
        context.close()


@pytest.fixture
def visit(window: Callable[..., Any], address: str) -> Iterator[Callable[..., Any]]:
    """Open the server's page; errors on the page fail the test."""
    pages, errors = [], []

    def open_page(**settings: Any) -> Any:
        page = window(**settings)
        pages.append(page)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: said.type == "error" and errors.append(said.text))
        page.goto(address)
        page.wait_for_selector(".welcome")
        return page

    yield open_page
    for page in pages:
        page.context.close()  # this also reports the last errors
    assert errors == []
