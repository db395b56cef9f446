"""Pictures of positions agree with the tile facts and with the position."""

import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from carc_env.engine.codes import Figure, Kind, Phase, Spot
from carc_env.engine.tiles import (
    DESIGN,
    FACTS,
    HALVES,
    ROWS,
    SEGMENT_SPOT,
    SEGMENTS,
    SIDES,
    TILE_ID,
)
from carc_env.game import Game
from carc_env.position import PlacedFigure, PlacedTile, Position
from carc_env.render import Window, board_png, board_rgb, board_svg, board_text, stand_of, tile_svg
from carc_env.render.lettering import text_svg, text_width
from carc_env.render.palette import CITY_GROUND, GRASS, RIVER, ROAD, SEATS, WALL_LINE
from carc_env.render.plan import plan_of
from carc_env.render.raster import png_from_svg, rgb_from_svg
from carc_env.render.shapes import distance_to_line
from carc_env.render.sites import CITY, FIELD, OTHER, STEP, cell_of_half, components, ground
from carc_env.render.tile_art import CLIP
from carc_env.rules import Rules

OF_THE_BAG = TILE_ID[: len(FACTS)]
SVG = "{http://www.w3.org/2000/svg}"

# Under the bridge of a city an enclosed field shows as two parts (the note of the tile facts).
BRIDGED = {row["id"] for row in FACTS if row.get("crossing") == "cities"}


@pytest.fixture
def position() -> Position:
    """A monk, an abbot in a garden, a knight, a highwayman and a farmer after six tiles."""
    return Position(
        rules=Rules(n_players=3),
        tiles=(
            PlacedTile("bg-cap-straight", 0, 0, 0),
            PlacedTile("bg-cap", 0, -1, 2),
            PlacedTile("bg-straight-garden", 1, 0, 0),
            PlacedTile("bg-monastery", 0, 1, 0),
            PlacedTile("bg-curve", -1, 0, 3),
            PlacedTile("bg-monastery", 1, 1, 0),
        ),
        figures=(
            PlacedFigure(0, Figure.MEEPLE, 0, -1, Spot.S),
            PlacedFigure(1, Figure.ABBOT, 1, 0, Spot.mid),
            PlacedFigure(2, Figure.MEEPLE, 0, 1, Spot.mid),
            PlacedFigure(0, Figure.MEEPLE, 0, 0, Spot.E),
            PlacedFigure(1, Figure.MEEPLE, 0, -1, Spot.Nw),
        ),
        scores=(12, 7, 130),
        phase=Phase.PLACE_TILE,
        turn_player=1,
        decider=1,
        tile_in_hand="bg-crossroads",
        bag=("bg-curve",) * 42,
    )


@pytest.fixture
def mayors_day() -> Position:
    """Everything of Abbey & Mayor: an abbey on the board, a wagon on the move, a barn, a mayor."""
    return Position(
        rules=Rules.preset("abbey-mayor", n_players=3),
        tiles=(
            PlacedTile("bg-cap-straight", 0, 0, 0),
            PlacedTile("bg-cap", 0, -1, 2),
            PlacedTile("bg-straight", 1, 0, 0),
            PlacedTile("bg-monastery", 1, 1, 0),
            PlacedTile("bg-monastery", 0, 1, 0),
            PlacedTile("am-abbey", 2, 0, 0),
        ),
        figures=(
            PlacedFigure(0, Figure.MAYOR, 0, -1, Spot.S),
            PlacedFigure(1, Figure.BARN, 0, 1, Spot.NE),
            PlacedFigure(2, Figure.WAGON, 2, 0, Spot.mid),
            PlacedFigure(2, Figure.MEEPLE, 1, 0, Spot.Nw),
        ),
        scores=(3, 10, 0),
        phase=Phase.WAGON,
        turn_player=0,
        decider=1,
        bag=("bg-curve",) * 9,
        abbeys=(1, 1, 0),
        wagons=(
            PlacedFigure(1, Figure.WAGON, 0, 0, Spot.E),
            PlacedFigure(0, Figure.WAGON, 1, 1, Spot.mid),
        ),
    )


