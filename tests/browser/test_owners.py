"""Ownership overlays: outlines and hatching in the owners' colours, for one feature or for all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.test_camera import crowded
from tests.browser.test_page import load, wait_until_still

pytestmark = pytest.mark.once

ON_SCREEN = """([x, y]) => {
  const place = new DOMPoint(x, y)
    .matrixTransform(document.querySelector(".layer-tiles").getScreenCTM());
  return [place.x, place.y];
}"""
FARMER = """() => {
  const {x, y, seat} = carcassonne.app.view.figures.findLast((one) => one.on === "FIELD");
  return [x, y, seat];
}"""


def test_a_field_is_outlined_and_hatched_and_its_cities_have_their_points(visit: Any) -> None:
    page = visit()
    load(page, crowded())
    wait_until_still(page)
    x, y, seat = page.evaluate(FARMER)
    place = page.evaluate(ON_SCREEN, [x, y])
    page.mouse.move(*place)
    page.mouse.move(place[0] + 1, place[1])
    page.locator("#tip", has_text="Field").wait_for()
    color = page.evaluate("(seat) => carcassonne.app.hello.seats[seat].color", seat)
    strokes = page.locator(".layer-feature .edge-of").evaluate_all(
        "all => all.map((one) => one.getAttribute('style').split(':')[1])"
    )
    assert color in strokes
    fills = page.locator(".layer-feature [fill]").evaluate_all(
        "all => all.map((one) => one.getAttribute('fill'))"
    )
    assert f"url(#hatch-{seat})" in fills and all("hatch" in fill for fill in fills)
    marks = page.locator(".layer-open .open-count").all_text_contents()
    assert f"{len(marks)} complete cit" in page.locator("#tip").inner_text()
    assert set(marks) == {"+3"}


def test_the_owners_of_all_features_are_shown_and_hidden(visit: Any) -> None:
    page = visit()
    load(page, crowded())
    toggle = page.get_by_role("button", name="Show who owns what")
    toggle.click()
    page.wait_for_selector(".layer-owned .area-of")
    shown = page.locator(".layer-owned .area-of").count()
    figures = page.evaluate("() => carcassonne.app.view.figures.map((one) => one.on)")
    lands = [on for on in figures if on in ("ROAD", "CITY", "FIELD")]
    assert 5 < shown <= len(lands)
    assert toggle.get_attribute("aria-pressed") == "true"
    toggle.click()
    assert page.locator(".layer-owned .area-of").count() == 0
