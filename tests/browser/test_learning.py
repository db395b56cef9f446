"""A newcomer in a real browser: the tutorial by clicks, with wrong moves, and the cards."""

from __future__ import annotations

from typing import Any

import pytest

from carc_env.web.texts import texts
from carc_env.web.tutorial import PUPIL, STEPS, Lesson
from tests.browser.test_page import (
    PHONE,
    begin,
    check_for_everybody,
    load,
    middle,
    wait_until_asked,
    wait_until_still,
)
from tests.test_tutorial import asked

pytestmark = pytest.mark.once

TEXTS = texts("en")
TIMES = "\N{MULTIPLICATION SIGN}"
LESSON = (
    "(k) => { const {app, isDrawn} = carcassonne; return app.exercise?.step === k && isDrawn(); }"
)


def choose(page: Any, number: int) -> None:
    """Take an action by clicking on the element that represents it."""
    actions = page.evaluate("() => carcassonne.app.view.actions")
    action = next(a for a in actions if a["action"] == number)
    ply = page.evaluate("() => carcassonne.app.view.ply")
    if "rotation" in action:
        x, y = action["cell"]
        page.mouse.click(*middle(page, f"[data-cell='{x},{y}']"))
        page.wait_for_function("() => carcassonne.app.ghost?.pinned")
        for _ in range(4):
            if page.evaluate("() => carcassonne.app.ghost.rotation") == action["rotation"]:
                break
            page.get_by_label("Rotate").click()
        page.get_by_text("Put down").click()
    elif "spot" in action:
        kinds = list(dict.fromkeys(a["figure"] for a in actions if "spot" in a))
        spots = [a for a in actions if a.get("figure") == action["figure"] and "spot" in a]
        page.locator("#ask .chip").nth(kinds.index(action["figure"])).click()
        page.locator("#board .target.spot").nth(spots.index(action)).click()
    else:
        page.locator("#ask .answers > button", has_text=TEXTS[f"do.{action['word']}"]).click()
    page.wait_for_function(
        "(ply) => carcassonne.app.view.ply > ply && carcassonne.isDrawn()", arg=ply
    )


def take(page: Any, step: int, wanted: str) -> None:
    """Do what a step asks, or something else, and check the answer."""
    page.wait_for_function(LESSON, arg=step)
    page.wait_for_selector("#ask .question")
    known = Lesson.begin(step, "You")
    assert TEXTS[f"tutorial.{STEPS[step].name}.do"] in page.locator("#lesson").inner_text()
    while known.state == "open":
        action = (asked(known, as_asked=wanted == "done") or asked(known))[0]
        known.hear(action)
        known.play.act(action)
        choose(page, action)
    said = TEXTS[f"tutorial.{STEPS[step].name}.{wanted}"]
    points = known.told()["points"]
    assert said.replace("{points}", str(points)) in page.locator(".lesson-answer").inner_text()
    shown = page.locator("#players .points b").nth(PUPIL).inner_text()
    assert int(shown) == known.play.game.scores[PUPIL]


def test_the_tutorial_by_clicks(visit: Any) -> None:
    page = visit()
    page.locator(".starts button", has_text="Learn").click()
    for step in range(len(STEPS)):
        if step != len(STEPS) - 1:
            take(page, step, "else")
            page.get_by_text("Try again").click()
            page.wait_for_function("() => carcassonne.app.exercise.state === 'open'")
        take(page, step, "done")
        if step == 3:  # a link leads to the step
            page.reload()
            take(page, step, "done")
        page.keyboard.press("Enter")
    page.wait_for_function("() => !carcassonne.app.exercise && carcassonne.app.view")


def test_the_tutorial_from_the_dialogue_and_out_again(visit: Any) -> None:
    page = visit(**PHONE)
    page.locator("#menu button").first.tap()
    page.locator("dialog .first-time button").tap()
    page.wait_for_function(LESSON, arg=0)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    page.get_by_label("Leave the tutorial").tap()
    page.wait_for_selector(".welcome")
    assert page.evaluate("() => location.hash") == ""


