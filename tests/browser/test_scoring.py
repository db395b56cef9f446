"""Scoring happens on the board: outlines, counted tiles, flying figures and ticking scores."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.test_page import BRIDGE, load, to_ply

pytestmark = pytest.mark.once

MOVING = {"reduced_motion": "no-preference"}
CITY = """[carc_env position 1]
[rules {}]
[scores 0:0]
[turn A places bg-cap]
bg-cap-straight 0,0 r0: A meeple N
"""
CLOSED = "() => carcassonne.app.view.actions.find((a) => a.cell[0] === 0 && a.cell[1] === -1)"
SHOWN = """() => ({
  outlines: document.querySelectorAll(".scored .edge-of").length,
  counted: document.querySelectorAll(".counted").length,
  flights: document.querySelectorAll(".flight").length,
  points: document.querySelector(".risen")?.textContent,
  score: Number(document.querySelector("#players .points b").textContent),
})"""


def close_the_city(page: Any) -> None:
    load(page, CITY)
    page.evaluate(f"() => carcassonne.act(({CLOSED})())")
    to_ply(page, 1)
    page.evaluate(
        "() => carcassonne.act(carcassonne.app.view.actions.find((a) => a.kind === 'pass'))"
    )


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_a_city_is_outlined_counted_and_scored_before_your_eyes(visit: Any, language: str) -> None:
    page = visit(**MOVING, locale=language)
    close_the_city(page)
    shown = page.wait_for_function(
        f"() => {{ const shown = ({SHOWN})(); return shown.points && shown; }}"
    )
    shown = shown.json_value()  # it disappears after a second
    assert shown["outlines"] == 1 and shown["counted"] == 2 and shown["flights"] == 1
    assert shown["points"] == "+4" and 0 <= shown["score"] <= 4
    assert page.locator("#toast .note").count() == 0
    page.wait_for_function("() => !document.querySelector('.flight')")
    end = {"outlines": 0, "counted": 0, "flights": 0, "points": None, "score": 4}
    assert page.evaluate(SHOWN) == end


def test_a_key_ends_the_show(visit: Any) -> None:
    page = visit(**MOVING)
    close_the_city(page)
    page.wait_for_selector(".risen")
    page.keyboard.press("Shift")
    assert page.evaluate(SHOWN)["flights"] == 0
    page.wait_for_function("() => document.querySelector('#players .points b').textContent === '4'")


@pytest.mark.parametrize("settings", [{}, MOVING], ids=["reduced motion", "switched off"])
def test_who_wants_no_motion_reads_what_was_scored(visit: Any, settings: Any) -> None:
    page = visit(**settings)
    if settings:
        page.evaluate("() => localStorage.setItem('animated', 'no')")
    close_the_city(page)
    page.wait_for_selector("#toast .note")
    assert page.locator(".risen, .flight").count() == 0


CASTLE = """() => {
  const view = carcassonne.app.view;
  return import("/static/effects.js").then(({happened}) => happened(
    [{gained: [{seat: 0, points: 5, kind: "CASTLE", source: "CASTLE", place: [0, 0, "N"]}]}],
    {figures: view.figures, scores: view.scores}));
}"""


def test_what_a_castle_takes_has_an_arrow_to_it(visit: Any) -> None:
    page = visit(**MOVING)
    load(page, BRIDGE)
    page.evaluate(CASTLE)
    page.locator(".taken[marker-end]").wait_for(state="attached")
