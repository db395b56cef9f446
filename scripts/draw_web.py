"""Take the pictures of the page for docs/play.md: ``python scripts/draw_web.py``.

This needs the program ``chromium`` and the package ``playwright``, which ``make test-browser``
installs. All games have fixed seeds, but the coach's analysis depends on the machine's speed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any

import tyro
from PIL import Image
from playwright.sync_api import sync_playwright
from web_load import serving

from carc_env import Game, Rules, format_position, format_record
from carc_env.arguments import UserPath
from carc_env.engine.core.codes import Phase
from carc_env.game.records import replace_file
from carc_env.search.players import ValuePlayer

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
NAMES = ("Ada", "Ben", "Cleo")
COLORS = 256
COACH_SEED = 6
ALL_DRAWN = (
    "() => [...document.querySelectorAll('use')].every((use) =>"
    " document.getElementById(use.getAttribute('href').slice(1)))"
    " && !document.querySelector('image:not([href])')"
)
DESKTOP = {"viewport": {"width": 1120, "height": 700}, "locale": "en-GB"}
PHONE = {
    "viewport": {"width": 390, "height": 780},
    "has_touch": True,
    "is_mobile": True,
    "locale": "de-DE",
    "color_scheme": "dark",
}


@dataclass(frozen=True)
class Settings:
    """Take the pictures of the page."""

    only: tuple[str, ...] = ()
    """Names of pictures, such as ``auction``. Default: all."""
    folder: UserPath = IMAGES
    """Output folder."""


# ------------------------------------------------------------------------------------- games


def played(rules: Rules, seed: int, stop: Callable[[Game], bool]) -> Game:
    """Return a game of ``value`` against itself, played until ``stop`` is true or to the end."""
    game, player = Game(rules, seed=seed), ValuePlayer(rules=rules)
    while not game.is_over and not stop(game):
        game.apply("castle" if game.phase == Phase.CASTLE and not stop(game) else player.act(game))
    return game


def first(rules: Rules, stop: Callable[[Game], bool], seed: int = 0) -> str:
    """Return the position where ``stop`` is true, for the first such seed from ``seed`` on."""
    games = (played(rules, number, stop) for number in count(seed))
    game = next(game for game in games if stop(game))
    return format_position(replace(game.position(), bag=None))


def at_phase(phase: Phase, n_tiles: int, n_actions: int = 2) -> Callable[[Game], bool]:
    """Return a condition: a phase with at least so many tiles on the board and legal actions."""
    return lambda game: (
        game.phase == phase
        and len(game.position().tiles) >= n_tiles
        and len(game.legal_actions()) >= n_actions
    )


def can_build_bridge(game: Game) -> bool:
    """Return whether a bridge can be built when some have already been built."""
    stand = sum(tile.bridge is not None for tile in game.position().tiles)
    kinds = [game.choice(action).kind for action in game.legal_actions()]
    return game.phase == Phase.FIGURE and stand >= 1 and kinds.count("bridge") >= 2


def is_second_bid(game: Game) -> bool:
    """Return whether there is a bid for the second tile of an auction on a large board."""
    bazaar = game.position().bazaar if game.phase == Phase.BAZAAR_BID else None
    return (
        bazaar is not None
        and len(game.position().tiles) >= 24
        and bazaar.bidder is not None
        and [lot.owner is None for lot in bazaar.offer].count(False) == 1
    )


def abbey_at_the_end(game: Game) -> bool:
    """Return whether the bag is empty and an abbey can still be placed."""
    return game.phase == Phase.DRAW_OR_ABBEY and game.position().last_round is not None


def finished(preset: str, seed: int, n_players: int = 2) -> str:
    """Return the record of a complete game."""
    return format_record(played(Rules.preset(preset, n_players=n_players), seed, lambda _: False))


def hasty() -> str:
    """Return the record of a game between greedy players, who leave room for criticism."""
    game = Game(seed=7)
    while not game.is_over:
        game.apply(game.greedy_action())
    return format_record(game)


# ------------------------------------------------------------------------------------ scenes


def load(page: Any, text: str, n_players: int = 2) -> None:
    """Open a record or position with named players."""
    seats = [{"name": name} for name in NAMES[:n_players]]
    page.evaluate("([text, seats]) => carcassonne.ask('load', {text, seats})", [text, seats])
    page.wait_for_function("() => carcassonne.isDrawn()")


def coach(page: Any) -> None:
    """Show the search's evaluation of a tile's placements."""
    load(page, first(Rules.preset("inns"), at_phase(Phase.PLACE_TILE, 16, 12), COACH_SEED))
    page.keyboard.press("c")
    page.wait_for_selector(".opinion-row")


def everything(page: Any) -> None:
    """Show a complete board with all sets at the end of a game."""
    load(page, finished("all", 2, 3), 3)
    page.locator("#tabs button").last.click()


def auction(page: Any) -> None:
    """Show the auction of a bazaar's second tile."""
    load(page, first(Rules.preset("bridges", n_players=3), is_second_bid), 3)


def wagon(page: Any) -> None:
    """Show a wagon that can move on."""
    load(page, first(Rules.preset("abbey-mayor"), at_phase(Phase.WAGON, 20, 4)))


def castle(page: Any) -> None:
    """Show a small city that can become a castle."""
    load(page, first(Rules.preset("bridges"), at_phase(Phase.CASTLE, 30)))


def bridge(page: Any) -> None:
    """Show a bridge about to be built."""
    load(page, first(Rules.preset("bridges"), can_build_bridge))
    page.locator("#ask .chip").last.click()