@pytest.fixture
def pixels() -> None:
    """Skip where the extra is not installed."""
    pytest.importorskip("resvg_py")
    pytest.importorskip("pygame")


def elements(svg: str, name: str) -> list[ET.Element]:
    return [e for e in ET.fromstring(svg).iter() if e.get("class") == name]


# -------------------------------------------------------------------------------------- tiles


@pytest.mark.parametrize("tile", TILE_ID)
def test_every_design_draws_valid_xml_and_always_the_same(tile: str) -> None:
    for rotation in range(4):
        svg = tile_svg(tile, rotation)
        root = ET.fromstring(svg)
        assert root.get("data-tile") == tile
        assert "nan" not in svg
        assert svg == tile_svg.__wrapped__(tile, rotation)


@pytest.mark.parametrize("row", FACTS, ids=OF_THE_BAG)
def test_everything_that_the_facts_list_is_drawn(row: dict) -> None:
    root = ET.fromstring(tile_svg(row["id"]))
    drawn = [e.get("class") for e in root.iter() if e.get("class")]
    cities = row.get("cities", [])
    assert drawn.count("city") == len(cities)
    assert drawn.count("shield") == sum(c.get("shields", 0) for c in cities)
    for goods in ("wine", "grain", "cloth"):
        assert drawn.count(goods) == sum(c.get("goods") == goods for c in cities)
    assert drawn.count("cathedral") == sum(bool(c.get("cathedral")) for c in cities)
    assert drawn.count("inn") == sum(bool(r.get("inn")) for r in row.get("roads", []))
    assert drawn.count("river") == ("river" in row)
    for sign in ("monastery", "garden", "bazaar"):
        assert drawn.count(sign) == bool(row.get(sign))


@pytest.mark.parametrize("row", FACTS, ids=OF_THE_BAG)
def test_the_drawn_fields_are_those_of_the_facts(row: dict) -> None:
    """Walls, roads and rivers as drawn split the meadow exactly as the facts say."""
    parts = components(ground(plan_of(row["id"])) == FIELD)
    owner = {}
    for i, field in enumerate(row["fields"]):
        for half in field["at"].split():
            cell = cell_of_half(HALVES.index(half))
            found = [k for k, part in enumerate(parts) if part[cell]]
            assert len(found) == 1, f"no meadow at {half}"
            assert owner.setdefault(found[0], i) == i, f"two fields run together at {half}"
    n_open = sum(bool(field["at"]) for field in row["fields"])
    assert len(owner) == n_open
    if row["id"] in BRIDGED:
        assert len(parts) > len(row["fields"])
    else:
        assert len(parts) == len(row["fields"])


@pytest.mark.parametrize("tile", TILE_ID)
def test_figures_stand_on_their_own_segment_apart_from_each_other(tile: str) -> None:
    design, plan = DESIGN[tile], plan_of(tile)
    labels = ground(plan)
    stands = []
    n_seen = dict.fromkeys(Kind, 0)
    for j, (kind, places, *_) in enumerate(SEGMENTS[design]):
        x, y = stand_of(tile, 0, Spot(int(SEGMENT_SPOT[design, 0, j])))
        assert 4 <= x <= 96 and 4 <= y <= 96
        stands.append((x, y))
        cell = int(y / STEP), int(x / STEP)
        if kind == Kind.CITY:
            assert labels[cell] == CITY + n_seen[kind]
        elif kind == Kind.ROAD:
            strands = plan.roads[n_seen[kind]].strands
            here = np.array([[x, y]])
            assert min(distance_to_line(here, s.points)[0] for s in strands) < 1
        elif kind == Kind.FIELD:
            part = next(p for p in components(labels == FIELD) if p[cell])
            halves = {h for h in range(8) if part[cell_of_half(h)]}
            assert halves == set(places)
        n_seen[kind] += 1
    assert len(stands) == len(SEGMENTS[design])


