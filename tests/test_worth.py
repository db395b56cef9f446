"""The sums that the page shows for points are what the engine scores."""

from random import Random

import pytest

from carc_env import Game, Rules, parse_position
from carc_env.engine.core.codes import Kind, Spot
from carc_env.engine.core.tiles import SEGMENT_SPOT
from carc_env.rules import PRESETS
from carc_env.systems.places import cell_of, figures_on
from carc_env.web.features import about_feature
from carc_env.web.play import Play, Sitter, Start, explained
from carc_env.web.worth import SUMS, scored_terms


def total(terms):
    """Return the points that the terms add up to."""
    return sum(term["n"] * term["each"] for term in terms)


def played(preset, seed):
    """Yield a play after each decision of a game; most decisions are greedy, some are random."""
    rules, random = Rules.preset(preset), Random(seed)
    play = Play(Start(rules, seed), tuple(Sitter(f"P{k}") for k in range(rules.n_players)))
    while not play.game.is_over:
        game = play.game
        by_chance = random.random() < 0.2
        play.act(random.choice(game.legal_actions()) if by_chance else game.greedy_action())
        yield play


def told_at(game, place):
    """Return what the page shows when you point at a place."""
    x, y, spot = place
    tile = int(game.states[0].board[cell_of(x, y)]) - 1
    placed = game.states[0].tiles[tile]
    spots = SEGMENT_SPOT[placed.design, placed.rotation].tolist()
    return about_feature(game, tile, spots.index(spot))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_sum_of_a_score_is_the_score(preset):
    seen = set()
    for seed in range(3):
        *_, play = played(preset, seed)
        for entry in play.log:
            for gained in entry.get("gained", ()):
                if "terms" in gained:
                    assert total(gained["terms"]) == gained["points"], (seed, gained)
                    seen.add(Kind[gained["kind"]])
                else:
                    assert "place" not in gained or Kind[gained["kind"]] not in SUMS
    assert seen >= {Kind.CITY, Kind.ROAD, Kind.FIELD, Kind.MONASTERY}


@pytest.mark.parametrize("preset", PRESETS)
def test_what_pointing_at_a_feature_says_is_what_it_scores(preset):
    """Completed features are checked after their scoring, all others after the final scoring."""
    n = 0
    for play in played(preset, 5):
        game = play.game
        for score in game.last_scores:
            if score.place is None or score.kind not in SUMS:
                continue
            told = told_at(game, score.place)
            assert total(told["terms"]) == told["now"]
            if told.get("complete") or game.is_over:
                if score.kind == Kind.FIELD:
                    at_the_place = (s.points for s in game.last_scores if s.place == score.place)
                    assert told["now"] == max(at_the_place), (score, told)
                else:
                    changes = game.rules.mage_witch or game.rules.labyrinth
                    has_gone = changes and told.get("complete")  # MW-13, LAB-07: what changed it
                    assert has_gone or told["now"] == score.points, (score, told)
                n += 1
    assert n > 15


def standing(rules, *lines):
    """Return the game at a position, given its rules and its other lines."""
    text = ["[carc_env position 1]", f"[rules {{{rules}}}]", "[scores 0:0]", *lines]
    return Game.from_position(parse_position("\n".join(text)), seed=1)


def test_buildings_around_a_hut_count():
    """RUS-02, LB-05: pointing at the hut shows its value."""
    game = standing(
        "sets: [base, russian], russian_promos: true, little_buildings: true",
        *("[built 0,1 house]", "[unbuilt A 3 2 3, B 3 3 3]", "[turn A places bg-monastery]"),
        *("bg-cap-straight 0,0 r0", "ru-yaga-hut 0,1 r0: A meeple mid"),
    )
    told = told_at(game, (0, 1, Spot.mid))
    assert [(term["n"], term["of"]) for term in told["terms"]] == [
        *((1, "hut"), (7, "empty"), (1, "buildings"))
    ]
    assert (told["now"], told["full"]) == (9, 2) == (game.standings[0], 2)


def test_a_city_that_counts_twice_brings_the_same_each_time():
    """SIE-06: a meeple without a pig gets 3 points for a besieged city, and then 3 more."""
    game = standing(
        "sets: [base, traders, siege], pigs: true, siege: true, "
        "siege_tiles: both, siege_field_double: base_only",
        *("[turn A places bg-monastery]", "bg-cap-straight 0,0 r0: A meeple En", "si-cap 0,-1 r2"),
    )
    (field,) = (feature for feature in range(9) if figures_on(game.states[0], feature))
    terms = scored_terms(game, field, 6)
    assert [(term["n"], term["of"], term["each"]) for term in terms] == [
        *((1, "cities", 3), (0, "castles", 1), (1, "besieged", 3))
    ]


def test_a_lost_challenge_is_worth_nothing():
    """CULT-07: the sum is 0 for a monastery whose challenging shrine was completed first."""
    game = standing(
        "sets: [base, cult], shrines: true",
        *("[turn A places bg-monastery]", "bg-cap-straight 0,0 r0", "cu-shrine 0,1 r0"),
        "bg-monastery 1,1 r0: A meeple mid",
    )
    (monastery,) = (feature for feature in range(19) if figures_on(game.states[0], feature))
    (term,) = scored_terms(game, monastery, 0)
    assert (term["of"], term["each"]) == ("tiles", 0)


def test_a_castle_names_the_feature_whose_points_it_takes():
    """It does so whether the owner of the feature scores it, too, or nobody does."""
    taken = []
    for seed in (1, 5, 9):
        game = Game("bridges", seed=seed)
        while not game.is_over:
            names = [game.name(action) for action in game.legal_actions()]
            game.apply("castle" if "castle" in names else game.greedy_action())
            taken += [one for one in explained(game) if one["source"] == "CASTLE" and one["points"]]
    assert {one["took"] for one in taken} >= {"ROAD", "CITY"}
    assert all(sum(t["n"] * t["each"] for t in one["terms"]) == one["points"] for one in taken)