def read(page: Any) -> tuple[str, str, int]:
    """Return the question, the text and the number of pictures of the open card, and close it."""
    card = page.locator("dialog.card").last
    pictures = card.locator(".pic image[href], .pic use")
    told = card.locator("h2").inner_text(), card.locator(".card-words").inner_text()
    wait_until_still(page)
    n = pictures.count()
    n_open = page.locator("dialog").count()
    page.keyboard.press("Escape")
    page.wait_for_function("(n) => document.querySelectorAll('dialog').length < n", arg=n_open)
    return *told, n


def test_cards_from_the_question_the_panel_and_the_new_game(visit: Any) -> None:
    page = visit()
    load(
        page,
        """[carc_env position 1]
[rules {sets: [base, abbey], barns: true, mayors: true}]
[scores 0:0]
[turn A acts]
bg-cap-straight 0,0 r0
bg-straight 1,0 r0
am-cap-gate-left 0,-1 r2
""",
    )
    page.wait_for_selector("#ask .learn")
    assert page.locator("#ask .learn button").all_inner_texts() == [
        "What is a meeple?",
        "What is Abbey & Mayor?",
    ]
    page.locator("#ask .learn button").first.click()
    title, words, n = read(page)
    assert title == "What is a meeple?" and "thieves" in words and n == 2
    page.locator("#players button[title*='What is a barn?']").first.click()
    assert "four field corners" in read(page)[1]
    page.locator("#menu button").first.click()
    page.locator("details.large > summary").click()
    page.locator("dialog .boxes .sign[title='What is The Tower?']").click()
    page.locator("dialog.card .card-more button").first.click()
    assert read(page)[0] == "What is a meeple?"
    assert (
        page.locator("dialog").count() == page.locator("dialog .large").count() == 1
    )  # the dialogue of the new game is still open


def test_cards_for_those_who_cannot_see(visit: Any) -> None:
    page = visit()
    page.locator(".starts button", has_text="Learn").click()
    page.wait_for_function(LESSON, arg=0)
    for what in ("lesson", "card"):
        if what == "card":
            begin(page, "all", [{"name": "Ann"}, {"name": "Ben"}])
            wait_until_asked(page)
            page.locator("#players button.token").first.click()
        check_for_everybody(page, what)


def test_a_feature_says_how_its_worth_comes_about(visit: Any) -> None:
    """A key moves from feature to feature; the score of the last tile lists the same terms."""
    page = visit()
    load(page, next(step for step in STEPS if step.name == "city").text)
    wait_until_still(page)
    page.locator("#board").focus()
    told = []
    for _ in range(12):
        page.keyboard.press("f")
        page.wait_for_selector("#tip:not([hidden])")
        told.append(page.locator("#tip").inner_text())
        assert told[-1].split() == page.locator("#says").inner_text().split()
    everything = "\n".join(told).replace(TIMES, "x")
    assert "Worth now: 2 tiles + 1 coat of arms = 3" in everything
    assert "When complete: 2 tiles x 2 + 1 coat of arms x 2 = 6" in everything
    assert (
        "Worth now: 3 tiles = 3" in everything and "Worth now: no complete city = 0" in everything
    )
    choose(page, Lesson.begin(3, "You").play.game.action("bg-cap 1,-1 r3"))
    page.get_by_text("Pass", exact=True).click()
    page.wait_for_selector("#sheet .gained")
    said = page.locator("#sheet .gained").inner_text().replace(TIMES, "x")
    assert said.splitlines()[-1] == "city: 3 tiles x 2 + 1 coat of arms x 2 = 8"


def test_the_tutorial_names_the_goal_and_says_when_the_board_is_new(visit: Any) -> None:
    page = visit()
    page.locator(".starts button", has_text="Learn").click()
    page.wait_for_function(LESSON, arg=0)
    assert "most points wins" in page.locator("#lesson").inner_text()
    assert "New board." not in page.locator("#lesson").inner_text()
    page.evaluate("async () => (await import('/static/dom.js')).toast('an old note')")
    page.evaluate("() => carcassonne.ask('lesson', {step: 7, name: 'You'})")
    page.wait_for_function(LESSON, arg=7)
    assert page.locator("#lesson").inner_text().count("New board.") == 1
    assert page.locator("#toast .note").count() == 0
    names = page.locator("#players strong").all_inner_texts()
    assert names == ["You", "Ada"] and "Ada's" in page.locator("#lesson").inner_text()
