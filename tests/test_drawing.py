"""What pictures show on top of the board; pixel images that match the SVG."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from carc_env.engine.core.codes import Phase
from carc_env.envs.display import Renderer
from carc_env.game.game import Game
from carc_env.game.notation import parse_position
from carc_env.position import Bazaar, Lot, Position
from carc_env.render import board_png, board_rgb, board_svg, legal_marks
from carc_env.render.corners import BUILDINGS, INGOTS, building_spot, ingot_spot
from carc_env.render.figure_art import FIGURE_SCALE
from carc_env.render.palette import CLOTH_RED
from carc_env.render.panel import hand_height
from carc_env.render.picture import MOST_LARGER, figure_scale
from carc_env.render.raster import rgb_from_svg
from carc_env.render.shapes import SIZE

pytestmark = pytest.mark.once

SVG = "{http://www.w3.org/2000/svg}"
TEXT = """
[carc_env position 1]
[rules {n_players: 3}]
[scores 12:7:7]
[turn A places bg-curve]
bg-cap-straight 0,0 r0: A meeple E
bg-corner-curve 0,-1 r1: B meeple E
bg-straight 1,0 r0: C meeple Es
"""
ON_THE_MOVE = """
[carc_env position 1]
[rules {abbeys: true, wagons: true}]
[scores 9:4]
[abbeys 0:1]
[wagons B 0,0 E]
[turn A moves]
bg-cap-straight 0,0 r0
bg-monastery-road -1,0 r2
bg-straight 1,0 r0
bg-curve -1,1 r0
bg-curve 1,1 r3
bg-curve -1,2 r2
bg-straight 0,2 r0
bg-curve 1,2 r1
am-abbey 0,1 r0
bg-monastery-road 2,0 r0
"""


@pytest.fixture
def position() -> Position:
    return parse_position(TEXT.replace(": C meeple Es", ""))


@pytest.fixture
def late() -> Position:
    game = Game("all", seed=3)
    while game.n_tiles_left > 60:
        game.apply(game.greedy_action())
    return game.position()


def groups(svg: str, name: str) -> list[ET.Element]:
    return [e for e in ET.fromstring(svg).iter() if e.get("class") == name]


def test_columns_and_rows_are_numbered_at_the_rim(position: Position) -> None:
    def numbers(svg: str) -> list[str | None]:
        (board,) = groups(svg, "board")
        return [e.get("data-text") for e in board if e.get("class") == "text"]

    assert numbers(board_svg(position)) == ["0", "1", "-1", "0"]
    assert numbers(board_svg(position, coordinates=False)) == []


def test_every_place_of_a_legal_tile_is_marked(position: Position) -> None:
    game = Game.from_position(position)
    cells = {game.choice(action).cell for action in game.legal_actions()}
    marks = groups(board_svg(position, legal=True), "mark")
    assert {(int(m.get("data-x", "")), int(m.get("data-y", ""))) for m in marks} == cells
    assert not groups(board_svg(position), "mark")


def test_spots_for_figures_are_rings(position: Position) -> None:
    game = Game.from_position(position)
    game.apply(game.greedy_action())
    assert game.phase == Phase.FIGURE
    spots = {game.choice(action).spot for action in game.legal_actions()} - {None}
    assert {mark.spot for mark in legal_marks(game.position())} == spots
    assert len(groups(board_svg(game.position(), legal=True), "free")) == len(spots)


def test_targets_of_a_wagon_are_marked() -> None:
    position = parse_position(ON_THE_MOVE)
    assert {(m.x, m.y) for m in legal_marks(position)} == {(-1, 0), (0, 0), (-1, 1), (1, 1)}


def test_a_finished_game_has_no_marks() -> None:
    game = Game(seed=1)
    while not game.is_over:
        game.apply(game.random_action())
    assert legal_marks(game.position()) == ()


def test_features_are_tinted_for_those_who_lead(position: Position) -> None:
    assert not groups(board_svg(position), "owners")
    tints = {
        (e.get("data-x"), e.get("data-y")): {path.get("data-seat") for path in e}
        for e in groups(board_svg(position, owners=True), "owners")
    }
    assert tints == {("0", "0"): {"0", "1"}, ("0", "-1"): {"1"}, ("1", "0"): {"0"}}


def test_a_road_on_a_bridge_is_tinted() -> None:
    position = parse_position(
        """
        [carc_env position 1]
        [rules {bridges: true}]
        [scores 0:0]
        [bridges 2:3]
        [turn A places bg-curve]
        bg-cap-straight 0,0 r0: A meeple E
        bg-monastery 1,0 r0 bridge EW
        bg-straight 2,0 r0
        """
    )
    tints = groups(board_svg(position, owners=True), "owners")
    seats = {e.get("data-x"): [path.get("data-seat") for path in e] for e in tints}
    assert seats == {"0": ["0"], "1": ["0"], "2": ["0"]}


def test_a_shared_feature_is_striped(position: Position) -> None:
    shared = replace(position, figures=(*position.figures, replace(position.figures[0], seat=2)))
    tints = groups(board_svg(shared, owners=True), "owners")
    seats = [path.get("data-seat") for e in tints if e.get("data-x") == "1" for path in e]
    assert seats == ["0", "2"]


def test_only_farmers_lie_on_a_mat() -> None:
    position = parse_position(TEXT)
    mats = {
        figure.get("data-kind"): len(figure.findall(f"{SVG}ellipse"))
        for figure in groups(board_svg(position), "figure")
    }
    assert mats == {"ROAD": 0, "CITY": 0, "FIELD": 1}


def test_who_lies_at_a_monastery_does_so_on_a_slab_with_a_cross() -> None:
    position = parse_position(
        """
        [carc_env position 1]
        [rules {preset: monasteries}]
        [scores 0:0]
        [turn A places bg-cap]
        bg-cap-straight 0,0 r0: B meeple Es
        mo-monastery 0,1 r0: A meeple lying
        """
    )
    svg = board_svg(position)
    slabs = {
        figure.get("data-kind"): sum(e.get("class") == "slab" for e in figure.iter())
        for figure in groups(svg, "figure")
    }
    assert slabs == {"FIELD": 0, "LINES": 1}
    (slab,) = groups(svg, "slab")
    assert CLOTH_RED in {e.get("stroke") for e in slab}


def test_tokens_lie_in_the_first_corner_without_a_figure_a_sign_or_a_wall() -> None:
    position = parse_position(
        """
        [carc_env position 1]
        [rules {preset: little-buildings, sets: [base, roses, russian, gold], gold: true}]
        [scores 0:0]
        [built 0,0 tower, 1,0 house, 2,0 shed, 3,0 house]
        [unbuilt A 2 2 3, B 3 2 2]
        [turn A places bg-cap]
        wr-cap-gate-all 0,0 r1
        ru-straight-razboynik 1,0 r0: B meeple Nw
        bg-crossroads 2,0 r0: A meeple Sw
        wr-curve-all 3,0 r0: B meeple Nw
        """
    )
    corners = {
        cell: tuple(np.subtract(building_spot(position, cell), np.multiply(cell, SIZE)))
        for cell in ((0, 0), (1, 0), (2, 0), (3, 0))
    }
    north_east, north_west, south_east, _ = BUILDINGS
    assert corners == {
        (0, 0): north_west,  # away from the wall
        (1, 0): north_east,
        (2, 0): north_east,
        (3, 0): south_east,  # away from the rose and the farmer
    }
    assert ingot_spot(position, (2, 0), 1) == (200 + INGOTS[1][0], INGOTS[1][1])
    gone = replace(position, figures=())
    assert ingot_spot(gone, (2, 0), 1) == (200 + INGOTS[0][0], INGOTS[0][1])


def test_ingots_are_counted_on_heaps_alone() -> None:
    position = parse_position(
        """
        [carc_env position 1]
        [rules {sets: [base, gold], gold: true}]
        [scores 0:0]
        [gold 0,0 1, 1,0 2]
        [turn A places bg-curve]
        bg-cap-straight 0,0 r0
        bg-straight 1,0 r0
        """
    )
    texts = [
        [e.get("data-text") for e in pile.iter() if e.get("class") == "text"]
        for pile in groups(board_svg(position), "gold")
    ]
    assert texts == [[], ["2"]]


def test_figures_grow_on_small_tiles_alone() -> None:
    assert figure_scale(100) == FIGURE_SCALE
    assert FIGURE_SCALE < figure_scale(50) < figure_scale(36) <= FIGURE_SCALE * MOST_LARGER
    assert figure_scale(4) == FIGURE_SCALE * MOST_LARGER


@pytest.mark.parametrize(
    ("scores", "words"), [((12, 7, 9), "A WINS BY 3"), ((4, 9, 9), "B AND C SHARE THE WIN")]
)
def test_the_winner_is_named(position: Position, scores: tuple[int, ...], words: str) -> None:
    over = replace(position, phase=Phase.GAME_OVER, tile_in_hand=None, scores=scores)
    texts = [e.get("data-text") for e in groups(board_svg(over), "text")]
    assert words in texts


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_there_is_room_for_all_tiles_of_a_bazaar(n_players: int) -> None:
    offer = tuple(Lot("bg-cap") for _ in range(n_players))
    game = Game({"preset": "bridges", "n_players": n_players}, seed=1)
    position = replace(
        game.position(), phase=Phase.BAZAAR_PICK, bazaar=Bazaar(0, 0, offer, chooser=0)
    )
    for lot in groups(board_svg(position), "lot"):
        place, _, scale = lot[0].get("transform", "").partition(" scale(")
        size = 100 * float(scale.removesuffix(")"))
        assert size > 45
        assert float(place.removesuffix(")").split()[1]) + size + 8 < hand_height(position)


def test_pixels_show_what_the_svg_says(late: Position) -> None:
    pytest.importorskip("resvg_py")
    look = {"width": 960, "height": 720, "owners": True, "legal": True}
    put_together = board_rgb(late, **look).astype(int)
    at_once = rgb_from_svg(board_svg(late, **look)).astype(int)
    assert put_together.shape == (720, 960, 3)
    assert np.abs(put_together - at_once).mean() < 3
    again = board_rgb(late, **look)
    assert (again == put_together).all()


def test_a_huge_board_has_a_picture_of_a_size_for_screens(late: Position) -> None:
    pytest.importorskip("resvg_py")
    width = int.from_bytes(board_png(late)[16:20])
    assert 1000 < width <= 1800


def test_frames_take_options(position: Position) -> None:
    pytest.importorskip("resvg_py")
    frame = Renderer("rgb_array", {"width": 400, "height": 300, "owners": True}).render(position)
    assert frame.shape == (300, 400, 3)
    with pytest.raises(ValueError, match="a render option"):
        Renderer("rgb_array", {"colour": "red"})
