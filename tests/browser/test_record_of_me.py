"""Saved games, levels, a player's record, and play without hints."""

from __future__ import annotations

import re
from typing import Any
from unittest.mock import patch

import pytest

from carc_env import Rules
from carc_env.web.journal import Journal
from carc_env.web.play import Play, Sitter, Start
from tests.browser.test_page import PHONE, SHORT, begin, check_for_everybody, entering, load
from tests.browser.test_pointing import OCCUPIED
from tests.test_web import played
from tests.web_server import serving

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Start a server with 45 saved games; some of Ann's games are over and reviewed."""
    folder = tmp_path_factory.mktemp("kept")
    journal = Journal(folder)
    for k in range(45):
        is_over = k % 5 == 0
        rules = Rules(deck_size=8) if k % 2 else Rules.preset("tower", deck_size=8)
        sitters = (Sitter("Ann"), Sitter(f"Rival {k}", "greedy" if k % 3 else "weakened:noise=9"))
        play = played(rules, 100, k) if is_over else Play(Start(rules, k), sitters)
        play.sitters = sitters
        with patch("carc_env.web.journal.time.time", return_value=1.75e9 + 86_400 * k):
            journal.write_all(f"{k:010x}", play)
        if is_over:
            journal.note_review(f"{k:010x}", play, [60 + k // 2, 80])
    with serving(folder) as port:
        yield f"http://127.0.0.1:{port}/"


def at(page: Any, address: str) -> Any:
    page.goto(address)
    page.evaluate('() => localStorage.setItem(\'seats\', \'[{"name": "Ann", "agent": null}]\')')
    page.reload()
    page.wait_for_selector(".welcome")
    return page


def test_all_games_are_found_by_pages_words_and_sets(visit: Any, kept: str) -> None:
    page = at(visit(), kept)
    page.get_by_role("button", name="Open", exact=True).first.click()
    page.get_by_text("1 to 20 of 45").wait_for()
    page.get_by_role("button", name="Older games").click()
    page.get_by_text("21 to 40 of 45").wait_for()
    page.get_by_role("button", name="Older games").click()
    page.get_by_text("41 to 45 of 45").wait_for()
    assert page.locator(".game-row").count() == 5
    page.get_by_label("Players or expansions").fill("rival 40")
    row = page.get_by_role("button", name=re.compile("^Ann · Rival 40, "))
    row.wait_for()
    page.wait_for_function("() => document.querySelectorAll('.game-row').length === 1")
    assert "The Tower" in row.inner_text() and "over" in row.inner_text()
    assert re.search(r"\d+ : \d+", row.inner_text())
    page.get_by_label("Players or expansions").fill("")
    page.get_by_label("Which games").select_option("over")
    page.wait_for_function("() => document.querySelectorAll('.game-row').length === 9")
    page.get_by_label("With a set").select_option("tower")
    page.wait_for_function("() => document.querySelectorAll('.game-row').length === 5")
    with entering(page):
        row.click()
    assert page.evaluate("() => carcassonne.app.view.over")


def test_a_game_is_deleted_only_after_a_question(visit: Any) -> None:
    page = visit()
    begin(page, "base", [{"name": "Karl"}, {"name": "Lea"}])
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="Delete the game: Karl · Lea").click()
    page.get_by_text("Delete Karl · Lea?").wait_for()
    page.get_by_role("button", name="Keep", exact=True).press("Enter")
    page.get_by_role("button", name="Delete the game: Karl · Lea").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo: Karl · Lea").wait_for()


def test_results_and_accuracy_of_somebody(visit: Any, kept: str) -> None:
    page = at(visit(), kept)
    page.get_by_role("button", name="My record").click()
    page.locator(".results tbody tr").nth(1).wait_for()
    told = [row.split("\t")[:2] for row in page.locator(".results tbody tr").all_inner_texts()]
    assert told == [["Otto ★★", "3"], ["Hugo ★★★★★★", "6"]]
    assert page.locator(".accuracy-dot").count() == 9
    page.get_by_text("9 reviewed games: 70 % on average, 80 % in the last one.").wait_for()
    page.get_by_text(re.compile(r"^Rating \d+, from your last 9 games against levels")).wait_for()


def test_a_level_that_fits_is_suggested_and_played(visit: Any) -> None:
    page = visit()
    page.get_by_role("button", name="New game").first.click()
    page.get_by_text("Level 3 is a good start for You.").wait_for()
    assert page.get_by_role("button", name="Play against level 3").count() == 0  # already chosen
    with entering(page):
        page.get_by_role("button", name="Start").click()
    sitters = page.evaluate("() => carcassonne.app.view.sitters")
    assert sitters[1] == {
        "name": "Nora",
        "agent": page.evaluate("() => carcassonne.app.hello.levels[2]"),
    }


def set_(page: Any, name: str) -> None:
    page.get_by_role("button", name="Settings").click()
    page.get_by_label(name).check()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def test_no_hints_while_a_game_goes_on(visit: Any) -> None:
    page = visit()
    load(page, OCCUPIED)
    assert page.locator(".share").count() and "→" in page.locator("#players").inner_text()
    set_(page, "No hints while a game goes on")
    page.wait_for_function("() => !document.querySelector('.share')")
    assert "→" not in page.locator("#players").inner_text()
    assert page.get_by_role("tab", name="Coach").count() == 0
    page.keyboard.press("c")
    page.keyboard.press("f")
    page.wait_for_selector("#tip:not([hidden])")
    assert (
        "Worth" not in page.locator("#tip").inner_text()
        and "fit" not in page.locator("#tip").inner_text()
    )
    assert page.locator(".open-count").count() == 0
    assert not page.evaluate("() => carcassonne.app.wantsCoach")


NOTES = """() => {
  window.notes = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (when) {
    window.notes.push(this.frequency.value);
    start.call(this, when);
  };
  window.risen = [];
  const note = (node) => node.classList?.contains("risen") && window.risen.push(node.textContent);
  new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach(note)))
    .observe(document.querySelector("#board"), {childList: true, subtree: true});
}"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_sounds_and_rising_points_come_only_when_wanted(visit: Any, motion: str) -> None:
    page = visit(reduced_motion=motion)
    page.evaluate(NOTES)
    agents = [{"name": "A", "agent": "greedy"}, {"name": "B", "agent": "greedy"}]
    page.evaluate("() => localStorage.setItem('animated', 'no')")
    begin(page, "base", agents, seed=3)
    page.wait_for_function("() => carcassonne.app.view.over")
    assert page.evaluate("() => [window.notes, window.risen]") == [[], []]
    set_(page, "Sounds")
    set_(page, "Show scoring on the board")
    begin(page, "base", agents, seed=3, delay=40)  # with many moves at once, no points rise
    page.wait_for_function("() => carcassonne.app.view.over")
    page.wait_for_function("() => window.notes.includes(784)")  # the end
    risen = page.evaluate("() => window.risen")
    assert all(re.fullmatch(r"[+\u2212]\d+", one) for one in risen)
    assert bool(risen) == (motion == "no-preference")
    page.wait_for_function("() => !document.querySelector('.risen')")


@pytest.mark.parametrize("phone", [{}, {**PHONE, "locale": "de-DE", "color_scheme": "dark"}])
def test_new_dialogues_are_for_everybody(visit: Any, kept: str, phone: Any) -> None:
    page = at(visit(**phone), kept)

    page.locator("#menu button").nth(1).click()
    page.locator(".game-row").first.wait_for()
    page.locator(".game-row > button:last-child").first.click()
    check_for_everybody(page, "open")
    page.locator(".find button").click()
    page.locator(".accuracy-dot").first.wait_for()
    check_for_everybody(page, "record")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator("#menu button").nth(0).click()
    page.locator("details.large > summary").click()
    page.locator(".fits-you span").wait_for()
    check_for_everybody(page, "new game")
    page.locator("dialog .boxes .sign").first.click()
    check_for_everybody(page, "new game with a card")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    load(page, SHORT)
    menu = page.locator("#menu button")
    for k in range(4, menu.count()):  # from a rematch to help
        menu.nth(k).click()
        check_for_everybody(page, "menu " + page.locator("dialog").get_attribute("aria-label"))
        page.keyboard.press("Escape")
