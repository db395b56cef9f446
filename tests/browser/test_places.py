"""Places by name: rims on the board, and the texts beside it that mention places."""

from __future__ import annotations

from typing import Any

import pytest

from carc_env import format_record
from tests.browser.test_page import (
    PHONE,
    SETTLED,
    box_of,
    finished,
    load,
    middle,
    to_ply,
    wait_until_still,
)
from tests.browser.test_pointing import OCCUPIED

AT_FIELD = '#board .target[aria-label*="field in the north"]'


def across(page: Any, selector: str, way: str) -> float:
    """Return the middle of an element, horizontally (x) or vertically (y)."""
    x, y = middle(page, selector)
    return x if way == "x" else y


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desktop", "phone"])
def test_rims_number_columns_and_rows(visit: Any, settings: Any) -> None:
    page = visit(**settings)
    load(page, OCCUPIED)
    assert page.locator("#board .rims *").count() == 0
    page.get_by_role("button", name="Column and row numbers").click()
    tile = '#board .placed[data-x="1"][data-y="0"] .rim'
    column, row = '#board .rims .column[data-n="1"]', '#board .rims .row[data-n="0"]'
    assert across(page, column, "x") == pytest.approx(across(page, tile, "x"), abs=1)
    assert across(page, row, "y") == pytest.approx(across(page, tile, "y"), abs=2)
    page.reload()
    page.wait_for_function(SETTLED)
    page.wait_for_selector(column)  # the setting is kept
    page.get_by_role("button", name="Column and row numbers").click()
    assert page.locator("#board .rims *").count() == 0


def test_an_entry_and_its_place_show_each_other(visit: Any) -> None:
    page = visit()
    load(page, OCCUPIED)
    page.locator(AT_FIELD).dispatch_event("click")
    to_ply(page, 1)
    # If the next tile fits only one place, it is already there.
    entry = page.locator(".log .entry", has_text="meeple lies on the field in the north")
    wait_until_still(page)
    entry.hover()
    assert page.locator("#board .place-mark").get_attribute("data-cell") == "1,0"
    mark = middle(page, "#board .place-mark")
    tile = middle(page, '#board .placed[data-x="1"][data-y="0"] .rim')
    assert mark == pytest.approx(tile, abs=1.5)
    page.mouse.move(tile[0], tile[1] + 3)
    page.mouse.move(*tile)
    assert page.locator("#board .place-mark").count() == 0
    assert page.locator(".log .entry.here").count() == 1
    page.mouse.move(5, 5)
    assert page.locator(".log .here").count() == 0


def test_the_coach_and_the_review_show_places(visit: Any) -> None:
    page = visit()
    load(page, OCCUPIED)
    page.keyboard.press("c")
    row = page.locator('.opinion-row[data-cells="1,0"]').first
    row.hover()
    assert page.locator("#board .place-mark").count() == 1
    page.locator("#tabs button").first.hover()
    assert page.locator("#board .place-mark").count() == 0


def test_a_place_out_of_sight_comes_into_sight_for_a_while(visit: Any) -> None:
    page = visit(viewport={"width": 700, "height": 560})
    load(page, format_record(finished("all")))
    page.keyboard.press("0")  # zoom in again, because a finished game is shown whole
    page.set_viewport_size({"width": 1000, "height": 520})
    page.locator("#tabs button").first.click()
    page.wait_for_function("() => innerWidth === 1000")
    box_of(page, "#board .placed")
    was = page.evaluate("() => document.querySelector('#board .world').style.transform")
    board = box_of(page, "#board")
    far = page.evaluate(
        """([left, top, right, bottom]) => {
          const tiles = [...document.querySelectorAll("#board .placed")];
          const found = tiles.find((tile) => { const b = tile.getBoundingClientRect();
            return document.querySelector(`.log [data-cells="${tile.dataset.x},${tile.dataset.y}"]`)
              && (b.right < left || b.left > right || b.bottom < top || b.top > bottom); });
          return `${found.dataset.x},${found.dataset.y}`;
        }""",
        [board["x"], board["y"], board["x"] + board["width"], board["y"] + board["height"]],
    )
    page.locator(f'.log [data-cells="{far}"]').first.hover()
    x, y = middle(page, f'#board .place-mark[data-cell="{far}"]')
    assert board["x"] < x < board["x"] + board["width"]
    assert board["y"] < y < board["y"] + board["height"]
    page.mouse.move(2, 2)
    page.wait_for_function(
        "(was) => document.querySelector('#board .world').style.transform === was", arg=was
    )
