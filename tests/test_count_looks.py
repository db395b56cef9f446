"""Carcassonne, the figures waiting there and the count: in pictures, as text, on the page."""

import io
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from carc_env import Game, Rules
from carc_env.engine.core.codes import Figure, Phase, Quarter
from carc_env.engine.core.tiles import FACTS
from carc_env.game.notation import parse_position
from carc_env.position import Position, Waiting
from carc_env.render import board_svg, board_text, tile_svg
from carc_env.render.plan import plan_of
from carc_env.render.shapes import SIZE
from carc_env.sets.count.drawing import COUNT_RADIUS, SQUARE, middle_of
from carc_env.web.art import drawing
from carc_env.web.film import film_of
from carc_env.web.play import Play, Sitter, Start
from carc_env.web.view import view_of
from tests.rules.positions import Table, carcassonne
from tests.test_render import elements, words

pytestmark = pytest.mark.once

QUESTIONS = (Phase.JOIN, Phase.JOIN_SPOT, Phase.ENTER, Phase.COUNT)
TILES = {row["id"]: row for row in FACTS if row["set"] == "count"}
WAITING = """[count market]
[quarters A meeple castle, A large castle, B meeple castle, B large castle, A abbot cathedral]
"""
ENTERS = Table("count: true, large_meeples: true", sets="base, count, inns").position(
    carcassonne("bg-cap 2,1 r3", co_9="A meeple S"),
    turn="A enters",
    headers=WAITING,
    scores="0:4",
    auto_single=True,
)


@pytest.fixture
def pixels() -> None:
    """Skip the test if the extra for pictures is not installed."""
    pytest.importorskip("resvg_py")
    pytest.importorskip("pygame")


@pytest.fixture
def position() -> Position:
    return parse_position(ENTERS)


def guests(svg: str) -> dict[str, list[ET.Element]]:
    """Return the waiting figures by quarter."""
    return {
        str(group.get("data-quarter")): [e for e in group if e.get("class") == "guest"]
        for group in elements(svg, "guests")
    }


def place_of(guest: ET.Element) -> tuple[float, float, float]:
    """Return the position and scale of a waiting figure."""
    spot, scale = guest[0].get("transform", "").removeprefix("translate(").split(") scale(")
    x, y = spot.split()
    return float(x), float(y), float(scale.removesuffix(")"))


# ---------------------------------------------------------------------------------- the tiles


@pytest.mark.parametrize("tile", TILES)
def test_a_wall_with_towers_parts_the_city_from_the_fields(tile: str) -> None:
    row, plan = TILES[tile], plan_of(tile)
    (precinct,) = elements(tile_svg(tile), "precinct")
    assert plan.precinct is not None
    assert len(plan.precinct.walls) == (0 if row.get("closed") else 1)
    assert sum(e.get("r") == "6.4" for e in precinct.iter()) == 2 * len(plan.precinct.walls)


@pytest.mark.parametrize("tile", TILES)
def test_roads_end_at_a_gate_in_the_wall(tile: str) -> None:
    roads, plan = TILES[tile].get("roads", []), plan_of(tile)
    assert len(elements(tile_svg(tile), "gate")) == len(plan.gates) == len(roads)
    for road, gate in zip(plan.roads, plan.gates, strict=True):
        (strand,) = road.strands
        assert strand.end == gate.spot
        (wall,) = plan.walls
        assert np.hypot(*(np.array(gate.spot) - wall.at(wall.nearest_share(gate.spot)))) < 1


