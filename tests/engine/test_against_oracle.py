"""Random games, decision by decision, against the naive oracle, which shares no code with us."""

import random
from collections import Counter

import pytest

from carc_env import Game, Rules
from carc_env.engine.core.codes import Phase
from tests.engine.short_games import N_SHORT_GAMES, SHORT_GAMES, begun, marks
from tests.oracle import builders, castles, naive, turns
from tests.oracle.board import completed
from tests.oracle.comparison import compare_legal, compare_move, compare_the_rest, with_token
from tests.oracle.problems import order_problems
from tests.oracle.tiles import segments_of

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
    # Traders & Builders alone, with Abbey & Mayor, and its three parts each alone:
    Rules.preset("traders", n_players=2, auto_single=False),
    Rules.preset(
        "abbey-mayor",
        n_players=3,
        sets=("base", "traders", "abbey"),
        builders=True,
        pigs=True,
        goods=True,
        abbot_recall_second_part="forbid",
        auto_single=False,
    ),
    Rules(n_players=2, builders=True, large_meeples=True, auto_single=False),
    Rules(n_players=4, pigs=True, barns=True, edition="C1", abbot=False, auto_single=False),
    Rules(n_players=3, sets=("base", "traders"), goods=True, abbeys=True, auto_single=False),
    # The River:
    Rules.preset("river", n_players=2, auto_single=False),
    Rules.preset("river", n_players=4, edition="C1", abbot=False, view=12, auto_single=False),
    Rules.preset("inns", n_players=3, sets=("base", "river1", "inns"), auto_single=False),
    # King & Robber Baron, with what can complete roads and cities, and what makes them castles:
    Rules.preset("king-robber", n_players=2, auto_single=False),
    Rules.preset(
        "king-robber",
        n_players=3,
        king_robber_scoring="running",
        castles=True,
        castle_choice="ask",
        bridges=True,
        auto_single=False,
    ),
    Rules.preset(
        "traders",
        n_players=4,
        king_robber=True,
        king_robber_scoring="fifteen_forty",
        abbeys=True,
        auto_single=False,
    ),
    Rules.preset(
        "king-robber",
        edition="C1",
        abbot=False,
        king_robber_scoring="ten_each",
        wagons=True,
        auto_single=False,
    ),
    # Hills & Sheep: alone, and with what closes fields, breaks ties and takes values.
    Rules.preset("hills-sheep", n_players=2, auto_single=False),
    Rules.preset("princess-dragon", n_players=2, auto_single=False),
    Rules.preset(
        "princess-dragon",
        n_players=3,
        fairy_placement="on_tile",
        princess_action="must",
        dragon_timing="after_scoring",
    ),
    # The Tower: alone, and with figures that are captured, sent home and exchanged.
    Rules.preset(
        "tower",
        n_players=2,
        sets=("base", "princess", "tower"),
        fairy=True,
        fairy_placement="on_tile",
        auto_single=False,
    ),
    Rules.preset(
        "tower",
        n_players=4,
        sets=("base", "abbey", "princess", "tower"),
        ransom_timing="turn_start",
        tower_top_capture="forbid",
        tower_top_dragon="forbid",
        house_mayor_safe_tower=True,
        dragon=True,
        fairy=True,
        large_meeples=True,
        mayors=True,
        wagons=True,
        builders=True,
        pigs=True,
        auto_single=False,
    ),
    Rules.preset("hills-sheep", n_players=4, hill_tiebreak="count", view=14, auto_single=False),
    Rules.preset(
        "hills-sheep",
        n_players=3,
        sets=("base", "abbey", "hills"),
        abbeys=True,
        barns=True,
        pigs=True,
        castles=True,
        bridges=True,
        large_meeples=True,
        abbot_recall_completed="allow",
        auto_single=False,
    ),
    Rules.preset("big-box", n_players=3, hill_tiebreak="count", auto_single=False),
    # Shrines, alone and with what can stand on them, close them or move to them:
    Rules.preset("shrines", n_players=2, auto_single=False),
    Rules.preset(
        "abbey-mayor",
        n_players=3,
        sets=("base", "abbey", "cult"),
        shrines=True,
        cult_extra_tile=True,
        challenge_loser_wagon=True,
        abbot_recall_completed="allow",
        auto_single=False,
    ),
    Rules.preset("bridges", sets=("base", "bridges", "cult"), shrines=True, auto_single=False),
    Rules.preset(
        "abbey-mayor",
        sets=("base", "abbey", "cult"),
        shrines=True,
        challenge_loser_wagon=True,
        wagon_adjacency="C1",
    ),
    # The River II, alone and with River I, inns, pigs, barns and abbeys:
    Rules.preset("river-2", n_players=2, auto_single=False),
    Rules.preset("river-2", n_players=4, edition="C1", abbot=False, view=14, auto_single=False),
    Rules(
        n_players=3,
        sets=("base", "river1", "river2"),
        river_uturn="clear_ahead",
        river_inn_needs_inns=False,
        barns=True,
        house_pigherd_barn=True,
        auto_single=False,
    ),
    Rules(
        n_players=2,
        sets=("base", "river2"),
        pigs=True,
        pigherd_needs_traders=True,
        abbeys=True,
        abbey_during_river="allow",
        auto_single=False,
    ),
    Rules(n_players=2, sets=("base", "river2"), pigherd_needs_traders=True, auto_single=False),
    # The Count of Carcassonne: alone, with Abbey & Mayor and builders, beside a river, and with
    # castles, bazaars, hills, the dragon and shrines.
    Rules.preset("count", n_players=2, auto_single=False),
    Rules.preset(
        "count",
        n_players=4,
        edition="C1",
        abbot=False,
        count_per_turn="placement",
        count_move="clockwise",
        auto_single=False,
    ),
    Rules.preset(
        "abbey-mayor",
        n_players=3,
        sets=("base", "traders", "abbey", "count"),
        count=True,
        count_join_unoccupied=True,
        count_final="any",
        count_move="follow",
        builders=True,
        pigs=True,
        large_meeples=True,
        auto_single=False,
    ),
    Rules.preset(
        "abbey-mayor",
        n_players=2,
        sets=("base", "river2", "abbey", "count"),
        count=True,
        count_with_river="allow",
        count_on_connection=False,
        wagon_adjacency="C1",
        auto_single=False,
    ),
    Rules.preset(
        "bridges",
        n_players=3,
        sets=("base", "traders", "bridges", "cult", "hills", "princess", "count"),
        count=True,
        count_join_unoccupied=True,
        builders=True,
        shrines=True,
        hills=True,
        dragon=True,
        dragon_timing="after_scoring",
        fairy=True,
        portals=True,
        bridge_timing="any_time_before_scoring",
        abbot_recall_completed="allow",
        auto_single=False,
    ),
    # The Festival: alone, with all figures that can come back, and with meeples only.
    Rules.preset("festival", n_players=2, auto_single=False),
    Rules.preset(
        "abbey-mayor",
        n_players=3,
        sets=("base", "traders", "abbey", "hills", "princess", "tower", "festival"),
        festival=True,
        large_meeples=True,
        builders=True,
        pigs=True,
        shepherds=True,
        castles=True,
        fairy=True,
        towers=True,
        auto_single=False,
    ),
    Rules.preset(
        "count",
        n_players=4,
        sets=("base", "bridges", "princess", "count", "festival"),
        festival=True,
        festival_return="meeple",
        princesses=True,
        princess_action="must",
        bazaars=True,
        shepherds=True,
        barns=True,
        bridges=True,
        bridge_timing="any_time_before_scoring",
        auto_single=False,
    ),
    # The Phantom: alone, behind whatever can come before it, and in Carcassonne.
    Rules.preset("phantom", n_players=2, auto_single=False),
    Rules.preset(
        "abbey-mayor",
        n_players=3,
        sets=("base", "traders", "abbey", "princess", "tower"),
        phantom=True,
        large_meeples=True,
        builders=True,
        pigs=True,
        castles=True,
        bridges=True,
        bridge_timing="any_time_before_scoring",
        fairy=True,
        princesses=True,
        portals=True,
        towers=True,
        auto_single=False,
    ),
    Rules.preset("count", n_players=4, phantom=True, count_per_turn="placement", auto_single=False),
    # The Gold Mines: alone, with castles, shrines and abbeys, and with what else has neighbours.
    Rules.preset("gold", n_players=2, auto_single=False),
    Rules.preset("gold", n_players=4, edition="C1", abbot=False, gold_choice="ask"),
    Rules(
        n_players=3,
        sets=("base", "abbey", "bridges", "cult", "gold"),
        gold=True,
        gold_choice="ask",
        shrines=True,
        abbeys=True,
        castles=True,
        castle_choice="ask",
        barns=True,
        bazaars=True,
        builders=True,
        abbot_recall_completed="allow",
        auto_single=False,
    ),
    Rules(
        n_players=5,
        sets=("base", "river1", "hills", "count", "gold"),
        gold=True,
        gold_castle=False,
        castles=True,
        count=True,
        count_with_river="allow",
        hills=True,
        auto_single=False,
    ),
    # The Flying Machines: alone, with all who fly, and with whatever is done to who shares a place.
    Rules.preset("flier", n_players=2, auto_single=False),
    Rules.preset("flier", n_players=3, edition="C1", abbot=False, flier_landing="may"),
    Rules.preset(
        "abbey-mayor",
        n_players=2,
        sets=("base", "abbey", "princess", "tower", "festival", "flier"),
        flier=True,
        phantom=True,
        large_meeples=True,
        builders=True,
        castles=True,
        fairy=True,
        princesses=True,
        towers=True,
        festival=True,
        bridges=True,
        bridge_timing="any_time_before_scoring",
        auto_single=False,
    ),
    Rules.preset(
        "count",
        n_players=3,
        sets=("base", "cult", "hills", "princess", "count", "flier"),
        flier=True,
        flier_figures="basic",
        phantom=True,
        large_meeples=True,
        shrines=True,
        hills=True,
        shepherds=True,
        dragon=True,
        portals=True,
        auto_single=False,
    ),
    # Siege: alone, and with all that counts cities, can be a way out, or comes before an escape.
    Rules.preset("siege", n_players=2, siege_tiles="both", auto_single=False),
    Rules.preset(
        "bridges",
        n_players=3,
        sets=("base", "inns", "traders", "abbey", "bridges", "king", "cult", "siege"),
        siege=True,
        siege_tiles="both",
        siege_escape="any_tile",
        phantom=True,
        inns=True,
        builders=True,
        pigs=True,
        goods=True,
        king_robber=True,
        shrines=True,
        auto_single=False,
    ),
    Rules.preset(
        "count",
        n_players=6,
        sets=("base", "river2", "princess", "count", "siege"),
        count_with_river="allow",
        siege=True,
        siege_tiles="both",
        siege_field_double="base_only",
        siege_escape="any_tile",
        escape_per="turn",
        small_city_points=2,
        dragon=True,
        dragon_timing="after_scoring",
        fairy=True,
        builders=True,
        wagons=True,
        barns=True,
        auto_single=False,
    ),
    # The Tunnel: alone, with few pairs, and with all that asks about roads or comes between parts.
    Rules.preset("tunnel", n_players=2, auto_single=False),
    Rules.preset("tunnel", n_players=3, tunnel_sets="2/1", phantom=True, auto_single=False),
    Rules.preset(
        "bridges",
        n_players=3,
        sets=("base", "inns", "traders", "abbey", "bridges", "king", "princess", "tunnel"),
        tunnels=True,
        tunnel_breaks_road=True,
        inns=True,
        builders=True,
        phantom=True,
        king_robber=True,
        dragon=True,
        princesses=True,
        castle_choice="ask",
        bridge_timing="any_time_before_scoring",
        house_wagon_roll=True,
        auto_single=False,
    ),
    Rules.preset(
        "count",
        n_players=4,
        sets=("base", "traders", "bridges", "tower", "count", "festival", "gold", "tunnel"),
        tunnels=True,
        tunnel_sets="1/1",
        builders=True,
        bazaars=True,
        bazaar_builder_order="builder_first",
        towers=True,
        festival=True,
        gold=True,
        gold_choice="ask",
        dragon_timing="after_scoring",
        auto_single=False,
    ),
    # The Ferries: alone, after thieves alone, and with all that asks about roads or comes between.
    Rules.preset("ferries", n_players=2, auto_single=False),
    Rules.preset(
        "ferries",
        n_players=3,
        sets=("base", "traders", "ferries", "tunnel", "king"),
        ferry_without_meeple="skip",
        tunnels=True,
        builders=True,
        king_robber=True,
        auto_single=False,
    ),
    Rules.preset(
        "bridges",
        n_players=3,
        sets=("base", "inns", "traders", "abbey", "bridges", "king", "princess", "ferries"),
        ferries=True,
        inns=True,
        builders=True,
        phantom=True,
        king_robber=True,
        king_robber_scoring="running",
        dragon=True,
        princesses=True,
        castle_choice="ask",
        bridge_timing="any_time_before_scoring",
        house_wagon_roll=True,
        auto_single=False,
    ),
    Rules.preset(
        "count",
        n_players=4,
        sets=("base", "traders", "bridges", "tower", "count", "flier", "gold", "tunnel", "ferries"),
        ferries=True,
        tunnels=True,
        flier=True,
        phantom=True,
        builders=True,
        bazaars=True,
        bazaar_builder_order="builder_first",
        towers=True,
        wagons=True,
        gold=True,
        gold_choice="ask",
        dragon_timing="after_scoring",
        auto_single=False,
    ),
    # Mage & Witch: alone, with all that changes points or lets the dragon eat them, and with
    # bridges and tokens that join their features.
    Rules.preset("mage-witch", n_players=2, auto_single=False),
    Rules.preset(
        "mage-witch",
        n_players=3,
        sets=("base", "inns", "king", "princess", "siege", "flier", "mage"),
        inns=True,
        king_robber=True,
        dragon=True,
        fairy=True,
        siege=True,
        siege_tiles="both",
        flier=True,
        auto_single=False,
    ),
    Rules.preset(
        "bridges",
        n_players=3,
        sets=("base", "inns", "traders", "abbey", "bridges", "gold", "tunnel", "mage"),
        mage_witch=True,
        tunnels=True,
        inns=True,
        builders=True,
        phantom=True,
        gold=True,
        castle_choice="ask",
        bridge_timing="any_time_before_scoring",
        auto_single=False,
    ),
    Rules.preset(
        "mage-witch",
        n_players=4,
        sets=("base", "traders", "bridges", "princess", "tower", "tunnel", "mage"),
        dragon_eats_magic=False,
        dragon=True,
        dragon_timing="after_scoring",
        portals=True,
        towers=True,
        tunnels=True,
        bridges=True,
        builders=True,
        bazaars=True,
        phantom=True,
        bridge_timing="any_time_before_scoring",
    ),
    # Everything:
    Rules.preset("big-box", n_players=4, castle_choice="ask", auto_single=False),
    Rules.preset("big-box", n_players=3, challenge_loser_wagon=True, cult_extra_tile=True),
    Rules.preset("all", n_players=3, auto_single=False),
    Rules.preset(
        "all",
        n_players=4,
        bazaar_builder_order="builder_first",
        bridge_limit="per_turn",
        castle_choice="ask",
        auto_single=False,
    ),
    Rules.preset(
        "all",
        n_players=2,
        builder_bridge_trigger="any_extension",
        bridge_timing="any_time_before_scoring",
        bridge_limit="per_turn",
        wagon_adjacency="C1",
        bazaar_mode="take",
    ),
    # Special monasteries: alone, with all that brings figures onto them or takes them off again,
    # with castles and Carcassonne, and with what looks for monasteries.
    Rules.preset("monasteries", n_players=2, auto_single=False),
    Rules.preset(
        "monasteries",
        n_players=3,
        sets=("base", "inns", "abbey", "princess", "flier", "monasteries"),
        large_meeples=True,
        mayors=True,
        wagons=True,
        abbeys=True,
        phantom=True,
        portals=True,
        dragon=True,
        fairy=True,
        flier=True,
        abbot_recall_lying="forbid",
        auto_single=False,
    ),
    Rules.preset(
        "monasteries",
        n_players=3,
        sets=("base", "bridges", "count", "gold", "cult", "flier", "monasteries"),
        special_monasteries="add",
        bridges=True,
        castles=True,
        castle_choice="ask",
        count=True,
        count_join_unoccupied=True,
        count_final="any",
        shrines=True,
        gold=True,
        flier=True,
        wagons=True,
        auto_single=False,
    ),
    Rules.preset(
        "monasteries",
        n_players=4,
        sets=("base", "hills", "tower", "festival", "siege", "flier", "monasteries"),
        special_monasteries="add",
        hills=True,
        vineyards=True,
        towers=True,
        festival=True,
        siege=True,
        siege_escape="any_tile",
        wagons=True,
        wagon_adjacency="C1",
        phantom=True,
        fairy=True,
        fairy_placement="on_tile",
    ),
]
"""Every value of every switch but those of Abbey & Mayor alone, and both of ``auto_single``."""

