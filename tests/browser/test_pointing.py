"""What the page shows before and after a click: signs, words, tips and reasons."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import hypot
from typing import Any

import pytest

from tests.browser.test_page import (
    SHORT,
    TOWERS,
    box_of,
    load,
    middle,
    ply,
    to_ply,
    wait_until_still,
)

CROSSROADS = """[carc_env position 1]
[rules {}]
[scores 0:0]
[turn A acts]
bg-cap-straight 0,0 r0
bg-crossroads 1,0 r0
"""
OCCUPIED = """[carc_env position 1]
[rules {}]
[scores 3:5]
[turn A acts]
bg-cap-straight 0,0 r0: B meeple E
bg-straight 1,0 r0
"""
MISFIT = """[carc_env position 1]
[rules {}]
[scores 0:0]
[turn A places bg-monastery]
bg-cap-straight 0,0 r0
bg-straight 1,0 r0
"""
COVERED = """() => {
  const boxes = [...document.querySelectorAll("#board .target, #zoom button, #ask button")]
    .map((node) => node.getBoundingClientRect());
  const tips = document.getElementById("tips").getBoundingClientRect();
  return boxes.filter((box) => tips.left < box.right && tips.right > box.left
    && tips.top < box.bottom && tips.bottom > box.top).length;
}"""
SAYS = """(before) => {
  const does = document.getElementById("does");
  return !does.hidden && !before.includes(does.innerText) && does.innerText;
}"""
IS_SAID = "() => document.querySelector('#tips > :not([hidden])') !== null"


def tips_at(page: Any) -> tuple[float, float]:
    box = box_of(page, "#tips")
    return box["x"], box["y"]


def test_lit_cells_carry_signs_and_the_question_names_the_choices(visit: Any) -> None:
    page = visit()
    load(page, TOWERS)
    tower, abbot = '.target[data-cell="0,1"]', '.target[data-cell="0,2"]'
    assert page.locator(f"{tower} .sign-floor, {tower} .sign-top").count() == 2
    assert page.locator(f"{abbot} .sign").count() == page.locator(f"{abbot} .sign-fairy").count()
    asked = page.locator("#ask .question").inner_text()
    assert "place a figure on this tile, add a floor to a tower, put a meeple on a tower" in asked
    assert "move the fairy" in asked and "buy a prisoner back?" in asked
    label = page.locator(tower).get_attribute("aria-label")
    assert label == "0, 1: Add a floor to a tower or put a meeple on a tower"


def test_chips_filter_what_is_lit(visit: Any) -> None:
    page = visit()
    load(page, TOWERS)
    lit = page.locator("#board .target")
    chips = page.locator("#ask .filter .chip")
    assert chips.all_inner_texts() == ["all", "this tile", "floor", "on a tower", "fairy"]
    assert lit.count() == 4
    for name, n in (("fairy", 1), ("floor", 1), ("this tile", 2), ("all", 4)):
        chips.filter(has_text=name).click()
        assert lit.count() == n
        assert page.locator("#ask .filter .on").inner_text() == name


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_tips_say_what_a_click_does_and_cover_nothing(visit: Any, language: str) -> None:
    page = visit(locale=language)
    load(page, TOWERS)
    wait_until_still(page)
    said: list[str] = []
    for k in range(page.locator("#board .target").count()):
        x, y = middle(page, "#board .target", k)
        page.mouse.move(x - 2, y)
        page.mouse.move(x, y)
        said.append(page.wait_for_function(SAYS, arg=said).json_value())
        page.wait_for_selector("#tip:not([hidden])")  # the server's text about the feature
        assert page.evaluate(COVERED) == 0
    first = "Meeple liegt auf der Wiese" if language == "de-DE" else "Meeple lies on the field"
    assert len(said) == 4 and sum(text.startswith(first) for text in said) == 2
    assert (
        page.locator("#board .target title").count() == 0
    )  # the browser would show its own tips for them


def test_a_tip_follows_the_mouse_and_goes_with_the_move(visit: Any) -> None:
    page = visit()
    load(page, OCCUPIED)
    wait_until_still(page)
    box = box_of(page, "#board .placed")
    x, y = box["x"] + 0.3 * box["width"], box["y"] + 0.9 * box["height"]
    page.mouse.move(x, y)
    page.mouse.move(x + 1, y)
    page.wait_for_selector("#tip:not([hidden])")
    before = tips_at(page)
    page.mouse.move(x + 11, y - 4)
    after = tips_at(page)
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((10, -4), abs=0.6)
    target = middle(page, "#board .target")
    page.mouse.move(target[0] - 1, target[1])
    page.mouse.move(*target)
    page.wait_for_function(IS_SAID)
    page.mouse.click(*target)
    assert not page.evaluate(IS_SAID)
    to_ply(page, 1)
    assert not page.evaluate(IS_SAID)


def test_rings_on_a_crossroads_do_not_touch_and_those_of_farmers_lie(visit: Any) -> None:
    page = visit()
    load(page, CROSSROADS)
    rings = page.evaluate(
        "() => [...document.querySelectorAll('#board .ring')].map((ring) =>"
        " ['cx', 'cy', 'rx', 'ry'].map((name) => Number(ring.getAttribute(name))))"
    )
    assert len(rings) == 8
    stroke = 3.4
    for (x, y, rx, _), (x2, y2, rx2, _) in combinations(rings, 2):
        assert hypot(x2 - x, y2 - y) > rx + rx2 + stroke
    lying = [rx > ry for _, _, rx, ry in rings]
    kinds = page.evaluate("() => carcassonne.app.view.actions.filter((a) => a.on).map((a) => a.on)")
    assert lying == [kind == "FIELD" for kind in kinds] and sum(lying) == 4


def click_cell(page: Any, x: int, y: int, share: tuple[float, float] = (0.5, 0.5)) -> None:
    """Click on a cell, which may be empty, at a share of its size."""
    tile = box_of(page, '#board .placed[data-x="0"][data-y="0"] .rim')
    size = tile["width"]
    page.mouse.click(tile["x"] + size * (x + share[0]), tile["y"] + size * (y + share[1]))


@pytest.mark.parametrize(
    ("language", "sides", "alone", "taken"),
    [
        (
            "en-GB",
            "It would need a city in the south.",
            "Tiles must touch",
            "already a tile here",
        ),
        ("de-DE", "es bräuchte eine Stadt im Süden.", "an ein anderes grenzen", "liegt schon"),
    ],
)
def test_a_place_where_the_tile_does_not_fit_says_why(
    visit: Any, language: str, sides: str, alone: str, taken: str
) -> None:
    page = visit(locale=language)
    load(page, MISFIT)
    wait_until_still(page)
    for cell, words in (((0, -1), sides), ((2, -1), alone), ((0, 0), taken)):
        click_cell(page, *cell)
        page.locator("#ask .why", has_text=words).wait_for()
    page.mouse.click(*middle(page, "#board .target"))
    page.wait_for_selector(".try.pinned")
    assert page.locator("#ask .why").count() == 0
    assert ply(page) == 0


def test_an_occupied_road_says_by_whom(visit: Any) -> None:
    page = visit()
    load(page, OCCUPIED)
    wait_until_still(page)
    for share, cell, words in (
        ((0.5, 0.52), 1, "The road is occupied: B."),
        ((0.9, 0.1), 1, "click its ring"),
        ((0.5, 0.1), 0, "Figures go on the tile that you have just placed."),
    ):
        click_cell(page, cell, 0, share)
        page.locator("#ask .why", has_text=words).wait_for()
    page.locator("#board .target").first.dispatch_event("click")
    to_ply(page, 1)
    assert page.locator("#ask .why").count() == 0


def test_a_second_click_does_not_place_the_tile(visit: Callable[..., Any]) -> None:
    page = visit()
    load(page, MISFIT)
    wait_until_still(page)
    x, y = middle(page, "#board .target.cell")
    page.mouse.click(x, y)
    page.wait_for_selector(".try.pinned")
    page.mouse.click(x, y)
    page.locator("#ask .why", has_text="Put it down with the tick.").wait_for()
    page.mouse.dblclick(x, y)
    assert ply(page) == 0
    page.mouse.click(*middle(page, ".knob.yes"))
    to_ply(page, 1)


def test_a_long_board_has_its_tips_beside_what_can_be_chosen(visit: Any) -> None:
    page = visit(viewport={"width": 900, "height": 560})
    load(page, SHORT)
    wait_until_still(page)
    for k in range(page.locator("#board .placed").count()):
        box = box_of(page, "#board .placed", k)
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.9 * box["height"])
        page.mouse.move(box["x"] + 0.31 * box["width"], box["y"] + 0.9 * box["height"])
        page.wait_for_selector("#tip:not([hidden])")
        assert page.evaluate(COVERED) == 0
