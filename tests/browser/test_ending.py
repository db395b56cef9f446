"""The end of a game: a podium, scores over time, final scoring in steps, and mistakes to retry."""

from __future__ import annotations

from typing import Any

import pytest

from carc_env import format_record
from tests.browser.test_camera import NAMES, WINDOWS
from tests.browser.test_page import PHONE, begin, check_for_everybody, finished, load
from tests.test_puzzles import careless_game

pytestmark = pytest.mark.once


@pytest.mark.parametrize("size", WINDOWS, ids=NAMES)
def test_the_result_has_a_podium_a_course_and_the_final_scoring(visit: Any, size: Any) -> None:
    page, game = visit(**size), finished()
    load(page, format_record(game, ("Ann", "Ben")))
    page.locator("#ask").get_by_role("button", name="Score by source").click()
    first = page.locator(".podium .place-1")
    assert str(max(game.scores)) in first.inner_text()
    assert page.locator(".podium li").count() == 2
    assert page.locator(".chart path[stroke-dasharray]").count() == 2
    rows = page.locator(".finals tbody tr")
    last = rows.last.locator("td").all_inner_texts()
    assert [int(cell.split()[-1]) for cell in last] == list(game.scores)
    before = [int(cell) for cell in rows.first.locator("td").all_inner_texts()]
    assert all(a <= b for a, b in zip(before, game.scores, strict=True))
    page.locator(".finals button").last.click()
    page.wait_for_selector(".still .area-of, .still .counted")
    best = page.locator(".best")
    assert "points in turn" in best.inner_text()
    best.click()
    page.wait_for_selector("#table.past")


NOTE_BARS = """() => {
  window.bars = [];
  const note = () => {
    const bar = document.querySelector("#ask progress");
    if (bar) window.bars.push(bar.getBoundingClientRect().y);
  };
  new MutationObserver(note).observe(document.body, {childList: true, subtree: true});
}"""
"""Script that records the position of the bar whenever it appears, even for a moment only."""


@pytest.mark.parametrize("size", WINDOWS, ids=NAMES)
def test_mistakes_are_tried_from_the_end(visit: Any, size: Any) -> None:
    page = visit(**size)
    load(page, format_record(careless_game(), ("Ann", "Ben")))
    page.evaluate(NOTE_BARS)
    page.get_by_role("button", name="Try your mistakes").click()
    page.locator("#lesson", has_text="Mistake 1 of").wait_for()
    bars = page.evaluate("() => window.bars")
    assert bars and all(0 < y < page.viewport_size["height"] for y in bars)


def test_a_bar_is_as_long_as_its_points(visit: Any) -> None:
    page = visit()
    load(page, format_record(finished()))
    page.get_by_role("button", name="Score by source").click()
    page.wait_for_selector(".bar-row")
    wide = """() => [...document.querySelectorAll(".bar-row")].map((row) => [
      [...row.querySelectorAll(".bar i")].reduce((sum, one) => sum + one.offsetWidth, 0)
        / row.querySelector(".bar").offsetWidth, Number(row.querySelector("b").textContent)])"""
    (full, most), (part, less) = page.evaluate(wide)
    assert full == pytest.approx(1, abs=0.03) and part == pytest.approx(less / most, abs=0.05)
    page.evaluate(
        "() => { const {app, ask} = carcassonne; app.view.scores = [-4, 9]; ask.drawSoon(); }"
    )
    page.wait_for_function(f"() => ({wide})()[1][1] === -4")
    assert page.evaluate(wide)[1][0] == 0


def test_the_end_is_for_everybody(visit: Any) -> None:
    for settings in ({}, {**PHONE, "locale": "de-DE", "color_scheme": "dark"}):
        page = visit(**settings)
        seats = [{"name": name, "agent": "greedy"} for name in ("Ada", "Ben", "Cleo", "Dan")]
        begin(page, "base", seats)
        page.wait_for_selector(".podium")
        check_for_everybody(page)
