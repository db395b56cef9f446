"""What people do on the page, by clicks, taps and keys in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest
from PIL import Image

from carc_env import Game, Rules, format_position, format_record, load_record
from carc_env.engine.core.codes import Phase
from carc_env.web import view as views
from tests.rules.positions import RING, Table, carcassonne
from tests.test_drawing import ON_THE_MOVE
from tests.test_jcz import log_of, save_of
from tests.web_server import PATIENCE, late, serving

pytestmark = pytest.mark.once

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
QUESTIONS = "carcassonne.app.view.phase"
CASTLE = """[carc_env position 1]
[rules {castles: true}]
[scores 3:5]
[tokens 3:3]
[town A 0,-1 S]
[turn A decides]
bg-cap-straight 0,0 r0: A meeple N
bg-cap 0,-1 r2
"""
ABBEY = Table("abbeys: true").position(
    [tile.replace("bg-straight -1,0 r0", "bg-monastery-road -1,0 r2") for tile in RING],
    turn="A begins",
    headers="[abbeys 1:1]",
    scores="9:4",
    auto_single=True,
)
BRIDGE = """[carc_env position 1]
[rules {bridges: true}]
[scores 0:0]
[bridges 3:3]
[turn A acts]
bg-cap-straight 0,0 r0
bg-straight 1,0 r0
bg-monastery 0,1 r0
"""
TOWERS = """[carc_env position 1]
[rules {sets: [base, princess, tower], dragon: true, fairy: true, towers: true}]
[scores 9:4]
[dragon 1,1]
[floors 7:9]
[towers 0,1 3, 0,2 1 A meeple]
[prisoners B holds A meeple]
[turn A acts]
bg-cap-straight 0,0 r0: B meeple N, B meeple E
to-field-garden 0,1 r0
bg-straight 1,0 r0
pd-volcano 1,1 r0
to-monastery 0,2 r0: A abbot mid
pd-straight-dragon 2,0 r0
"""
PASTURE = """[carc_env position 1]
[rules {{sets: [base, hills], hills: true, vineyards: true, shepherds: true}}]
[scores 0:0]
[hidden ?]
{sheep}
[turn A {turn}]
bg-cap-straight 0,0 r0
hs-cap-gate-hill 0,-1 r2
bg-straight 1,0 r0{shepherd}
bg-straight 2,0 r0
"""
QUARTERS = Table("count: true, large_meeples: true", sets="base, inns, count")
LAST = "bg-cap 2,1 r3"
ENTERS = QUARTERS.position(
    carcassonne(LAST),
    turn="A enters",
    headers="[quarters A meeple market, B large castle]",
    scores="0:4",
    auto_single=True,
)
LEAVES = QUARTERS.position(
    carcassonne(LAST, co_12="A meeple E"),
    turn="A joins",
    headers="""[count market]
[quarters A meeple castle, B meeple castle, B large castle, B meeple market]
[leaves B]""",
    scores="0:4",
    auto_single=True,
)
SHORT = """[carc_env position 1]
[rules {}]
[scores 3:5]
[turn A places bg-curve]
bg-cap-straight 0,0 r0
bg-corner-curve 0,-1 r1: A meeple E
bg-monastery 0,1 r0: B abbot mid
bg-straight 1,0 r0: B meeple Nw
"""


def auction() -> str:
    """Return a position in which the first of two tiles is to be put up for sale."""
    game = Game(Rules.preset("bridges"), seed=1)
    while game.phase != Phase.BAZAAR_PICK:
        game.apply(game.greedy_action())
    return format_position(replace(game.position(), bag=None))


def finished(preset: str = "base") -> Game:
    """Return a finished game of greedy players."""
    game = Game(preset, seed=7)
    while not game.is_over:
        game.apply(game.greedy_action())
    return game


BEFORE = "() => { window.viewBefore = carcassonne.app.view; }"
SETTLED = """() => {
  const {app, isDrawn} = carcassonne;
  return isDrawn() && app.view !== window.viewBefore && (app.exercise || app.lines.length > 0);
}"""
"""A game is drawn, and nothing is still to come that redraws it, such as its variations."""


@contextmanager
def entering(page: Any) -> Iterator[None]:
    """Wait, after the block, for the game that it opens or opens again."""
    page.evaluate(BEFORE)
    yield
    page.wait_for_function(SETTLED)


def begin(
    page: Any, preset: str, seats: list[dict[str, str]], seed: int = 1, delay: int = 0, **rules: Any
) -> None:
    """Begin a game whose agents move after a delay, by default at once."""
    with entering(page):
        page.evaluate(
            "([rules, seats, seed]) => carcassonne.ask('new', {rules, seats, seed})",
            [{"preset": preset, **rules}, seats, seed],
        )
    page.evaluate("(delay) => carcassonne.ask('pace', {delay, paused: false})", delay)
    page.wait_for_function("(delay) => carcassonne.app.delay === delay", arg=delay)


def load(page: Any, text: str) -> None:
    """Open a record or position by pasting it."""
    with entering(page):
        page.locator("#menu button").nth(1).click()
        page.locator("dialog textarea").fill(text)
        page.locator("dialog button.main").click()


def ply(page: Any) -> int:
    return int(page.evaluate("() => carcassonne.app.view.ply"))


def wait_until_asked(page: Any, after: int = -1) -> None:
    page.wait_for_function(
        f"(ply) => {{ const {{app, myTurn}} = carcassonne;"
        f" return ({SETTLED})() && app.view.ply > ply && (app.view.over || myTurn()); }}",
        arg=after,
    )


STILL = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame(); // in which the page draws what it has heard
  await frame(); // after which it has answered to the sizes that its parts have now
  const isMoving = document.getAnimations().some((one) => one.playState === "running");
  const symbols = [...document.querySelectorAll("use")].map((one) => one.getAttribute("href"));
  const isDrawn = symbols.every((href) => document.getElementById(href.slice(1)));
  return !isMoving && isDrawn && !document.querySelector("image:not([href])");
}"""


