"""What the page tells about moves and players: nothing happens silently or without a name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from carc_env import Game, Rules, format_position
from carc_env.engine.core.codes import Phase
from carc_env.web.beside import bridge_of_tile
from carc_env.web.tutorial import STEPS
from tests.browser.test_page import (
    BRIDGE,
    CASTLE,
    PHONE,
    TOWERS,
    auction,
    begin,
    entering,
    load,
    until,
)

pytestmark = pytest.mark.once

SPEC = re.compile(r"\w+:\w+=|weakened|\bgreedy\b|\bvalue\b")


def test_computer_players_have_names_and_stars(visit: Any) -> None:
    page = visit()
    page.locator("#menu button").first.click()
    page.get_by_label("Who plays this seat").nth(1).select_option("random")
    assert page.get_by_label("Name").nth(1).input_value() == "Mila"
    page.get_by_label("Name").nth(0).fill("Wanda")
    page.get_by_label("Who plays this seat").nth(0).select_option("greedy")
    assert page.get_by_label("Name").nth(0).input_value() == "Wanda"  # typed, so it stays
    assert not SPEC.search(page.locator("dialog .seat-list").inner_text())
    with entering(page):
        page.locator("dialog button[type=submit]").click()
    panel = page.locator("#players .player").nth(1)
    assert "Mila" in panel.inner_text() and "Mila ★" in panel.locator("option:checked").inner_text()
    panel.locator("select").select_option("weakened:noise=9")
    panel.locator("strong", has_text="Otto").wait_for()
    assert not SPEC.search(page.locator("#players").inner_text())


def bridged() -> tuple[str, list[Any]]:
    """Return a position with a tile that fits somewhere only with a bridge, and that action."""
    game = Game(Rules.preset("bridges"), seed=5)
    while True:
        position = game.position()
        if game.phase == Phase.PLACE_TILE:
            for action in game.legal_actions():
                if bridge := bridge_of_tile(game, position, action):
                    return format_position(replace(position, bag=None)), [action, bridge]
        game.apply(game.greedy_action())


GHOST_HAS = """async (key) => {
  const {use} = await import("/static/art.js");
  const href = use(key, 0, 0, 1).getAttribute("href");
  const all = [...document.querySelectorAll("#board .layer-ghost .ghost-tile")];
  return href && all.some((one) => one.getAttribute("href") === href);
}"""


def test_a_bridge_that_a_tile_spends_is_shown_and_told_before_and_after(visit: Any) -> None:
    page = visit()
    text, (number, bridge) = bridged()
    load(page, text)
    action = page.evaluate(
        "(n) => carcassonne.app.view.actions.find((a) => a.action === n)", number
    )
    assert action["brings"] == bridge
    x, y = action["cell"]
    page.locator(f"#board [data-cell='{x},{y}']").first.dispatch_event("click")
    for _ in range(4):
        if page.evaluate("() => carcassonne.app.ghost.rotation") == action["rotation"]:
            break
        page.get_by_label("Rotate").click()
    assert "only with a bridge" in page.locator("#ask .question").inner_text()
    tiles = page.evaluate("() => carcassonne.app.view.tiles")
    [tile, r] = next(([t[0], t[3]] for t in tiles if t[1:3] == bridge[:2]), [action["tile"], 0])
    r = action["rotation"] if bridge[:2] == [x, y] else r
    until(page, GHOST_HAS, f"t:{tile}:{r}:{bridge[2]}")
    page.locator("#ask button.main").first.click()
    page.locator(".log .gained", has_text="uses 1 \N{MULTIPLICATION SIGN} bridge").wait_for()


def test_what_is_asked_names_all_that_can_be_done(visit: Any) -> None:
    page = visit()
    load(page, BRIDGE)
    asked = page.locator("#ask .question").inner_text()
    assert asked.endswith("place a figure on this tile or build a bridge?")
    load(page, TOWERS)
    asked = page.locator("#ask .question").inner_text()
    assert "place a figure on this tile" in asked and "add a floor to a tower" in asked
    lit = page.locator("#ask [role=radiogroup] .chip.on").all_inner_texts()
    assert page.locator("#ask .filter .dim").inner_text() == "Show" and lit == ["all"]


def test_castles_and_small_cities_name_features_and_points(visit: Any) -> None:
    page = visit()
    load(page, CASTLE)
    assert page.get_by_role("button", name="Score the city (+4)").count() == 1
    told = page.evaluate(
        """async () => (await import('/static/words.js')).scoreWords({seat: 0, points: 3,
        source: 'CASTLE', took: 'ROAD', terms: [{n: 3, of: 'tiles', each: 1}]})"""
    )
    assert told == "castle for the road: 3 tiles = 3"


CHOICE = """[carc_env position 1]
[rules {castles: true, castle_choice: ask, auto_single: false}]
[scores 0:3]
[tokens 2:3]
[castles 0,1 S]
[town A 0,1 S]
[turn A takes]
bg-cap-straight 0,0 r0
bg-cap 0,1 r2
bg-cap 0,2 r0: A meeple N
bg-monastery-road 1,1 r3
bg-monastery 2,1 r0
bg-span-shield 2,2 r1
bg-cap 3,2 r3
bg-monastery 0,3 r0
bg-monastery-road 1,3 r1
bg-cap-straight 1,2 r1
"""


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
def test_what_a_castle_can_score_is_named_with_its_points(visit: Any, size: Any) -> None:
    page = visit(**size)
    load(page, CHOICE)
    targets = page.locator("#board .target")
    words = ["Castle scores the road south (+3)", "Castle scores the city east (+8)"]
    assert targets.evaluate_all("all => all.map((one) => one.ariaLabel)") == words
    assert page.locator("#board .open-count").all_text_contents() == ["+3", "+8"]
    targets.last.dispatch_event("click")
    page.locator(".log .entry", has_text="scores the city east with a castle").wait_for()
    assert page.evaluate("() => carcassonne.app.view.scores") == [8, 3]


HAS = """([word, ply]) => {
  window.BY = (word) => (a) => a.word === word;
  const {app, isDrawn, myTurn} = carcassonne;
  return isDrawn() && myTurn() && app.view.ply === ply && app.view.actions.some(BY(word));
}"""


def test_an_auction_tells_who_pays_whom_and_shows_its_tiles_again(visit: Any) -> None:
    page = visit()
    load(page, auction())
    page.locator("#ask button.lot").first.click()
    for ply, word in enumerate(("bid", "bid", "sell"), start=1):
        page.wait_for_function(HAS, arg=[word, ply])
        page.evaluate("(w) => carcassonne.act(carcassonne.app.view.actions.find(BY(w)))", word)
    page.locator(".log .gained", has_text=re.compile(r"Auction: \w+ pays \w+ 1 point")).wait_for()
    page.get_by_label("To the start").click()
    page.locator("#ask .past-words .lot").nth(1).wait_for()


def test_the_final_scoring_has_a_heading_and_turns_have_names(visit: Any) -> None:
    page = visit()
    begin(page, "base", [{"name": n, "agent": "greedy"} for n in ("Ann", "Ben")], seed=3)
    page.wait_for_function("() => carcassonne.app.view.over")
    page.get_by_role("tab", name="Log").click()
    headings = page.locator(".log .turn").all_inner_texts()
    assert "Ann" in headings[0] and "Turn 1" in headings[0]
    assert headings[-1].strip() == "Final scoring"
    assert not any(
        row.startswith(("Ann: ", "Ben: ")) for row in page.locator(".log .entry").all_inner_texts()
    )
    assert page.locator(".log .turn:has-text('Final scoring') ~ .entry").count() == 0


def test_the_coach_gives_a_reason_and_does_not_mix_the_lead_with_losses(visit: Any) -> None:
    page = visit()
    load(page, next(step for step in STEPS if step.name == "city").text)
    page.keyboard.press("c")
    page.locator(".opinion-row").nth(1).wait_for()
    reason = page.locator(".reason").inner_text()
    assert "Scores 8 points for your city" in reason and "frees a figure" in reason
    assert "Expected final lead after the best move: " in page.locator(".opinions").inner_text()
    column = page.locator(".opinion-row b").all_inner_texts()
    assert column[0] == "★" and not any("+" in one for one in column[1:])
