"""Questions of small sets: rings and chips are distinct and easy to hit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.test_page import PHONE, load, middle, to_ply, wait_until_still

MAGIC = """[carc_env position 1]
[rules {preset: mage-witch}]
[scores 0:0]
[turn A enchants at 0,0]
bg-cap-straight 0,0 r0: A meeple E
bg-monastery-road -1,0 r2
mw-caps-opposite 0,-1 r0
"""
LAKE = """[carc_env position 1]
[rules {preset: ferries}]
[scores 0:0]
[turn A ferries]
bg-cap-straight 0,0 r0: A meeple E
fr-lake-four 1,0 r0
"""
CIRCLE = """[carc_env position 1]
[rules {preset: corn-circles}]
[scores 0:0]
[turn A circles]
bg-cap-straight 0,0 r0: A meeple E
cc-road-curve-and-end 1,0 r0
"""
LYING = """[carc_env position 1]
[rules {preset: monasteries}]
[scores 0:0]
[turn B places bg-cap-straight]
bg-cap-straight 0,0 r0
mo-monastery-road 1,0 r0: A meeple lying
bg-straight -1,0 r0: A meeple Nw
"""
SHARED = """[carc_env position 1]
[rules {sets: [base, corn, inns], crop_circles: true, large_meeples: true}]
[scores 0:0]
[turn A reaps at 0,0]
[circle B]
bg-cap-straight 0,0 r0: B meeple E, B large E
cc-road-curve-and-end 1,0 r0
"""
NAMED = """[carc_env position 1]
[rules {{preset: {rules}}}]
[scores 0:0]
[turn A acts]
bg-cap-straight 0,0 r0
{tile} 1,0 r0
"""
NAMED_TILES = {"monasteries": "mo-monastery-road", "labyrinth": "la-maze"}
LEAST_RING = 8


@pytest.mark.parametrize("settings", [{}, PHONE], ids=["desktop", "phone"])
def test_mage_and_witch_are_chosen_before_their_place(visit: Any, settings: Any) -> None:
    page = visit(**settings)
    load(page, MAGIC)
    chips = page.locator("#ask .chip")
    assert chips.all_inner_texts() == ["mage", "witch"]
    target = page.locator("#board .target")
    assert target.get_attribute("aria-label") == "Put the mage here"
    chips.filter(has_text="witch").click()
    assert target.get_attribute("aria-label") == "Put the witch here"
    ring = page.locator("#board .ring")
    assert float(ring.get_attribute("rx")) >= LEAST_RING
    wait_until_still(page)
    page.mouse.click(*middle(page, "#board .target"))
    to_ply(page, 1)
    assert page.evaluate("() => carcassonne.app.view.log[0].move.word") == "witch"


@pytest.mark.parametrize(
    ("language", "label"),
    [
        ("en-GB", "Lay the ferry from north to south"),
        ("de-DE", "Die Fähre Nord\N{EN DASH}Süd legen"),
    ],
)
def test_ways_of_a_ferry_can_be_told_apart_and_it_is_drawn(
    visit: Any, language: str, label: str
) -> None:
    page = visit(locale=language)
    load(page, LAKE)
    targets = page.locator("#board .ferry-sides")
    labels = {targets.nth(k).get_attribute("aria-label") for k in range(6)}
    assert targets.count() == len(labels) == 6 and label in labels
    ways = page.locator("#board .way")
    assert ways.first.evaluate("(way) => getComputedStyle(way).fill") == "none"
    assert len({ways.nth(k).get_attribute("d") for k in range(6)}) == 6
    wait_until_still(page)
    chosen = f'#board .target[aria-label="{label}"]'
    page.mouse.click(*middle(page, chosen))
    to_ply(page, 1)
    assert page.locator("#board .ferry").get_attribute("data-sides") == "NS"


def asked(page: Any) -> str:
    return str(page.locator("#ask .question").inner_text()).strip()


def test_a_corn_circle_says_whom_it_is_about(visit: Any) -> None:
    page = visit()
    load(page, CIRCLE)
    assert "this corn circle is about thieves on roads. What does everybody do?" in asked(page)
    page.get_by_role("button", name="Everybody takes one back").click()
    to_ply(page, 1)
    assert "corn circle is about" not in asked(page)


def test_figures_that_share_a_spot_are_offered_one_by_one(visit: Any) -> None:
    page = visit()
    load(page, SHARED)
    targets = page.locator("#board .target")
    labels = [targets.nth(k).get_attribute("aria-label") for k in range(targets.count())]
    assert labels == ["The meeple goes home: road east", "The large meeple goes home: road east"]
    wait_until_still(page)
    one, other = (middle(page, "#board .ring", k) for k in range(2))
    assert one != other
    page.mouse.click(*other)
    to_ply(page, 1)
    assert page.evaluate("() => carcassonne.app.view.log[0].move.figure") == "LARGE"


@pytest.mark.parametrize(
    ("text", "spot", "place", "does"),
    [
        ("monasteries", "lying", "lying in the monastery", "Meeple lies in the monastery"),
        ("labyrinth", "N", "in the maze", "Meeple stands in the maze"),
    ],
)
def test_places_that_have_a_name_of_their_own(
    visit: Any, text: str, spot: str, place: str, does: str
) -> None:
    page = visit()
    load(page, NAMED.format(rules=text, tile=NAMED_TILES[text]))
    page.locator("#ask .all summary").click()
    page.get_by_role("button", name=f"meeple: {place}", exact=True).wait_for()
    page.locator(f'#board .target[aria-label="{does}"]').dispatch_event("click")
    to_ply(page, 1)
    assert page.evaluate("() => carcassonne.app.view.log[0].move.spot") == spot
    title = page.locator("#board .standing title").evaluate("(title) => title.textContent")
    assert title == f"A: meeple ({place})"


def test_who_lies_at_a_monastery_does_not_look_like_a_farmer(visit: Any) -> None:
    page = visit()
    load(page, LYING)
    lying = page.locator("#board .standing", has=page.locator(".slab"))
    assert page.locator("#board .standing").count() == 2 and lying.count() == 1
    title = lying.locator("title").evaluate("(title) => title.textContent")
    assert title == "A: meeple (lying in the monastery)"


def test_few_notes_are_shown_at_a_time_and_none_twice(visit: Any) -> None:
    page = visit()
    shown = page.evaluate(
        """async () => {
          const {toast} = await import("/static/dom.js");
          for (const k of [1, 2, 3, 4, 5]) toast(`Ann: ${k}`, "seat-0");
          toast("Not so", "bad");
          toast("Ann: 6", "seat-0");
          toast("Not so", "bad");
          return [...document.querySelectorAll("#toast .note")].map((note) => note.innerText);
        }"""
    )
    assert shown == ["Ann: 4", "Ann: 5", "Ann: 6", "Not so"]