def until(page: Any, script: str, arg: Any = None) -> Any:
    """Return the result of an asynchronous function as soon as it is true.

    ``wait_for_function`` would take any promise for true.
    """
    end = monotonic() + PATIENCE
    while not (found := page.evaluate(script, arg)):
        assert monotonic() < end, script
    return found


def wait_until_still(page: Any) -> None:
    """Wait until all drawings have loaded, which a pointer needs too, and nothing moves."""
    until(page, STILL)


def check_for_everybody(page: Any, what: str = "") -> None:
    """Check that people who cannot see can use the page, and that it fits the window's width."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed: make test-browser"
    )
    wait_until_still(page)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, (what, found.generate_report())
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), what


STEADY = """async ([selector, k]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const look = async () => {
    await frame();
    return document.querySelectorAll(selector)[k]?.getBoundingClientRect();
  };
  const [before, box] = [await look(), await look()];
  return box?.width && JSON.stringify(box) === JSON.stringify(before) && box.toJSON();
}"""


def box_of(page: Any, selector: str, k: int = 0) -> dict[str, float]:
    """Return the box of an element as soon as it is there and has stopped moving."""
    box: dict[str, float] = until(page, STEADY, [selector, k])
    return box


def middle(page: Any, selector: str, k: int = 0) -> tuple[float, float]:
    box = box_of(page, selector, k)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


ANSWER = """([chip, target, plain, isPlain]) => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const click = (list, share) =>
    list[Math.floor(share * list.length)]?.dispatchEvent(new MouseEvent("click", {bubbles: true}));
  const {app} = carcassonne, asked = [app.view.phase, app.view.ply];
  click(all("#ask .chip"), chip);
  const buttons = all(
    "#ask .answers > button:not(:has(svg)), #ask .bids .main, #ask button.lot");
  const targets = all("#board .target");
  if (!targets.length || (isPlain && buttons.length)) click(buttons, plain);
  else click(targets, target);
  if (app.ghost) click(all("#ask button.main"), 0);
  return asked;
}"""


def answer(page: Any, random: Random) -> str:
    """Answer a question by clicks, mostly on the board; return the phase of the question."""
    shares = [random.random() for _ in range(3)]
    asked, before = page.evaluate(ANSWER, [*shares, random.random() < 0.2])
    wait_until_asked(page, before)
    return str(asked)


@pytest.mark.long
def test_a_game_of_all_sets_by_clicking(visit: Any) -> None:
    page, random, asked = visit(viewport={"width": 840, "height": 520}), Random(4), set()
    begin(page, "all", [{"name": "Ann"}, {"name": "Ben"}], seed=3)
    wait_until_asked(page)
    while not page.evaluate("() => carcassonne.app.view.over"):
        asked.add(answer(page, random))
    assert asked >= {"PLACE_TILE", "FIGURE", "WAGON", "BAZAAR_PICK", "BAZAAR_BID", "BAZAAR_DEAL"}
    page.wait_for_selector(".won")
    assert page.locator(".sources tbody tr").count() > 3


def test_a_new_game_by_its_dialogue_against_an_agent(visit: Any) -> None:
    page, random = visit(), Random(1)
    with entering(page):
        page.locator("#menu button").first.click()
        page.locator("dialog button[type=submit]").click()
    page.locator("#timeline select").select_option("0")
    page.wait_for_function("() => carcassonne.app.delay === 0")
    wait_until_asked(page)
    for _ in range(6):
        answer(page, random)
    page.locator("select.agent").first.select_option("value")
    page.wait_for_function("() => carcassonne.app.view.over")
    page.wait_for_selector(".won")


def show_sets(page: Any) -> None:
    for group in page.locator("details.boxes > summary").all():
        group.click()


def test_a_box_brings_its_tiles_and_rules_and_takes_them_away(visit: Any) -> None:
    page = visit()
    with entering(page):
        page.locator("#menu button").first.click()
        show_sets(page)
        for name in ("The Tower", "The Phantom", "Siege", "The Tower", "The Tower"):
            page.locator(f".boxes label:has-text('{name}')").click()
        page.locator("details.switches > summary").click()
        page.locator("details.switches .check:has-text('Besieged cities')").click()
        assert page.locator(".boxes input").evaluate_all(
            "(boxes) => boxes.filter((box) => box.checked || box.indeterminate).map((box) =>"
            " [box.closest('label').innerText.split(' (')[0], box.indeterminate])"
        ) == [["The Tower", False], ["The Phantom", False], ["Siege", True]]
        assert page.locator("#preset").input_value() == ""
        page.locator("dialog button[type=submit]").click()
    rules = Rules(sets=("base", "tower", "siege"), towers=True, phantom=True)
    assert page.evaluate("() => carcassonne.app.view.rules") == rules.to_yaml()


def test_boxes_ticked_in_any_order_are_the_preset_that_has_them(visit: Any) -> None:
    page = visit()
    page.locator("#menu button").first.click()
    show_sets(page)
    for name, preset in (("Bridges", ""), ("Abbey & Mayor", "bridges"), ("Siege", "")):
        page.locator(f".boxes label:has-text('{name}')").click()
        assert page.locator("#preset").input_value() == preset


def test_the_keyboard_is_enough(visit: Any) -> None:
    page = visit()
    begin(page, "base", [{"name": "Ann"}, {"name": "Ben"}])
    page.locator("#board").focus()
    for keys in ("ArrowRight r Enter", "ArrowRight Enter", "ArrowDown Enter", "p") * 3:
        wait_until_asked(page)
        before, phase = ply(page), page.evaluate(f"() => {QUESTIONS}")
        for key in keys.split() if phase == "PLACE_TILE" or keys == "p" else ["ArrowUp", "Enter"]:
            page.keyboard.press(key)
        if phase == "PLACE_TILE" and keys == "p":  # nothing to pass: the tile must be placed
            page.keyboard.press("ArrowLeft")
            page.keyboard.press("Enter")
        page.wait_for_function("(ply) => carcassonne.app.view.ply > ply", arg=before)
    wait_until_asked(page)
    before = ply(page)
    page.keyboard.press("u")
    page.wait_for_function("(ply) => carcassonne.app.view.ply < ply", arg=before)
    page.keyboard.press("?")
    page.locator("dialog kbd").nth(5).wait_for()


def test_a_wagon_moves_to_a_lit_place(visit: Any) -> None:
    page = visit()
    load(page, ON_THE_MOVE)
    assert page.locator("#board .target.spot").count() == 4
    assert "wagon" in page.locator("#ask .question").inner_text()
    page.locator("#board .target.spot").first.dispatch_event("click")
    page.wait_for_function("() => carcassonne.app.view.ply === 1")


def test_a_town_becomes_a_castle(visit: Any) -> None:
    page = visit()
    load(page, CASTLE)
    assert page.locator("#board .town").count() == 1
    page.get_by_role("button", name="Make it a castle").click()
    page.wait_for_selector("#board .castle")
    assert "founds a castle" in page.locator(".log").inner_text()


def test_an_auction(visit: Any) -> None:
    page = visit()
    load(page, auction())
    assert page.locator("#ask button.lot").count() == 2
    page.locator("#ask button.lot").last.click()
    page.wait_for_function(f"() => {QUESTIONS} === 'BAZAAR_BID' && carcassonne.isDrawn()")
    assert "bid for this tile" in page.locator("#ask .question").inner_text()
    assert page.locator("#ask .lot.on").count() == 1
    page.locator("#ask .bids input").fill("4")
    page.locator("#ask .bids button").last.click()
    wait_until_asked(page, 1)
    assert "The highest bid is 4 (A)" in page.locator("#ask .question").inner_text()
    page.locator("#ask .bids button").first.click()
    wait_until_asked(page, 2)
    assert "Highest bid: 5 (B)" in page.locator("#ask .question").inner_text()
    scores = page.evaluate("() => carcassonne.app.view.scores")
    page.get_by_role("button", name="Sell it (+5)").click()
    wait_until_asked(page, 3)
    a, b = page.evaluate("() => carcassonne.app.view.scores")
    assert (a - scores[0], b - scores[1]) == (5, -5)
    assert "bids 5" in page.locator(".log").inner_text()


# If the next tile fits only one place, it is already there.
TOKEN = "() => carcassonne.app.view.log.find((entry) => entry.token !== undefined).token"


def test_a_shepherd_is_placed_by_clicks(visit: Any) -> None:
    page = visit()
    load(page, PASTURE.format(sheep="", turn="acts", shepherd=""))
    page.locator("#ask .chip", has_text="shepherd").click()
    assert page.locator("#board .target.spot").count() == 2
    page.locator("#board .target.spot").first.dispatch_event("click")
    to_ply(page, 1)
    token = page.evaluate(TOKEN)
    assert (f"{token} sheep" if token else "the wolf comes") in page.locator(".log").inner_text()
    assert page.locator(".layer-figures > *").count() == bool(token)


def test_a_flock_grows_or_is_herded(visit: Any) -> None:
    page = visit()
    load(page, PASTURE.format(sheep="[sheep A 2 3]", turn="tends", shepherd=": A shepherd Nw"))
    assert "draw a token for your flock" in page.locator("#ask .question").inner_text()
    buttons = page.locator("#ask .answers > button")
    assert buttons.all_inner_texts() == ["Let the flock grow", "Herd the flock in (+5)"]
    assert page.locator("#players .token[title*=sheep]").inner_text() == "5"
    drawn = []
    for _ in range(2):  # taken back, and drawn again
        buttons.first.click()
        to_ply(page, 1)
        drawn.append(page.evaluate(TOKEN))
        n = 5 + drawn[-1] if drawn[-1] else 0
        assert page.locator("#players .token[title*=sheep]").count() == (n > 0)
        page.keyboard.press("u")
        to_ply(page, 0)
    assert drawn[0] == drawn[1]
    buttons.last.click()
    to_ply(page, 1)
    assert page.evaluate("() => carcassonne.app.view.scores") == [5, 0]
    assert "herds the flock" in page.locator(".log").inner_text()


def test_an_abbey_fills_a_hole(visit: Any) -> None:
    page = visit()
    load(page, ABBEY)
    page.get_by_role("button", name="Draw a tile", exact=True).wait_for()
    page.locator("#board .target.cell").dispatch_event("click")
    page.locator("#ask button.main").first.click()
    page.wait_for_function("() => carcassonne.app.view.tiles.length === 9")


def test_a_bridge_is_built(visit: Any) -> None:
    page = visit()
    load(page, BRIDGE)
    page.locator("#ask .chip").last.click()
    page.locator("#board .target.bridge").dispatch_event("click")
    page.wait_for_function("() => carcassonne.app.view.tiles[2][4] === 'EW'")


def to_ply(page: Any, ply: int) -> None:
    page.wait_for_function(
        "(ply) => carcassonne.app.view.ply === ply && carcassonne.isDrawn()", arg=ply
    )


def at_cell(page: Any, cell: str) -> None:
    page.locator(f'#board .target[data-cell="{cell}"]').dispatch_event("click")


def test_a_ransom_a_floor_a_capture_and_a_flight(visit: Any) -> None:
    page = visit()
    load(page, TOWERS)
    page.locator("#ask button", has_text="Buy the meeple back").click()
    to_ply(page, 1)
    assert page.evaluate("() => carcassonne.app.view.scores") == [6, 7]
    at_cell(page, "0,1")
    to_ply(page, 2)
    assert "on that tile" in page.locator("#ask .question").inner_text()
    page.get_by_role("button", name="Add a floor").click()
    to_ply(page, 3)
    assert page.locator("#board .target.to").count() == 2
    at_cell(page, "0,0")
    to_ply(page, 4)
    assert page.locator("#board .target.spot").count() == 2
    page.locator("#board .target.spot").first.dispatch_event("click")
    to_ply(page, 5)
    assert "takes a meeple off 0,0" in page.locator(".log").inner_text()
    assert "where does the dragon fly" in page.locator("#ask .question").inner_text()
    at_cell(page, "1,0")
    to_ply(page, 6)
    at_cell(page, "0,0")
    page.wait_for_function("() => carcassonne.app.view.ply > 6 && carcassonne.isDrawn()")
    assert page.locator(".layer-figures > *").count() == 0  # the only way passes all of them


def test_the_fairy_comes_to_a_meeple_on_a_tower(visit: Any) -> None:
    page = visit()
    load(page, TOWERS)
    at_cell(page, "0,2")
    to_ply(page, 1)
    assert page.locator("#board .target.spot").count() == 1
    page.get_by_role("button", name="Fairy to the meeple on the tower").click()
    to_ply(page, 2)
    assert "moves the fairy to 0,2" in page.locator(".log").inner_text()


def test_a_meeple_goes_into_carcassonne_and_the_count_moves(visit: Any) -> None:
    page = visit()
    load(page, ENTERS)
    assert "Send a meeple to a quarter" in page.locator("#ask .question").inner_text()
    assert page.locator("#ask .quarters button").count() == 4
    page.locator("#ask .chip", has_text="abbot").click()
    assert page.locator("#board .target.area").count() == 1  # XCK-15
    page.locator("#ask .chip", has_text="large").click()
    page.locator('#board .target[data-quarter="CASTLE"]').click()
    to_ply(page, 1)
    assert page.locator("#board .guest").count() == 3
    assert page.locator('#players .guests[title*="large meeple"]').count() == 2
    assert "where does the count go" in page.locator("#ask .question").inner_text()
    page.get_by_role("button", name="Count: blacksmith").click()
    to_ply(page, 2)
    assert page.locator('#board [data-quarter="BLACKSMITH"] .count').count() == 1
    log = page.locator(".log").inner_text()
    assert "Large meeple to Carcassonne, castle" in log
    assert "moves the count: blacksmith" in log


def test_nobody_has_to_go_into_carcassonne(visit: Any) -> None:
    page = visit(**PHONE)
    load(page, ENTERS)
    page.get_by_role("button", name="Pass", exact=True).tap()
    page.wait_for_function("() => carcassonne.app.view.ply > 0 && carcassonne.isDrawn()")
    assert page.locator("#board .guest").count() == 2


def test_meeples_leave_carcassonne_for_what_is_scored(visit: Any) -> None:
    page = visit()
    load(page, LEAVES)
    assert "leave Carcassonne" in page.locator("#ask .question").inner_text()
    assert page.locator("#board .target.to").count() == 2
    at_cell(page, "2,1")
    to_ply(page, 1)
    page.locator("#ask .chip", has_text="large").click()
    page.locator("#board .target.spot").dispatch_event("click")
    to_ply(page, 2)
    assert page.locator("#board .guest").count() == 3
    at_cell(page, "1,1")  # any number may leave; the last one has only one spot
    to_ply(page, 3)
    assert page.evaluate("() => carcassonne.app.view.decider") == 0  # the turn player comes last
    page.get_by_role("button", name="Pass", exact=True).click()
    page.wait_for_function("() => carcassonne.app.view.ply > 3 && carcassonne.isDrawn()")
    assert page.evaluate("() => carcassonne.app.view.scores") == [0, 8]


def test_a_feature_is_told_when_pointed_at(visit: Any) -> None:
    page = visit()
    load(page, SHORT)
    wait_until_still(page)
    x, y = middle(page, "#board .placed", 1)
    box = box_of(page, "#board .placed", 1)
    page.mouse.move(x, y)
    page.mouse.move(x + box["width"] * 0.3, y + box["height"] * 0.25)
    page.wait_for_selector("#tip:not([hidden])")
    assert "Worth" in page.locator("#tip").inner_text()
    assert page.locator(".layer-feature path").count() >= 1


def test_a_feature_is_told_when_tapped(visit: Any) -> None:
    page = visit(**PHONE)
    load(page, SHORT)
    wait_until_still(page)
    box = box_of(page, "#board .placed", 1)
    x, y = box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.25
    page.touchscreen.tap(x, y)
    page.wait_for_selector("#tip:not([hidden])")
    page.wait_for_timeout(300)  # the finger has left the board
    assert "Worth" in page.locator("#tip").inner_text()
    page.touchscreen.tap(*middle(page, "#board .target"))
    page.wait_for_selector(".try.pinned")
    assert page.locator("#tip:not([hidden])").count() == 1
    page.locator("#ask button.main").first.tap()
    page.wait_for_function("() => carcassonne.app.view.ply > 0 && carcassonne.isDrawn()")
    assert page.locator("#tip:not([hidden]), .layer-feature path").count() == 0


@pytest.mark.parametrize(
    ("page_of", "said"),
    [
        ("en-GB", "no remaining tile fits the hardest gap"),
        ("de-DE", "kein übriges Plättchen"),
    ],
)
def test_what_does_not_fit_is_told_in_words(visit: Any, page_of: str, said: str) -> None:
    page = visit(locale=page_of)
    found = page.evaluate(
        "async () => { const {t} = await import('/static/i18n.js');"
        " return [0, 1, 2].map((n) => t('feature.fits', {n})); }"
    )
    assert found[0].startswith(said)
    assert [text.split(" ")[0] for text in found[1:]] == ["1", "2"]


def test_a_tile_is_turned_by_clicks_and_the_wheel(visit: Any) -> None:
    page = visit()
    load(page, SHORT)
    turned = "() => carcassonne.app.ghost.rotation"
    n = page.locator("#board .target.cell").count()
    many = next(k for k in range(n) if _ways(page, k) != "1")
    page.mouse.click(*middle(page, "#board .target.cell", many))
    page.wait_for_selector(".try.pinned")
    first = page.evaluate(turned)
    page.mouse.wheel(0, 100)
    page.wait_for_function("(r) => carcassonne.app.ghost.rotation !== r", arg=first)
    second = page.evaluate(turned)
    page.mouse.click(*middle(page, ".ghost-rim"))
    page.wait_for_function("(r) => carcassonne.app.ghost.rotation !== r", arg=second)
    page.mouse.click(*middle(page, ".knob.yes"))
    page.wait_for_function("() => carcassonne.app.view.ply > 0")


def _ways(page: Any, k: int) -> str:
    """Return the number of ways to place the tile on a lit cell, according to its label."""
    label = page.locator("#board .target.cell").nth(k).get_attribute("aria-label")
    return label.partition(": ")[2].split(" ")[0] or "1"


SENTENCES = """async ([one, other]) => {
  const words = await import("/static/words.js"), {app} = carcassonne, said = [];
  const place = {cell: [1, 2], quarter: "MARKET", spot: "N"};
  const moves = {...place, figure: "MEEPLE", seat: 1, name: "meeple N"};
  app.view = {sitters: [{name: one, agent: null}, {name: other, agent: "value"}]};
  const table = await (await fetch(`/static/lang/${document.documentElement.lang}.json`)).json();
  for (const key of Object.keys(table).filter((key) => key.startsWith("log.")))
    if (table[key].includes("{who}"))
      said.push(words.logWords({seat: 0, move: {...moves, word: key.slice(4), number: 3}}));
  for (const n of [1, 9]) said.push(words.about(0, "end.won", {n}));
  said.push(words.about(0, "ask.waits"), words.about(0, "ask.paused"));
  for (const key of Object.keys(table).filter((key) => /^(ask[.][A-Z]|say[.]turn)/.test(key)))
    said.push(words.calling(0, key, {price: 5, bidder: other, choices: "1, 2"}));
  for (const source of ["CITY", "FIELD", "GOODS"])
    said.push(words.scoreWords({source, tiles: 3, shields: 1, points: 8, seat: 0}));
  return said;
}"""


@pytest.mark.parametrize(
    ("locale", "you", "third"),
    [
        ("en-GB", "You", r"\bYou (is|has|moves|wins|passes|[a-z]+s)\b(?<!You pass)|You'"),
        ("de-DE", "Du", r"\bDu (?!\w*(st|tzt)\b)"),
    ],
)
def test_every_sentence_fits_you_and_a_name(visit: Any, locale: str, you: str, third: str) -> None:
    page = visit(locale=locale)
    ada = page.evaluate(SENTENCES, ["Ada", "You"])  # the page addresses the player "You", not Ada
    alone = page.evaluate(SENTENCES, ["Ada", "Value"])
    called = page.evaluate(SENTENCES, [you, "Value"])
    assert len(ada) > 60 and not [text for text in (*ada, *alone, *called) if "{" in text]
    assert not [text for text in (*alone, *called) if re.search(third, text)]
    assert not [text for text in ada if re.search(rf"\b{you} \w", text)]
    assert sum(text.startswith(f"{you} ") for text in alone) > 25
    assert sum(text.startswith("Ada ") for text in ada) > 25
    assert sum(text.startswith("Ada, ") for text in ada) >= 20
    assert not [text for text in called if text.startswith(f"{you}, ")]
    assert not [text for text in alone if not re.match(r"[A-ZÄÖÜ]", text) and ": " not in text]


def test_markup_in_names_is_only_text(visit: Any) -> None:
    page = visit()
    name = "<img src=x onerror=1>"
    begin(page, "base", [{"name": name}, {"name": "<b>Ben</b>"}])
    wait_until_asked(page)
    assert page.locator("main img, main b:text('Ben')").count() == 0
    assert name in page.locator("#players").inner_text()


def test_the_coach_draws_its_opinion_over_the_board(visit: Any) -> None:
    page = visit()
    load(page, SHORT)
    page.keyboard.press("c")
    page.wait_for_selector(".opinion-row")
    assert page.locator("#board .opinion").count() >= 1
    page.locator(".opinion-row").first.click()
    page.wait_for_function("() => carcassonne.app.view.ply === 1")


def test_a_finished_game_is_saved_and_opened_again(visit: Any, tmp_path: Any) -> None:
    page = visit()
    begin(page, "base", [{"name": "A", "agent": "value"}, {"name": "B", "agent": "greedy"}])
    page.wait_for_function("() => carcassonne.app.view.over")
    page.get_by_role("button", name="Save and share").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Record").click()
    text = saved.value.path().read_text()
    assert load_record(text).is_over
    plies = ply(page)
    load(page, text)
    assert ply(page) == plies
    page.locator("#timeline button").first.click()
    page.wait_for_selector("#table.past")
    assert page.locator("#board .placed").count() == 1


def test_a_replay(visit: Any) -> None:
    page, game = visit(), finished()
    load(page, format_record(game))
    last = ply(page)
    shown = "(ply) => (carcassonne.app.past || carcassonne.app.view).ply === ply"
    page.locator("#timeline input").fill("20")
    page.wait_for_function(shown, arg=20)
    assert "decision 20 of" in page.locator("#ask").inner_text()
    for key, at in ((".", 21), (",", 20), (",", 19), ("ArrowRight", 20)):
        page.keyboard.press(key)
        page.wait_for_function(shown, arg=at)
    page.get_by_role("button", name="Play as a film").click()
    page.wait_for_function(shown.replace("===", ">="), arg=22)
    page.get_by_role("button", name="Play as a film").click()
    page.locator("#tabs button").first.click()
    page.locator(".log .entry").nth(2).click()
    page.wait_for_selector("#table.past")
    page.keyboard.press("Escape")
    page.wait_for_function(shown, arg=last)
    assert page.locator("#board .placed").count() == len(game.position().tiles)


def test_a_review_shows_the_better_move(visit: Any) -> None:
    page = visit()
    load(page, format_record(finished()))
    page.get_by_role("button", name="Review the game").click()
    page.wait_for_selector(".review")
    assert page.locator(".accuracy").count() == 2 and page.locator(".worst").count() == 6
    assert page.locator(".loss").count() > 10
    assert "compares" in page.locator("#sheet").inner_text()
    page.locator(".worst").first.click()
    page.wait_for_selector("#table.past")
    assert "lost. What would have been better?" in page.locator("#ask").inner_text()
    assert page.locator("#board .better").count() == 0
    page.get_by_role("button", name="Show the answer").click()
    page.wait_for_selector("#board .better")
    assert "lost; better" in page.locator("#ask").inner_text()
    assert page.locator("#board .better").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector("#table:not(.past)")
    page.keyboard.press("m")
    page.wait_for_selector("#table.past")


BOXES = """() => {
  const edges = (node) => { const b = node.getBoundingClientRect(); return [b.top, b.bottom]; };
  const tiles = [...document.querySelectorAll("#board .placed .rim")].map(edges);
  const [top, bottom] = edges(document.querySelector("#board"));
  const isWhole = tiles.every(([t, b]) => t >= top && b <= bottom);
  return {size: tiles[0][1] - tiles[0][0], isWhole};
}"""


def test_a_deleted_game_can_be_restored(visit: Any) -> None:
    page = visit()
    begin(page, "base", [{"name": "Hanna"}, {"name": "Igor"}])
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="Delete the game: Hanna · Igor").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo: Hanna · Igor").wait_for()
    assert page.evaluate("() => [carcassonne.app.view, location.hash]") == [None, ""]
    page.get_by_role("button", name="Undo: Hanna · Igor").click()
    with entering(page):
        page.get_by_role("button", name=re.compile("^Hanna · Igor, ")).click()
    assert "Hanna" in page.locator("#players").inner_text()


def test_a_link_to_a_game_that_is_not_there(visit: Any) -> None:
    page = visit(locale="de-DE")
    address = page.url
    page.goto("about:blank")
    page.goto(f"{address}#game=0000000000")
    page.get_by_text("Dieses Spiel gibt es nicht").wait_for()
    assert page.locator(".welcome").count() == 1 and "#" not in page.url


def test_what_is_no_game_does_not_cover_the_page(visit: Any) -> None:
    page = visit(**PHONE)
    page.get_by_role("button", name="Open", exact=True).first.tap()
    page.locator("dialog textarea").fill("x" * 5_000)
    page.locator("dialog button.main").tap()
    page.locator(".note.bad").wait_for()
    box = box_of(page, ".note.bad")
    size = PHONE["viewport"]
    assert box["width"] <= size["width"] and box["height"] < size["height"] / 3


def test_agents_that_get_ready_leave_no_old_game_behind(window: Any, short_path: Path) -> None:
    page = window()
    with serving(short_path / "games", agents=[late(short_path)]) as port:
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector(".welcome")
        begin(page, "base", [{"name": "Ann"}, {"name": "Ben"}])
        seats = [{"name": "Ann"}, {"name": "Late", "agent": late(short_path)}]
        with entering(page):
            page.evaluate("(seats) => carcassonne.ask('new', {rules: {}, seats})", seats)
            page.get_by_role("heading", name="Getting ready: Latecomer").wait_for()
            assert page.locator("#board").is_hidden()
            (short_path / "go").touch()
        assert "Late" in page.locator("#players").inner_text()
        page.context.close()


def test_a_position_that_cannot_be_drawn_is_played_on(
    window: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise IndexError("as asked")

    monkeypatch.setattr(views, "_spot", fail)
    page = window()
    with serving(tmp_path) as port:
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector(".welcome")
        begin(page, "base", [{"name": "A"}, {"name": "B"}])
        wait_until_asked(page)
        page.evaluate("() => carcassonne.act(carcassonne.app.view.actions[0])")
        page.get_by_text("Part of this position cannot be drawn").first.wait_for()
        word = "() => carcassonne.app.view.actions.find((a) => a.word === 'named').name"
        page.wait_for_function(word)
        name = page.evaluate(word)
        page.locator("#ask .answers").get_by_role("button", name=name, exact=True).click()
        page.wait_for_function("() => carcassonne.app.view.ply === 2")
        assert page.evaluate("() => carcassonne.app.view.log.some((l) => l.move.word === 'figure')")
        page.context.close()


def test_the_end_of_a_game_shows_the_whole_board(visit: Any) -> None:
    page = visit(viewport={"width": 840, "height": 520})
    begin(page, "all", [{"name": "A", "agent": "value"}, {"name": "B", "agent": "greedy"}], seed=3)
    page.wait_for_function("() => carcassonne.app.view.over")
    page.wait_for_selector(".won")
    page.wait_for_function(f"() => ({BOXES})().isWhole")
    begin(page, "base", [{"name": "A"}, {"name": "B"}])  # the camera follows the next game again
    page.wait_for_function(f"() => ({BOXES})().size > 50")


def test_without_a_server_the_page_says_so_and_takes_no_clicks(window: Any, tmp_path: Path) -> None:
    page = window()
    with serving(tmp_path) as port:
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector(".welcome")
        begin(page, "base", [{"name": "A"}, {"name": "B"}])
        wait_until_asked(page)
        assert page.locator("#offline").is_hidden()
        x, y = middle(page, "#board .target")
    page.wait_for_selector("#offline p")
    assert "Not connected to the server." in page.locator("#offline").inner_text()
    page.mouse.click(x, y)
    assert page.evaluate("() => carcassonne.app.ghost") is None
    page.get_by_role("button", name="Rematch").first.click()
    page.get_by_role("button", name="New tiles").click()  # the page cannot ask for one
    page.wait_for_selector("#toast .bad")
    page.mouse.move(5, 5)
    page.evaluate(BEFORE)
    with serving(tmp_path, port):
        page.wait_for_selector("#offline p", state="detached")
        wait_until_asked(page)
        page.mouse.click(x, y)
        page.wait_for_function("() => carcassonne.app.ghost?.pinned")
        page.context.close()


def test_a_save_of_jcloisterzone_is_opened_as_a_file(visit: Any, tmp_path: Any) -> None:
    page, save = visit(locale="de-DE"), save_of(log_of("a_2p-0000"))
    good, bad = tmp_path / "good.jcz", tmp_path / "bad.jcz"
    good.write_text(json.dumps(save), encoding="utf-16")
    save["setup"]["sets"]["corncircles"] = 1
    bad.write_text(json.dumps(save), encoding="utf-8")
    for path in (good, bad):
        page.locator("#menu button").nth(1).click()
        page.locator("dialog input[type=file]").set_input_files(path)
        page.wait_for_function("() => carcassonne.app.view?.over")
    assert "player 0" in page.locator("#players").inner_text()
    told = page.locator("#toast .bad").inner_text()
    assert told.startswith("Dieser Spielstand von JCloisterZone lässt sich nicht öffnen. ")
    assert "corncircles" in told


# Collect all notes on the page, however briefly they appear.
NOTES = """() => {
  window.notes = [];
  new MutationObserver(() => notes.push(...[...document.querySelectorAll("#toast .note")]
    .map((note) => note.innerText))).observe(document.querySelector("#toast"), {childList: true});
}"""


def test_a_network_that_sits_down_shows_that_it_loads(visit: Any) -> None:
    pytest.importorskip("torch")
    page = visit()
    begin(page, "base", [{"name": "You"}, {"name": "Value", "agent": "value"}])
    wait_until_asked(page)
    page.evaluate(NOTES)
    page.locator("select.agent").nth(1).select_option("imitation")
    page.wait_for_function("() => carcassonne.app.view.sitters[1].agent === 'imitation'")
    assert "Getting ready: Nelly" in page.evaluate("() => window.notes")
    page.wait_for_selector("#toast .note:has-text('Getting ready')", state="detached")


def test_a_large_board_can_be_read_and_seen_whole(visit: Any) -> None:
    page = visit()
    load(page, format_record(finished("all")))
    for is_whole in (True, False, True):  # a finished game is shown whole
        page.wait_for_function(
            f"(whole) => {{ const {{size, isWhole}} = ({BOXES})();"
            " return isWhole === whole && size < 50 === whole; }",
            arg=is_whole,
        )
        page.keyboard.press("0")


def test_a_film_is_shared(visit: Any) -> None:
    page = visit()
    load(page, format_record(finished()))
    page.get_by_role("button", name="Save and share").click()
    page.evaluate(NOTES)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Film (GIF)").click()
    assert "Making the film" in "".join(page.evaluate("() => window.notes"))
    with Image.open(saved.value.path()) as film:
        assert film.format == "GIF" and film.n_frames > 72
    page.get_by_text("Making the film").wait_for(state="detached")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone(visit: Any, scheme: str) -> None:
    size = PHONE["viewport"]
    page = visit(**PHONE, color_scheme=scheme, locale="de-DE")
    begin(page, "base", [{"name": "Mia"}, {"name": "Tom"}, {"name": "Eva"}])
    wait_until_asked(page)
    page.touchscreen.tap(*middle(page, "#board .target"))
    page.locator("#ask button.main").first.tap()
    wait_until_asked(page, 0)
    assert "Mia" in page.locator("#ask .question").inner_text()
    page.locator("#ask summary").tap()
    before = ply(page)
    page.locator("#ask .every button").last.tap()
    page.wait_for_function("(ply) => carcassonne.app.view.ply > ply", arg=before)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size["width"]


def test_what_it_is_for_those_who_cannot_see(visit: Any) -> None:
    page = visit()
    begin(page, "all", [{"name": "Ann"}, {"name": "Ben"}])
    wait_until_asked(page)
    check_for_everybody(page)
