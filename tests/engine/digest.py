"""Hash every byte of a game after each decision: ``python -m tests.engine.digest NAME``.

The tests compare the hash with and without the JIT. It differs if an integer wraps, if code reads
memory that was never written, or if an index counts from the end.
"""

import hashlib
import sys

from carc_env import Rules
from carc_env.engine.sight.lanes import ANY_ACTION, LANE
from carc_env.envs.games import Games
from carc_env.envs.rewards import SCHEMES
from carc_env.layout.encodings import make_encoding
from carc_env.search.players import GreedyPlayer
from tests.engine.short_games import SHORT_GAMES, begun

RANDOM_GAMES = {
    "base": (Rules(view=12), "sparse"),
    "traders": (Rules.preset("traders", n_players=3, view=12), "planes"),
    "abbey-mayor": (
        Rules.preset("abbey-mayor", n_players=3, wagon_adjacency="C1", house_wagon_roll=True),
        "tokens",
    ),
    "bridges": (Rules.preset("bridges", n_players=5, castle_choice="ask"), "tokens"),
    "all": (Rules.preset("all", n_players=3, bazaar_builder_order="builder_first"), "tokens"),
}
"""Rules of the games that are played at random, and the encoding that the decider sees."""
GREEDY_GAMES = ("two towns", "a cathedral")
"""Short games in which all seats except the first are greedy."""


def random_game(name):
    """Begin one of the random games; every seat plays through the lane."""
    rules, encoding = RANDOM_GAMES[name]
    form = make_encoding(rules, encoding, action_mask=True, legal_list=True)
    reward = [*SCHEMES][[*RANDOM_GAMES].index(name) % len(SCHEMES)]
    games = Games(rules, 1, form, reward=reward)
    games.begin(0, seed=11, players=[None] * rules.n_players)
    return games


def game_against_greedy(name):
    """Begin a short game with greedy players; the first seat plays through the lane."""
    rules = SHORT_GAMES[name].rules
    form = make_encoding(rules)
    games = Games(rules, 1, form)
    games.begin(0, seed=0, players=[None] + [GreedyPlayer()] * (rules.n_players - 1))
    games.states[:] = begun(SHORT_GAMES[name], 0).states
    return games


def digest(name):
    """Play a game and hash its state, observations and lane after every decision of the lane."""
    games = (random_game if name in RANDOM_GAMES else game_against_greedy)(name)
    found = hashlib.sha256()
    games.play()
    # All fields except the memory addresses of the players' evaluations.
    lanes = [games.lanes[name] for name in LANE.names if name != "players"]
    while True:
        for array in (games.states, *games.seen.values(), *lanes):
            found.update(array.tobytes())
        if games.lanes["n_legal"][0] == 0:
            return found.hexdigest()
        games.lanes["action"] = ANY_ACTION
        games.play()


if __name__ == "__main__":
    print(digest(sys.argv[1]))
