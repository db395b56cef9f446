"""BAZ: bazaars, where tiles are auctioned or taken, and the round in which they are placed."""

from itertools import product

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules
from carc_env.words import SEATS

from .looks import bag_of, decision, figures, meeples, names, offered, score_log
from .positions import RING, Table, first_place, headers, then
from .scenario import ABBEY, play

BAZAARS = "sets: [base, bridges], bazaars: true"
TAKE = f"{BAZAARS}, bazaar_mode: take"
FORBID = f"{BAZAARS}, bazaar_overbid: forbid"
SKIP = f"{BAZAARS}, bazaar_unplaceable: skip"

#: The start tile, and the start tile with its city closed: no tile with four city sides fits there.
ALONE = ("bg-cap-straight 0,0 r0",)
CLOSED = (*ALONE, "bg-cap 0,-1 r2")

#: All outer sides are roads and cities, so a tile with only fields needs a bridge.
NO_FIELDS = (*ALONE, "bg-junction 0,1 r0")

CLOSED_RING = (*RING, "bg-cap 0,-1 r2")

#: Placements of the bazaar tile beside the start tile and beside the ring.
PLACE = "bcb-bazaar 0,1 r0"
PLACE_AT_RING = "bcb-bazaar 0,3 r0"

#: Tiles that fit anywhere, for the offer and for the bag.
OFFER = ("bg-monastery", "bg-curve", "bg-cap", "bg-straight", "bg-junction", "bg-corner")
MORE = ("bg-curve", "bg-straight", "bg-monastery", "bg-cap-junction", "bg-curve", "bg-straight")

TABLE = Table(rules=BAZAARS, n_players=3)
position, played = TABLE.position, TABLE.played

PICK, BID, DEAL = Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL


def bazaar(*offer, bag=MORE, place=PLACE, tiles=ALONE, **options):
    """Let A place a bazaar tile without a figure; by default, OFFER is the offer."""
    n_players = options.setdefault("n_players", len(offer) or 3)
    bag = (*(offer or OFFER[:n_players]), *bag)
    return played(tiles, place, "pass", bag=bag, **options)


#: Offers in which the tile of B, of C or of both has no place on the closed board.
B_HAS_NO_PLACE = ("bg-city4-shield", "bg-curve", "bg-straight")
C_HAS_NO_PLACE = ("bg-curve", "bg-city4-shield", "bg-straight")
B_AND_C_HAVE_NO_PLACE = ("bg-city4-shield", "bcb-city4-bazaar", "bg-straight")


def delayed_bazaar(*bag, **options):
    """Begin A's bazaar; B's tile has no place, so B draws the first tile of the bag instead."""
    return bazaar(*B_HAS_NO_PLACE, bag=bag, tiles=CLOSED, **options)


#: A bazaar tile, three tiles for its bazaar, and more.
ONE_MORE = ("bcb-road-bazaar-inn", *OFFER[:3], *MORE)


def two_delayed(*bag):
    """Hold the auction of A's bazaar when neither B's tile nor C's has a place."""
    place = "bcb-roads-bazaar 1,0 r0"
    return share_out(bazaar(*B_AND_C_HAVE_NO_PLACE, bag=bag, tiles=CLOSED, place=place))


def to_place(game):
    """Return who must place which tile: ``"B bg-curve"``."""
    assert game.phase == Phase.PLACE_TILE
    assert game.decider == game.turn_player
    return f"{SEATS[game.turn_player]} {game.tile_in_hand}"


def starts(game):
    """Return whose bazaar it is, after whose turn play resumes, and the delayed bazaars."""
    now = game.position()
    return now.bazaar.starter, now.bazaar.resumes, now.delayed


def seats_of(placed):
    return "".join(seat for seat, _ in placed)


def decide_as_it_comes(game):
    """Play a bazaar to its end with default decisions; return who placed which tile."""
    placed = []
    while game.position().bazaar is not None:
        if game.phase == Phase.PLACE_TILE:
            placed.append((SEATS[game.turn_player], game.tile_in_hand))
        go_on(game)
    return placed


def ask_for_abbeys(game):
    """Play the last abbey round, with everybody declining; return the order of the seats."""
    order = ""
    while not game.is_over:
        phase, seat = decision(game)
        assert phase == Phase.DRAW_OR_ABBEY
        order += seat
        game.apply("draw")
    return order


def offer(game):
    """Return the tiles on offer in the notation: ``["bg-cap", "bg-curve B"]``."""
    lots = game.position().bazaar.offer
    return [lot.tile if lot.owner is None else f"{lot.tile} {SEATS[lot.owner]}" for lot in lots]


def bids(first, last):
    return {f"bid {bid}" for bid in range(first, last + 1)}


def share_out(game, *numbers):
    """Hold an auction without overbidding: each chooser gets a numbered tile for nothing.

    By default, the first chooser gets the first tile, and so on.
    """
    n_players = game.rules.n_players
    for number in numbers or range(1, n_players):
        then(game, f"pick {number}; bid 0")
        while game.phase == BID:
            game.apply("pass")
    return game


def place(game):
    """Place the tile in hand at its first legal place, without a figure."""
    return then(game, first_place(game), "pass")


def go_on(game):
    """Take the default action: the first tile or place, otherwise pass or bid 0."""
    if game.phase in (PICK, Phase.PLACE_TILE):
        game.apply(first_place(game))
    else:
        game.apply("pass" if "pass" in names(game) else "bid 0")


def place_bought(game):
    """Place the tiles of a round without figures; return who placed which tile."""
    placed = []
    while game.phase == Phase.PLACE_TILE and game.position().bazaar is not None:
        placed.append((SEATS[game.turn_player], game.tile_in_hand))
        place(game)
    return placed


def place_all(game):
    """Hold an auction without overbidding and place its tiles; return the game."""
    place_bought(share_out(game))
    return game


def in_writing(game):
    """Return the headers with the state of a bazaar."""
    about = ("turn", "bazaar", "auction", "bought", "delayed")
    return {line for line in headers(game) if line.split()[0] in about}


def is_normal_turn(game, seat, tile):
    """Return whether a seat has drawn this tile in a turn outside any bazaar."""
    position = game.position()
    return (game.phase, game.turn_player, game.decider, game.tile_in_hand) == (
        Phase.PLACE_TILE,
        SEATS.index(seat),
        SEATS.index(seat),
        tile,
    ) and (position.bazaar, position.is_bought, position.delayed) == (None, False, ())


def clockwise(first, n_players):
    return [(first + i) % n_players for i in range(n_players)]


def auction(starter, scores, rules):
    """Yield each question of an auction by the rules: phase, seat and options; receive the answer.

    Return the owner of each tile, and the scores.
    """
    n_players = rules.n_players
    may_overbid = rules.bazaar_overbid == "allow"
    scores = list(scores)
    owners = [None] * n_players
    chooser = (starter + 1) % n_players
    while owners.count(None) > 1:
        free = [number for number, owner in enumerate(owners) if owner is None]
        answer = yield PICK, chooser, {f"pick {number + 1}" for number in free}
        lot = int(answer.split()[1]) - 1
        price, bidder = -1, chooser
        for seat in clockwise(chooser, n_players):
            if seat in owners:
                continue  # BAZ-08
            most = rules.bazaar_bid_limit
            if not may_overbid:
                most = min(most, max(scores[seat], 0))
            options = bids(price + 1, most) | ({"pass"} if seat != chooser else set())
            answer = yield BID, seat, options
            if answer != "pass":
                price, bidder = int(answer.split()[1]), seat
        owners[lot] = chooser
        if bidder == chooser:
            scores[chooser] -= price  # BAZ-07: paid to nobody
        else:
            can_buy = may_overbid or scores[chooser] >= price
            answer = yield DEAL, chooser, {"buy", "sell"} if can_buy else {"sell"}
            owners[lot], paid = (chooser, bidder) if answer == "buy" else (bidder, chooser)
            scores[owners[lot]] -= price
            scores[paid] += price
        is_again = rules.bazaar_next_chooser == "seller_again"
        order = clockwise(chooser if is_again else chooser + 1, n_players)
        chooser = next(seat for seat in order if seat not in owners)
    owners[owners.index(None)] = chooser  # BAZ-10
    return owners, tuple(scores)


def hold_auction(game, choose):
    """Play an auction that has just begun and compare each question with the rules.

    ``choose`` maps a phase and its options to the name of an action. Return the owners of the
    tiles and the scores.
    """
    starter = game.position().bazaar.starter
    questions = auction(starter, game.scores, game.rules)
    question = next(questions)
    while True:
        assert (game.phase, game.decider, names(game)) == question
        assert (game.turn_player, game.tile_in_hand) == (starter, None)
        phase, _, options = question
        answer = choose(phase, options)
        game.apply(answer)
        try:
            question = questions.send(answer)
        except StopIteration as end:
            return end.value


@pytest.mark.parametrize(
    ("sets", "n_tiles"),
    [(("base", "bridges"), 83), (("base", "abbey", "bridges"), 95), (("base", "abbey"), 83)],
)
@pytest.mark.filterwarnings("ignore:.* has no effect")
def test_base_02_the_stack_with_the_new_tiles(sets, n_tiles):
    game = Game(Rules(sets=sets, bazaars=True, auto_single=False), seed=1)
    assert len(game.position().tiles) == 1
    assert len(bag_of(game)) == n_tiles
    assert game.n_tiles_left == n_tiles - 1
    assert sum(tile.startswith("bcb-") for tile in bag_of(game)) == 12 * ("bridges" in sets)
    assert sum("bazaar" in tile for tile in bag_of(game)) == 8 * ("bridges" in sets)


#: A road that ends in the west; a tile at (1, 0), such as a bazaar, can be its other end.
WEST_ROAD = ("bg-cap-straight 0,0 r0: B meeple E", "bg-monastery-road -1,0 r2")


@pytest.mark.rule("BAZ-25")
@pytest.mark.parametrize("bazaars", ["true", "false"])
@pytest.mark.parametrize(
    "place",
    [
        "bcb-roads-bazaar 1,0 r0",
        "bcb-roads-bazaar-inn 1,0 r0",
        "bcb-roads-bazaar-inn 1,0 r2",
        "bcb-road-bazaar-inn 1,0 r0",
        "bcb-cap-road-bazaar 1,0 r1",
    ],
)
def test_base_11_a_bazaar_ends_a_road(place, bazaars):
    # Some of the tiles show inns, which have no effect without their set.
    game = played(WEST_ROAD, place, rules=f"sets: [base, bridges], bazaars: {bazaars}")
    assert "W" not in offered(game, "meeple")
    game.apply("pass")
    assert score_log(game) == [("B", 3, Kind.ROAD)]
    assert figures(game) == set()


