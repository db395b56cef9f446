"""``Game.last_scores``: who scored how much, for which feature, where, and with which figure."""

import pytest

from carc_env import Figure, Game, Kind, Rules, Score, Spot
from carc_env.engine.core.state import NO_SEGMENT
from carc_env.rules import PRESETS
from carc_env.systems.places import segment_at
from tests.rules.scenario import play

WITHOUT_PLACE = (Kind.GOODS, Kind.KING, Kind.ROBBER, Kind.GOLD, Kind.WIND_ROSE)


def text(rules, headers, tiles):
    return f"""
        [carc_env position 1]
        [rules {{{rules}, auto_single: false}}]
        [scores 0:0]
        {headers}
        {tiles}
        """


def test_a_complete_city_is_named_by_one_of_its_segments():
    start = "bg-cap-straight 0,0 r0: B meeple N"
    game = play(text("n_players: 2", "[turn A places bg-cap]", start), "bg-cap 0,-1 r2", "pass")
    assert game.last_scores == (Score(1, 4, Kind.CITY, (0, 0, Spot.N), Figure.MEEPLE),)


def test_an_abbot_that_is_taken_back_is_scored_for_its_monastery():
    tiles = "bg-cap-straight 0,0 r0\n bg-cap 0,-1 r2\n bg-monastery 0,1 r0: A abbot mid"
    game = play(text("n_players: 2", "[turn A acts]", tiles), "recall")
    assert game.last_scores == (Score(0, 2, Kind.MONASTERY, (0, 1, Spot.mid), Figure.ABBOT),)


def test_figures_of_several_kinds_are_none_of_them():
    tiles = """
        bg-cap-straight 0,0 r0: A meeple E
        bg-monastery 0,1 r0
        bg-monastery 1,1 r0
        bg-monastery 2,1 r0: B meeple mid
        bg-straight 2,0 r0: A large E
        """
    headers = "[turn A places bg-straight]"
    before = text("large_meeples: true", headers, tiles)
    game = play(before, "bg-straight 1,0 r0", "pass", bag=())
    road, monastery = game.last_scores
    assert (road.seat, road.points, road.kind, road.figure) == (0, 3, Kind.ROAD, None)
    assert road.place in [(0, 0, Spot.E), (1, 0, Spot.E), (2, 0, Spot.E)]
    assert monastery == Score(1, 4, Kind.MONASTERY, (2, 1, Spot.mid), Figure.MEEPLE)


def test_the_barn_is_scored_for_its_field_at_the_end():
    tiles = """
        bg-cap-straight 0,0 r0
        bg-straight -1,0 r0: B barn NW
        bg-straight -2,0 r0
        bg-cap 0,-1 r2
        bg-cap -1,-1 r0
        bg-cap -1,-2 r2
        bg-monastery -2,-1 r0
        """
    game = play(text("sets: [base, abbey], barns: true", "[turn A acts]", tiles), "pass", bag=())
    (barn,) = game.last_scores
    assert (barn.seat, barn.points, barn.kind, barn.figure) == (1, 8, Kind.FIELD, Figure.BARN)
    assert barn.place == (0, 0, Spot.En)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_place_names_a_segment_of_what_was_scored(preset):
    kinds = set()
    for seed in (13, 16):
        game = Game(Rules.preset(preset), seed=seed)
        while not game.is_over:
            game.apply(game.random_action())
            for score in game.last_scores:
                kinds.add(score.kind)
                at_a_turn = score.kind == Kind.FAIRY and score.place is None  # PD-34
                if at_a_turn or score.kind in WITHOUT_PLACE:
                    assert score.place is None and score.figure is None
                    continue
                s = game.states[0]
                _, segment = segment_at(s, game.position(), score.place, "the place of a score")
                assert segment != NO_SEGMENT
                kind = s.features[s.segments[segment].feature].kind
                other = {Kind.CITY: Kind.CASTLE, Kind.FLOCK: Kind.FIELD}.get(score.kind)
                if score.kind == Kind.WATCHTOWER:
                    assert kind in (Kind.ROAD, Kind.CITY)  # WT-03
                    continue
                assert kind in (score.kind, other) or score.kind == Kind.FAIRY  # PD-37: any feature
    assert {Kind.CITY, Kind.ROAD, Kind.FIELD} <= kinds
    assert (Kind.GOODS in kinds) == game.rules.goods
