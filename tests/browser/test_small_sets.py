"""What the page asks in small sets: rings and chips that can be told apart and hit."""

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