@pytest.mark.rule("BAZ-25")
def test_base_11_a_road_between_two_bazaars():
    tiles = ("bg-cap-straight 0,0 r0: B meeple E", "bcb-roads-bazaar -1,0 r0: A meeple W")
    game = played(tiles, "bcb-road-bazaar-inn 1,0 r0; pass", bag=())
    assert game.is_over
    assert game.scores == (1, 3, 0)  # the road west of the other bazaar is incomplete


def test_baz_25_two_roads_that_end_at_the_bazaar_stay_two():
    game = played(WEST_ROAD, "bcb-roads-bazaar 1,0 r0")
    assert offered(game, "meeple") == {"E", "Nw", "Es"}
    game.apply("meeple E")
    assert score_log(game) == [("B", 3, Kind.ROAD)]
    assert figures(game) == {"A meeple 1,0 E"}


def test_baz_25_both_roads_may_be_closed_by_the_same_tile():
    south = tuple(f"bg-monastery {x},1 r0" for x in (0, 1, 2))
    tiles = (*WEST_ROAD, *south, "bg-monastery-road 2,0 r0")
    game = played(tiles, "bcb-roads-bazaar-inn 1,0 r0; meeple E")
    assert sorted(score_log(game)) == [("A", 2, Kind.ROAD), ("B", 3, Kind.ROAD)]


@pytest.mark.rule("TILE-11")
@pytest.mark.parametrize(
    ("place", "spots"),
    [
        ("bcb-bazaar 0,1 r0", {"Nw"}),
        ("bcb-city4-bazaar 0,-1 r0", {"N"}),
        ("bcb-span-bazaar 0,-1 r0", {"N", "En", "Ws"}),
        ("bcb-cap-road-bazaar 0,-1 r2", {"N", "S", "Nw"}),
        ("bcb-road-bazaar-inn 1,0 r0", {"W", "Nw"}),
        ("bcb-roads-bazaar 1,0 r0", {"E", "W", "Nw", "Es"}),
        ("bcb-roads-bazaar-inn 1,0 r0", {"E", "W", "Nw", "Es"}),
        ("bcb-roads-bazaar-inn 1,0 r2", {"E", "W", "Nw", "Es"}),
        # The two monasteries of the set, for comparison.
        ("bcb-span-monastery 0,-1 r0", {"N", "En", "Ws", "mid"}),
        ("bcb-monastery-straight 1,0 r0", {"E", "Nw", "Es", "mid"}),
    ],
)
def test_baz_25_the_bazaar_itself_cannot_be_claimed(place, spots):
    game = played(ALONE, place)
    assert offered(game, "meeple") == spots
    assert offered(game, "abbot") == spots & {"mid"}


#: A town with A's knight; one more tile completes it.
TOWN = ("bg-cap-straight 0,0 r0: A meeple N",)


@pytest.mark.rule("BAZ-03")
def test_baz_01_figure_and_scoring_come_before_the_tiles_are_revealed():
    game = played(TOWN, turn="A places bcb-cap-road-bazaar", bag=(*OFFER[:3], *MORE))
    events = []
    for move in ("bcb-cap-road-bazaar 0,-1 r2", "meeple N"):
        events.append((*decision(game), game.scores, game.n_tiles_left))
        game.apply(move)
    assert score_log(game) == [("A", 4, Kind.CITY)]
    events.append((*decision(game), game.scores, game.n_tiles_left))
    n_left = len(MORE)
    assert events == [
        (Phase.PLACE_TILE, "A", (0, 0, 0), n_left + 3),
        (Phase.FIGURE, "A", (0, 0, 0), n_left + 3),
        (PICK, "B", (4, 0, 0), n_left),
    ]
    assert figures(game) == {"A meeple 0,-1 N"}


def test_baz_01_a_wagon_that_was_scored_moves_before_the_bazaar():
    game = played(
        ("bg-cap-straight 0,0 r0: C wagon E", "bg-monastery-road -1,0 r2"),
        "bcb-roads-bazaar 1,0 r0; pass",
        rules=f"{BAZAARS}, wagons: true",
        bag=OFFER,
    )
    assert (*decision(game), game.turn_player, game.n_tiles_left) == (Phase.WAGON, "C", 0, 6)
    assert game.position().bazaar is None
    game.apply("wagon -1,0 mid")
    assert (*decision(game), game.turn_player, game.n_tiles_left) == (PICK, "B", 0, 3)
    assert (game.scores, figures(game)) == ((0, 0, 3), {"C wagon -1,0 mid"})


@pytest.mark.rule("BAZ-14")
def test_baz_01_a_castle_is_built_before_the_bazaar_and_scored_in_its_round():
    # The bazaar tile completes B's town; the tile that B then buys completes a road in its fief.
    bag = ("bg-curve", "bg-monastery-road", "bg-monastery")
    game = played(
        ("bg-cap-straight 0,0 r0: B meeple N", "bg-monastery-road -1,0 r2"),
        "bcb-cap-road-bazaar 0,-1 r2; pass",
        rules=f"{BAZAARS}, castles: true",
        bag=bag,
    )
    assert (*decision(game), game.turn_player, game.n_tiles_left) == (Phase.CASTLE, "B", 0, 3)
    game.apply("castle")
    assert (*decision(game), game.turn_player, game.n_tiles_left) == (PICK, "B", 0, 0)
    share_out(game, 2, 1)
    then(game, "bg-monastery-road 1,0 r0; pass")
    assert score_log(game) == [("B", 3, Kind.CASTLE)]
    assert to_place(game) == "C bg-curve"


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize("bazaars", ["bazaars: false", "bridges: true", "castles: true"])
def test_baz_01_switched_off_a_bazaar_tile_is_an_ordinary_tile(bazaars):
    game = played(ALONE, PLACE, "pass", bag=MORE, rules=f"sets: [base, bridges], {bazaars}")
    assert is_normal_turn(game, "B", MORE[0])
    assert game.n_tiles_left == len(MORE) - 1


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize("mode", ["auction", "take"])
@pytest.mark.filterwarnings("ignore:.* has no effect")
def test_baz_01_without_a_bazaar_tile_there_is_never_a_bazaar(mode):
    rules = Rules(n_players=3, bazaars=True, bazaar_mode=mode, auto_single=False)
    game = Game(rules, seed=5)
    while not game.is_over:
        assert game.phase in (Phase.PLACE_TILE, Phase.FIGURE)
        assert game.position().bazaar is None
        game.apply(game.random_action())


def test_baz_01_an_ordinary_tile_starts_no_bazaar():
    game = played(ALONE, "bcb-span-monastery 0,-1 r0; pass")
    assert (*decision(game), game.position().bazaar) == (Phase.PLACE_TILE, "B", None)


@pytest.mark.rule("BASE-05")
def test_baz_02_a_bazaar_tile_put_aside_starts_no_bazaar():
    bag = ("bcb-city4-bazaar", *MORE)
    game = played(CLOSED, "pass", seat="C", bag=bag)
    assert is_normal_turn(game, "A", MORE[0])
    assert "bcb-city4-bazaar" in game.position().aside
    assert game.n_tiles_left == len(MORE) - 1
    place(game)
    assert game.moves[-2].aside == ("bcb-city4-bazaar",)
    assert is_normal_turn(game, "B", MORE[1])


@pytest.mark.rule("BAZ-01")
def test_baz_02_the_bazaar_tile_drawn_instead_of_another_one_starts_a_bazaar():
    bag = ("bcb-city4-bazaar", "bcb-bazaar", *OFFER[:3], *MORE)
    game = played(CLOSED, "pass", PLACE, "pass", seat="C", bag=bag)
    assert decision(game) == (PICK, "B")
    assert offer(game) == list(OFFER[:3])


def test_baz_02_put_aside_by_choice_because_it_needs_a_bridge():
    game = played(
        NO_FIELDS, turn="A places bcb-bazaar", rules=f"{BAZAARS}, bridges: true", bag=MORE
    )
    assert {"aside", "bcb-bazaar 1,0 r0", "bcb-bazaar 0,2 r0"} <= names(game)
    game.apply("aside")
    assert is_normal_turn(game, "A", MORE[0])
    assert "bcb-bazaar" in game.position().aside
    place(game)
    assert is_normal_turn(game, "B", MORE[1])


@pytest.mark.rule("BAZ-02")
def test_baz_01_placed_with_a_bridge_it_starts_a_bazaar():
    text = position(NO_FIELDS, turn="A places bcb-bazaar", rules=f"{BAZAARS}, bridges: true")
    game = play(text, "bcb-bazaar 1,0 r0", "pass", bag=(*OFFER[:3], *MORE))
    assert decision(game) == (PICK, "B")
    assert game.stock(0)["bridges"] == 2


@pytest.mark.rule("BAZ-04", "BAZ-11")
@pytest.mark.parametrize("rules", [BAZAARS, TAKE])
@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_baz_03_as_many_tiles_as_players_are_revealed(n_players, rules):
    game = bazaar(n_players=n_players, rules=rules)
    assert offer(game) == list(OFFER[:n_players])
    assert game.n_tiles_left == len(MORE)
    assert game.tile_in_hand is None
    assert bag_of(game)[-len(MORE) :] == MORE
    assert decision(game) == (PICK, "B")
    assert names(game) == {f"pick {number + 1}" for number in range(n_players)}
    assert game.scores == (0,) * n_players


@pytest.mark.rule("BAZ-13")
@pytest.mark.parametrize(("starter", "chooser"), ["AB", "BC", "CA"])
def test_baz_04_the_player_after_the_active_one_chooses_and_bids_first(starter, chooser):
    game = bazaar(turn=f"{starter} places bcb-bazaar")
    assert (game.turn_player, game.position().bazaar.starter) == (SEATS.index(starter),) * 2
    assert decision(game) == (PICK, chooser)
    assert names(game) == {"pick 1", "pick 2", "pick 3"}
    game.apply("pick 2")
    assert decision(game) == (BID, chooser)
    assert names(game) == bids(0, 20)  # the chooser cannot pass


@pytest.mark.rule("BAZ-12")
@pytest.mark.parametrize("limit", [1, 7, 100])
def test_baz_04_the_opening_bid_goes_from_nothing_to_the_limit(limit):
    game = bazaar(rules=f"{BAZAARS}, bazaar_bid_limit: {limit}")
    game.apply("pick 3")
    assert names(game) == bids(0, limit)