@pytest.mark.parametrize("tile", TILE_ID)
def test_no_two_figures_of_a_tile_cover_each_other(tile: str) -> None:
    design = DESIGN[tile]
    for rotation in range(4):
        spots = SEGMENT_SPOT[design, rotation, : len(SEGMENTS[design])]
        stands = [stand_of(tile, rotation, Spot(int(spot))) for spot in spots]
        for a, b in combinations(stands, 2):
            assert np.hypot(a[0] - b[0], a[1] - b[1]) > 12


def test_stands_turn_with_their_tile() -> None:
    x, y = stand_of("bg-cap", 0, Spot.N)
    assert stand_of("bg-cap", 1, Spot.E) == (100 - y, x)
    assert stand_of("bg-cap", 2, Spot.S) == (100 - x, 100 - y)


def test_a_spot_that_is_not_on_the_tile_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'bg-cap' at rotation 1 has no segment N"):
        stand_of("bg-cap", 1, Spot.N)
    with pytest.raises(KeyError):
        tile_svg("no-such-tile")


@pytest.mark.parametrize("row", ROWS, ids=TILE_ID)
def test_neighbours_join_without_a_step(row: dict, pixels: None) -> None:
    """At the rim every kind of edge has its colour in the same place on all tiles."""
    picture = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">'
        f'<defs>{CLIP}</defs><g clip-path="url(#tile-clip)">{tile_svg(row["id"])}</g></svg>'
    )
    rgb = rgb_from_svg(picture)
    rims = {"N": rgb[0], "E": rgb[:, -1], "S": rgb[-1], "W": rgb[:, 0]}
    inner = {
        "R": (ROAD, 47, 53),
        "V": (RIVER, 44, 56),
        "C": (CITY_GROUND, 22, 40),
        "A": (WALL_LINE, 1, 99),
    }
    for side, letter in zip(SIDES, row["edges"], strict=True):
        color, first, last = inner.get(letter, (GRASS, 47, 53))
        wanted = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)])
        off = np.abs(rims[side][first:last].astype(int) - wanted).max(axis=1)
        # Tufts and cobbles may touch the rim here and there; they never fill it.
        assert np.median(off) <= 12, f"side {side}"


def test_the_abbey_is_closed_on_all_sides() -> None:
    root = ET.fromstring(tile_svg("am-abbey"))
    drawn = [e.get("class") for e in root.iter() if e.get("class")]
    assert drawn.count("abbey") == drawn.count("enclosure") == 1
    assert not {"city", "roads", "river", "monastery", "garden"} & set(drawn)
    assert GRASS not in tile_svg("am-abbey")
    assert (ground(plan_of("am-abbey")) == OTHER).all()


def test_the_abbey_looks_different_from_every_monastery() -> None:
    for row in FACTS:
        drawn = {e.get("class") for e in ET.fromstring(tile_svg(row["id"])).iter()}
        assert not {"abbey", "enclosure"} & drawn


def test_barns_stand_where_four_tiles_meet() -> None:
    corners = {Spot.NE: (100, 0), Spot.SE: (100, 100), Spot.SW: (0, 100), Spot.NW: (0, 0)}
    for rotation in range(4):
        for spot, point in corners.items():
            assert stand_of("bg-monastery", rotation, spot) == point


def test_a_corner_without_a_field_is_no_place_for_a_barn() -> None:
    assert stand_of("bg-corner", 0, Spot.SW) == (0, 100)
    message = r"'bg-corner' at rotation 2 has no field at the corner SW"
    with pytest.raises(ValueError, match=message):
        stand_of("bg-corner", 2, Spot.SW)
    with pytest.raises(ValueError, match="no field at the corner NE"):
        stand_of("am-abbey", 0, Spot.NE)


# -------------------------------------------------------------------------------------- board


