"""What the page says about clicks, and why they do nothing, agrees with the legal actions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import carc_env.web
from carc_env import Game, Rules, format_position, parse_position
from carc_env.engine.core.codes import Figure, Kind, Phase, Spot
from carc_env.engine.core.figures import STRENGTH, SUITABLE
from carc_env.engine.core.tiles import N_SEGMENTS, SEGMENT_SPOT
from carc_env.web.deeds import BY_FIGURE, PLACING, deeds_of
from carc_env.web.features import about_feature
from carc_env.web.reasons import EDGE_NAMES, why_not
from carc_env.web.texts import texts
from carc_env.web.view import view_of
from tests.test_count_looks import Even, play_of

PRESETS = ("base", "big-box", "princess-dragon", "tower", "river-2", "count", "festival")
BY_NAME = {"remove": "princess"} | {name: name for name in ("floor", "top", "fairy", "return")}


def positions(preset: str, seed: int) -> Iterator[Game]:
    """Yield about every third position of a random game."""
    random, rules = Random(seed), replace(Rules.preset(preset), auto_single=False)
    game = Game(rules, seed=seed)
    while not game.is_over:
        if random.random() < 1 / 3:
            yield game
        game.apply(random.choice(game.legal_actions()))


@pytest.mark.parametrize("preset", ["big-box", "princess-dragon", "festival"])
def test_a_cell_says_all_that_can_be_done_there_and_no_more(preset):
    seen = Counter[str]()
    for game in positions(preset, 3):
        if game.phase != Phase.FIGURE:
            continue
        for action in game.legal_actions():
            if not game.name(action).startswith("to "):
                continue
            after = game.clone()
            after.apply(action)
            words = [after.name(follows).split()[0] for follows in after.legal_actions()]
            told = deeds_of(game, action, captures=False)
            assert set(told) == {BY_NAME.get(word, "portal") for word in words}
            assert len(told) == len(set(told))
            seen.update(told)
    assert seen["return" if preset == "festival" else "fairy"]
    assert preset != "big-box" or seen.keys() >= {"floor", "top"}


def test_what_a_tower_removes_it_captures():
    deeds = set[str]()
    for game in positions("tower", 3):
        if any(game.name(action).startswith("remove") for action in game.legal_actions()):
            view = view_of(play_of(format_position(game.position())), 0, Even())
            deeds |= {deed for action in view["actions"] for deed in action.get("deeds", ())}
    assert deeds & {"capture", "princess"} == {"capture"}


@pytest.mark.once
@pytest.mark.parametrize(
    "preset",
    [pytest.param(name, marks=[pytest.mark.long] * (name == "big-box")) for name in PRESETS],
)
def test_a_reason_is_given_exactly_where_a_click_does_nothing(preset):
    whys = Counter[str]()
    for game in positions(preset, 5):
        position = game.position()
        choices = [game.choice(action) for action in game.legal_actions()]
        last = position.tiles[-1]
        if game.phase in PLACING:
            lit = {choice.cell for choice in choices if choice.rotation is not None}
            near = {
                (tile.x + dx, tile.y + dy)
                for tile in position.tiles
                for dx, dy in ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (2, 1))
            }
            for cell in near:
                reason = why_not(game, cell)
                assert (reason is None) == (cell in lit)
                whys.update([reason["why"]] if reason else [])
        elif game.phase == Phase.FIGURE:
            placed = game.states[0].tiles[len(position.tiles) - 1]
            for segment in range(int(N_SEGMENTS[placed.design])):
                spot = Spot(int(SEGMENT_SPOT[placed.design, placed.rotation, segment]))
                for figure in set(Figure) - {Figure.BARN}:
                    reason = why_not(game, (last.x, last.y), segment, figure)
                    is_legal = any((c.figure, c.spot) == (figure, spot) for c in choices)
                    assert (reason is None) == is_legal
                    whys.update([reason["why"]] if reason else [])
                    if reason and reason["why"] == "occupied":
                        told = about_feature(game, len(position.tiles) - 1, segment)
                        strong = {seat for seat, n in enumerate(told["strengths"]) if n}
                        assert set(reason["seats"]) >= strong and reason["seats"]
                        assert reason["kind"] == told["kind"]
    assert {"sides", "taken", "alone", "none_left", "unsuitable", "occupied"} <= whys.keys()


def test_what_a_tile_would_need_is_what_its_neighbours_show():
    text = """
    [carc_env position 1]
    [rules {}]
    [scores 3:5]
    [turn A places bg-monastery]
    bg-cap-straight 0,0 r0
    bg-straight 1,0 r0
    """
    game = Game.from_position(parse_position(text), seed=1)
    assert why_not(game, (0, -1)) == {"why": "sides", "needs": [["S", "CITY"]]}
    assert why_not(game, (2, 0)) == {"why": "sides", "needs": [["W", "ROAD"]]}
    assert why_not(game, (1, 0)) == {"why": "taken"}
    assert why_not(game, (5, 5)) == {"why": "alone"}
    assert why_not(game, (90, 0)) == {"why": "table"}
    assert why_not(game, (1, 1)) is None


def test_the_seat_that_occupies_a_road_is_named():
    text = """
    [carc_env position 1]
    [rules {sets: [base, traders], builders: true}]
    [scores 3:5]
    [turn A acts]
    bg-cap-straight 0,0 r0: B meeple E
    bg-straight 1,0 r0
    """
    game = Game.from_position(parse_position(text), seed=1)
    names = [Spot(int(k)).name for k in SEGMENT_SPOT[game.states[0].tiles[1].design, 0]]
    road = names.index("E")
    told = {"why": "occupied", "kind": Kind.ROAD.name, "seats": [1]}
    assert why_not(game, (1, 0), road) == told
    assert why_not(game, (1, 0), road, Figure.BUILDER) == {"why": "builder"}
    assert why_not(game, (1, 0), road, Figure.ABBOT) == {
        "why": "unsuitable",
        "figure": "ABBOT",
        "kind": "ROAD",
    }
    assert why_not(game, (0, 0)) == {"why": "elsewhere"}


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_deed_and_every_reason_has_its_words(language):
    web = Path(carc_env.web.__file__).parent
    table = texts(language)
    paths = [web / "reasons.py", *(web.parent / "sets").rglob("page.py")]
    source = "".join(path.read_text(encoding="utf-8") for path in paths)
    whys = {*re.findall(r'"why": "(\w+)"', source)}
    whys |= {figure.name.lower() for figure in Figure if not STRENGTH[figure]}
    suited = [figure for figure in Figure if figure != Figure.BARN]
    kinds = {kind for figure in suited for kind in SUITABLE[figure]}
    wanted = {f"why.{why}" for why in whys - {"unsuitable", "occupied"}}
    wanted |= {f"why.unsuitable.{figure.name}" for figure in suited}
    wanted |= {f"{what}.{kind.name}" for kind in kinds for what in ("why.occupied", "stands")}
    wanted |= {f"edge.{name}" for name in (*EDGE_NAMES.values(), "WALL")}
    deeds = {*BY_FIGURE.values(), *BY_NAME.values(), "portal", "capture", "dragon", "take"}
    wanted |= {f"deed.{deed}" for deed in deeds}
    sides = {"N": "north", "E": "east", "S": "south", "W": "west"}
    wanted |= {f"at.{sides.get(spot.name, spot.name)}" for spot in Spot}
    assert len(whys) > 15 and sorted(wanted - table.keys()) == []
