"""Answer four questions by games: ``python scripts/experiments.py NAME``; docs/experiments.

    python scripts/experiments.py first-seat           what is the first seat worth?
    python scripts/experiments.py abbot                does the abbot change the balance?
    python scripts/experiments.py luck                 how much luck is there?
    python scripts/experiments.py sample-efficiency    how many games does a value need?

Each prints a table, in two minutes to a quarter of an hour on one core.
"""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import numpy as np
import tyro
from carc_env.agents import make_agent, play_game, play_match
from carc_env.agents.arena import deck_seed, play_against
from carc_env.agents.intervals import mean_interval, share_interval, wilson
from carc_env.agents.named_settings import settings_file
from carc_env.agents.report import Rows, markdown, percent, plus_minus
from carc_env.agents.value_config import ValueConfig
from carc_env.agents.value_learner import ValueLearner

from carc_env import Game, Kind
from carc_env.rules import Rules
from carc_env.search.players import GreedyPlayer, OnePly, learned
from carc_env.search.weights import weights_for

SEED = 77
"""Shuffles the decks."""
SOURCES = (Kind.CITY, Kind.ROAD, Kind.FIELD, Kind.MONASTERY, Kind.GARDEN)
OF_A_PLAYER = (*(f"points for a {kind.name.lower()}" for kind in SOURCES), "points per player")
OF_THE_LEAD = "standard deviation of the lead", "first seat, % won", "first seat, lead"


def first_seat(
    rules: tuple[str, ...] = ("base", "{n_players: 3}", "{n_players: 4}", "all"), games: int = 1000
) -> Rows:
    """Let ``value`` play every seat; return how often each wins, and by how many points it leads.

    Points ahead are those over the best other seat.
    """
    rows: Rows = [["rules", "seat", "% won", "points ahead"]]
    for word in rules:
        of = Rules.from_yaml(word)
        agents = [make_agent("value", of)] * of.n_players
        found = [play_game(agents, of, seed=deck_seed(SEED, k)).scores for k in range(games)]
        points = np.array(found)
        best = points == points.max(axis=1, keepdims=True)
        won = best / best.sum(axis=1, keepdims=True)
        for seat in range(of.n_players):
            ahead = points[:, seat] - np.delete(points, seat, axis=1).max(axis=1)
            told = percent(share_interval(won[:, seat])), plus_minus(mean_interval(ahead))
            rows.append([f"`{word}`", str(seat), *told])
    return rows


def abbot(games: int = 1000) -> Rows:
    """Let ``value`` play a copy of itself, and ``greedy``, with the abbot and without."""
    heads = [*OF_A_PLAYER, *OF_THE_LEAD, "value against greedy, % won"]
    columns = [["", *heads]]
    for title, rules in {"with abbot": Rules(), "without": Rules(abbot=False)}.items():
        agent, sources = make_agent("value", rules), Counter[Kind]()
        points = np.zeros((games, 2))
        for deck in range(games):
            game = Game(rules, seed=deck_seed(SEED, deck))
            while not game.is_over:
                game.step(agent.act(game))
                for score in game.last_scores:
                    sources[score.kind] += score.points
            points[deck] = game.scores
        lead = points[:, 0] - points[:, 1]
        players = [agent, make_agent("greedy", rules)]
        match = play_match(players, ("better", "weaker"), rules, games, seed=SEED)
        columns.append(
            [
                title,
                *(f"{sources[kind] / (2 * games):.1f}" for kind in SOURCES),
                *(f"{points.mean():.1f}", f"{lead.std():.1f}"),
                percent(share_interval((lead > 0) + 0.5 * (lead == 0))),
                plus_minus(mean_interval(lead)),
                percent(match.standings[0].win_rate),
            ]
        )
    return [list(row) for row in zip(*columns, strict=True)]


def luck(
    agents: tuple[str, ...] = ("random", "greedy", "value", "search:sims=5000"),
    equals: str = "mcts:sims=20",
    decks: int = 300,
) -> Rows:
    """Play decks from both seats: each agent meets the one before, and ``equals`` meets itself.

    The deck's share is its part of the variance of the lead: the correlation of the first seat's
    leads, regardless of who sits there, in the two games of a deck. If the deck decided everything,
    it would be 100%, if nothing, 0%. The last column is the share of decks without a draw in which
    the same seat wins both games: between equals 50% if neither deck nor seat mattered, and 100% if
    they decided who wins.
    """
    heads = "% won", "lead", "standard deviation", "deck's share", "same seat wins both, %"
    rows: Rows = [["match", *heads]]
    for better, weaker in (*zip(agents[1:], agents, strict=False), (equals, equals)):
        names = better, weaker
        if better == weaker:
            names = f"{better},seed=1", f"{weaker},seed=2"
        players = [make_agent(name, Rules()) for name in names]
        match = play_match(players, ["better", "other"], Rules(), 2 * decks, seed=SEED)
        lead = match.scores[:, :, 0] - match.scores[:, :, 1]  # (decks, seatings)
        of_deck = np.corrcoef(lead[:, 0], -lead[:, 1])[0, 1]
        won = np.sign(lead[(lead != 0).all(1)])
        same = wilson(int((won[:, 0] != won[:, 1]).sum()), len(won))
        told = percent(match.standings[0].win_rate), f"{lead.mean():+.1f}", f"{lead.std():.1f}"
        title = "`{}` against `{}`".format(*names)
        rows.append([title, *told, f"{of_deck:.0%}", percent(same)])
    return rows


def sample_efficiency(
    budgets: tuple[int, ...] = (1_000, 4_000),
    hidden_units: tuple[int, ...] = (0, 32),
    seeds: tuple[int, ...] = (0, 1, 2),
    games: int = 1_000,
) -> Rows:
    """Learn ``insight`` from scratch: weights one by one (0 hidden units), or by a small network.

    Returns win rates against ``value`` as shipped and against ``greedy``.
    """
    rules = Rules()
    rivals = OnePly(learned(weights_for(rules))), GreedyPlayer()
    rows: Rows = [["hidden units", "games", "seed", "seconds", "% won, `value`", "% won, `greedy`"]]
    for units, total, seed in ((u, b, s) for u in hidden_units for b in budgets for s in seeds):
        how = ValueConfig.read(settings_file(Path("value-insight"))) if units else ValueConfig()
        how = how.replace(rules=rules, evaluation="insight", hidden_units=units)
        learner = ValueLearner(how.replace(total_games=total, seed=seed, threads=1))
        began = time.perf_counter()
        while learner.games < total:
            learner.learn()
        seconds = time.perf_counter() - began
        found = [play_against(learner.player(), one, rules, games, seed=SEED) for one in rivals]
        learner.close()
        won = [percent(match.standings[0].win_rate) for match in found]
        rows.append([f"{units}", f"{total:,}", f"{seed}", f"{seconds:.0f}", *won])
    return rows


EXPERIMENTS = {
    "first-seat": first_seat,
    "abbot": abbot,
    "luck": luck,
    "sample-efficiency": sample_efficiency,
}

if __name__ == "__main__":
    print(markdown(tyro.extras.subcommand_cli_from_dict(EXPERIMENTS, description=__doc__)))
