"""Small things that got in the way: tabs, dialogues that lost their input, the logo, help."""

from __future__ import annotations

import re
from typing import Any

import pytest
from PIL import Image

from tests.browser.test_page import SHORT, begin, load, wait_until_still

pytestmark = pytest.mark.once


def test_the_tiles_tab_opens_at_its_top(visit: Any) -> None:
    page = visit()
    begin(page, "all", [{"name": "A", "agent": "greedy"}, {"name": "B", "agent": "greedy"}])
    page.wait_for_function("() => carcassonne.app.view.over")
    page.get_by_role("tab", name="Log").click()
    scrolled = "() => document.getElementById('sheet').scrollTop"
    page.wait_for_function(f"() => ({scrolled})() > 100")
    page.locator("#timeline input").fill("30")
    page.wait_for_selector("#table.past")
    page.get_by_role("tab", name="Tiles").click()
    page.wait_for_selector("#sheet .grid")
    assert page.evaluate(scrolled) == 0


def test_what_cannot_be_opened_stays_to_be_mended(visit: Any) -> None:
    page = visit()
    page.get_by_role("button", name="Open", exact=True).first.click()
    page.locator("dialog textarea").fill("[carc_env position 1]\n[nonsense]")
    page.locator("dialog button.main").click()
    page.wait_for_selector("#toast .bad")
    assert "nonsense" in page.locator("dialog textarea").input_value()
    page.locator("dialog textarea").fill(SHORT)
    page.locator("dialog button.main").click()
    page.locator("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Open", exact=True).first.click()
    assert re.search(r"\d{1,2}:\d\d", page.locator(".game-row").first.inner_text())


def test_what_was_chosen_stays_while_there_is_no_server(visit: Any) -> None:
    page = visit()
    page.locator("#menu button").first.click()
    page.locator("dialog .seat-row input").first.fill("Mia")
    closed = "() => Object.defineProperty(WebSocket.prototype, 'readyState', {get: () => 3})"
    page.evaluate(closed)
    page.locator("dialog button[type=submit]").click()
    page.wait_for_selector("#toast .bad")
    assert page.locator("dialog .seat-row input").first.input_value() == "Mia"


def test_the_logo_leads_to_the_first_screen_and_help_to_rules_and_tutorial(visit: Any) -> None:
    page = visit()
    load(page, SHORT)
    page.get_by_role("button", name="Carcassonne").click()
    page.wait_for_selector(".welcome")
    page.locator("#menu button").last.click()
    page.get_by_role("button", name="How is the base game played?").click()
    assert "Place a tile" in page.locator("dialog.card").inner_text()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Learn by playing").click()
    page.wait_for_function("() => carcassonne.app.exercise?.task === 'lesson'")
    assert page.locator("dialog").count() == 0


@pytest.mark.parametrize(("key", "axis", "sign"), [("Right", 0, 1), ("Up", 1, -1)])
def test_the_first_arrow_key_goes_from_the_last_tile(
    visit: Any, key: str, axis: int, sign: int
) -> None:
    page = visit()
    load(page, SHORT)
    page.locator("#board").focus()
    page.keyboard.press(f"Arrow{key}")
    cell, last = page.evaluate(
        "() => [carcassonne.app.ghost.cell, carcassonne.app.view.tiles.at(-1).slice(1, 3)]"
    )
    assert (cell[axis] - last[axis]) * sign > 0


def test_a_tile_that_fits_one_way_is_not_to_be_turned(visit: Any) -> None:
    page = visit()
    load(page, SHORT)
    said = set()
    for k in range(page.locator("#board .target.cell").count()):
        page.locator("#board .target.cell").nth(k).dispatch_event("click")
        n = page.evaluate("() => carcassonne.app.ghost.actions.length")
        said.add((n == 1, page.locator("#ask .question").inner_text().strip()))
        page.keyboard.press("Escape")
    ways = dict(said)
    assert "only this way" in ways[True] and "only this way" not in ways[False]


def test_a_phantom_in_a_field_lies(visit: Any) -> None:
    page = visit()
    load(page, PHANTOM)
    (figure,) = page.evaluate("() => carcassonne.app.view.figures")
    assert figure["lies"] and figure["on"] == "FIELD"
    assert page.locator(".layer-figures .disc").count() == 1


def test_a_picture_has_the_names(visit: Any) -> None:
    page = visit()
    load(page, SHORT)
    wait_until_still(page)
    sizes = []
    for name in ("Picture (SVG)", "Picture (PNG)"):
        page.get_by_role("button", name="Save and share").click()
        with page.expect_download() as saved:
            page.get_by_role("button", name=name).click()
        if "SVG" in name:
            sizes.append(int(re.search(r'height="(\d+)"', saved.value.path().read_text())[1]))
        else:
            with Image.open(saved.value.path()) as picture:
                sizes.append(picture.height)
                foot = picture.convert("L").crop((0, sizes[0], picture.width, picture.height))
                assert foot.getextrema()[0] < 120
    assert sizes[1] == sizes[0] + 40


PHANTOM = """[carc_env position 1]
[rules {phantom: true}]
[scores 0:0]
[turn A places bg-curve]
bg-cap-straight 0,0 r0: B phantom Es
"""