def test_baz_05_a_bid_of_two_leaves_three_or_more():
    game = then(bazaar(), "pick 1; bid 2")
    assert decision(game) == (BID, "C")
    assert names(game) == {"pass", *bids(3, 20)}
    game.apply("bid 5")
    assert decision(game) == (BID, "A")
    assert names(game) == {"pass", *bids(6, 20)}


def test_baz_05_everybody_is_asked_once():
    # C, E and A overbid, but no player is asked again, not even the chooser B.
    game = then(bazaar(n_players=5), "pick 4")
    order = []
    for move in ("bid 1", "bid 2", "pass", "bid 4", "bid 9"):
        order.append(decision(game))
        game.apply(move)
    assert order == [(BID, seat) for seat in "BCDEA"]
    assert decision(game) == (DEAL, "B")
    assert names(game) == {"buy", "sell"}


@pytest.mark.parametrize("limit", [1, 20])
def test_baz_05_nobody_can_overbid_the_limit(limit):
    game = bazaar(rules=f"{BAZAARS}, bazaar_bid_limit: {limit}")
    then(game, f"pick 1; bid {limit}")
    for seat in "CA":
        assert decision(game) == (BID, seat)
        assert names(game) == {"pass"}
        game.apply("pass")
    assert (game.scores, decision(game)) == ((0, -limit, 0), (PICK, "C"))


@pytest.mark.rule("BAZ-06")
def test_baz_05_the_limit_may_be_reached_by_overbidding():
    game = bazaar(n_players=4, rules=f"{BAZAARS}, bazaar_bid_limit: 6")
    then(game, "pick 1; bid 5; bid 6")
    for seat in "DA":
        assert (decision(game), names(game)) == ((BID, seat), {"pass"})
        game.apply("pass")
    assert (decision(game), names(game)) == ((DEAL, "B"), {"buy", "sell"})
    assert then(game, "buy").scores == (0, -6, 6, 0)


def test_baz_05_who_can_only_pass_need_not_be_asked():
    game = bazaar(tiles=RING, place=PLACE_AT_RING, auto_single=True)
    then(game, "pick 1; bid 20")
    assert decision(game) == (PICK, "C")
    assert [(SEATS[move.seat], move.name) for move in game.moves[-3:]] == [
        ("B", "bid 20"),
        ("C", "pass"),
        ("A", "pass"),
    ]


@pytest.mark.parametrize(
    ("deal", "scores", "owner"), [("buy", (10, 5, 15), "B"), ("sell", (10, 15, 5), "C")]
)
def test_baz_06_the_chooser_buys_from_the_highest_bidder_or_sells_to_him(deal, scores, owner):
    game = bazaar(scores="10:10:10")
    then(game, "pick 2; bid 2; bid 5; pass")
    assert (decision(game), names(game)) == ((DEAL, "B"), {"buy", "sell"})
    assert (game.scores, offer(game)) == ((10, 10, 10), list(OFFER[:3]))
    game.apply(deal)
    assert game.scores == scores
    assert offer(game) == [OFFER[0], f"{OFFER[1]} {owner}", OFFER[2]]


@pytest.mark.parametrize(
    ("deal", "scores", "owner"), [("buy", (17, 3, 10, 10), "B"), ("sell", (3, 17, 10, 10), "A")]
)
def test_baz_06_lower_bids_of_others_mean_nothing(deal, scores, owner):
    game = bazaar(n_players=4, scores="10:10:10:10")
    then(game, "pick 1; bid 2; bid 5; bid 6; bid 7", deal)
    assert game.scores == scores
    assert offer(game)[0] == f"{OFFER[0]} {owner}"


@pytest.mark.rule("BAZ-07")
def test_baz_06_a_chooser_who_bid_nothing_may_sell():
    game = then(bazaar(scores="1:1:1"), "pick 1; bid 0; pass; bid 1; sell")
    assert game.scores == (0, 2, 1)
    assert offer(game)[0] == f"{OFFER[0]} A"


@pytest.mark.parametrize("bid", [0, 3, 20])
def test_baz_07_without_another_bid_the_chooser_pays_to_nobody(bid):
    game = bazaar(scores="10:10:10")
    then(game, f"pick 3; bid {bid}; pass; pass")
    assert game.scores == (10, 10 - bid, 10)
    assert offer(game) == [*OFFER[:2], f"{OFFER[2]} B"]
    assert decision(game) == (PICK, "C")
    assert names(game) == {"pick 1", "pick 2"}


def test_baz_08_who_has_a_tile_is_neither_asked_nor_chooser():
    # D buys from the chooser B, so C chooses next and D is not asked. Then E sells to B.
    game = bazaar(n_players=5)
    then(game, "pick 1; bid 0; pass; bid 1; pass; pass; sell")
    order = []
    for move in ("pick 2", "bid 0", "pass", "pass", "pass"):
        order.append(decision(game))
        game.apply(move)
    for move in ("pick 3", "bid 0", "pass", "bid 2", "sell"):
        order.append(decision(game))
        game.apply(move)
    assert order == [
        (PICK, "C"),
        *((BID, seat) for seat in "CEAB"),
        (PICK, "E"),
        *((BID, seat) for seat in "EAB"),
        (DEAL, "E"),
    ]
    assert decision(game) == (PICK, "A")
    then(game, "pick 5; bid 0")
    assert decision(game) == (BID, "E")  # the seller still needs a tile


def test_baz_08_a_tile_that_has_an_owner_cannot_be_chosen():
    game = share_out(bazaar(n_players=4), 3)
    assert names(game) == {"pick 1", "pick 2", "pick 4"}
    share_out(game, 1)
    assert names(game) == {"pick 2", "pick 4"}


@pytest.mark.parametrize(
    ("switch", "chooser", "bidder"), [("clockwise", "A", "B"), ("seller_again", "B", "A")]
)
def test_baz_09_after_a_sale_the_next_player_or_the_seller_chooses(switch, chooser, bidder):
    game = bazaar(rules=f"{BAZAARS}, bazaar_next_chooser: {switch}")
    then(game, "pick 1; bid 0; bid 1; pass; sell")
    assert decision(game) == (PICK, chooser)
    then(game, "pick 2; bid 0")
    assert decision(game) == (BID, bidder)
    assert names(game) == {"pass", *bids(1, 20)}
    # The chooser sells to the other bidder and gets the last tile for nothing.
    then(game, "bid 4; sell")
    got = {"C": OFFER[0], bidder: OFFER[1], chooser: OFFER[2]}
    assert place_bought(game) == [(seat, got[seat]) for seat in "BCA"]


@pytest.mark.parametrize("switch", ["clockwise", "seller_again"])
def test_baz_09_after_a_purchase_the_next_player_chooses(switch):
    game = bazaar(n_players=4, rules=f"{BAZAARS}, bazaar_next_chooser: {switch}")
    then(game, "pick 1; bid 0; pass; bid 1; pass; buy")
    assert decision(game) == (PICK, "C")
    then(game, "pick 2; bid 1; pass; pass")
    assert decision(game) == (PICK, "D")


@pytest.mark.parametrize(
    ("switch", "order"), [("clockwise", "B CDA, D AB, B D"), ("seller_again", "B CDA, B DA, B A")]
)
def test_baz_09_everybody_sells(switch, order):
    # Each entry names a chooser and the other bidders; the first bidder overbids and buys.
    game = bazaar(n_players=4, rules=f"{BAZAARS}, bazaar_next_chooser: {switch}")
    found = []
    for number in (1, 2, 3):
        chooser = decision(game)[1]
        then(game, f"pick {number}; bid 0")
        bidders = decision(game)[1]
        game.apply("bid 1")
        while game.phase == BID:
            bidders += decision(game)[1]
            game.apply("pass")
        found.append(f"{chooser} {bidders}")
        game.apply("sell")
    assert ", ".join(found) == order


@pytest.mark.parametrize("switch", ["clockwise", "seller_again"])
@pytest.mark.parametrize(("deal", "scores"), [("buy", (5, 3)), ("sell", (3, 5))])
def test_baz_09_with_two_players_one_tile_is_auctioned(switch, deal, scores):
    rules = f"{BAZAARS}, bazaar_next_chooser: {switch}"
    game = bazaar(n_players=2, scores="4:4", rules=rules)
    then(game, "pick 2; bid 0; bid 1", deal)
    assert game.scores == scores
    mine, other = OFFER[:2] if deal == "sell" else OFFER[1::-1]
    assert place_bought(game) == [("B", mine), ("A", other)]


@pytest.mark.rule("BAZ-08")
def test_baz_09_clockwise_wraps_around_the_table():
    # C starts a bazaar of four players. D sells to A, so B chooses next, then C; D comes last.
    game = bazaar(n_players=4, turn="C places bcb-bazaar")
    assert decision(game) == (PICK, "D")
    then(game, "pick 1; bid 0; bid 1; pass; pass; sell")
    assert decision(game) == (PICK, "B")
    then(game, "pick 2; bid 0; pass; pass")
    assert decision(game) == (PICK, "C")
    then(game, "pick 4; bid 0; pass")
    assert place_bought(game) == [
        ("D", OFFER[2]),
        ("A", OFFER[0]),
        ("B", OFFER[1]),
        ("C", OFFER[3]),
    ]


@pytest.mark.rule("BAZ-06", "BAZ-09", "BAZ-11")
@pytest.mark.parametrize("switch", ["clockwise", "seller_again"])
def test_baz_05_every_pattern_of_overbidding_among_three(switch):
    # There are at most five yes-or-no decisions: two bids and a deal, then one bid and a deal.
    begin = bazaar(scores="3:3:3", rules=f"{BAZAARS}, bazaar_next_chooser: {switch}")
    outcomes = set()
    for pattern in product((False, True), repeat=5):
        decisions = iter(pattern)

        def choose(phase, options, decisions=decisions):
            if phase == DEAL:
                return "buy" if next(decisions) else "sell"
            lowest = min(options - {"pass"}, key=lambda name: int(name.split()[1]))
            if "pass" not in options:
                return lowest
            return lowest if next(decisions) else "pass"

        game = begin.clone()
        owners, scores = hold_auction(game, choose)
        assert game.scores == scores
        tiles = {SEATS[owner]: tile for owner, tile in zip(owners, OFFER, strict=False)}
        assert place_bought(game) == [(seat, tiles[seat]) for seat in "BCA"]
        outcomes.add((tuple(owners), scores))
    assert len({owners for owners, _ in outcomes}) == 6


def test_baz_10_the_last_tile_is_free():
    game = bazaar(scores="10:10:10")
    then(game, "pick 1; bid 2; pass; pass; pick 2; bid 3; pass")
    assert game.scores == (10, 8, 7)
    assert offer(game) == [f"{OFFER[1]} C", f"{OFFER[2]} A"]
    assert to_place(game) == f"B {OFFER[0]}"


