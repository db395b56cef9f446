"""The page on a touch screen, with the phone in portrait and in landscape."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.test_page import (
    BEFORE,
    PHONE,
    SETTLED,
    SHORT,
    TOWERS,
    begin,
    box_of,
    load,
    middle,
    ply,
    to_ply,
    wait_until_asked,
    wait_until_still,
)
from tests.browser.test_pointing import COVERED, OCCUPIED

ACROSS = {**PHONE, "viewport": {"width": 844, "height": 390}}
SHARE = "() => document.getElementById('board').clientHeight / innerHeight"
HIDDEN = """() => [...document.querySelectorAll("#ask .chip span, #ask .quarters span")]
  .filter((word) => !word.getClientRects().length).length"""
OVER = """() => {
  const box = document.querySelector("dialog[open]"), body = box.querySelector(".body");
  const {left, top, right, bottom} = box.getBoundingClientRect();
  const wide = [...body.querySelectorAll("*")].filter((node) =>
    node.getClientRects().length && node.getBoundingClientRect().right > right + 1);
  const pen = document.createElement("canvas").getContext("2d");
  const cut = [...body.querySelectorAll(".seat-row select")].map((list) => {
    pen.font = getComputedStyle(list).font;
    const text = list.selectedOptions[0].text;
    return list.clientWidth && pen.measureText(text).width > list.clientWidth && text;
  }).filter(Boolean);
  return {isInside: left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight,
    isScrolled: getComputedStyle(body).overflowY === "auto", cut,
    wide: wide.map((node) => node.outerHTML.slice(0, 80))};
}"""


@pytest.mark.parametrize("phone", [PHONE, ACROSS], ids=["upright", "across"])
def test_a_tap_on_a_feature_shows_its_worth_until_the_next(visit: Any, phone: Any) -> None:
    page = visit(**phone)
    load(page, OCCUPIED)
    wait_until_still(page)
    box = box_of(page, "#board .placed")
    page.touchscreen.tap(box["x"] + 0.3 * box["width"], box["y"] + 0.9 * box["height"])
    page.wait_for_selector("#tip:not([hidden])")
    page.wait_for_timeout(300)  # the finger has left the board
    assert "Worth" in page.locator("#tip").inner_text()
    assert page.locator(".layer-feature path").count() >= 1
    assert page.evaluate(COVERED) == 0
    assert page.locator("#ask .why").count() == 0  # the tap asked about it and chose nothing
    tile = box_of(page, "#board .placed", 1)
    page.touchscreen.tap(tile["x"] + 0.5 * tile["width"], tile["y"] + 0.52 * tile["height"])
    page.locator("#ask .why", has_text="The road is occupied: B.").wait_for()
    page.locator("#tip", has_text="Road").wait_for()
    page.touchscreen.tap(*middle(page, "#board .target"))
    to_ply(page, 1)
    assert page.locator("#tips > :not([hidden])").count() == 0


def test_a_phone_across_gives_most_of_its_height_to_the_board(visit: Any) -> None:
    page = visit(**ACROSS)
    begin(page, "base", [{"name": "Mia"}, {"name": "Tom"}, {"name": "Eva"}, {"name": "Leo"}])
    wait_until_asked(page)
    assert page.evaluate(SHARE) >= 0.6
    page.touchscreen.tap(*middle(page, "#board .target"))
    page.locator("#ask button.main").first.tap()
    wait_until_asked(page, 0)
    assert page.evaluate(SHARE) >= 0.6
    page.locator("#ask .answers button").last.tap()
    page.wait_for_function("() => carcassonne.app.view.ply > 1")
    load(page, TOWERS)
    assert page.evaluate(SHARE) >= 0.6
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 844
    page.set_viewport_size({"width": 667, "height": 375})
    page.wait_for_function("() => innerHeight === 375")
    assert page.evaluate(SHARE) >= 0.6


@pytest.mark.parametrize("phone", [PHONE, ACROSS], ids=["upright", "across"])
def test_chips_have_words_and_are_tapped(visit: Any, phone: Any) -> None:
    page = visit(**phone)
    load(page, TOWERS)
    assert page.evaluate(HIDDEN) == 0
    chip = page.locator("#ask .filter .chip", has_text="fairy")
    chip.tap()
    page.wait_for_function("() => document.querySelectorAll('#board .target').length === 1")
    page.locator("#ask .filter .chip", has_text="floor").tap()
    page.locator("#ask .filter .chip.on", has_text="floor").wait_for()
    page.touchscreen.tap(*middle(page, "#board .target"))
    to_ply(page, 1)
    page.get_by_role("button", name="Add a floor").tap()
    page.wait_for_function("() => carcassonne.app.view.ply > 1")


@pytest.mark.parametrize("phone", [PHONE, ACROSS], ids=["upright", "across"])
@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_every_dialogue_fits(visit: Any, phone: Any, language: str) -> None:
    page = visit(**phone, locale=language)
    load(page, SHORT)
    for name in page.locator("#menu button").evaluate_all("all => all.map((one) => one.title)"):
        item = page.locator(f'#menu button[title="{name}"]')
        before = ply(page)
        if item.is_disabled():
            continue
        page.evaluate(BEFORE)
        item.tap()
        page.wait_for_function(f"() => document.querySelector('dialog[open]') || ({SETTLED})()")
        if not page.locator("dialog[open]").count():  # a rematch, for example, asks nothing
            assert ply(page) <= before
            continue
        for details in page.locator("dialog details").all():
            details.locator("> summary").tap()
            details.and_(page.locator("[open]")).wait_for()
        fits = {"isInside": True, "isScrolled": True, "cut": [], "wide": []}
        assert page.evaluate(OVER) == fits
        page.locator("dialog .head button").tap()
        page.locator("dialog").wait_for(state="detached")


def test_a_tile_is_turned_and_placed_by_taps_alone(visit: Any) -> None:
    page = visit(**ACROSS)
    load(page, SHORT)
    cells = page.locator("#board .target.cell")
    labels = cells.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    page.touchscreen.tap(*middle(page, "#board .target.cell", labels.index(max(labels, key=len))))
    page.wait_for_selector(".try.pinned")
    first = page.evaluate("() => carcassonne.app.ghost.rotation")
    page.touchscreen.tap(*middle(page, ".knob.spin"))
    page.wait_for_function("(r) => carcassonne.app.ghost.rotation !== r", arg=first)
    assert ply(page) == 0
    page.touchscreen.tap(*middle(page, ".knob.yes"))
    to_ply(page, 1)


CLIPPED = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  return [...document.querySelectorAll("select, button, .turn, .entry span")].filter((one) => {
    if (!one.getClientRects().length) return false;
    if (one.tagName !== "SELECT") return one.scrollWidth > one.clientWidth + 1 && one.clientWidth;
    pen.font = getComputedStyle(one).font;
    return pen.measureText(one.selectedOptions[0].text).width + 14 > one.clientWidth;
  }).map((one) => one.outerHTML.slice(0, 80));
}"""


