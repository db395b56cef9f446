"""Puzzles, retried mistakes and variations, by clicks, taps and keys in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from carc_env import format_record, load_record
from carc_env.game.puzzles import format_puzzle, parse_puzzle
from carc_env.web.puzzles import puzzle_called
from tests.browser.test_learning import choose
from tests.browser.test_page import (
    PHONE,
    begin,
    box_of,
    check_for_everybody,
    load,
    wait_until_asked,
    wait_until_still,
)
from tests.test_puzzles import careless_game

pytestmark = pytest.mark.once

TASK = "(task) => carcassonne.app.exercise?.task === task && carcassonne.isDrawn()"
STATE = "(state) => carcassonne.app.exercise?.state === state && carcassonne.isDrawn()"
DAY = "2026-11-24"
"""A day whose puzzle has all its cells in sight; the current date makes no difference."""
FIGURE = "base-2/17"
"""A puzzle about a figure."""


def solve(page: Any, called: str) -> None:
    """Make the best move in a puzzle of the package."""
    puzzle = puzzle_called(called)
    best = max(puzzle.values, key=lambda name: puzzle.values[name])
    choose(page, puzzle.game().action(best))


def wait_for_answer(page: Any, said: str) -> None:
    page.locator(".lesson-answer", has_text=said).wait_for()


def visit_game(page: Any) -> None:
    """Open a careless game and its review."""
    load(page, format_record(careless_game(), ("Ann", "Ben")))
    page.get_by_role("button", name="Review the game").click()
    page.wait_for_selector(".review")


def test_the_puzzle_of_the_day_by_clicks(visit: Any) -> None:
    page = visit()
    page.clock.set_fixed_time(f"{DAY}T12:00")
    page.get_by_role("button", name="Puzzle of the day").click()
    page.wait_for_function(TASK, arg="puzzle")
    assert page.evaluate("() => location.hash") == f"#puzzle={DAY}"
    called = page.evaluate("() => carcassonne.app.exercise.called")
    page.reload()  # a link leads to the puzzle
    page.wait_for_function(TASK, arg="puzzle")
    assert page.evaluate("() => carcassonne.app.exercise.day") == DAY
    actions = page.evaluate("() => carcassonne.app.view.actions")
    puzzle = puzzle_called(called)
    worst = min(actions, key=lambda a: puzzle.values[puzzle.game().name(a["action"])])
    choose(page, worst["action"])
    wait_for_answer(page, "That loses")
    assert page.locator(".values tr").last.inner_text().split("\t")[1] == "?"
    page.keyboard.press("u")
    page.wait_for_function(STATE, arg="open")
    solve(page, called)
    wait_for_answer(page, "That is the best move.")
    page.get_by_role("button", name="Show the answer").click()
    page.wait_for_selector("#board .opinion")
    rows = page.locator(".values-box tbody tr")
    assert rows.count() == len(actions)
    assert "Your move" in rows.first.inner_text() and "★" in rows.first.inner_text()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the puzzle").click()
    assert parse_puzzle(Path(saved.value.path()).read_text("utf-8")) == puzzle
    page.locator("#menu").get_by_role("button", name="Puzzles").click()
    assert "1 puzzle solved in this browser" in page.locator("dialog").inner_text()
    page.get_by_role("button", name="Difficulty 4 of 5").click()
    page.wait_for_function("() => carcassonne.app.exercise?.difficulty === 4")


def test_a_puzzle_as_text_stays_in_this_browser(visit: Any) -> None:
    page = visit()
    load(page, format_puzzle(puzzle_called(FIGURE)))
    page.wait_for_function(TASK, arg="puzzle")
    assert "number 17" in page.locator("#lesson").inner_text()
    page.reload()
    page.wait_for_function(TASK, arg="puzzle")
    page.wait_for_selector("#ask .question")
    page.keyboard.press("p")  # passing is best here
    wait_for_answer(page, "That is the best move.")
    page.get_by_label("Leave the puzzle").click()
    page.wait_for_selector(".welcome")
    page.locator("#menu").get_by_role("button", name="Puzzles").click()
    row = page.locator("dialog .game-row")
    assert "solved" in row.inner_text()
    row.get_by_label("Remove the puzzle").click()
    assert row.count() == 0
    page.keyboard.press("Escape")
    page.locator("#menu").get_by_role("button", name="Open").click()
    page.locator("dialog textarea").fill("[carc_env puzzle 1]\n[source x]\n[level 3]")
    page.locator("dialog button.main").click()
    page.get_by_text("line 3: unknown header").wait_for()


def test_a_mistake_is_tried_again_before_its_answer_is_shown(visit: Any) -> None:
    page = visit()
    visit_game(page)
    verdicts = page.evaluate("() => carcassonne.app.review.verdicts")
    plies = [v["ply"] for v in verdicts if v["lost"] >= 1.5]
    rows = page.locator(".worst").all_inner_texts()
    answers = [row for row in rows if "better: " in row]
    assert len(plies) > 1 and len(answers) < len(rows)
    assert all(float(row[1:4]) < 1.5 for row in answers)
    page.get_by_role("button", name=f"Try {len(plies)} mistakes again").click()
    page.wait_for_function(TASK, arg="retry")
    assert f"Mistake 1 of {len(plies)}" in page.locator("#lesson").inner_text()
    (verdict,) = (v for v in verdicts if v["ply"] == plies[0])
    choose(page, verdict["bestAction"])
    wait_for_answer(page, "That is the best move.")
    row = page.locator(".values tr", has_text="In the game").inner_text()
    lost = float(row.split("\t")[-1].replace("\N{MINUS SIGN}", "-"))
    assert lost == pytest.approx(-verdict["lost"], abs=0.01)
    page.keyboard.press("Enter")
    page.locator("#lesson", has_text=f"Mistake 2 of {len(plies)}").wait_for()
    page.wait_for_selector("#ask .question")
    page.get_by_label("Back to the review").click()
    page.wait_for_selector("#table.past")
    assert page.evaluate("() => carcassonne.app.past.ply") == plies[1]
    page.get_by_role("button", name="Show the answer").click()
    page.wait_for_selector("#board .better")


def test_variations_by_keys_and_clicks(visit: Any) -> None:
    page = visit()
    load(page, format_record(careless_game(), ("Ann", "Ben")))
    end = page.evaluate("() => carcassonne.app.view.ply")
    page.locator("#timeline input").fill("5")
    page.wait_for_selector("#table.past")
    page.keyboard.press("v")
    page.locator("#lesson", has_text="from decision 5").wait_for()
    for _ in range(40):
        wait_until_asked(page)
        if page.evaluate("() => carcassonne.app.view.over"):
            break
        ply = page.evaluate("() => carcassonne.app.view.ply")
        page.evaluate("() => carcassonne.act(carcassonne.app.view.actions[0])")
        page.wait_for_function("(ply) => carcassonne.app.view.ply > ply", arg=ply)
    page.get_by_role("button", name="Save and share").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Record").click()
    record = load_record(Path(saved.value.path()).read_text("utf-8"))
    assert list(record.scores) == page.evaluate("() => carcassonne.app.view.scores")
    page.get_by_role("button", name="Back to the original game").click()
    page.wait_for_selector("#table.past")
    page.get_by_role("button", name="Play on from here").first.click()
    page.locator("#lesson", has_text="from decision 5").wait_for()
    page.reload()
    page.locator("#lesson", has_text="from decision 5").wait_for()
    page.get_by_role("tab", name="Variations").click()
    page.locator(".line-row").nth(2).wait_for()
    told = page.locator(".line-row").all_inner_texts()
    assert f"{end} decisions" in told[0] and "from decision 5, 0 more" in " ".join(told[1:])
    page.locator(".line-row button.wide").first.click()
    page.wait_for_function(
        "(n) => !carcassonne.app.origin && carcassonne.app.view?.ply === n", arg=end
    )
    page.locator("#timeline input").fill("5")
    page.locator("#ask").get_by_role("button", name="Variation 2").wait_for()


def test_agents_may_play_on_in_a_variation(visit: Any) -> None:
    page = visit(**PHONE)
    seats = [{"name": "You"}, {"name": "Greedy", "agent": "greedy"}]
    begin(page, "base", seats, seed=3, deck_size=8)
    wait_until_asked(page)
    page.evaluate("() => carcassonne.act(carcassonne.app.view.actions[0])")
    wait_until_asked(page, 0)
    page.get_by_label("Back", exact=True).tap()
    page.get_by_role("button", name="Play on from here").first.tap()
    page.get_by_role("button", name="Play with the same computer players").wait_for()
    check_for_everybody(page, "who plays on")
    page.get_by_role("button", name="Play with the same computer players").tap()
    page.locator("#lesson", has_text="from decision").wait_for()
    agents = page.evaluate("() => carcassonne.app.view.sitters.map((one) => one.agent)")
    assert agents == [None, "greedy"]
    width = page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= PHONE["viewport"]["width"]


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_a_puzzle_on_a_phone_fits_and_is_tapped(visit: Any, locale: str) -> None:
    page = visit(**PHONE, locale=locale, color_scheme="dark")
    texts = page.evaluate(f"() => fetch('/static/lang/{locale[:2]}.json').then((r) => r.json())")
    page.clock.set_fixed_time(f"{DAY}T12:00")
    page.get_by_role("button", name=texts["puzzle.today"]).tap()
    page.wait_for_function(TASK, arg="puzzle")
    page.locator("details.all summary").tap()
    page.locator("details.all .every button").first.tap()
    page.wait_for_selector(".lesson-answer .values")
    page.get_by_role("button", name=texts["trial.show"]).tap()
    page.wait_for_selector(".values-box")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    box = box_of(page, ".values-box")
    assert 0 <= box["x"] and box["x"] + box["width"] <= 390


def test_puzzles_for_those_who_cannot_see(visit: Any) -> None:
    page = visit()

    load(page, format_puzzle(puzzle_called(FIGURE)))
    page.wait_for_function(TASK, arg="puzzle")
    check_for_everybody(page, "puzzle")
    page.keyboard.press("p")
    wait_for_answer(page, "That is the best move.")
    check_for_everybody(page, "tried")
    page.get_by_role("button", name="Show the answer").click()
    page.wait_for_selector(".values-box")
    check_for_everybody(page, "answer")
    page.locator("#menu").get_by_role("button", name="Puzzles").click()
    page.wait_for_selector("dialog .game-row")
    check_for_everybody(page, "dialogue")
    page.keyboard.press("Escape")
    visit_game(page)
    page.locator(".worst").first.click()
    page.wait_for_selector("#table.past")
    check_for_everybody(page, "review")
    page.get_by_role("button", name="Play on from here").first.click()
    page.locator("#lesson", has_text="from decision").wait_for()
    page.get_by_role("tab", name="Variations").click()
    page.locator(".line-row").nth(1).wait_for()
    check_for_everybody(page, "variations")


SEEN = """() => {
  const box = (one) => one.getBoundingClientRect();
  const zoom = box(document.getElementById("zoom")), board = box(document.getElementById("board"));
  const values = [...document.querySelectorAll("#board .opinion")].map(box);
  const best = box(document.querySelector("#board .better-rim"));
  return {
    best: best.left >= board.left && best.right <= board.right
      && best.top >= board.top && best.bottom <= board.bottom,
    covered: values.filter((one) => one.left < board.right && one.right > board.left
      && board.right > zoom.left).length,
  };
}"""


SEEN_AT_ONCE = f"""() => new Promise((resolve) => {{
  const watcher = new MutationObserver(() => {{
    if (!document.querySelector("#board .opinion")) return;
    watcher.disconnect();
    resolve(({SEEN})());
  }});
  watcher.observe(document.body, {{subtree: true, childList: true}});
  carcassonne.ask("answer");
}})"""


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "upright"])
def test_the_best_move_is_in_sight_and_no_button_covers_a_value(visit: Any, size: Any) -> None:
    page = visit(**size)
    page.evaluate("() => carcassonne.ask('puzzle', {called: 'everything-2/14', name: 'You'})")
    page.wait_for_function(TASK, arg="puzzle")
    page.evaluate("() => carcassonne.act(carcassonne.app.view.actions[0])")
    page.wait_for_function("() => carcassonne.app.exercise.state === 'tried'")
    assert page.evaluate(SEEN_AT_ONCE) == {"best": True, "covered": 0}
    wait_until_still(page)
    assert page.evaluate(SEEN) == {"best": True, "covered": 0}