@pytest.mark.rule("BAZ-09")
def test_baz_10_it_may_go_to_the_first_chooser():
    game = bazaar(scores="10:10:10")
    then(game, "pick 3; bid 0; bid 4; bid 5; sell")
    then(game, "pick 2; bid 1; pass")  # C bids, then B is asked
    assert game.scores == (5, 15, 9)
    assert to_place(game) == f"B {OFFER[0]}"


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_baz_11_everybody_has_one_tile_and_places_it(n_players):
    game = share_out(bazaar(n_players=n_players))
    order = clockwise(1, n_players)
    expected = [(SEATS[seat], OFFER[i]) for i, seat in enumerate(order)]
    assert game.tile_in_hand == OFFER[0]
    assert offer(game) == [f"{tile} {seat}" for seat, tile in expected[1:]]
    assert place_bought(game) == expected
    assert len(game.position().tiles) == 2 + n_players


def test_baz_12_who_has_no_points_may_bid_and_go_below():
    game = then(bazaar(), "pick 1; bid 4; pass; pass")
    assert game.scores == (0, -4, 0)
    assert "scores 0:-4:0" in headers(game)


@pytest.mark.rule("BAZ-30")
@pytest.mark.parametrize(("deal", "scores"), [("buy", (20, -22, 2)), ("sell", (-20, 18, 2))])
def test_baz_12_who_is_below_may_go_further(deal, scores):
    game = bazaar(scores="0:-2:2", n_players=3)
    then(game, "pick 1; bid 19; pass; bid 20", deal)
    assert game.scores == scores


@pytest.mark.rule("BASE-22")
def test_baz_12_a_game_may_end_below_nothing():
    game = bazaar("bg-monastery", "bg-curve", bag=())
    then(game, "pick 1; bid 6; pass; bg-monastery 1,1 r0; meeple mid; bg-curve 1,0 r1; pass")
    assert game.is_over
    assert game.scores == (0, -6 + 4)  # the monastery has three neighbours


@pytest.mark.parametrize(("score", "most"), [(0, 0), (3, 3), (20, 20), (57, 20), (-3, 0)])
def test_baz_12_forbidden_the_opening_bid_is_limited_by_the_score(score, most):
    game = then(bazaar(scores=f"9:{score}:9", rules=FORBID), "pick 1")
    assert (decision(game), names(game)) == ((BID, "B"), bids(0, most))


@pytest.mark.parametrize(
    ("score", "options"),
    [(0, {"pass"}), (2, {"pass"}), (3, {"pass", "bid 3"}), (40, {"pass", *bids(3, 20)})],
)
def test_baz_12_forbidden_so_are_the_others(score, options):
    game = then(bazaar(scores=f"9:9:{score}", rules=FORBID), "pick 1; bid 2")
    assert (decision(game), names(game)) == ((BID, "C"), options)


@pytest.mark.rule("BAZ-09")
@pytest.mark.parametrize("switch", ["clockwise", "seller_again"])
def test_baz_12_forbidden_points_from_a_sale_can_be_bid(switch):
    # B has no points until C pays 5.
    rules = f"{FORBID}, bazaar_next_chooser: {switch}"
    game = then(bazaar(scores="2:0:9", rules=rules), "pick 1; bid 0; bid 5; pass; sell")
    assert game.scores == (2, 5, 4)
    game.apply("pick 2")
    if switch == "clockwise":
        assert (decision(game), names(game)) == ((BID, "A"), bids(0, 2))
        game.apply("bid 2")
        assert (decision(game), names(game)) == ((BID, "B"), {"pass", *bids(3, 5)})
    else:
        assert (decision(game), names(game)) == ((BID, "B"), bids(0, 5))
        game.apply("bid 0")
        assert (decision(game), names(game)) == ((BID, "A"), {"pass", *bids(1, 2)})


@pytest.mark.parametrize("n_players", [2, 3, 6])
def test_baz_13_forbidden_and_nobody_has_points_each_takes_a_tile(n_players):
    game = bazaar(n_players=n_players, rules=FORBID)
    placed = []
    for seat in clockwise(1, n_players):
        assert (decision(game), game.turn_player) == ((PICK, SEATS[seat]), seat)
        game.apply("pick 1")
        placed.append((SEATS[game.turn_player], game.tile_in_hand))
        place(game)
    assert placed == [(SEATS[seat], OFFER[i]) for i, seat in enumerate(clockwise(1, n_players))]
    assert game.scores == (0,) * n_players
    assert is_normal_turn(game, "B", MORE[0])


@pytest.mark.parametrize("scores", ["1:0:0", "0:1:0", "0:0:1"])
def test_baz_13_one_point_of_anybody_is_enough_for_an_auction(scores):
    game = then(bazaar(scores=scores, rules=FORBID), "pick 1")
    assert decision(game) == (BID, "B")


@pytest.mark.rule("BAZ-01", "BAZ-05")
def test_baz_13_points_of_the_bazaar_tile_itself_count():
    text = position(TOWN, turn="A places bcb-cap-road-bazaar", rules=FORBID)
    game = play(text, "bcb-cap-road-bazaar 0,-1 r2", "pass", "pick 1", bag=(*OFFER[:3], *MORE))
    assert game.scores == (4, 0, 0)
    assert (decision(game), names(game)) == ((BID, "B"), {"bid 0"})
    game.apply("bid 0")
    assert (decision(game), names(game)) == ((BID, "C"), {"pass"})
    game.apply("pass")
    assert (decision(game), names(game)) == ((BID, "A"), {"pass", *bids(1, 4)})


def test_baz_13_points_that_come_in_the_round_do_not_bring_the_auction_back():
    tiles = ("bg-cap-straight 0,0 r0: B meeple N",)
    game = bazaar("bg-cap", "bg-curve", "bg-monastery", tiles=tiles, rules=FORBID)
    then(game, "pick 1; bg-cap 0,-1 r2; pass")
    assert game.scores == (0, 4, 0)
    assert (decision(game), names(game)) == ((PICK, "C"), {"pick 1", "pick 2"})
    game.apply("pick 2")
    assert to_place(game) == "C bg-monastery"


def test_baz_14_each_places_his_tile_with_figure_and_scoring():
    game = bazaar("bg-cap", "bg-monastery", "bg-curve")
    share_out(game)
    events = []
    for move in (
        "bg-cap 0,-1 r2",
        "meeple S",
        "bg-monastery 1,1 r0",
        "meeple mid",
        "bg-curve 1,0 r1",
        "meeple N",
    ):
        events.append((*decision(game), SEATS[game.turn_player], game.scores))
        game.apply(move)
    assert events == [
        (Phase.PLACE_TILE, "B", "B", (0, 0, 0)),
        (Phase.FIGURE, "B", "B", (0, 0, 0)),
        (Phase.PLACE_TILE, "C", "C", (0, 4, 0)),
        (Phase.FIGURE, "C", "C", (0, 4, 0)),
        (Phase.PLACE_TILE, "A", "A", (0, 4, 0)),
        (Phase.FIGURE, "A", "A", (0, 4, 0)),
    ]
    assert figures(game) == {"C meeple 1,1 mid", "A meeple 1,0 N"}
    assert (meeples(game, "A"), meeples(game, "B"), meeples(game, "C")) == (6, 7, 6)
    assert is_normal_turn(game, "B", MORE[0])


def test_baz_14_the_tiles_are_placed_by_seats_and_not_in_the_order_of_the_auction():
    # D sells to B, A to D, and C to A. The seat order is D, A, B, C.
    game = bazaar(n_players=4, turn="C places bcb-bazaar")
    then(game, "pick 4; bid 0; pass; bid 1; pass; sell; pick 3; bid 0; pass; bid 1; sell")
    assert decision(game) == (PICK, "C")
    then(game, "pick 2; bid 0; bid 1; sell")
    expected = [("D", OFFER[2]), ("A", OFFER[1]), ("B", OFFER[3]), ("C", OFFER[0])]
    assert place_bought(game) == expected
    assert is_normal_turn(game, "D", MORE[0])


def test_baz_14_a_figure_that_came_home_in_the_round_can_be_placed_in_it():
    # A has no meeples left. B's tile returns A's knight before A places a tile.
    tiles = (
        "bg-cap-straight 0,0 r0: A meeple N, A meeple E, A meeple En, A meeple Es",
        "bg-junction 1,0 r0: A meeple E, A meeple S, A meeple Es",
    )
    rules = f"{BAZAARS}, abbot: false"
    game = share_out(bazaar("bg-cap", "bg-curve", "bg-monastery", tiles=tiles, rules=rules))
    then(game, "bg-cap 0,-1 r2; pass")
    place(game)
    assert (*decision(game), meeples(game, "A")) == (Phase.PLACE_TILE, "A", 1)
    game.apply(first_place(game))
    assert "meeple mid" in names(game)


def test_baz_14_the_abbot_may_be_recalled_with_a_bought_tile():
    tiles = (*ALONE, "bg-monastery-road 1,0 r0: C abbot mid")
    game = share_out(bazaar("bg-curve", "bg-cap", "bg-straight", tiles=tiles))
    game.apply("bg-curve 0,2 r3")
    assert "recall" not in names(game)  # B's turn
    then(game, "pass; bg-cap 1,1 r2")
    assert "recall" in names(game)
    game.apply("recall")
    assert game.scores == (0, 0, 4)  # start, bazaar and cap are its neighbours
    assert to_place(game) == "A bg-straight"


def test_baz_14_the_wagon_of_another_player_moves_before_the_next_tile_is_placed():
    tiles = ("bg-cap-straight 0,0 r0: A wagon E", "bg-monastery-road -1,0 r2")
    rules = f"{BAZAARS}, wagons: true"
    game = bazaar("bg-monastery-road", "bg-curve", "bg-cap", tiles=tiles, rules=rules)
    share_out(game)
    then(game, "bg-monastery-road 1,0 r0; pass")
    assert (*decision(game), game.turn_player) == (Phase.WAGON, "A", 1)
    assert {"turn B moves", "bazaar A: bg-curve C, bg-cap A", "bought"} <= headers(game)
    game.apply("wagon 1,0 mid")
    assert (*decision(game), game.turn_player) == (Phase.PLACE_TILE, "C", 2)
    assert game.scores == (3, 0, 0)
    place(game)
    # Moving the wagon was not A's turn: A still has a tile to place.
    assert to_place(game) == "A bg-cap"


