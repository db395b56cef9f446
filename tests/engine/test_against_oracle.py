"""Random games, decision by decision, against the naive oracle, which shares no code with us."""

import random
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import pytest

from carc_env import Game, Rules
from carc_env.engine.codes import Phase
from carc_env.position import Position
from tests.oracle import castles, naive, turns
from tests.oracle.positions import START
from tests.oracle.positions import position as written
from tests.oracle.problems import problems

VARIANTS = [
    Rules(n_players=2, auto_single=False),
    Rules(n_players=3, abbot_recall_completed="allow", auto_single=False),
    Rules(n_players=4, small_city_points=2, view=14, auto_single=False),
    Rules(n_players=2, edition="C1", abbot=False, auto_single=False),
    Rules(n_players=5, edition="WE3", auto_single=False),
    Rules.preset("abbey-mayor", auto_single=False),
    Rules.preset("abbey-mayor", n_players=4, abbey_endgame="until_blocked", auto_single=False),
    Rules.preset("abbey-mayor", n_players=3, wagon_adjacency="C1", auto_single=False),
    Rules.preset("abbey-mayor", n_players=2, house_wagon_roll=True, auto_single=False),
    # Each system of Bridges, Castles & Bazaars alone:
    Rules(n_players=2, bridges=True, auto_single=False),
    Rules(n_players=5, bridges=True, bridge_timing="any_time_before_scoring", auto_single=False),
    Rules(n_players=2, castles=True, castle_base="any_end_segment", auto_single=False),
    Rules(n_players=3, castles=True, castle_choice="ask", castle_fief="row", auto_single=False),
    Rules(n_players=3, sets=("base", "bridges"), bazaars=True, auto_single=False),
    Rules(
        n_players=4,
        sets=("base", "bridges"),
        bazaars=True,
        bazaar_next_chooser="seller_again",
        bazaar_overbid="forbid",
        bazaar_bid_limit=3,
        auto_single=False,
    ),
    Rules(
        n_players=6,
        sets=("base", "bridges"),
        bazaars=True,
        bazaar_mode="take",
        bazaar_unplaceable="skip",
        view=12,
        auto_single=False,
    ),
    # All of it together with Abbey & Mayor:
    Rules.preset("bridges", n_players=2, auto_single=False),
    Rules.preset(
        "bridges",
        n_players=3,
        castle_choice="ask",
        wagon_from_castle="neighbours",
        bridge_timing="any_time_before_scoring",
        auto_single=False,
    ),
    Rules.preset(
        "bridges",
        n_players=4,
        castle_fief="row",
        castle_base="any_end_segment",
        bazaar_next_chooser="seller_again",
        bazaar_overbid="forbid",
        bazaar_unplaceable="skip",
        view=14,
        auto_single=False,
    ),
    Rules.preset(
        "bridges",
        n_players=5,
        wagon_adjacency="C1",
        castle_choice="ask",
        bazaar_mode="take",
        bridge_limit="per_turn",
        auto_single=False,
    ),
    Rules.preset(
        "bridges",
        n_players=6,
        house_wagon_roll=True,
        bazaar_builder_order="builder_first",
        view=12,
        auto_single=False,
    ),
    Rules.preset("bridges", n_players=2, edition="C1", abbot=False, castle_choice="ask"),
    Rules.preset("bridges", n_players=3, house_wagon_roll=True, castle_choice="ask"),
    # Inns & Cathedrals: alone, with everything else, and its figures and features each alone.
    Rules.preset("inns", n_players=2, auto_single=False),
    Rules.preset(
        "bridges",
        n_players=4,
        sets=("base", "inns", "abbey", "bridges"),
        large_meeples=True,
        inns=True,
        castle_choice="ask",
        auto_single=False,
    ),
    Rules(n_players=3, large_meeples=True, castles=True, mayors=True, auto_single=False),
    Rules(
        n_players=2,
        sets=("base", "inns", "bridges"),
        edition="C1",
        abbot=False,
        small_city_points=2,
        inns=True,
        bridges=True,
        auto_single=False,
    ),
    Rules(n_players=2, sets=("base", "inns"), auto_single=False),
]
"""Every value of every switch of Inns & Cathedrals and of Bridges, Castles & Bazaars, and both of
``auto_single``."""