def test_all_tiles_and_figures_are_on_the_board(position: Position) -> None:
    svg = board_svg(position)
    tiles = [
        tuple(e.get(f"data-{fact}") for fact in ("tile", "x", "y", "rotation"))
        for e in elements(svg, "tile")
    ]
    assert sorted(tiles) == sorted(
        (t.tile, str(t.x), str(t.y), str(t.rotation)) for t in position.tiles
    )
    figures = {
        tuple(e.get(f"data-{fact}") for fact in ("seat", "figure", "kind", "x", "y"))
        for e in elements(svg, "figure")
    }
    assert figures == {
        ("0", "MEEPLE", "CITY", "0", "-1"),
        ("1", "ABBOT", "GARDEN", "1", "0"),
        ("2", "MEEPLE", "MONASTERY", "0", "1"),
        ("0", "MEEPLE", "ROAD", "0", "0"),
        ("1", "MEEPLE", "FIELD", "0", "-1"),
    }


def test_only_farmers_lie_down(position: Position) -> None:
    for figure in elements(board_svg(position), "figure"):
        lies = any("rotate(-90)" in (e.get("transform") or "") for e in figure.iter())
        assert lies == (figure.get("data-kind") == "FIELD")


def test_the_same_position_gives_the_same_picture(position: Position) -> None:
    assert board_svg(position) == board_svg(replace(position))


def test_every_design_used_is_defined_once(position: Position) -> None:
    root = ET.fromstring(board_svg(position))
    names = [e.get("id") for e in root.iter() if e.get("id")]
    used = {e.get("href")[1:] for e in root.iter(f"{SVG}use")}
    assert len(names) == len(set(names))
    assert used <= set(names)


def test_the_last_tile_is_outlined_unless_another_is_asked_for(position: Position) -> None:
    def outlined(svg: str) -> tuple[int, int]:
        (frame,) = elements(svg, "highlight")
        return int(frame.get("data-x")), int(frame.get("data-y"))

    assert outlined(board_svg(position)) == (1, 1)
    assert outlined(board_svg(position, highlight=(0, 0))) == (0, 0)


def test_the_panel_tells_scores_supplies_turn_and_bag(position: Position) -> None:
    svg = board_svg(position)
    players = elements(svg, "player")
    assert [int(e.get("data-score")) for e in players] == [12, 7, 130]
    assert [e.get("data-marked") for e in players] == ["0", "1", "0"]
    left = [
        sum(e.get("data-left") == "1" for e in player.iter() if e.get("class") == "supply")
        for player in players
    ]
    assert left == [5 + 1, 6 + 0, 6 + 1]  # meeples and abbot
    words = [e.get("data-text") for e in elements(svg, "text")]
    assert {"12", "7", "130", "42", "TILES LEFT", "PLACE THE TILE"} <= set(words)
    assert [e.get("data-tile") for e in elements(svg, "hand")] == ["bg-crossroads"]


def test_what_is_not_known_is_not_drawn(position: Position) -> None:
    rules = Rules.preset("first-edition", n_players=3)
    svg = board_svg(replace(position, rules=rules, figures=(), bag=None))
    words = [e.get("data-text") for e in elements(svg, "text")]
    assert not [word for word in words if "LEFT" in word]
    assert len(elements(svg, "supply")) == 3 * 7


def test_the_winners_are_marked_when_the_game_is_over(position: Position) -> None:
    over = replace(position, phase=Phase.GAME_OVER, scores=(9, 4, 9), tile_in_hand=None, figures=())
    assert [e.get("data-marked") for e in elements(board_svg(over), "player")] == ["1", "0", "1"]


def anchor(figure: ET.Element) -> tuple[float, float]:
    """Where a figure is drawn, 100 units a tile."""
    moved = figure[-1] if figure[-1].get("transform") else figure[-1][0]
    x, y = moved.get("transform", "").removeprefix("translate(").partition(")")[0].split()
    return float(x), float(y)