@pytest.mark.parametrize("choice", ["castle", "score"])
def test_baz_14_another_player_may_build_his_castle_in_the_round(choice):
    rules = f"{BAZAARS}, castles: true"
    game = bazaar("bg-cap", "bg-monastery", "bg-curve", tiles=TOWN, rules=rules)
    share_out(game)
    then(game, "bg-cap 0,-1 r2; pass")
    assert (*decision(game), game.turn_player) == (Phase.CASTLE, "A", 1)
    game.apply(choice)
    assert to_place(game) == "C bg-monastery"
    assert game.scores == ((0, 0, 0) if choice == "castle" else (4, 0, 0))
    assert game.stock(0)["tokens"] == (2 if choice == "castle" else 3)


@pytest.mark.parametrize("limit", ["per_placement", "per_turn"])
def test_baz_14_a_bridge_may_be_built_with_every_bought_tile(limit):
    # A builds one bridge with the bazaar tile and may build another one with the bought tile.
    text = position(
        ALONE, turn="A places bcb-bazaar", rules=f"{BAZAARS}, bridges: true, bridge_limit: {limit}"
    )
    game = play(text, PLACE, "bridge 0,1 EW", "pass", bag=("bg-cap", "bg-curve", "bg-monastery"))
    share_out(game)
    then(game, "bg-cap 0,-1 r2; pass; bg-curve 1,0 r1; pass")
    assert (*decision(game), game.stock(0)["bridges"]) == (Phase.PLACE_TILE, "A", 2)
    game.apply("bg-monastery 0,2 r0")
    assert "bridge 0,2 EW" in names(game)
    game.apply("bridge 0,2 EW")
    assert not any(name.startswith("bridge") for name in names(game))
    game.apply("meeple E")
    assert game.stock(0)["bridges"] == 1
    assert figures(game) == {"A meeple 0,2 E"}


@pytest.mark.rule("BAZ-17")
@pytest.mark.parametrize(
    ("is_bought", "phase", "seat"), [(True, Phase.PLACE_TILE, "B"), (False, PICK, "B")]
)
def test_baz_14_the_last_tile_of_a_round_can_be_written_down(is_bought, phase, seat):
    # A has just placed a bazaar tile at the end of the round. It was bought, or drawn to replace
    # a bought tile.
    tiles = (*ALONE, "bcb-bazaar 0,1 r0", "bcb-road-bazaar-inn 0,2 r0")
    about = ["[bazaar A:]", *(["[bought]"] if is_bought else [])]
    game = played(tiles, "pass", headers=about)
    assert decision(game) == (phase, seat)
    assert (game.position().bazaar is None) == is_bought


@pytest.mark.parametrize("rules", [BAZAARS, TAKE])
@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_baz_16_too_few_tiles_for_everybody(n_players, rules):
    text = position(ALONE, turn="A places bcb-bazaar", n_players=n_players, rules=rules)
    game = play(text, PLACE, "pass", bag=OFFER[: n_players - 1])
    assert is_normal_turn(game, "B", OFFER[0])
    assert game.n_tiles_left == n_players - 2
    game = play(text, PLACE, "pass", bag=OFFER[:n_players])
    assert decision(game) == (PICK, "B")
    assert (offer(game), game.n_tiles_left) == (list(OFFER[:n_players]), 0)


@pytest.mark.rule("BASE-22")
def test_baz_16_a_bazaar_tile_as_the_last_tile_ends_the_game():
    game = played(TOWN, PLACE, "pass", bag=())
    assert game.is_over
    assert game.scores == (1, 0, 0)


def test_baz_16_a_later_bazaar_with_enough_tiles_does_not_come_back():
    # Two bazaar tiles in a row, with too few tiles left: both are ordinary tiles.
    game = played(
        ALONE,
        PLACE,
        "pass; bcb-road-bazaar-inn 1,0 r0; pass",
        bag=("bcb-road-bazaar-inn", "bg-curve"),
    )
    assert is_normal_turn(game, "C", "bg-curve")


@pytest.mark.parametrize("rules", [BAZAARS, TAKE])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_baz_17_a_bought_bazaar_tile_starts_no_bazaar(number, rules):
    # It goes to B, C or A; enough tiles are left for another bazaar.
    tiles = ["bg-curve", "bg-monastery"]
    tiles.insert(number - 1, "bcb-road-bazaar-inn")
    game = bazaar(*tiles, rules=rules)
    placed = []
    if rules == BAZAARS:
        placed = place_bought(share_out(game))
    else:
        for _ in range(3):
            game.apply("pick 1")
            placed.append((SEATS[game.turn_player], game.tile_in_hand))
            place(game)
            assert game.position().delayed == ()
    assert placed == list(zip("BCA", tiles, strict=True))
    assert is_normal_turn(game, "B", MORE[0])
    for tile in MORE[1:4]:
        place(game)
        assert (game.phase, game.tile_in_hand) == (Phase.PLACE_TILE, tile)


def test_baz_17_all_tiles_on_offer_may_be_bazaars():
    game = bazaar("bcb-road-bazaar-inn", "bcb-roads-bazaar", "bcb-roads-bazaar-inn")
    assert len(place_bought(share_out(game))) == 3
    assert is_normal_turn(game, "B", MORE[0])


#: Tiles without a place on the closed board.
NOWHERE = ("bg-city4-shield", "bcb-city4-bazaar", "bcb-city4-bazaar")


@pytest.mark.rule("BAZ-27", "BAZ-26")
def test_baz_18_a_bazaar_tile_drawn_in_the_round_starts_one_after_it():
    game = share_out(delayed_bazaar(*ONE_MORE))
    assert to_place(game) == "B bcb-road-bazaar-inn"
    assert not game.position().is_bought
    then(game, "bcb-road-bazaar-inn 1,0 r0; pass")
    assert to_place(game) == "C bg-curve"
    assert game.position().delayed == (1,)
    assert {"delayed B", "bazaar A: bg-straight A", "bought"} <= headers(game)
    assert seats_of(place_bought(game)) == "CA"
    assert (*decision(game), game.turn_player) == (PICK, "C", 1)
    assert starts(game) == (1, 0, ())
    assert offer(game) == list(OFFER[:3])
    assert f"bazaar B after A: {', '.join(OFFER[:3])}" in headers(game)
    share_out(game)
    assert place_bought(game) == [("C", OFFER[0]), ("A", OFFER[1]), ("B", OFFER[2])]
    assert is_normal_turn(game, "B", MORE[0])


@pytest.mark.rule("BAZ-26")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_baz_18_whoever_drew_it_the_normal_turn_is_that_of_the_next_player(number):
    tiles = ["bg-curve", "bg-straight"]
    tiles.insert(number - 1, "bg-city4-shield")
    game = share_out(bazaar(*tiles, bag=ONE_MORE, tiles=CLOSED))
    place_bought(game)
    starter = number % 3
    assert (game.phase, game.decider) == (PICK, (starter + 1) % 3)
    assert starts(game) == (starter, 0, ())
    share_out(game)
    order = clockwise(starter + 1, 3)
    assert seats_of(place_bought(game)) == "".join(SEATS[seat] for seat in order)
    assert is_normal_turn(game, "B", MORE[0])


@pytest.mark.rule("BAZ-23")
def test_baz_18_so_it_is_where_tiles_are_taken():
    game = delayed_bazaar(*ONE_MORE, rules=TAKE)
    then(game, "pick 1; bcb-road-bazaar-inn 1,0 r0; pass")
    assert (decision(game), game.turn_player) == ((PICK, "C"), 2)
    assert game.position().delayed == (1,)
    place(then(game, "pick 2"))
    place(then(game, "pick 1"))
    assert (decision(game), game.turn_player) == ((PICK, "C"), 2)
    assert f"bazaar B after A takes: {', '.join(OFFER[:3])}" in headers(game)


@pytest.mark.rule("BAZ-02")
def test_baz_18_a_drawn_bazaar_tile_without_a_place_starts_none():
    game = share_out(delayed_bazaar("bcb-city4-bazaar", "bg-cap", *MORE))
    assert to_place(game) == "B bg-cap"
    assert seats_of(place_bought(game)) == "BCA"
    assert is_normal_turn(game, "B", MORE[0])


@pytest.mark.rule("BAZ-13")
def test_baz_18_points_of_the_round_allow_an_auction_in_the_delayed_bazaar():
    # Nobody has points, so tiles are taken. B completes a road; C draws a bazaar tile.
    tiles = (*WEST_ROAD, "bg-cap 0,-1 r2")
    on_offer = ("bg-monastery-road", "bg-city4-shield", "bg-curve")
    game = bazaar(*on_offer, bag=ONE_MORE, tiles=tiles, rules=FORBID)
    assert game.position().bazaar.takes
    then(game, "pick 1; bg-monastery-road 1,0 r0; pass")
    assert (*decision(game), game.scores) == (PICK, "C", (0, 3, 0))
    place(then(game, "pick 1; bcb-road-bazaar-inn 0,2 r0; pass; pick 1"))
    assert decision(game) == (PICK, "A")
    assert not game.position().bazaar.takes
    game.apply("pick 1")
    assert (decision(game), names(game)) == ((BID, "A"), {"bid 0"})
    game.apply("bid 0")
    assert (decision(game), names(game)) == ((BID, "B"), {"pass", *bids(1, 3)})


@pytest.mark.rule("BAZ-13")
def test_baz_18_points_spent_in_the_auction_prevent_one_in_the_delayed_bazaar():
    game = delayed_bazaar(*ONE_MORE, rules=FORBID, scores="0:2:0")
    share_out(then(game, "pick 1; bid 2; pass; pass"), 2)
    assert game.scores == (0, 0, 0)
    place_bought(game)
    assert (decision(game), game.turn_player) == ((PICK, "C"), 2)
    assert game.position().bazaar.takes


def test_baz_19_two_delayed_bazaars_one_after_the_other():
    # B and C each draw a bazaar tile.
    game = two_delayed("bcb-road-bazaar-inn", "bcb-bazaar", *OFFER[:3], *MORE)
    place(place(game))
    assert (*decision(game), game.position().delayed) == (Phase.PLACE_TILE, "A", (1, 2))
    assert "delayed B, C" in headers(game)
    place(game)
    assert (decision(game), starts(game)) == ((PICK, "C"), (1, 0, (2,)))
    assert seats_of(place_bought(share_out(game))) == "CAB"
    assert (decision(game), starts(game)) == ((PICK, "A"), (2, 0, ()))
    assert offer(game) == list(MORE[:3])
    assert seats_of(place_bought(share_out(game))) == "ABC"
    assert is_normal_turn(game, "B", MORE[3])


