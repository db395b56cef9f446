"""Write the golden games: ``python scripts/golden.py``.

``tests/golden`` holds random games with fixed seeds. Whatever changes the behaviour of the engine,
the draws or the notation changes these files: run this script and look at the difference.
``environments.yaml`` pins what the ids of the environments mean, as in docs/errata.md.
"""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import numpy as np
import tyro
import yaml

from carc_env import Game, Rules, carcassonne_v0
from carc_env.envs.registration import ENV_ID
from carc_env.game.records import write_record

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "golden"

SIX_SETS = {
    "sets": ("base", "river1", "inns", "traders", "abbey", "bridges"),
    **dict.fromkeys(("large_meeples", "inns", "builders", "pigs", "goods"), True),
}
"""What the preset ``bridges`` lacks of these sets."""

GAMES = {
    "second-edition-2p": (Rules(), 0),
    "second-edition-3p-recall": (Rules(n_players=3, abbot_recall_completed="allow"), 1),
    "second-edition-4p-no-abbot": (Rules(n_players=4, abbot=False, small_city_points=2), 3),
    "second-edition-6p-every-choice": (Rules(n_players=6, auto_single=False), 4),
    "first-edition-2p": (Rules.preset("first-edition", small_city_points=2), 6),
    "first-edition-5p-aside": (Rules.preset("first-edition", n_players=5, view=12), 67),
    "winter-3p": (Rules.preset("winter", n_players=3, abbot_recall_second_part="forbid"), 7),
    "winter-4p-no-gardens": (Rules.preset("winter", n_players=4, winter_gardens="none"), 8),
    "abbey-mayor-2p": (Rules.preset("abbey-mayor"), 43),
    "abbey-mayor-3p-wagons-roll": (
        Rules.preset(
            "abbey-mayor", n_players=3, house_wagon_roll=True, abbey_endgame="until_blocked"
        ),
        528,
    ),
    "abbey-mayor-4p-first-edition": (
        Rules.preset("abbey-mayor", n_players=4, edition="C1", abbot=False, abbey_endgame="none"),
        27,
    ),
    "abbey-mayor-5p-every-choice": (
        Rules.preset("abbey-mayor", n_players=5, wagon_adjacency="C1", auto_single=False),
        46,
    ),
    "bridges-2p-every-choice": (
        Rules.preset(
            "bridges",
            bridge_timing="any_time_before_scoring",
            castle_base="any_end_segment",
            castle_fief="row",
            castle_choice="ask",
            wagon_from_castle="neighbours",
            bazaar_next_chooser="seller_again",
            auto_single=False,
        ),
        545,
    ),
    "bridges-3p": (Rules.preset("bridges", n_players=3), 819),
    "bridges-4p-take-first-edition": (
        Rules.preset(
            "bridges",
            n_players=4,
            bazaar_mode="take",
            bazaar_unplaceable="skip",
            edition="C1",
            abbot=False,
        ),
        758,
    ),
    "bridges-6p-no-overbids": (
        Rules.preset("bridges", n_players=6, bazaar_overbid="forbid", wagon_adjacency="C1"),
        334,
    ),
    "river-2p": (Rules.preset("river"), 0),
    "traders-3p": (Rules.preset("traders", n_players=3), 2),
    "river-traders-5p-first-edition": (
        Rules.preset(
            "traders",
            n_players=5,
            sets=("base", "river1", "inns", "traders"),
            edition="C1",
            abbot=False,
            large_meeples=True,
            inns=True,
        ),
        0,
    ),
    "all-2p-builder-first": (
        Rules.preset(
            "bridges",
            **SIX_SETS,
            abbot_recall_second_part="forbid",
            bridge_limit="per_turn",
            bazaar_builder_order="builder_first",
            auto_single=False,
        ),
        16,
    ),
    "hills-sheep-2p": (Rules.preset("hills-sheep"), 2),
    "hills-sheep-4p-every-choice": (
        Rules.preset("hills-sheep", n_players=4, hill_tiebreak="count", auto_single=False),
        5,
    ),
    "princess-dragon-2p": (Rules.preset("princess-dragon"), 4),
    "princess-dragon-6p-every-choice": (
        Rules.preset(
            "princess-dragon",
            n_players=6,
            princess_action="must",
            fairy_placement="on_tile",
            dragon_timing="after_scoring",
            auto_single=False,
        ),
        3,
    ),
    "tower-2p": (Rules.preset("tower"), 3),
    "tower-4p-every-choice": (
        Rules.preset(
            "tower",
            n_players=4,
            sets=("base", "abbey", "tower"),
            ransom_timing="turn_start",
            large_meeples=True,
            mayors=True,
            wagons=True,
            builders=True,
            auto_single=False,
        ),
        1,
    ),
    "count-2p": (Rules.preset("count"), 42),
    "count-3p-river": (
        Rules.preset(
            "count",
            n_players=3,
            sets=("base", "river2", "count"),
            edition="C1",
            abbot=False,
            count_with_river="allow",
            count_move="clockwise",
        ),
        41,
    ),
    "count-4p-every-choice": (
        Rules.preset(
            "count",
            n_players=4,
            sets=("base", "inns", "abbey", "count"),
            count_per_turn="placement",
            count_join_unoccupied=True,
            count_final="any",
            large_meeples=True,
            inns=True,
            mayors=True,
            wagons=True,
            barns=True,
            auto_single=False,
        ),
        4,
    ),
    "festival-2p": (Rules.preset("festival"), 1),
    "festival-3p-every-choice": (
        Rules.preset(
            "festival",
            n_players=3,
            sets=("base", "abbey", "hills", "tower", "count", "festival"),
            large_meeples=True,
            wagons=True,
            barns=True,
            builders=True,
            pigs=True,
            castles=True,
            shepherds=True,
            towers=True,
            count=True,
            auto_single=False,
        ),
        12,
    ),
    "phantom-2p": (Rules.preset("phantom"), 1),
    "phantom-3p-every-choice": (
        Rules.preset(
            "tower",
            n_players=3,
            sets=("base", "princess", "tower"),
            phantom=True,
            bridges=True,
            bridge_timing="any_time_before_scoring",
            fairy=True,
            princesses=True,
            portals=True,
            builders=True,
            auto_single=False,
        ),
        1,
    ),
    "gold-2p": (Rules.preset("gold"), 139),
    "gold-4p-every-choice": (
        Rules.preset(
            "gold",
            n_players=4,
            sets=("base", "abbey", "bridges", "cult", "gold"),
            gold_choice="ask",
            abbeys=True,
            castles=True,
            castle_choice="ask",
            bazaars=True,
            shrines=True,
            builders=True,
            auto_single=False,
        ),
        34,
    ),
    "flier-2p": (Rules.preset("flier"), 107),
    "flier-3p-every-choice": (
        Rules.preset(
            "flier",
            n_players=3,
            sets=("base", "traders", "abbey", "hills", "tower", "festival", "flier"),
            flier_landing="may",
            phantom=True,
            large_meeples=True,
            mayors=True,
            wagons=True,
            builders=True,
            castles=True,
            shepherds=True,
            towers=True,
            festival=True,
            auto_single=False,
        ),
        129,
    ),
    "siege-2p": (Rules.preset("siege", siege_tiles="both"), 4),
    "siege-3p-every-choice": (
        Rules.preset(
            "siege",
            n_players=3,
            sets=("base", "inns", "traders", "abbey", "siege"),
            siege_tiles="both",
            siege_escape="any_tile",
            escape_per="turn",
            siege_field_double="base_only",
            inns=True,
            builders=True,
            pigs=True,
            abbeys=True,
            auto_single=False,
        ),
        1,
    ),
    "tunnel-2p": (Rules.preset("tunnel"), 5),
    "tunnel-3p-every-choice": (
        Rules.preset(
            "tunnel",
            n_players=3,
            sets=("base", "inns", "traders", "abbey", "king", "princess", "tunnel"),
            tunnel_sets="2/1",
            tunnel_breaks_road=True,
            inns=True,
            builders=True,
            wagons=True,
            king_robber=True,
            phantom=True,
            auto_single=False,
        ),
        2,
    ),
    "ferries-2p": (Rules.preset("ferries"), 5),
    "ferries-3p-every-choice": (
        Rules.preset(
            "ferries",
            n_players=3,
            sets=("base", "inns", "traders", "abbey", "king", "tunnel", "ferries"),
            ferry_without_meeple="skip",
            inns=True,
            builders=True,
            wagons=True,
            abbeys=True,
            tunnels=True,
            king_robber=True,
            auto_single=False,
        ),
        54,
    ),
    "labyrinth-2p": (Rules.preset("labyrinth"), 303),
    "labyrinth-3p-every-choice": (
        Rules.preset(
            "labyrinth",
            n_players=3,
            sets=("base", "inns", "gold", "tunnel", "ferries", "mage", "labyrinth"),
            labyrinth_tiles=2,
            inns=True,
            builders=True,
            wagons=True,
            castles=True,
            castle_choice="ask",
            gold=True,
            tunnels=True,
            ferries=True,
            mage_witch=True,
            phantom=True,
            auto_single=False,
        ),
        143,
    ),
    "monasteries-2p": (Rules.preset("monasteries"), 0),
    "monasteries-3p-every-choice": (
        Rules.preset(
            "monasteries",
            n_players=3,
            sets=("base", "inns", "abbey", "princess", "tower", "flier", "cult", "monasteries"),
            special_monasteries="add",
            large_meeples=True,
            wagons=True,
            phantom=True,
            portals=True,
            fairy=True,
            towers=True,
            flier=True,
            shrines=True,
            auto_single=False,
        ),
        0,
    ),
    "mage-witch-2p": (Rules.preset("mage-witch"), 2375),
    "russian-promos-2p": (Rules.preset("russian-promos"), 0),
    "russian-promos-3p-every-choice": (
        Rules.preset(
            "russian-promos",
            n_players=3,
            sets=("base", "traders", "abbey", "princess", "tower", "ferries", "russian"),
            builders=True,
            wagons=True,
            dragon=True,
            fairy=True,
            towers=True,
            ferries=True,
            phantom=True,
            auto_single=False,
        ),
        0,
    ),
    "mage-witch-3p-every-choice": (
        Rules.preset(
            "mage-witch",
            n_players=3,
            sets=("base", "inns", "bridges", "princess", "siege", "tunnel", "mage"),
            inns=True,
            castles=True,
            dragon=True,
            siege=True,
            tunnels=True,
            phantom=True,
            auto_single=False,
        ),
        651,
    ),
    "watchtowers-2p": (Rules.preset("watchtowers"), 140),
    "watchtowers-3p-every-choice": (
        Rules.preset(
            "watchtowers",
            n_players=3,
            sets=("base", "traders", "bridges", "cult", "count", "tower", "watchtowers"),
            builders=True,
            bridges=True,
            castles=True,
            shrines=True,
            count=True,
            towers=True,
            phantom=True,
            auto_single=False,
        ),
        69,
    ),
    "wind-roses-2p": (Rules.preset("wind-roses"), 16),
    "wind-roses-3p-every-choice": (
        Rules.preset(
            "wind-roses",
            n_players=3,
            sets=("base", "traders", "bridges", "count", "watchtowers", "roses"),
            builders=True,
            bazaars=True,
            count=True,
            count_ignores_rose=False,
            watchtowers=True,
            auto_single=False,
        ),
        69,
    ),
    "corn-circles-2p": (Rules.preset("corn-circles", crop_circle_tiles="both"), 5),
    "corn-circles-3p-every-choice": (
        Rules.preset(
            "corn-circles",
            n_players=3,
            sets=("base", "inns", "traders", "tower", "festival", "siege", "corn"),
            crop_circle_tiles="both",
            crop_add="must",
            large_meeples=True,
            builders=True,
            pigs=True,
            wagons=True,
            phantom=True,
            towers=True,
            festival=True,
            siege=True,
            auto_single=False,
        ),
        2,
    ),
    "darmstadt-2p": (Rules.preset("darmstadt"), 144),
    "darmstadt-3p-every-choice": (
        Rules.preset(
            "darmstadt",
            n_players=3,
            sets=("base", "inns", "abbey", "cult", "siege", "mage", "darmstadt"),
            darmstadt_out=2,
            inns=True,
            abbeys=True,
            castles=True,
            shrines=True,
            siege=True,
            mage_witch=True,
            auto_single=False,
        ),
        237,
    ),
    "little-buildings-4p": (Rules.preset("little-buildings", n_players=4), 0),
    "little-buildings-3p-every-choice": (
        Rules.preset(
            "little-buildings",
            n_players=3,
            sets=("base", "inns", "abbey", "bridges", "hills", "mage"),
            little_building_points="3/2/1",
            inns=True,
            abbeys=True,
            barns=True,
            castles=True,
            vineyards=True,
            mage_witch=True,
            phantom=True,
            auto_single=False,
        ),
        1,
    ),
    "all-4p": (Rules.preset("bridges", **SIX_SETS, n_players=4), 63),
    "shrines-2p": (Rules.preset("shrines", cult_extra_tile=True), 67),
    "river-2-3p": (Rules.preset("river-2", n_players=3), 229),
    "both-rivers-2p-clear-ahead": (
        Rules(sets=("base", "river1", "river2"), river_uturn="clear_ahead", auto_single=False),
        0,
    ),
}
"""File name -> rules and seed.

The seeds are chosen so that rare things happen: tiles put aside, wagons that roll on or follow
links, castles and what their lords choose for them, second parts around bazaars, a choice of
ingots, abbeys in the last round or, under ``abbey_endgame="none"``, lost although there is a hole.
"""