@pytest.mark.parametrize("quarter", Quarter)
def test_every_quarter_has_a_square_in_the_middle_and_a_building_beside_it(
    quarter: Quarter,
) -> None:
    x, y = middle_of(quarter)
    closed = [row["table"] for row in TILES.values() if row.get("closed")]
    assert [x // SIZE, y // SIZE] in closed
    shown = [e.get("class") for tile in TILES for e in ET.fromstring(tile_svg(tile)).iter()]
    assert shown.count("quarter") == len(Quarter)
    assert shown.count(f"{quarter.name.lower()}-quarter") == 1
    assert [shown.count(name) for name in ("keep", "market", "smithy", "minster")] == [1] * 4


def test_squares_lie_apart() -> None:
    for one, other in combinations(map(middle_of, Quarter), 2):
        gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
        assert gaps[0] > SQUARE[0] or gaps[1] > SQUARE[1]


# ---------------------------------------------------------------------- waiting figures, the count


def test_those_who_wait_stand_in_their_quarter_in_their_colours(position: Position) -> None:
    found = {
        quarter: [(e.get("data-seat"), e.get("data-figure")) for e in here]
        for quarter, here in guests(board_svg(position)).items()
    }
    assert found == {
        "CASTLE": [("0", "MEEPLE"), ("0", "LARGE"), ("1", "MEEPLE"), ("1", "LARGE")],
        "CATHEDRAL": [("0", "ABBOT")],
    }


@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 12])
def test_a_crowd_finds_room_in_its_quarter_beside_the_count(position: Position, n: int) -> None:
    crowd = tuple(Waiting(k % 2, Quarter.MARKET, Figure.MEEPLE) for k in range(n))
    svg = board_svg(replace(position, waiting=crowd))
    places = [place_of(guest) for guest in guests(svg)["MARKET"]]
    assert len(places) == n
    (x, y), (count, *_) = middle_of(Quarter.MARKET), elements(svg, "count")
    at = float(count.get("transform", "").removeprefix("translate(").split()[0])
    for spot_x, spot_y, scale in places:
        reach = 11.5 * scale
        assert abs(spot_x - x) + reach <= SQUARE[0] / 2
        assert abs(spot_y - y) + reach <= SQUARE[1] / 2
        assert at - spot_x > reach + 0.6 * COUNT_RADIUS
        assert scale > 0.45
    for (ax, ay, scale), (bx, by, _) in combinations(places, 2):
        assert max(abs(ax - bx), abs(ay - by)) > 23 * scale


@pytest.mark.parametrize("quarter", Quarter)
def test_the_count_stands_in_one_quarter(position: Position, quarter: Quarter) -> None:
    (count,) = elements(board_svg(replace(position, count=quarter)), "count")
    x, y = map(float, count.get("transform", "")[10:].partition(")")[0].split())
    left, top = middle_of(quarter)
    assert abs(x - left) < SQUARE[0] / 2 and abs(y - top) < SQUARE[1] / 2


def test_tiles_without_the_count_show_nobody() -> None:
    svg = board_svg(Game(Rules(sets=("base", "count"))).position())
    assert not elements(svg, "count") and not elements(svg, "guests")
    assert len(elements(svg, "precinct")) == len(TILES)


def test_the_panel_tells_how_many_wait_in_each_quarter(position: Position) -> None:
    cards = elements(board_svg(position), "player")
    rows = [[e for e in card.iter() if e.get("class") == "quarter"] for card in cards]
    assert [[e.get("data-count") for e in row] for row in rows] == [list("2001"), list("2000")]
    supply = [e for e in cards[0].iter() if e.get("class") == "supply"]
    left = [e.get("data-figure") for e in supply if e.get("data-left") == "1"]
    assert left == ["MEEPLE"] * 5  # one is a knight, one waits; the large one and the abbot wait


@pytest.mark.parametrize(
    ("phase", "heading", "task"),
    [
        (Phase.JOIN, "LEAVE CARCASSONNE", "A may let a meeple leave Carcassonne"),
        (Phase.ENTER, "GO INTO CARCASSONNE", "A may put a meeple into Carcassonne"),
        (Phase.COUNT, "MOVE THE COUNT", "A moves the count or leaves him"),
    ],
)
def test_what_is_asked_is_told(position: Position, phase: Phase, heading: str, task: str) -> None:
    asked = replace(position, phase=phase)
    assert heading in words(board_svg(asked))
    assert task in board_text(asked)