FULL_CHECK_EVERY = 8
"""Legal actions and what follows are compared at every decision, the rest at every eighth."""
N_TRIED = 4
"""Placements of which the players of these games, half of the time, take what completes most."""


def comparable(position):
    """Write in one way what can be said in several, and leave out what means nothing.

    A castle is named by either segment, a feature by any; tiles aside are in no order; after the
    end nobody is to move.
    """
    places = {(c.x, c.y, c.spot) for c in position.castles}
    named = {place: named_first(position, place) for place in {*places, *position.rolled}}
    found = [replace(c, **named[c.x, c.y, c.spot]) for c in position.castles]
    rolled = {tuple(named[place].values()) for place in position.rolled}
    position = replace(
        position,
        figures=tuple(sorted(position.figures, key=lambda f: (f.x, f.y, f.spot, f.seat, f.figure))),
        aside=tuple(sorted(position.aside)),
        castles=tuple(found),
        rolled=tuple(sorted(rolled)),
    )
    if position.phase == Phase.CASTLE_CHOICE:
        position = replace(position, town=tuple(named[position.town].values()))
    if position.phase == Phase.GAME_OVER:
        position = replace(position, turn_player=0, decider=0)
    return position


def differences(position, wanted):
    """Tell in which fields two positions differ."""
    position, wanted = comparable(position), comparable(wanted)
    return {
        name: (getattr(position, name), getattr(wanted, name))
        for name in Position.__slots__
        if getattr(position, name) != getattr(wanted, name)
    }


def named_first(position, place):
    """Name a feature by the first of its segments."""
    x, y, spot = min(naive.feature_at(position, *place).segments)
    return {"x": x, "y": y, "spot": spot}


def compare_the_rest(game, position):
    """Projected scores, supplies and the oracle's list of problems."""
    assert game.standings == naive.projected_scores(position)
    for seat in range(game.rules.n_players):
        owned = naive.supply(position, seat)
        assert game.supply(seat).items() <= owned.items()
        assert not any(n for figure, n in owned.items() if figure not in game.supply(seat))
        for hands, count in (
            (position.abbeys, game.abbeys),
            (position.bridges, game.bridges),
            (position.tokens, game.tokens),
        ):
            assert count(seat) == (hands[seat] if hands else 0)
    assert problems(position) == []


def choose(rng, position, names):
    """Choose at random, but complete towns and other features, or games would have few of them."""
    if position.phase == Phase.PLACE_TILE and rng.random() < 0.5:
        tried = rng.sample(names, min(N_TRIED, len(names)))
        return max(tried, key=lambda name: n_completed(turns.following(position, name)))
    if position.phase == Phase.ACTION and rng.random() < 0.5:
        last = position.tiles[-1]
        cities = {s.spot.name for s in naive.segments_of(last) if s.kind == naive.Kind.CITY}
        return rng.choice([name for name in names if name.split()[-1] in cities] or names)
    if position.phase == Phase.CASTLE and rng.random() < 0.5:
        return "castle"
    return rng.choice(names)


def n_completed(position):
    """Count what the last tile has completed, towns most of all."""
    found = naive.completed(position) if position.phase == Phase.ACTION else []
    return sum(3 if castles.is_town(position, feature) else 1 for feature in found)


def play_and_compare(game, seed):
    """Play at random to the end; return how many decisions of each phase were compared."""
    rng = random.Random(seed)
    n_compared = Counter()
    position = game.position()
    while not game.is_over:
        names = sorted(map(game.name, game.legal_actions()))
        assert set(names) == turns.legal(position)
        if n_compared.total() % FULL_CHECK_EVERY == 0:
            compare_the_rest(game, position)
        name = choose(rng, position, names)
        wanted = turns.following(position, name)
        if game.rules.auto_single:
            wanted = turns.settled(wanted)
        before, position = position, apply_and_read(game, name)
        assert differences(position, wanted) == {}, (name, before)
        n_compared[before.phase] += 1
    return n_compared


def apply_and_read(game, name):
    """Apply an action; what it scored adds up to the new scores, payments of bazaars aside."""
    before = game.scores
    pays = game.phase in (Phase.BAZAAR_BID, Phase.BAZAAR_DEAL)
    game.apply(name)
    if not pays:
        for seat, score in enumerate(game.scores):
            scored = sum(event.points for event in game.last_scores if event.seat == seat)
            assert score == before[seat] + scored
    return game.position()