def abbey(page: Any) -> None:
    """Show the last abbey, after the last tile has been drawn."""
    load(page, first(Rules.preset("abbey-mayor"), abbey_at_the_end))
    page.locator("#board .target.cell").first.dispatch_event("click")


def replay(page: Any) -> None:
    """Show a replay of a game."""
    load(page, finished("inns", 4))
    page.locator("#timeline input").fill("62")
    page.wait_for_selector("#table.past")


def review(page: Any) -> None:
    """Show a review, at a tile that should have been placed elsewhere."""
    load(page, hasty())
    page.get_by_role("button", name="Review the game").click()
    page.wait_for_selector(".worst", timeout=300_000)
    page.locator(".worst:has(.pic)").first.click()
    page.wait_for_selector("#table.past")
    page.evaluate("() => { document.getElementById('sheet').scrollTop = 0; }")


def lesson(page: Any) -> None:
    """Show the third tutorial step: the tile has been placed, and the road is complete."""
    page.evaluate("() => carcassonne.ask('lesson', {step: 2, name: 'You'})")
    page.wait_for_function("() => carcassonne.isDrawn()")


def has_captives(game: Game) -> bool:
    """Return whether there are towers and several kinds of actions are possible elsewhere."""
    return (
        game.phase == Phase.FIGURE
        and game.turn_player == 0
        and sum(tower.seat is None for tower in game.position().towers) >= 2
        and len(game.legal_actions()) >= 6
    )


def tower(page: Any) -> None:
    """Show the symbols on tower cells, with one explained in words."""
    load(page, first(Rules.preset("tower"), has_captives))
    page.wait_for_timeout(800)
    page.locator("#board .target.to").first.hover()
    page.wait_for_selector("#tip:not([hidden])")


def retry(page: Any) -> None:
    """Show a mistake from a reviewed game that was retried and assessed."""
    load(page, hasty())
    page.get_by_role("button", name="Review the game").click()
    page.wait_for_selector(".review .main", timeout=300_000)
    page.locator(".review .main").click()
    page.wait_for_function("() => carcassonne.app.exercise && carcassonne.isDrawn()")
    page.evaluate(
        "() => { const { app, ask } = carcassonne;"
        " ask('act', { ply: app.view.ply, action: app.view.actions[0].action }); }"
    )
    page.wait_for_function(
        "() => !['open', 'judging'].includes(carcassonne.app.exercise.state)", timeout=60_000
    )


def phone(page: Any) -> None:
    """Show a phone in German and dark mode, with the move list open."""
    load(page, first(Rules.preset("abbey-mayor", n_players=3), at_phase(Phase.FIGURE, 24, 6)), 3)
    page.locator("#ask summary").tap()


def keyboard(page: Any) -> None:
    """Show a placement chosen with the arrow keys, and a tile rotated by a key."""
    load(page, first(Rules.preset("winter"), at_phase(Phase.PLACE_TILE, 16, 10)))
    page.locator("#board").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "r"):
        page.keyboard.press(key)


def dark(page: Any) -> None:
    """Show a highlighted feature in dark mode."""
    load(page, first(Rules.preset("king-robber"), at_phase(Phase.PLACE_TILE, 24, 8)))
    page.wait_for_timeout(800)
    city = page.evaluate(
        "() => { const f = carcassonne.app.view.figures.find((one) => one.on === 'CITY');"
        " const at = new DOMPoint(f.x, f.y - 20).matrixTransform("
        "document.querySelector('.layer-tiles').getScreenCTM()); return [at.x, at.y]; }"
    )
    page.mouse.move(*city)
    page.mouse.move(city[0] + 2, city[1])
    page.wait_for_selector("#tip:not([hidden])")


SCENES: dict[str, tuple[Callable[[Any], None], dict[str, Any]]] = {
    "play": (coach, DESKTOP),
    "everything": (everything, DESKTOP),
    "auction": (auction, DESKTOP),
    "wagon": (wagon, DESKTOP),
    "castle": (castle, DESKTOP),
    "bridge": (bridge, DESKTOP),
    "abbey": (abbey, DESKTOP),
    "replay": (replay, DESKTOP),
    "review": (review, {**DESKTOP, "viewport": {"width": 1120, "height": 980}}),
    "lesson": (lesson, DESKTOP),
    "tower": (tower, DESKTOP),
    "retry": (retry, DESKTOP),
    "phone": (phone, PHONE),
    "keyboard": (keyboard, DESKTOP),
    "dark": (dark, {**DESKTOP, "color_scheme": "dark"}),
}
"""Each picture's content and device."""


def small(png: bytes) -> bytes:
    """Return the picture with a reduced number of colours."""
    target = BytesIO()
    image = Image.open(BytesIO(png)).convert("RGB")
    image.quantize(COLORS, kmeans=3, dither=Image.Dither.NONE).save(target, "PNG", optimize=True)
    return target.getvalue()


def main(settings: Settings) -> None:
    """Take the pictures."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if program is None:
        raise SystemExit("chromium is not installed: on Debian, run apt-get install chromium")
    names = settings.only or tuple(SCENES)
    with serving() as (address, _), sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name in names:
            scene, device = SCENES[name]
            context = browser.new_context(**device, reduced_motion="reduce")
            page = context.new_page()
            page.goto(address)
            page.wait_for_selector(".welcome")
            scene(page)
            page.wait_for_function(ALL_DRAWN)
            page.wait_for_timeout(600)
            content = small(page.screenshot())
            replace_file(settings.folder / f"web-{name}.png", content)
            print(f"written: web-{name}.png ({len(content) / 1000:.0f} kB)")
            context.close()
        browser.close()


if __name__ == "__main__":
    main(tyro.cli(Settings))
