"""The visible board: a calm camera, a loupe for spots, and arrows to cells out of sight."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from carc_env import Game, format_position, format_record
from carc_env.engine.core.codes import Figure
from tests.browser.test_page import (
    PHONE,
    answer,
    begin,
    box_of,
    finished,
    load,
    middle,
    to_ply,
    wait_until_asked,
    wait_until_still,
)
from tests.browser.test_pointing import CROSSROADS

pytestmark = pytest.mark.once

ACROSS = {**PHONE, "viewport": {"width": 844, "height": 390}}
SCALE = "() => new DOMMatrix(document.querySelector('#board .world').style.transform).a"
WINDOWS = [{}, PHONE, ACROSS]
NAMES = ["desktop", "upright", "across"]
LIT = """() => [...document.querySelectorAll("#board .target")].map((node) => {
  const box = node.getBoundingClientRect(), board = document.getElementById("board");
  const {left, top, right, bottom} = board.getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  return x > left && x < right && y > top && y < bottom;
})"""


def crowded(n_tiles: int = 60) -> str:
    """Return a position on a large board with a tile to place."""
    game = Game("base", seed=7)
    while (
        len(game.position().tiles) < n_tiles
        or game.phase.name != "PLACE_TILE"
        or not game.supply(game.decider)[Figure.MEEPLE]
    ):
        game.apply(game.greedy_action())
    return format_position(game.position())


@pytest.mark.parametrize("size", WINDOWS, ids=NAMES)
def test_the_scale_stays_between_a_tile_and_its_figure(visit: Any, size: Any) -> None:
    page, random = visit(**size), Random(3)
    begin(page, "base", [{"name": "Ann"}, {"name": "Ada", "agent": "greedy"}], seed=5)
    scales, window = [], page.viewport_size
    for k in range(30):  # every second time a little lower, as for a longer question
        page.set_viewport_size({**window, "height": window["height"] - 3 * (k % 2)})
        wait_until_asked(page)
        wait_until_still(page)
        scale = page.evaluate(SCALE)
        if page.evaluate("() => carcassonne.app.view.phase") == "FIGURE":
            assert scale == scales[-1]
        scales.append(scale)
        answer(page, random)
    assert scales == sorted(scales, reverse=True) and len(set(scales)) < 6


def test_a_small_board_after_a_large_one_is_as_large_as_without_it(visit: Any) -> None:
    page = visit()
    load(page, CROSSROADS)
    wait_until_still(page)
    scale = page.evaluate(SCALE)
    load(page, crowded())
    wait_until_still(page)
    assert page.evaluate(SCALE) < scale
    load(page, CROSSROADS)
    wait_until_still(page)
    assert page.evaluate(SCALE) == scale


@pytest.mark.parametrize("size", WINDOWS, ids=NAMES)
def test_spots_on_a_small_tile_are_chosen_in_a_loupe(visit: Any, size: Any) -> None:
    page = visit(**size)
    load(page, crowded())
    page.locator("#board .target.cell").first.dispatch_event("click")
    page.locator("#ask button.main").first.click()
    to_ply(page, 1)
    wait_until_still(page)
    assert page.evaluate(SCALE) < 1
    rings = page.locator(".loupe .target.spot")
    assert rings.count() == page.locator("#board .target.spot").count() > 0
    tile = box_of(page, ".loupe-rim")
    assert min(tile["width"], tile["height"]) >= 140
    stage = box_of(page, "#board")
    assert stage["x"] <= tile["x"] and tile["y"] >= stage["y"]
    assert tile["y"] + tile["height"] <= stage["y"] + stage["height"]
    page.mouse.move(*middle(page, ".loupe .target.spot"))
    page.wait_for_selector("#does:not([hidden])")
    page.mouse.click(*middle(page, ".loupe .target.spot"))
    to_ply(page, 2)
    assert page.locator(".loupe").count() == 0


@pytest.mark.parametrize("size", WINDOWS, ids=NAMES)
def test_arrows_count_the_lit_cells_outside_and_lead_there(visit: Any, size: Any) -> None:
    page = visit(**size)
    load(page, crowded())
    wait_until_still(page)
    for _ in range(4):
        page.keyboard.press("+")
    lit = page.evaluate(LIT)
    counts = [int(n) for n in page.locator("#board .edge text").all_text_contents()]
    assert 0 < sum(counts) <= len(lit) and abs(sum(counts) - lit.count(False)) <= 3
    side = page.locator("#board .edge").first
    label = side.get_attribute("aria-label")
    assert label is not None and label.startswith(f"{counts[0]} more space")
    side.click()
    wait_until_still(page)
    assert page.evaluate(LIT).count(True) > lit.count(True) or len(counts) > 1
    assert page.evaluate(LIT) != lit


def test_tiles_placed_since_your_last_turn_have_frames_of_their_owners(visit: Any) -> None:
    page, random = visit(), Random(3)
    agents = [{"name": "Ada", "agent": "greedy"}, {"name": "Ben", "agent": "greedy"}]
    begin(page, "base", [{"name": "You"}, *agents], seed=5)
    for _ in range(4):
        wait_until_asked(page)
        answer(page, random)
    wait_until_asked(page)
    placing = page.evaluate("() => carcassonne.app.view.phase") == "PLACE_TILE"
    strokes = page.locator("#board .frame.owned").evaluate_all(
        "all => all.map((one) => one.style.stroke)"
    )
    assert len(set(strokes)) == len(strokes) == (2 if placing else 0)


BETTER = """() => {
  const {app, ask} = carcassonne, {actions, ply} = app.past;
  const north = actions.reduce((one, other) => (other.cell[1] < one.cell[1] ? other : one));
  app.better = {ply, action: north.action};
  ask.drawSoon();
}"""


@pytest.mark.parametrize("size", WINDOWS, ids=NAMES)
def test_a_better_move_of_a_game_that_is_over_is_in_sight(visit: Any, size: Any) -> None:
    page = visit(**size)
    load(page, format_record(finished()))
    page.locator("#timeline input").fill("0")
    page.wait_for_selector("#table.past")
    page.evaluate(BETTER)
    tile, board = box_of(page, "#board .better-rim"), box_of(page, "#board")
    assert board["y"] <= tile["y"] and tile["y"] + tile["height"] <= board["y"] + board["height"]
    assert board["x"] <= tile["x"] and tile["x"] + tile["width"] <= board["x"] + board["width"]


def test_figures_stay_large_enough_to_be_told_apart(visit: Any) -> None:
    page = visit()
    load(page, crowded())
    wait_until_still(page)
    sizes = page.locator("#board .standing > g:last-child > use").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert len(sizes) > 5 and min(sizes) >= 21