ENVIRONMENTS = {
    "base": Rules(),
    **{
        f"{name}-3p": Rules.preset(name, n_players=3) for name in ("first-edition", "river", "inns")
    },
    **{f"{name}-4p": Rules.preset(name, n_players=4) for name in ("traders", "king-robber")},
    "abbey-mayor-2p": Rules.preset("abbey-mayor"),
    "bridges-2p": Rules.preset("bridges"),
    "count-2p": Rules.preset("count"),
}
"""Rules whose environment is pinned: where one of these hashes moves, ids of environments rise.

The preset ``all`` is not here, for it grows with every set.
"""


def shown(rules: Rules, seed: int = 0) -> str:
    """A hash of all that the PettingZoo environment tells the agents of a random game.

    Floats are rounded to the fourth place, so that it is the same on every machine.
    """
    rng, digest, env = random.Random(seed), hashlib.sha256(), carcassonne_v0.env(rules)
    env.reset(seed=seed)
    for _ in env.agent_iter():
        observation, reward, is_over, is_cut, _ = env.last()
        seen, mask = observation["observation"], observation["action_mask"]
        for name in sorted(seen):
            digest.update(np.round(seen[name].astype(np.float64) * 10_000).astype("<i4").tobytes())
        digest.update(mask.astype(np.int8).tobytes() + f"{reward:.4f}".encode())
        legal = np.flatnonzero(mask)
        env.step(None if is_over or is_cut else int(legal[int(rng.random() * len(legal))]))
    return digest.hexdigest()[:16]


def play(rules: Rules, seed: int) -> Game:
    """A game of uniformly random decisions."""
    rng = random.Random(seed)
    game = Game(rules, seed=seed)
    while not game.is_over:
        actions = game.legal_actions()
        # Of all random methods only random() keeps its sequence in every version of Python.
        game.apply(actions[int(rng.random() * len(actions))])
    return game


def write_all(folder: Path) -> None:
    """Write all games to a folder; records there that are no longer in the list are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in set(folder.glob("*.carc")) - {folder / f"{name}.carc" for name in GAMES}:
        stale.unlink()
    for name, (rules, seed) in GAMES.items():
        write_record(folder / f"{name}.carc", play(rules, seed))
    hashes = {ENV_ID: {name: shown(rules) for name, rules in ENVIRONMENTS.items()}}
    (folder / "environments.yaml").write_text(yaml.safe_dump(hashes), encoding="utf-8")


def main() -> None:
    """Write all games anew."""
    write_all(FOLDER)
    print(f"written: {len(GAMES)} games, {len(ENVIRONMENTS)} environments in tests/golden")


if __name__ == "__main__":
    tyro.cli(main)