def test_baz_19_a_delayed_bazaar_may_delay_another_one():
    # In B's delayed bazaar, A's tile has no place, so A draws a bazaar tile. C's bazaar is already
    # delayed, so A's bazaar comes after it.
    game = two_delayed(
        *("bcb-road-bazaar-inn", "bcb-bazaar"),
        *("bg-curve", "bcb-city4-bazaar", "bg-curve"),
        *("bcb-roads-bazaar-inn", *OFFER[:3], *MORE),
    )
    assert seats_of(place_bought(game)) == "BCA"
    place(share_out(game))  # in B's bazaar, C, A and B place tiles
    assert to_place(game) == "A bcb-roads-bazaar-inn"
    place(game)
    assert (*decision(game), game.position().delayed) == (Phase.PLACE_TILE, "B", (2, 0))
    place_bought(game)
    found = []
    while game.phase == PICK:
        found.append(starts(game)[:2])
        place_bought(share_out(game))
    assert found == [(2, 0), (0, 0)]
    assert is_normal_turn(game, "B", MORE[3])


@pytest.mark.rule("BAZ-26")
def test_baz_19_a_chain_of_bazaars_of_the_same_player():
    # Twice in a row, B buys a tile without a place and draws a bazaar tile instead.
    again = ("bg-curve", "bg-curve", "bcb-city4-bazaar", "bcb-roads-bazaar")
    game = share_out(delayed_bazaar("bcb-road-bazaar-inn", *again, *OFFER[:3], *MORE))
    place_bought(game)
    for _ in range(2):
        assert (decision(game), starts(game)[:2]) == ((PICK, "C"), (1, 0))
        assert seats_of(place_bought(share_out(game))) == "CAB"
    assert is_normal_turn(game, "B", MORE[0])


@pytest.mark.rule("BAZ-14")
@pytest.mark.parametrize("scores", ["0:0:0", "9:9:9"])
def test_baz_23_each_takes_a_tile_for_nothing_and_places_it_at_once(scores):
    game = bazaar(rules=TAKE, scores=scores)
    before = game.scores
    assert (decision(game), game.turn_player) == ((PICK, "B"), 1)
    assert names(game) == {"pick 1", "pick 2", "pick 3"}
    game.apply("pick 2")
    assert to_place(game) == f"B {OFFER[1]}"
    assert offer(game) == [OFFER[0], OFFER[2]]
    then(game, "bg-curve 1,0 r1; meeple N")
    assert (decision(game), game.turn_player) == ((PICK, "C"), 2)
    assert names(game) == {"pick 1", "pick 2"}
    assert figures(game) == {"B meeple 1,0 N"}
    game.apply("pick 2")
    assert to_place(game) == f"C {OFFER[2]}"
    assert offer(game) == [OFFER[0]]
    then(game, "bg-cap 1,1 r2; pass")
    assert (decision(game), names(game)) == ((PICK, "A"), {"pick 1"})
    game.apply("pick 1")
    assert to_place(game) == f"A {OFFER[0]}"
    assert offer(game) == []
    place(game)
    assert game.scores == before
    assert is_normal_turn(game, "B", MORE[0])


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_baz_23_any_number_of_players(n_players):
    # Each player takes the last of the remaining tiles.
    starter = n_players - 1
    turn = f"{SEATS[starter]} places bcb-bazaar"
    game = bazaar(n_players=n_players, rules=TAKE, turn=turn)
    placed = []
    for n_left in range(n_players, 0, -1):
        assert names(game) == {f"pick {number + 1}" for number in range(n_left)}
        assert game.decider == game.turn_player
        game.apply(f"pick {n_left}")
        placed.append((SEATS[game.turn_player], game.tile_in_hand))
        place(game)
    assert placed == list(zip(SEATS, OFFER[:n_players][::-1], strict=False))
    assert is_normal_turn(game, "A", MORE[0])


def test_baz_23_the_first_tile_lies_before_the_second_is_chosen():
    # A decides on the wagon before C takes a tile, and on the castle before A takes one.
    game = played(
        ("bg-cap-straight 0,0 r0: A meeple N, A wagon E", "bg-monastery-road -1,0 r2"),
        PLACE,
        "pass; pick 1; bg-monastery-road 1,0 r0; pass",
        rules=f"{TAKE}, wagons: true, castles: true",
        bag=("bg-monastery-road", "bg-cap", "bg-curve", *MORE),
    )
    assert (*decision(game), game.turn_player) == (Phase.WAGON, "A", 1)
    game.apply("home")
    assert (*decision(game), game.turn_player) == (PICK, "C", 2)
    then(game, "pick 1; bg-cap 0,-1 r2; pass")
    assert (*decision(game), game.turn_player) == (Phase.CASTLE, "A", 2)
    game.apply("castle")
    assert game.position().bazaar.takes
    game.apply("pick 1")
    assert to_place(game) == "A bg-curve"


def test_baz_23_the_last_tile_needs_no_choice():
    tiles = {"tiles": RING, "place": PLACE_AT_RING}
    game = bazaar("bg-monastery", "bg-curve", rules=TAKE, auto_single=True, **tiles)
    then(game, "pick 1")
    while game.turn_player == 1:
        game.apply(game.legal_actions()[-1])
    assert to_place(game) == "A bg-curve"


ABBEYS = f"{BAZAARS}, abbeys: true"


@pytest.mark.rule("BAZ-24")
@pytest.mark.parametrize("mode", ["auction", "take"])
def test_abb_19_no_abbey_instead_of_a_bought_tile(mode):
    rules = f"{ABBEYS}, bazaar_mode: {mode}"
    game = bazaar(tiles=RING, place=PLACE_AT_RING, rules=rules)
    n_placed = 0
    while game.position().bazaar is not None:
        assert game.phase != Phase.DRAW_OR_ABBEY
        assert not any(name.startswith(ABBEY) for name in names(game))
        n_placed += game.phase == Phase.FIGURE
        go_on(game)
    assert n_placed == 3
    assert game.position().abbeys == (1, 1, 1)
    # The round is over: B's normal turn begins with the question.
    assert decision(game) == (Phase.DRAW_OR_ABBEY, "B")
    assert names(game) == {"am-abbey 0,1 r0", "draw"}


@pytest.mark.rule("BAZ-24", "BAZ-27")
def test_abb_19_nor_instead_of_the_tile_drawn_for_a_bought_one():
    game = bazaar(
        "bg-city4-shield", "bg-curve", tiles=CLOSED_RING, place=PLACE_AT_RING, rules=ABBEYS
    )
    share_out(game)
    assert to_place(game) == f"B {MORE[0]}"
    assert not any(name.startswith(ABBEY) for name in names(game))


@pytest.mark.rule("BAZ-24")
def test_abb_19_the_starter_has_his_abbey_again_in_his_next_turn_only():
    game = share_out(bazaar("bg-curve", "bg-cap", tiles=RING, place=PLACE_AT_RING, rules=ABBEYS), 1)
    assert seats_of(place_bought(game)) == "BA"
    assert decision(game) == (Phase.DRAW_OR_ABBEY, "B")
    game.apply("draw")
    place(game)
    assert decision(game) == (Phase.DRAW_OR_ABBEY, "A")
    then(game, "am-abbey 0,1 r0; meeple mid")
    assert game.scores == (9, 0)


@pytest.mark.rule("BAZ-18")
def test_abb_19_nor_between_a_bazaar_and_a_delayed_one():
    bag = ("bcb-road-bazaar-inn", "bg-curve", "bg-cap", *MORE)
    on_offer = ("bg-city4-shield", "bg-straight")
    game = bazaar(*on_offer, bag=bag, tiles=CLOSED_RING, place=PLACE_AT_RING, rules=ABBEYS)
    share_out(game)
    phases = set()
    while game.position().bazaar is not None:
        phases.add((game.phase, game.position().bazaar.starter))
        go_on(game)
    assert (PICK, 1) in phases
    assert Phase.DRAW_OR_ABBEY not in {phase for phase, _ in phases}
    assert decision(game) == (Phase.DRAW_OR_ABBEY, "B")


def test_abb_24_no_bazaar_follows_an_abbey_beside_bazaar_tiles():
    tiles = [tile.replace("bg-straight 0,2", "bcb-roads-bazaar 0,2") for tile in RING]
    tiles = (*tiles, "bcb-bazaar 0,3 r0", "bg-curve 1,3 r3")
    game = played(tiles, "pass", seat="C", rules=ABBEYS, bag=MORE)
    assert names(game) == {"am-abbey 0,1 r0", "draw"}
    then(game, "am-abbey 0,1 r0; pass")
    assert is_normal_turn(game, "B", MORE[0])
    assert game.n_tiles_left == len(MORE) - 1


@pytest.mark.rule("BAZ-16")
def test_abb_24_an_abbey_after_a_bazaar_tile_for_which_tiles_were_too_few():
    game = played(RING, PLACE_AT_RING, "pass", rules=ABBEYS, bag=("bg-curve", "bg-cap"))
    assert (decision(game), names(game)) == (
        (Phase.DRAW_OR_ABBEY, "B"),
        {"am-abbey 0,1 r0", "draw"},
    )
    then(game, "am-abbey 0,1 r0; pass")
    assert is_normal_turn(game, "C", "bg-curve")


@pytest.mark.parametrize("rules", [BAZAARS, TAKE])
@pytest.mark.parametrize("starter", [0, 1, 3])
def test_baz_26_after_the_round_the_next_player_has_his_normal_turn(starter, rules):
    turn = f"{SEATS[starter]} places bcb-bazaar"
    game = bazaar(n_players=4, turn=turn, rules=rules)
    while game.position().bazaar is not None:
        go_on(game)
    following = SEATS[(starter + 1) % 4]
    assert is_normal_turn(game, following, MORE[0])
    assert game.n_tiles_left == len(MORE) - 1
    place(game)
    assert is_normal_turn(game, SEATS[(starter + 2) % 4], MORE[1])


@pytest.mark.rule("BASE-05")
def test_baz_27_a_bought_tile_without_a_place_is_replaced():
    game = delayed_bazaar("bg-monastery", *MORE, scores="5:5:5")
    share_out(then(game, "pick 1; bid 3; pass; pass"), 2)
    assert game.scores == (5, 2, 5)  # B pays the price anyway
    assert to_place(game) == "B bg-monastery"
    assert "bg-city4-shield" in game.position().aside
    assert game.n_tiles_left == len(MORE)
    assert place_bought(game) == [("B", "bg-monastery"), ("C", "bg-curve"), ("A", "bg-straight")]
    assert is_normal_turn(game, "B", MORE[0])