def test_mayors_wagons_and_barns_are_drawn_where_they_stand(mayors_day: Position) -> None:
    figures = elements(board_svg(mayors_day), "figure")
    assert [f.get("data-figure") for f in figures].count("MEEPLE") == 1
    at = {f.get("data-figure"): anchor(f) for f in figures}
    assert at["BARN"] == (100, 100)
    for kind, tile, spot, (x, y) in (
        ("MAYOR", "bg-cap", stand_of("bg-cap", 2, Spot.S), (0, -100)),
        ("WAGON", "am-abbey", stand_of("am-abbey", 0, Spot.mid), (200, 0)),
    ):
        assert at[kind] == pytest.approx((x + spot[0], y + spot[1]), abs=0.01), tile
    barn = next(f for f in figures if f.get("data-figure") == "BARN")
    assert barn.get("data-kind") == "FIELD"
    assert not any("rotate(-90)" in (e.get("transform") or "") for e in barn.iter())


def test_figures_are_drawn_above_all_tiles(mayors_day: Position) -> None:
    root = ET.fromstring(board_svg(mayors_day))
    classes = [e.get("class") for e in root.iter()]
    last_tile = len(classes) - 1 - classes[::-1].index("tile")
    assert last_tile < classes.index("figure")


def test_every_kind_of_figure_has_its_own_shape(mayors_day: Position) -> None:
    figures = [PlacedFigure(1, kind, 2, 0, Spot.mid) for kind in Figure if kind != Figure.BARN]
    figures.append(PlacedFigure(1, Figure.BARN, 0, 1, Spot.NE))
    svg = board_svg(replace(mayors_day, figures=tuple(figures), wagons=()))
    outlines = [next(f.iter(f"{SVG}path")).get("d") for f in elements(svg, "figure")]
    assert len(set(outlines)) == len(Figure)
    for figure in elements(svg, "figure"):
        words = [e.get("data-text") for e in figure.iter() if e.get("class") == "text"]
        assert words == ["B"]


def test_scored_wagons_wait_as_ghosts_where_they_stood(mayors_day: Position) -> None:
    svg = board_svg(mayors_day)
    waiting = {e.get("data-seat"): e for e in elements(svg, "waiting")}
    assert {s: e.get("data-next") for s, e in waiting.items()} == {"1": "1", "0": "0"}
    assert (waiting["1"].get("data-x"), waiting["1"].get("data-spot")) == ("0", "E")
    x, y = stand_of("bg-cap-straight", 0, Spot.E)
    for ring in waiting["1"].iter(f"{SVG}circle"):
        if ring.get("stroke") == SEATS[1]:
            assert (float(ring.get("cx", "")), float(ring.get("cy", ""))) == pytest.approx(
                (x, y), abs=0.01
            )
            break
    else:
        pytest.fail("no ring")
    dashed = {s: any(c.get("stroke-dasharray") for c in e) for s, e in waiting.items()}
    assert dashed == {"1": False, "0": True}
    assert not elements(board_svg(replace(mayors_day, wagons=())), "waiting")


def test_the_tile_that_a_wagon_goes_to_is_outlined(mayors_day: Position) -> None:
    assert not elements(board_svg(mayors_day), "target")
    chosen = replace(mayors_day, phase=Phase.WAGON_SPOT, wagon_target=(1, 1))
    (frame,) = elements(board_svg(chosen), "target")
    assert (frame.get("data-x"), frame.get("data-y")) == ("1", "1")
    assert frame.get("transform") == "translate(100 100)"
    assert SEATS[1] in {e.get("stroke") for e in frame}


def test_the_panel_shows_supplies_of_every_kind_and_abbeys(mayors_day: Position) -> None:
    players = elements(board_svg(mayors_day), "player")
    left = [
        {
            kind.name: [
                int(e.get("data-left", ""))
                for e in player.iter()
                if e.get("class") == "supply" and e.get("data-figure") == kind.name
            ]
            for kind in Figure
        }
        for player in players
    ]
    # A waiting wagon is in its owner's supply.
    assert left[0] == {"MEEPLE": [1] * 7, "ABBOT": [1], "MAYOR": [0], "WAGON": [1], "BARN": [1]}
    assert left[1] == {"MEEPLE": [1] * 7, "ABBOT": [1], "MAYOR": [1], "WAGON": [1], "BARN": [0]}
    assert left[2]["WAGON"] == [0]
    assert left[2]["MEEPLE"] == [1] * 6 + [0]
    abbeys = [e for p in players for e in p.iter() if e.get("class") == "abbey-in-hand"]
    assert [e.get("data-left") for e in abbeys] == ["1", "1", "0"]
    has_tile = [any(e.get("data-tile") == "am-abbey" for e in a.iter()) for a in abbeys]
    assert has_tile == [True, True, False]