def test_the_text_shows_the_walls_and_tells_who_waits(position: Position) -> None:
    header, _, picture = board_text(position).partition("\n\n")
    assert header.splitlines()[-2:] == [
        "A may put a meeple into Carcassonne; count: market",
        "Carcassonne: castle A meeple, A large, B meeple, B large; cathedral A abbot",
    ]
    assert picture.splitlines() == [
        "     -2     -1      0      1      2",
        "   ........................│...",
        "-1 ───╴..::::::::::::::::..╵...",
        "   ...::::::::H::::::$::::::...",
        "   ...::::::::::::::::::::::...",
        " 0 ...:::::::::::::::::::::....",
        "   ...::::::::::::::::::::::...",
        "   ...::::::::X:::::::Y:::::..##......",
        " 1 ......::.....::..╷..::....####.....",
        "   .##A##...........│.........##......",
    ]


# ----------------------------------------------------------------------------------- the page


class Even:
    """Even winning chances, for tests of other things."""

    def of(self, game: Game) -> list[float]:
        return [0.5] * game.rules.n_players


def play_of(text: str) -> Play:
    start = Start(parse_position(text).rules, 1, position=text)
    return Play(start, (Sitter("Ann"), Sitter("Ben")))


def test_quarters_are_places_on_the_board() -> None:
    view = view_of(play_of(ENTERS), 0, Even())
    named = {a["quarter"]: a for a in view["actions"] if "quarter" in a}
    assert set(named) == {quarter.name for quarter in Quarter}
    assert all((a.get("area") is None) == (a["word"] == "pass") for a in view["actions"])
    for name, action in named.items():
        assert (action["x"], action["y"]) == middle_of(Quarter[name])


def test_the_page_is_told_who_waits_where() -> None:
    view = view_of(play_of(ENTERS), 0, Even())
    castle = {"quarter": "CASTLE", "figures": {"MEEPLE": 1, "LARGE": 1}}
    cathedral = {"quarter": "CATHEDRAL", "figures": {"ABBOT": 1}}
    assert view["waiting"] == [[castle, cathedral], [castle]]
    assert not view["leavesLast"]


@pytest.mark.parametrize("quarter", Quarter)
def test_every_quarter_has_a_sign(quarter: Quarter) -> None:
    sign = drawing(f"x:{quarter.name.lower()}-quarter")
    assert sign["box"] == "-9.8 -9.8 19.6 19.6"
    assert ET.fromstring(f"<g>{sign['svg']}</g>") is not None


def test_a_film_shows_the_count_move(pixels: None) -> None:
    play = play_of(ENTERS)
    for name in ("enter meeple market", "count castle"):
        play.act(play.game.action(name))
    film = Image.open(io.BytesIO(film_of(play.start, play.decisions, tell=lambda _: None)))
    assert film.n_frames == 3


def eager_action(game: Game) -> int:
    """Return the first action that leads to a question of Carcassonne, else the greedy one."""
    legal = game.legal_actions()
    if game.phase in QUESTIONS:
        return int(legal[0])
    for action in legal:
        ahead = game.clone()
        ahead.apply(action)
        if ahead.phase == Phase.FIGURE:
            ahead.apply("pass")
        if ahead.phase in QUESTIONS:
            return action
    return game.greedy_action()


@pytest.mark.long
def test_every_position_of_a_game_can_be_drawn() -> None:
    rules = Rules(sets=("base", "inns", "count"), count=True, large_meeples=True)
    game, seen, n_waiting = Game(rules, seed=3), Counter[Phase](), 0
    while not game.is_over:
        seen[game.phase] += 1
        if game.phase in QUESTIONS or seen.total() % 25 == 0:
            position = game.position()
            svg = board_svg(position)
            assert sum(map(len, guests(svg).values())) == len(position.waiting)
            assert len(elements(svg, "count")) == 1
            assert board_text(position)
            n_waiting = max(n_waiting, len(position.waiting))
        game.apply(eager_action(game))
    assert set(QUESTIONS) <= set(seen)
    assert n_waiting > 2