def test_baz_27_replaced_as_often_as_needed():
    bag = ("bcb-city4-bazaar", "bcb-city4-bazaar", "bg-cap", *MORE)
    game = share_out(bazaar(*C_HAS_NO_PLACE, bag=bag, tiles=CLOSED))
    assert place_bought(game) == [("B", "bg-curve"), ("C", "bg-cap"), ("A", "bg-straight")]
    assert set(NOWHERE) <= set(game.position().aside)
    assert is_normal_turn(game, "B", MORE[0])


@pytest.mark.rule("BAZ-03")
@pytest.mark.parametrize("rules", [BAZAARS, TAKE])
def test_baz_27_the_log_knows_what_was_put_aside(rules):
    # Tiles that were revealed or bought are put aside only if they have no place.
    bag = ("bcb-city4-bazaar", "bg-cap", *MORE)
    game = bazaar(*C_HAS_NO_PLACE, bag=bag, tiles=CLOSED, rules=rules)
    decide_as_it_comes(game)
    aside = [(move.name.split()[0], set(move.aside)) for move in game.moves if move.aside]
    assert aside == [("bg-cap", {"bg-city4-shield", "bcb-city4-bazaar"})]


@pytest.mark.parametrize("mode", ["auction", "take"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_baz_27_or_it_is_skipped(number, mode):
    tiles = ["bg-curve", "bg-straight"]
    tiles.insert(number - 1, "bg-city4-shield")
    game = bazaar(*tiles, tiles=CLOSED, rules=f"{SKIP}, bazaar_mode: {mode}")
    expected = list(zip("BCA", tiles, strict=True))
    expected.pop(number - 1)
    assert decide_as_it_comes(game) == expected
    assert "bg-city4-shield" in game.position().aside
    assert is_normal_turn(game, "B", MORE[0])


@pytest.mark.rule("BAZ-18")
def test_baz_27_skipped_no_tile_is_drawn_that_could_start_a_bazaar():
    game = delayed_bazaar("bcb-road-bazaar-inn", *MORE, rules=SKIP)
    assert seats_of(place_bought(share_out(game))) == "CA"
    assert is_normal_turn(game, "B", "bcb-road-bazaar-inn")
    assert decision(place(game)) == (PICK, "C")  # an ordinary bazaar of B


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize("rules", [BAZAARS, SKIP])
@pytest.mark.parametrize(
    ("on_offer", "placed"),
    [
        (C_HAS_NO_PLACE, [("B", "bg-curve"), ("A", "bg-straight")]),
        # The last bought tile may be the one without a place.
        (("bg-curve", "bg-straight", "bg-city4-shield"), [("B", "bg-curve"), ("C", "bg-straight")]),
    ],
)
def test_baz_27_with_an_empty_stack_there_is_no_placement(on_offer, placed, rules):
    game = share_out(bazaar(*on_offer, bag=(), tiles=CLOSED, rules=rules))
    assert place_bought(game) == placed
    assert game.is_over


@pytest.mark.parametrize("mode", ["auction", "take"])
@pytest.mark.parametrize(("switch", "n_drawn"), [("redraw", 3), ("skip", 0)])
def test_baz_27_none_of_them_has_a_place(switch, n_drawn, mode):
    rules = f"{BAZAARS}, bazaar_unplaceable: {switch}, bazaar_mode: {mode}"
    game = bazaar(*NOWHERE, tiles=CLOSED, rules=rules)
    assert decide_as_it_comes(game) == list(zip("BCA", MORE, strict=False))[:n_drawn]
    assert set(NOWHERE) <= set(game.position().aside)
    assert is_normal_turn(game, "B", MORE[n_drawn])


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize("mode", ["auction", "take"])
def test_baz_27_none_of_them_has_a_place_and_the_stack_is_empty(mode):
    rules = f"{BAZAARS}, bazaar_mode: {mode}"
    tiles = ("bg-cap-straight 0,0 r0: A meeple E", "bg-cap 0,-1 r2")
    game = bazaar(*NOWHERE, bag=(), tiles=tiles, rules=rules)
    while not game.is_over:
        go_on(game)
    assert game.scores == (1, 0, 0)


def test_baz_27_the_place_is_looked_for_when_its_turn_comes():
    # B closes the city that C's tile would have extended.
    game = share_out(bazaar("bg-cap", "bg-city4-shield", "bg-curve", bag=("bg-monastery", *MORE)))
    assert to_place(then(game, "bg-cap 0,-1 r2; pass")) == "C bg-monastery"
    assert "bg-city4-shield" in game.position().aside


def test_baz_27_a_tile_before_it_may_make_a_place_for_it():
    game = share_out(bazaar("bg-cap-garden", "bg-city4-shield", "bg-curve", tiles=CLOSED))
    assert to_place(then(game, "bg-cap-garden 0,2 r1; pass")) == "C bg-city4-shield"
    assert names(game) == {"bg-city4-shield 1,2 r0"}
    assert game.position().is_bought


def walled_in(switch="redraw", mode="auction", bag=MORE):
    """Begin A's bazaar with only cities and roads around the board; B gets a tile of fields."""
    on_offer = ("bg-monastery", "bg-city3", "bg-crossroads")
    game = played(
        NO_FIELDS,
        "bcb-city4-bazaar 0,-1 r0; pass",
        rules=f"{BAZAARS}, bridges: true, bazaar_unplaceable: {switch}, bazaar_mode: {mode}",
        bag=(*on_offer, *bag),
    )
    return share_out(game) if mode == "auction" else then(game, "pick 1")


@pytest.mark.rule("BAZ-02")
@pytest.mark.parametrize("mode", ["auction", "take"])
@pytest.mark.parametrize("switch", ["redraw", "skip"])
def test_baz_27_a_bought_tile_that_needs_a_bridge_may_be_put_aside(switch, mode):
    game = walled_in(switch, mode)
    assert to_place(game) == "B bg-monastery"
    assert {"aside", "bg-monastery 1,0 r0", "bg-monastery 0,2 r0"} <= names(game)
    game.apply("aside")
    assert "bg-monastery" in game.position().aside
    assert game.stock(1)["bridges"] == 3
    if switch == "redraw":
        assert to_place(game) == f"B {MORE[0]}"
        assert not game.position().is_bought
    elif mode == "auction":
        assert to_place(game) == "C bg-city3"
        assert game.position().is_bought
    else:
        assert (decision(game), names(game)) == ((PICK, "C"), {"pick 1", "pick 2"})


@pytest.mark.rule("BAZ-14")
@pytest.mark.parametrize("switch", ["redraw", "skip"])
def test_baz_27_or_be_placed_with_it(switch):
    game = then(walled_in(switch), "bg-monastery 0,2 r0; meeple N")
    assert game.stock(1)["bridges"] == 2
    assert figures(game) == {"B meeple 0,2 N"}
    assert to_place(game) == "C bg-city3"


@pytest.mark.rule("BAZ-02", "BAZ-18")
def test_baz_27_so_may_the_tile_drawn_for_it_and_then_it_starts_no_bazaar():
    game = then(walled_in(bag=("bcb-bazaar", *MORE)), "aside")
    assert to_place(game) == "B bcb-bazaar"
    placed = game.clone()
    assert "aside" in names(game)
    game.apply("aside")
    assert to_place(game) == f"B {MORE[0]}"
    place_bought(game)
    assert is_normal_turn(game, "B", MORE[1])
    then(placed, "bcb-bazaar 0,2 r0; pass")
    assert placed.position().delayed == (1,)
    place_bought(placed)
    assert (*decision(placed), placed.position().bazaar.starter) == (PICK, "C", 1)


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize("mode", ["auction", "take"])
def test_baz_27_put_aside_with_an_empty_stack_there_is_no_placement(mode):
    game = then(walled_in("redraw", mode, bag=()), "aside")
    assert game.decider == 2
    while not game.is_over:
        go_on(game)
    assert len(game.position().tiles) == len(NO_FIELDS) + 3


@pytest.mark.rule("BAZ-16")
@pytest.mark.parametrize("n_left", [0, 2, 3])
def test_baz_28_tiles_are_counted_when_a_delayed_bazaar_starts(n_left):
    game = place(share_out(delayed_bazaar("bcb-road-bazaar-inn", *OFFER[:n_left])))
    assert game.position().delayed == (1,)
    place_bought(game)
    if n_left == 0:
        assert game.is_over
    elif n_left == 2:
        assert is_normal_turn(game, "B", OFFER[0])
    else:
        assert (decision(game), offer(game)) == ((PICK, "C"), list(OFFER[:3]))
        place_bought(share_out(game))
        assert game.is_over


@pytest.mark.rule("BAZ-19")
@pytest.mark.parametrize("n_left", [2, 3])
def test_baz_28_the_first_delayed_bazaar_may_take_the_tiles_of_the_second(n_left):
    game = two_delayed("bcb-road-bazaar-inn", "bcb-bazaar", *OFFER[:3], *MORE[:n_left])
    place_bought(game)
    assert (decision(game), game.position().delayed) == ((PICK, "C"), (2,))
    place_bought(share_out(game))
    if n_left == 2:
        assert is_normal_turn(game, "B", MORE[0])
    else:
        assert (decision(game), offer(game)) == ((PICK, "A"), list(MORE[:3]))


@pytest.mark.rule("BAZ-27")
def test_baz_28_a_replacement_may_take_the_tile_that_a_delayed_bazaar_needs():
    # B draws a bazaar tile. After the tile that A draws, only two tiles are left.
    bag = ("bcb-road-bazaar-inn", "bg-monastery", *OFFER[1:3])
    game = share_out(
        bazaar("bg-city4-shield", "bg-curve", "bcb-city4-bazaar", bag=bag, tiles=CLOSED)
    )
    assert seats_of(place_bought(game)) == "BCA"
    assert is_normal_turn(game, "B", OFFER[1])


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize("rules", [BAZAARS, TAKE])
def test_baz_29_the_bazaar_that_uses_up_the_stack_is_played_to_its_end(rules):
    game = bazaar(bag=(), tiles=("bg-cap-straight 0,0 r0: A meeple E",), rules=rules)
    n_placed = 0
    while not game.is_over:
        assert game.n_tiles_left == 0
        n_placed += game.phase == Phase.FIGURE
        assert game.scores == (0, 0, 0)
        go_on(game)
    assert n_placed == 3
    assert len(game.position().tiles) == 5
    assert game.scores[0] >= 1


def test_baz_29_figures_on_the_last_tiles_are_scored_at_the_end():
    game = share_out(bazaar("bg-cap", "bg-monastery", "bg-curve", bag=()))
    then(game, "bg-cap 0,-1 r2; meeple S; bg-monastery 1,1 r0; meeple mid")
    assert (*decision(game), game.scores) == (Phase.PLACE_TILE, "A", (0, 4, 0))
    then(game, "bg-curve 1,0 r1; meeple N")
    assert game.is_over
    assert game.scores == (2, 4, 4)  # the monastery has three neighbours


@pytest.mark.rule("ABB-20")
@pytest.mark.parametrize("mode", ["auction", "take"])
def test_baz_29_the_round_of_abbeys_follows_the_last_bought_tile(mode):
    rules = f"{ABBEYS}, bazaar_mode: {mode}"
    game = bazaar(bag=(), tiles=RING, place=PLACE_AT_RING, rules=rules)
    while game.phase != Phase.DRAW_OR_ABBEY:
        assert not game.is_over
        go_on(game)
    assert len(game.position().tiles) == len(RING) + 4
    order = []
    while not game.is_over:
        order.append((SEATS[game.decider], names(game), game.position().last_round))
        game.apply("draw")
    question = {"am-abbey 0,1 r0", "draw"}
    assert order == [("B", question, 2), ("C", question, 1), ("A", question, 0)]


@pytest.mark.rule("ABB-20")
def test_baz_16_a_bazaar_tile_as_the_last_tile_is_followed_by_the_round_of_abbeys():
    game = played(RING, PLACE_AT_RING, "pass", rules=ABBEYS, bag=())
    assert (decision(game), names(game)) == (
        (Phase.DRAW_OR_ABBEY, "B"),
        {"am-abbey 0,1 r0", "draw"},
    )
    assert game.position().last_round == 2


@pytest.mark.rule("ABB-20")
def test_baz_29_an_abbey_after_the_last_bought_tile():
    text = position(RING, turn="C places bcb-bazaar", rules=ABBEYS)
    game = play(text, PLACE_AT_RING, "pass", bag=("bg-curve", "bg-cap", "bg-straight"))
    assert seats_of(place_bought(share_out(game))) == "ABC"
    assert decision(game) == (Phase.DRAW_OR_ABBEY, "A")
    then(game, "am-abbey 0,1 r0; meeple mid")
    assert game.is_over  # no hole is left
    assert game.scores == (9, 0, 0)


@pytest.mark.rule("ABB-20")
@pytest.mark.parametrize("switch", ["none", "until_blocked"])
def test_baz_29_the_other_rulings_on_abbeys_after_a_bazaar(switch):
    rules = f"{ABBEYS}, abbey_endgame: {switch}"
    game = place_all(bazaar(bag=(), tiles=RING, place=PLACE_AT_RING, rules=rules))
    assert game.is_over == (switch == "none")
    if switch == "until_blocked":
        assert decision(game) == (Phase.DRAW_OR_ABBEY, "B")


@pytest.mark.rule("BAZ-27", "ABB-20")
def test_baz_29_a_last_bought_tile_put_aside_is_still_the_turn_of_its_owner():
    on_offer = ("bg-curve", "bg-straight", "bg-city4-shield")
    game = bazaar(*on_offer, bag=(), tiles=CLOSED_RING, place=PLACE_AT_RING, rules=ABBEYS)
    assert ask_for_abbeys(place_all(game)) == "BCA"


@pytest.mark.rule("BAZ-28", "ABB-20")
@pytest.mark.parametrize("n_left", [0, 2])
def test_baz_29_everybody_is_asked_once_after_a_delayed_bazaar(n_left):
    # B's delayed bazaar is either dropped or uses up the stack.
    bag = ("bcb-road-bazaar-inn", *OFFER[1 : 1 + n_left])
    on_offer = ("bg-city4-shield", "bg-straight")
    game = bazaar(*on_offer, bag=bag, tiles=CLOSED_RING, place=PLACE_AT_RING, rules=ABBEYS)
    place_all(game)
    if n_left:
        assert decision(game) == (PICK, "A")
        place_all(game)
    assert sorted(ask_for_abbeys(game)) == ["A", "B"]


@pytest.mark.parametrize(
    ("score", "deals"), [(0, {"sell"}), (4, {"sell"}), (5, {"buy", "sell"}), (6, {"buy", "sell"})]
)
def test_baz_30_who_cannot_pay_must_sell(score, deals):
    game = bazaar(scores=f"9:{score}:9", rules=FORBID)
    then(game, "pick 1; bid 0; bid 5; pass")
    assert (decision(game), names(game)) == ((DEAL, "B"), deals)
    assert then(game.clone(), "sell").scores == (9, score + 5, 4)
    if "buy" in deals:
        assert then(game.clone(), "buy").scores == (9, score - 5, 14)


def test_baz_30_the_forced_sale_needs_no_decision():
    game = bazaar(scores="0:2:9", rules=FORBID, auto_single=True, tiles=RING, place=PLACE_AT_RING)
    then(game, "pick 1; bid 2; bid 5")  # A can only pass, and B can only sell
    assert game.scores == (0, 7, 4)
    assert [move.name for move in game.moves[-3:]] == ["bid 5", "pass", "sell"]
    assert decision(game) == (PICK, "A")


@pytest.mark.rule("BAZ-04", "BAZ-06", "BAZ-14")
def test_baz_05_an_auction_in_writing():
    game = bazaar("bg-monastery", "bg-curve", "bg-cap")
    written = [in_writing(game)]
    for move in ("pick 2", "bid 2", "bid 5", "pass", "sell", "pick 1", "bid 0", "pass"):
        game.apply(move)
        written.append(in_writing(game))
    game.apply("bg-cap 1,1 r2")
    written.append(in_writing(game))
    on_offer = "bazaar A: bg-monastery, bg-curve, bg-cap"
    sold = "bazaar A: bg-monastery, bg-curve C, bg-cap"
    left = "bazaar A: bg-monastery A, bg-curve C"
    assert written == [
        {"turn A picks", on_offer, "auction B"},
        {"turn A bids", on_offer, "auction B 2"},
        {"turn A bids", on_offer, "auction B 2: 2 B next C"},
        {"turn A bids", on_offer, "auction B 2: 5 C next A"},
        {"turn A deals", on_offer, "auction B 2: 5 C"},
        {"turn A picks", sold, "auction A"},
        {"turn A bids", sold, "auction A 1"},
        {"turn A bids", sold, "auction A 1: 0 A next B"},
        {"turn B places bg-cap", left, "bought"},
        {"turn B acts", left, "bought"},
    ]


@pytest.mark.rule("BAZ-06")
@pytest.mark.parametrize(
    ("turn", "lot", "phase", "decider", "options"),
    [
        ("A picks", "C", PICK, "C", {"pick 1", "pick 3", "pick 4"}),
        ("A bids", "C 3", BID, "C", bids(0, 20)),
        ("A bids", "C 3: 4 C next D", BID, "D", {"pass", *bids(5, 20)}),
        ("A bids", "C 3: 7 D next A", BID, "A", {"pass", *bids(8, 20)}),
        ("A bids", "C 3: 20 D next A", BID, "A", {"pass"}),
        ("A deals", "C 3: 7 D", DEAL, "C", {"buy", "sell"}),
    ],
)
def test_baz_05_every_moment_of_an_auction_can_be_written_down(turn, lot, phase, decider, options):
    about = ["[bazaar A: bg-cap, bg-curve B, bg-monastery, bg-straight]", f"[auction {lot}]"]
    game = played((*ALONE, "bcb-bazaar 0,1 r0"), turn=turn, n_players=4, headers=about)
    assert (decision(game), names(game)) == ((phase, decider), options)
    assert {turn.join(("turn ", "")), *(line[1:-1] for line in about)} <= headers(game)
    assert game.turn_player == 0


@pytest.mark.rule("BAZ-05", "BAZ-07", "BAZ-11", "BAZ-16")
@pytest.mark.parametrize(
    ("turn", "about"),
    [
        # Too many tiles, too few tiles, no chooser, and a seat with two tiles.
        ("A picks", ("bazaar A: bg-cap, bg-curve, bg-cap, bg-junction", "auction B")),
        ("A picks", ("bazaar A: bg-cap, bg-curve", "auction B")),
        ("A picks", ("bazaar A: bg-cap, bg-curve, bg-junction",)),
        ("A picks", ("bazaar A: bg-cap B, bg-curve B, bg-junction", "auction C")),
        ("B places bg-curve", ("bazaar A: bg-cap B, bg-junction A", "bought")),
        ("B places bg-curve", ("bazaar A: bg-cap C, bg-junction", "bought")),
        # A player who has a tile neither chooses nor bids.
        ("A picks", ("bazaar A: bg-cap B, bg-curve, bg-junction", "auction B")),
        ("A bids", ("bazaar A: bg-cap C, bg-curve, bg-junction", "auction B 2: 2 B next C")),
        ("A deals", ("bazaar A: bg-cap C, bg-curve, bg-junction", "auction B 2: 2 C")),
        ("A bids", ("bazaar A: bg-cap C, bg-curve, bg-junction", "auction B 1")),
        ("A picks", ("bazaar A: bg-cap B, bg-curve C, bg-junction", "auction A")),
        # A player cannot overbid their own bid, be asked too late, or bid above the limit.
        ("A bids", ("bazaar A: bg-cap, bg-curve, bg-junction", "auction B 1: 2 C next C")),
        ("A bids", ("bazaar A: bg-cap, bg-curve, bg-junction", "auction B 1: 2 B next B")),
        ("A bids", ("bazaar A: bg-cap, bg-curve, bg-junction", "auction B 1: 2 A next C")),
        ("A bids", ("bazaar A: bg-cap, bg-curve, bg-junction", "auction B 1: 21 B next C")),
        # There is nothing to decide if nobody has overbid.
        ("A deals", ("bazaar A: bg-cap, bg-curve, bg-junction", "auction B 1: 5 B")),
    ],
)
def test_baz_08_an_impossible_bazaar_is_refused(turn, about):
    text = position((*ALONE, PLACE), turn=turn, headers=[f"[{line}]" for line in about])
    with pytest.raises(ValueError, match=r"bazaar|position"):
        play(text)


@pytest.mark.rule("BAZ-01", "SET-06")
@pytest.mark.parametrize("rules", [TAKE, "sets: [base, bridges]"])
def test_baz_23_an_auction_is_refused_where_there_are_none(rules):
    about = ["[bazaar A: bg-cap, bg-curve, bg-junction]", "[auction B]"]
    text = position((*ALONE, PLACE), turn="A picks", rules=rules, headers=about)
    with pytest.raises(ValueError, match=r"bazaar|auction|position"):
        play(text)
