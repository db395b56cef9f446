"""The first screen: a game in one click, a friend by one link, or the last game again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.test_camera import NAMES, WINDOWS
from tests.browser.test_learning import take
from tests.browser.test_page import PHONE, begin, check_for_everybody, entering, wait_until_asked

pytestmark = pytest.mark.once

VISIBLE = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight && box.width > 0;
}"""


def start(page: Any, name: str) -> Any:
    return page.locator(".starts button", has_text=name)


@pytest.mark.parametrize("size", WINDOWS, ids=NAMES)
def test_a_game_begins_with_one_click_against_the_level_that_fits(visit: Any, size: Any) -> None:
    page = visit(**size)
    assert page.evaluate(VISIBLE, ".starts button")
    with entering(page):
        start(page, "Play now").click()
    wait_until_asked(page)
    you, other = page.evaluate("() => carcassonne.app.view.sitters")
    assert you["agent"] is None and other["agent"] == page.evaluate(
        "() => carcassonne.app.hello.levels[2]"
    )


def test_the_last_game_goes_on(visit: Any) -> None:
    page = visit()
    begin(page, "base", [{"name": "Olga"}, {"name": "Paul"}])
    game = page.evaluate("() => carcassonne.app.game")
    page.goto("about:blank")
    page.go_back()
    page.evaluate("() => { location.hash = ''; location.reload(); }")
    page.wait_for_selector(".welcome")
    start(page, "Olga · Paul").click()
    page.wait_for_function("(game) => carcassonne.app.game === game", arg=game)


def test_a_game_with_a_friend_has_its_link_at_once(visit: Any) -> None:
    page = visit()
    start(page, "With a friend").click()
    link = page.locator('.invitations [data-seat="1"] input')
    link.wait_for()
    assert "&seat=" in link.input_value()
    assert page.evaluate("() => carcassonne.app.seats.mine") == [0]


@pytest.mark.parametrize("size", WINDOWS, ids=NAMES)
def test_start_is_always_in_sight_and_few_keys_away(visit: Any, size: Any) -> None:
    page = visit(**size)
    page.locator("#menu button").first.click()
    submit = "dialog button[type=submit]"
    page.wait_for_function("() => document.querySelector('.fits-you').isConnected")
    assert page.evaluate(VISIBLE, submit)
    for group in page.locator("dialog details.boxes > summary").all():
        group.click()
    assert page.evaluate(VISIBLE, submit)
    assert page.locator("dialog .set-card").count() == page.locator("dialog .set-card .pic").count()
    for group in page.locator("dialog details.boxes > summary").all():
        group.click()
    page.locator("dialog input").first.focus()
    reached = "(one) => document.activeElement.matches(one)"
    tabs = 0
    while not page.evaluate(reached, submit) and tabs < 30:
        page.keyboard.press("Tab")
        tabs += 1
    assert tabs < 20


def test_after_the_tutorial_a_game_of_the_fitting_level_is_offered(visit: Any) -> None:
    page = visit()
    page.evaluate("() => localStorage.setItem('learned', 'yes')")
    page.locator("#menu button").first.click()
    assert page.locator("dialog .first-time").count() == 0
    page.wait_for_function(
        "() => document.querySelectorAll('.seat-row select')[1].value !== 'value'"
    )
    page.keyboard.press("Escape")
    page.evaluate("() => localStorage.removeItem('learned')")
    page.evaluate("() => carcassonne.ask('lesson', {step: 10, name: 'You'})")
    take(page, 10, "done")
    page.wait_for_selector(".lesson-answer .main")
    assert page.evaluate("() => localStorage.getItem('learned')") == "yes"
    with entering(page):
        page.locator(".lesson-answer .main", has_text="Play now").click()


def test_sets_and_start_are_for_everybody(visit: Any) -> None:
    for settings in ({}, {**PHONE, "locale": "de-DE", "color_scheme": "dark"}):
        page = visit(**settings)
        check_for_everybody(page)
        page.locator("#menu button").first.click()
        page.locator("dialog details.boxes > summary").first.click()
        check_for_everybody(page)