def test_the_panel_shows_only_what_is_in_play(position: Position) -> None:
    for switch, kind in (("mayors", "MAYOR"), ("wagons", "WAGON"), ("barns", "BARN")):
        rules = Rules(n_players=3, abbot=False, **{switch: True})
        svg = board_svg(replace(position, rules=rules, figures=()))
        kinds = [e.get("data-figure") for e in elements(svg, "supply")]
        assert sorted(set(kinds)) == sorted(["MEEPLE", kind])
        assert kinds.count(kind) == 3
        assert not elements(svg, "abbey-in-hand")


def test_nothing_of_a_full_panel_overlaps(mayors_day: Position) -> None:
    six = replace(
        mayors_day,
        rules=Rules.preset("abbey-mayor", n_players=6),
        scores=(188,) * 6,
        abbeys=(1,) * 6,
    )
    for player in elements(board_svg(six), "player"):
        small = [e for e in player.iter() if e.get("class") in ("supply", "abbey-in-hand")]
        assert len(small) == 7 + 4 + 1
        spots = []
        for e in small:
            x, y = e.get("transform", "").removeprefix("translate(").partition(")")[0].split()
            spots.append((float(x), float(y)))
        assert all(np.hypot(a[0] - b[0], a[1] - b[1]) > 11 for a, b in combinations(spots, 2))
        score = next(e for e in player.iter() if e.get("data-text") == "188")
        left = float(score.get("transform", "").removeprefix("translate(").split()[0])
        assert max(x for x, _ in spots) + 8 < left


@pytest.mark.parametrize(
    ("phase", "last_round", "heading"),
    [
        (Phase.DRAW_OR_ABBEY, None, "ABBEY OR DRAW"),
        (Phase.DRAW_OR_ABBEY, 2, "ABBEY OR PASS"),
        (Phase.PLACE_TILE, None, "PLACE THE TILE"),
        (Phase.ACTION, 2, "PLACE A FIGURE"),
        (Phase.WAGON, None, "MOVE THE WAGON"),
        (Phase.WAGON_SPOT, None, "PLACE THE WAGON"),
        (Phase.GAME_OVER, 0, "GAME OVER"),
    ],
)
def test_the_panel_says_what_is_to_be_decided(
    mayors_day: Position, phase: Phase, last_round: int | None, heading: str
) -> None:
    svg = board_svg(replace(mayors_day, phase=phase, last_round=last_round))
    words = [e.get("data-text") for e in elements(svg, "text")]
    assert heading in words
    assert ("LAST ROUND" in words) == (last_round == 2) == ("2 TO COME" in words)
    offers = [e.get("data-tile") for e in elements(svg, "offer")]
    assert offers == ["am-abbey"] * (phase == Phase.DRAW_OR_ABBEY)


@pytest.mark.parametrize("adjacency", ["C1", "C2"])
def test_every_position_of_a_game_with_everything_can_be_drawn(adjacency: str) -> None:
    rules = Rules.preset("abbey-mayor", n_players=6, wagon_adjacency=adjacency)
    game = Game(rules, seed=11)
    n_decisions = 0
    while not game.is_over:
        position = game.position()
        if n_decisions % 25 == 0 or position.phase in (Phase.WAGON, Phase.WAGON_SPOT):
            svg = board_svg(position)
            assert svg == board_svg(game.position())
            assert len(elements(svg, "figure")) == len(position.figures)
            assert len(elements(svg, "waiting")) == len(position.wagons)
            for seat, player in enumerate(elements(svg, "player")):
                left = [e for e in player.iter() if e.get("class") == "supply"]
                n_left = sum(e.get("data-left") == "1" for e in left)
                assert n_left == sum(game.supply(seat).values())
            assert board_text(position)
        game.step_unchecked(game.random_action())
        n_decisions += 1