FULL_CHECK_EVERY = 8
"""Legal actions and what follows are compared at every decision, the rest at every eighth."""
N_TRIED = 4
"""Placements of which the players of these games, half of the time, take what does most."""


def choose(rng, position, names):
    """Choose at random, but not quite, or games would have few towns, second parts and pigs."""
    if position.phase == Phase.PLACE_TILE and rng.random() < 0.5:
        tried = rng.sample(names, min(N_TRIED, len(names)))
        return max(tried, key=lambda name: n_events(turns.following(position, name)))
    if position.phase == Phase.FIGURE and rng.random() < 0.5:
        companions = [name for name in names if name.split()[0] in ("builder", "pig")]
        if companions:
            return rng.choice(companions)
        last = position.tiles[-1]
        cities = {s.spot.name for s in segments_of(last) if s.kind == naive.Kind.CITY}
        return rng.choice([name for name in names if name.split()[-1] in cities] or names)
    if position.phase == Phase.CASTLE and rng.random() < 0.5:
        return "castle"
    return rng.choice(names)


def n_events(position):
    """Count what the last tile has completed, extended for a builder, and joined to a barn."""
    if position.phase != Phase.FIGURE:
        return 0
    n_completed = sum(3 if castles.is_town(position, f) else 1 for f in completed(position))
    n_completed += len(naive.barn_fields(position))
    return n_completed + 3 * builders.noted(position).has_extended


