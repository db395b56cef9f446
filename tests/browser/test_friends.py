"""Remote friends: a link owns a seat and others watch, all in separate browsers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.test_page import (
    BEFORE,
    PHONE,
    SETTLED,
    begin,
    check_for_everybody,
    entering,
    middle,
)
from tests.web_server import PATIENCE, serving

pytestmark = pytest.mark.once

WATCHING = "You are watching. Only players with a link to a seat can play."


def turn_of(page: Any, seat: int) -> None:
    """Wait until a seat decides and the page has drawn that."""
    page.wait_for_function(
        f"(seat) => ({SETTLED})() && carcassonne.app.view.decider === seat", arg=seat
    )


def play_a_turn(page: Any, seat: int) -> None:
    """Place a tile by clicks, but no figure."""
    turn_of(page, seat)
    page.mouse.click(*middle(page, "#board .target.cell"))
    page.get_by_text("Put down").click()
    page.locator("#ask .answers > button", has_text="Pass").click()


def invite(page: Any, name: str) -> str:
    """Return the link to a seat, as the dialogue shows it."""
    page.get_by_label(f"Who plays this seat: {name}").select_option("+")
    page.get_by_role("button", name=f"Make a link: {name}").click()
    field = page.get_by_role("textbox", name=f"Link to the seat: {name}")
    field.wait_for()
    found = field.input_value()
    page.keyboard.press("Escape")
    return found


def test_a_link_owns_a_seat_wherever_it_is_opened(visit: Any) -> None:
    host, friend, third = visit(), visit(), visit(**PHONE)
    begin(host, "base", [{"name": "Ann"}, {"name": "Ben"}], seed=4)
    game = host.evaluate("() => carcassonne.app.game")
    link = invite(host, "Ben")
    assert f"#game={game}&seat=" in link
    for page, address in ((friend, link), (third, link.partition("&")[0])):
        with entering(page):
            page.goto(address)
        assert page.url.endswith(f"#game={game}")  # the address keeps no secret
    third.locator("#ask").get_by_text(WATCHING).wait_for()
    assert third.get_by_role("button", name="Undo").count() == 0
    assert third.get_by_role("button", name="Rematch").count() == 0
    assert friend.locator("#board .target").count() == 0
    play_a_turn(host, 0)
    friend.reload()  # their browser remembers the seat
    play_a_turn(friend, 1)
    turn_of(third, 0)
    assert third.locator("#board .target").count() == 0
    other = visit()
    other.goto(link)  # another device
    turn_of(other, 0)
    assert other.evaluate("() => carcassonne.app.seats.mine") == [1]
    pages = {host: "1", friend: "0", third: ""}
    for page in pages:
        page.evaluate(BEFORE)
    host.get_by_role("button", name="Rematch").first.click()
    host.get_by_role("button", name="Same tiles again").click()
    friend.locator("dialog", has_text="Ann would like to start again").wait_for()
    assert third.locator("dialog").count() == 0
    friend.get_by_role("button", name="Agree").click()
    other.locator("dialog").wait_for(state="detached")
    for page, mine in pages.items():
        page.wait_for_function(SETTLED)
        assert page.evaluate("() => carcassonne.app.game") != game
        assert page.evaluate("() => carcassonne.app.seats.mine.join()") == mine
    friend.reload()
    play_a_turn(friend, 0)


def test_another_tab_of_the_owner_owns_the_seat_too(visit: Any) -> None:
    host = visit()
    begin(host, "base", [{"name": "Ann"}, {"name": "Ben"}])
    other = host.context.new_page()
    other.set_default_timeout(1000 * PATIENCE)
    other.goto(host.url)
    other.wait_for_function(SETTLED)
    invite(host, "Ben")
    other.wait_for_function("() => carcassonne.app.seats.mine.join() === '0'")


def test_a_token_opens_the_page_and_stays_in_links(window: Any, tmp_path: Any) -> None:
    with serving(tmp_path, token="friends-only") as port:
        page = window()
        page.goto(f"http://127.0.0.1:{port}/")
        assert "ends in ?token=" in page.locator("body").inner_text()
        page.goto(f"http://localhost:{port}/")  # another site, with a link
        link = f"http://127.0.0.1:{port}/?token=friends-only#game=0000000000"
        page.evaluate("(link) => { location.href = link; }", link)
        page.get_by_text("This game does not exist").wait_for()
        assert "token" not in page.url
        begin(page, "base", [{"name": "Ann"}, {"name": "Ben"}])
        link = invite(page, "Ben")
        assert f":{port}/?token=friends-only#game=" in link
        friend = window()
        friend.goto(link)
        friend.wait_for_function("() => carcassonne.app.seats?.mine.join() === '1'")
        friend.context.close()
        page.context.close()


@pytest.mark.parametrize("phone", [{}, {**PHONE, "locale": "de-DE", "color_scheme": "dark"}])
def test_the_invitation_is_for_everybody(visit: Any, phone: Any) -> None:
    page = visit(**phone)
    begin(page, "base", [{"name": "Ann"}, {"name": "Ben"}, {"name": "Bot", "agent": "greedy"}])
    page.evaluate("() => carcassonne.ask.invite()")
    page.locator("dialog section button").nth(1).click()
    page.locator("dialog [data-seat='1'] input").wait_for()
    assert page.locator("dialog section").count() == 2
    check_for_everybody(page, "invitation")


@pytest.mark.parametrize("phone", [{}, {**PHONE, "locale": "de-DE", "color_scheme": "dark"}])
def test_a_friend_by_a_link_and_what_they_ask_is_for_everybody(visit: Any, phone: Any) -> None:
    page, friend = visit(**phone), visit()
    page.locator(".starts button").nth(-2).click()
    field = page.locator('.invitations [data-seat="1"] input')
    field.wait_for()
    check_for_everybody(page, "a friend's link")
    with entering(friend):
        friend.goto(field.input_value())
    page.keyboard.press("Escape")
    friend.get_by_role("button", name="Rematch").first.click()
    friend.get_by_role("button", name="New tiles").click()
    page.locator("dialog .answers .main").wait_for()
    check_for_everybody(page, "consent")


def test_a_guest_asks_before_taking_back_and_sees_who_is_away(visit: Any) -> None:
    host, guest = visit(), visit()
    begin(host, "base", [{"name": "Ann"}, {"name": "Ben"}, {"name": "Bot", "agent": "greedy"}])
    link = invite(host, "Ben")
    with entering(guest):
        guest.goto(link)
    assert guest.get_by_label("Who plays this seat: Bot").count() == 0  # only the host can set this
    assert guest.locator("#timeline select").count() == 0
    play_a_turn(host, 0)
    turn_of(guest, 1)
    before = guest.evaluate("() => carcassonne.app.view.ply")
    guest.get_by_role("button", name="Undo").click()
    host.locator("dialog", has_text="Ben would like to take back a move of yours").wait_for()
    host.keyboard.press("Escape")  # this means no
    guest.get_by_text("The others do not agree.").wait_for()
    assert guest.evaluate("() => carcassonne.app.view.ply") == before
    guest.get_by_role("button", name="Undo").click()
    host.get_by_role("button", name="Agree").click()
    turn_of(host, 0)
    host.locator("#ask .answers > button", has_text="Pass").click()
    turn_of(host, 1)
    guest.context.close()
    host.locator("#ask").get_by_text("Ben is away, and the next move is theirs.").wait_for()
    assert "away" in host.locator("#players .player").nth(1).inner_text()