def test_figures_on_one_segment_stand_side_by_side(position: Position) -> None:
    crowd = tuple(PlacedFigure(seat, Figure.MEEPLE, 0, 0, Spot.E) for seat in range(3))
    figures = elements(board_svg(replace(position, figures=crowd)), "figure")
    places = {figure[0].get("transform") for figure in figures}
    assert len(places) == 3


def test_pictures_need_no_fonts(position: Position) -> None:
    root = ET.fromstring(board_svg(position))
    assert not list(root.iter(f"{SVG}text"))


def test_letters_are_as_wide_as_they_say() -> None:
    assert text_width("", 10) == 0
    assert text_width("11", 10) == 2 * text_width("1", 10) + 2.6
    assert text_width("A4", 20) == pytest.approx(2 * text_width("A4", 10))
    with pytest.raises(KeyError):
        text_svg("ü", 0, 0, 10, color="#000000")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tiles": (), "figures": ()}, "without tiles"),
        ({"figures": (PlacedFigure(0, Figure.MEEPLE, 5, 5, Spot.N),)}, r"no tile .* \(5, 5\)"),
        ({"figures": (PlacedFigure(0, Figure.MEEPLE, 0, 1, Spot.N),)}, "no segment N"),
    ],
)
def test_impossible_positions_are_refused(
    position: Position, change: dict[str, object], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        board_svg(replace(position, **change))


def test_a_picture_too_small_for_the_board_is_refused(position: Position) -> None:
    with pytest.raises(ValueError, match="10 x 10 pixels are too few for 3 x 3 tiles"):
        board_svg(position, width=10, height=10)


# ------------------------------------------------------------------------------------- pixels


def test_frames_of_a_game_have_one_size(position: Position, pixels: None) -> None:
    start = replace(position, tiles=position.tiles[:1], figures=())
    for moment in (start, position):
        rgb = board_rgb(moment, width=320, height=240)
        assert rgb.shape == (240, 320, 3)
        assert rgb.dtype == np.uint8
        assert rgb.flags.c_contiguous
    assert not np.array_equal(
        board_rgb(start, width=320, height=240), board_rgb(position, width=320, height=240)
    )


def test_the_pixels_show_the_players_in_their_colours(position: Position, pixels: None) -> None:
    rgb = board_rgb(position, width=640, height=480)
    for color in SEATS[:3]:
        wanted = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
        assert (rgb == wanted).all(axis=2).sum() > 40


def test_png_has_the_width_that_was_asked_for(position: Position, pixels: None) -> None:
    png = board_png(position, width=500)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[16:20], "big") == 500


def test_without_the_extra_the_error_says_what_to_install(
    position: Position, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r'pip install "carc_env\[render\]"'):
        png_from_svg("<svg/>")
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r'pip install "carc_env\[render\]"'):
        board_rgb(position)
    with pytest.raises(ImportError, match=r'pip install "carc_env\[render\]"'):
        Window()


# --------------------------------------------------------------------------------------- text


def test_the_text_tells_the_whole_position(position: Position) -> None:
    header, _, picture = board_text(position).partition("\n\n")
    assert header.splitlines() == [
        "  A   12  (5 meeples + abbot)",
        "> B    7  (6 meeples)",
        "  C  130  (6 meeples + abbot)",
        "B places bg-crossroads, 42 tiles left",
    ]
    assert picture.splitlines() == [
        "     -1      0      1",
        "          .......",
        "-1        ....b..",
        "          .##A##.",
        "   ........#####..(B)...",
        " 0 ...┌──────A──────────",
        "   ...│.................",
        "          ..............",
        " 1        ...MC.....M...",
        "          ..............",
    ]