def play_and_compare(game, seed):
    """Play at random to the end; count the decisions that were compared, and their marks."""
    rng = random.Random(seed)
    n_compared = 0
    met = Counter()
    position = game.position()
    while not game.is_over:
        compare_legal(game, position)
        if n_compared % FULL_CHECK_EVERY == 0:
            compare_the_rest(game, position)
        met.update(marks(position))
        name = choose(rng, position, sorted(map(game.name, game.legal_actions())))
        n_moves = len(game.moves)
        game.apply(name)
        position = compare_move(game, position, with_token(game, n_moves, name))
        n_compared += 1
    return n_compared, met


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("rules", "n"),
    [
        pytest.param(rules, 1 + (k % 4 > 0), id=rules.to_yaml(), marks=[pytest.mark.long][: k % 4])
        for k, rules in enumerate(VARIANTS)
    ],
)
def test_random_games_agree_with_the_naive_oracle(rules, n, n_games):
    for seed in range(n_games(n)):
        game = Game(rules, seed=seed)
        n_compared, _ = play_and_compare(game, seed)
        assert n_compared > 60
        assert order_problems(game.position()) == []


@pytest.mark.interpreted
@pytest.mark.parametrize("name", SHORT_GAMES)
def test_short_games_agree_with_the_naive_oracle(name, n_games):
    short, n = SHORT_GAMES[name], n_games(N_SHORT_GAMES)
    met = Counter()
    for seed in range(n):
        met += play_and_compare(begun(short, seed), seed)[1]
    assert n < N_SHORT_GAMES or set(met) >= short.comes_to