@pytest.mark.parametrize("rules", VARIANTS, ids=lambda rules: rules.to_yaml())
def test_random_games_agree_with_the_naive_oracle(rules, n_games):
    for seed in range(n_games(1 if rules.bazaars else 2)):
        game = Game(rules, seed=seed)
        assert play_and_compare(game, seed).total() > 60


ALL = {"sets": ("base", "abbey", "bridges"), "bridges": True, "castles": True, "bazaars": True}
CITIES = ("bg-city4-shield", "bcb-city4-bazaar", "am-city4-two-shields", "bcb-city4-bazaar")
BAZAARS = ("bcb-roads-bazaar", "bcb-road-bazaar-inn", "bcb-roads-bazaar-inn", "bcb-span-bazaar")
AUCTION = {Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL}


class ShortGame(NamedTuple):
    """The end of a game, on a board where something rare is near."""

    rules: Rules
    board: dict
    """Tiles beside the start tile, figures and castles, as in ``tests.oracle.positions``."""
    tiles: tuple[str, ...]
    """The tile in hand and those that are drawn after it."""
    n_more: int
    """How many more are in the bag, drawn at random; all others are aside."""
    phases: set[Phase]
    """What some of the games come to."""


SHORT_GAMES = {
    # No city is open for the tiles of the bazaar, and bazaar tiles are drawn instead (BAZ-18).
    "delayed bazaars": ShortGame(
        Rules(n_players=4, **ALL, auto_single=False),
        {"tiles": ("bg-cap 0 -1 2",)},
        ("bcb-bazaar", *CITIES, *BAZAARS),
        12,
        AUCTION,
    ),
    "delayed bazaars, taken": ShortGame(
        Rules(n_players=3, **ALL, bazaar_mode="take", auto_single=False),
        {"tiles": ("bg-cap 0 -1 2",)},
        ("bcb-bazaar", *CITIES[:3], *BAZAARS, CITIES[3]),
        12,
        {Phase.BAZAAR_PICK},
    ),
    "skipped tiles": ShortGame(
        Rules(n_players=4, **ALL, bazaar_unplaceable="skip", auto_single=False),
        {"tiles": ("bg-cap 0 -1 2",)},
        ("bcb-bazaar", *CITIES, *BAZAARS),
        8,
        AUCTION,
    ),
    # The bazaars use up the bag (BAZ-28, BAZ-29), and abbeys are left (ABB-20).
    "the end of the bag": ShortGame(
        Rules(n_players=2, **ALL, abbeys=True, auto_single=False),
        {
            "tiles": (
                *("bg-cap 0 -1 2", "bg-cap 1 -1 2", "bg-monastery 2 -1 0", "bg-cap 2 0 1"),
                *("bg-monastery 0 1 0", "bg-caps-opposite 1 1 0"),
            )
        },
        ("bcb-bazaar", *CITIES[:2], "bcb-roads-bazaar"),
        2,
        {Phase.DRAW_OR_ABBEY, *AUCTION},
    ),
    # Every free cell touches a city or the road: fields need a bridge (BRI-08, BRI-09).
    "walls": ShortGame(
        Rules(n_players=2, **ALL, auto_single=False),
        {"tiles": ("bg-city4-shield 0 -1 0", "bg-city3 0 1 1")},
        ("bg-monastery", "bcb-bazaar", "bg-monastery", "bg-monastery", "bg-monastery"),
        8,
        AUCTION,
    ),
    "walls, a bridge after the figure": ShortGame(
        Rules(
            n_players=3,
            **ALL,
            bridge_timing="any_time_before_scoring",
            bazaar_unplaceable="skip",
            auto_single=False,
        ),
        {"tiles": ("bg-city4-shield 0 -1 0", "bg-city3 0 1 1")},
        ("bcb-bazaar", "bg-monastery", "bg-monastery", "bg-monastery", "bg-monastery"),
        8,
        {Phase.BRIDGE, *AUCTION},
    ),
    # One tile completes two towns (CAS-03, GAPS C7).
    "two towns": ShortGame(
        Rules(n_players=2, **ALL, wagons=True, castle_choice="ask", auto_single=False),
        {
            "tiles": ("bg-straight 1 0 0", "bg-cap 1 -1 3"),
            "figures": ["1 wagon 0 0 N", "0 meeple 1 -1 W"],
        },
        ("bg-caps-adjacent",),
        8,
        {Phase.CASTLE, Phase.WAGON},
    ),
    # One tile completes a road and a city in the fiefs of two castles (CAS-22, CAS-23).
    "what castles take": ShortGame(
        Rules(n_players=2, **ALL, wagons=True, castle_choice="ask", auto_single=False),
        {
            "tiles": (
                *("bg-cap 0 -1 2", "bg-monastery-road -1 0 2", "bg-span 1 -1 0"),
                *("bg-cap 1 -2 2", "bg-cap 0 -2 0", "bg-cap 0 -3 2"),
            ),
            "figures": ["1 wagon 0 -1 S", "0 meeple 0 -2 N"],
            "castles_at": ["0 0 N", "0 -2 N"],
        },
        ("bg-cap-junction",),
        8,
        {Phase.CASTLE_CHOICE, Phase.WAGON},
    ),
    # The cathedral completes a city that reaches into the fief of a castle (CAS-19, MAY-14).
    "a cathedral": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "inns"),
            large_meeples=True,
            inns=True,
            mayors=True,
            wagons=True,
            castles=True,
            auto_single=False,
        ),
        {
            "tiles": (
                *("bg-straight -1 0 0", "bg-corner-shield -1 -1 0", "bg-cap -1 -2 2"),
                *("bg-cap 0 -2 2", "ic-cap-gate 1 0 1", "bg-cap 1 -1 3", "bg-cap-straight 2 0 3"),
            ),
            "figures": ["1 mayor 1 -1 W", "0 wagon -1 -1 N", "0 large 2 0 W"],
            "castles_at": ["1 0 E"],
        },
        ("ic-cathedral",),
        8,
        {Phase.ACTION, Phase.WAGON},
    ),
}
N_SHORT_GAMES = 8