@pytest.mark.parametrize("tile", TILE_ID)
def test_every_design_has_a_text_picture(tile: str) -> None:
    alone = Position(
        rules=Rules(),
        tiles=(PlacedTile(tile, 0, 0, 1),),
        figures=(),
        scores=(0, 0),
        phase=Phase.ACTION,
        turn_player=0,
        decider=0,
    )
    rows = board_text(alone).splitlines()[-3:]
    assert [len(row) for row in rows] == [9, 9, 9]
    row = ROWS[DESIGN[tile]]
    middles = {"N": (1, 8), "E": (2, 5), "S": (1, 2), "W": (0, 5)}  # after one quarter turn
    letters = {"C": "#", "R": "─│", "V": "~", "F": ".", "A": "═║"}
    for side, letter in zip(SIDES, row["edges"], strict=True):
        r, c = middles[side]
        assert rows[r][c] in letters[letter] + "*+itwg"


def test_the_text_tells_abbeys_mayors_wagons_and_barns(mayors_day: Position) -> None:
    header, _, picture = board_text(mayors_day).partition("\n\n")
    assert header.splitlines() == [
        "  A    3  (7 meeples + abbot + wagon + barn + abbey)",
        "> B   10  (7 meeples + abbot + mayor + wagon + abbey)",
        "  C    0  (6 meeples + abbot + mayor + barn)",
        "B moves the wagon from 0,0 E, 9 tiles left",
    ]
    assert picture.splitlines() == [
        "      0      1      2",
        "   .......",
        "-1 .......",
        "   .#<A>#.",
        "   .#####..c.....╔═════╗",
        " 0 ──[b]─────────║ M[C]║",
        "   ..............╚═════╝",
        "   ..../B\\.......",
        " 1 ...M......[a].",
        "   ..............",
    ]


@pytest.mark.parametrize(
    ("change", "task"),
    [
        ({"phase": Phase.DRAW_OR_ABBEY}, "B places the abbey or draws"),
        ({"phase": Phase.ACTION, "last_round": 0}, "B may place a figure, last round, 0 to come"),
        (
            {"phase": Phase.DRAW_OR_ABBEY, "last_round": 2},
            "B places the abbey or passes, last round, 2 to come",
        ),
        (
            {"phase": Phase.WAGON_SPOT, "wagon_target": (1, 1)},
            "B moves the wagon from 0,0 E to 1,1",
        ),
        ({"phase": Phase.GAME_OVER, "last_round": 0}, "game over"),
    ],
)
def test_the_text_says_what_is_to_be_decided(
    mayors_day: Position, change: dict[str, object], task: str
) -> None:
    header = board_text(replace(mayors_day, bag=None, **change)).partition("\n\n")[0]
    assert header.splitlines()[-1] == task


def test_crowded_tiles_keep_all_figures_in_the_text(position: Position) -> None:
    crowd = tuple(PlacedFigure(seat, Figure.MEEPLE, 0, 0, Spot.E) for seat in range(3))
    picture = board_text(replace(position, figures=crowd)).partition("\n\n")[2]
    assert all(picture.count(letter) == 1 for letter in "ABC")


# ------------------------------------------------------------------------------------- window


@pytest.fixture
def window(pixels: None, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return Window()


def test_a_window_shows_pictures_until_it_is_closed(window: Window) -> None:
    assert not window.is_open
    window.show(np.zeros((48, 64, 3), np.uint8))
    assert window.is_open
    window.show(np.full((20, 30, 3), 255, np.uint8))
    window.close()
    window.close()
    assert not window.is_open


def test_closing_the_window_by_hand_stops_no_game(window: Window) -> None:
    import pygame

    picture = np.zeros((48, 64, 3), np.uint8)
    with window:
        window.show(picture)
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        window.show(picture)
        assert not window.is_open
        window.show(picture)
        assert not window.is_open


@pytest.mark.parametrize(
    "picture", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((4, 4, 4), np.uint8)]
)
def test_a_window_takes_pictures_only(window: Window, picture: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"shape \(height, width, 3\) and dtype uint8"):
        window.show(picture)