@pytest.mark.parametrize("phone", [PHONE, ACROSS], ids=["upright", "across"])
@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_a_long_game_is_no_long_page_and_its_labels_are_whole(
    visit: Any, phone: Any, language: str
) -> None:
    page = visit(**phone, locale=language)
    begin(page, "base", [{"name": "You"}, {"name": "Ada", "agent": "greedy"}], seed=5, delay=3000)
    page.evaluate("() => carcassonne.ask('seat', {seat: 0, agent: 'greedy'})")
    page.locator("#timeline select").select_option("0")
    page.wait_for_function("() => carcassonne.app.view.over")
    page.wait_for_selector(".won")
    assert page.evaluate("() => document.body.scrollHeight / innerHeight") < 3.6
    assert page.evaluate(CLIPPED) == []
    page.locator("#tabs button").first.tap()
    seen = (
        "() => { const s = document.getElementById('sheet'); return s.scrollTop / s.scrollHeight; }"
    )
    page.wait_for_function(f"() => ({seen})() > 0.4")  # the last turn is in sight
    page.evaluate("() => scrollTo(0, 0)")
    page.touchscreen.tap(*middle(page, "#board .placed", 3))
    page.wait_for_timeout(300)
    assert page.evaluate("() => scrollY") == 0


@pytest.mark.parametrize("phone", [PHONE, ACROSS], ids=["upright", "across"])
def test_notes_do_not_cover_the_scores(visit: Any, phone: Any) -> None:
    page = visit(**phone)
    load(page, SHORT)
    page.evaluate("async () => (await import('/static/dom.js')).toast('Ada: city, 2 tiles = 4')")
    note, strip = box_of(page, "#toast .note"), box_of(page, "#strip")
    is_below = note["y"] >= strip["y"] + strip["height"]
    assert is_below or note["x"] + note["width"] <= strip["x"]