def begun(short, seed):
    """Begin one of the short games."""
    tiles, rest = short.board["tiles"], {k: v for k, v in short.board.items() if k != "tiles"}
    hand, *first = short.tiles
    rest |= short.rules.to_dict()
    made = written(START, *tiles, phase=Phase.PLACE_TILE, hand=hand, **rest)
    left = Counter(naive.tile_counts(short.rules)) - Counter(tile.tile for tile in made.tiles)
    left = sorted((left - Counter(short.tiles)).elements())
    random.Random(seed).shuffle(left)
    bag, aside = (*first, *left[: short.n_more]), tuple(left[short.n_more :])
    return Game.from_position(replace(made, bag=bag, aside=aside))


@pytest.mark.parametrize("name", SHORT_GAMES)
def test_short_games_agree_with_the_naive_oracle(name, n_games):
    short, n = SHORT_GAMES[name], n_games(N_SHORT_GAMES)
    n_compared = Counter()
    for seed in range(n):
        n_compared += play_and_compare(begun(short, seed), seed)
    assert n < N_SHORT_GAMES or set(n_compared) >= short.phases


@pytest.mark.parametrize("n_players", [2, 6])
def test_everybody_ends_an_auction_with_exactly_one_tile(n_players, n_games):
    """BAZ-11: one tile is in the hand of the first seat, the others lie there with their owners."""
    rules = Rules.preset("bridges", n_players=n_players, auto_single=False)
    n_auctions = 0
    for seed in range(n := n_games(20)):
        game = Game(rules, seed=seed)
        while not game.is_over:
            was_auction = game.phase in AUCTION
            game.apply(game.random_action())
            if was_auction and game.phase not in AUCTION:
                owners = [lot.owner for lot in game.position().bazaar.offer]
                assert sorted([game.turn_player, *owners]) == list(range(n_players))
                n_auctions += 1
    assert n_auctions >= n


@pytest.mark.parametrize("n_players", [2, 6])
def test_everybody_takes_exactly_one_tile(n_players, n_games):
    """BAZ-23: the seats pick in turn, everybody once in each bazaar."""
    rules = Rules.preset("bridges", n_players=n_players, bazaar_mode="take")
    for seed in range(n_games(20)):
        game = Game(rules, seed=seed)
        while not game.is_over:
            game.apply(game.random_action())
        picks = [move.seat for move in game.moves if move.name.startswith("pick ")]
        assert picks and len(picks) % n_players == 0
        for i in range(0, len(picks), n_players):
            assert set(picks[i : i + n_players]) == set(range(n_players))
