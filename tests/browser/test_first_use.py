"""The first minutes: nothing looks dead while the engine is compiled."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from carc_env.engine.compiler import progress
from carc_env.web import hub
from tests.web_server import serving

pytestmark = pytest.mark.once


def test_the_first_screen_comes_before_the_kernels_and_a_bar_moves(
    window: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = threading.Semaphore(0)

    def compile_slowly() -> None:
        for percent in (10, 60, 100):
            assert steps.acquire(timeout=300)
            for listener in progress.listeners:
                listener(percent / 100)

    monkeypatch.setattr(hub, "prepare_kernels", compile_slowly)
    with serving(tmp_path) as port:
        page = window()
        page.goto(f"http://127.0.0.1:{port}/")
        page.locator(".starts button", has_text="Learn").click()
        for percent in (10, 60):
            steps.release()
            page.get_by_text(f"Compiling the rules, once per version: {percent} %").wait_for()
            assert page.locator("#toast progress").evaluate("(bar) => bar.value") == percent
        steps.release()
        page.locator("#lesson").get_by_text("Place a tile").wait_for()
        assert page.locator("#toast progress").count() == 0
        page.context.close()
