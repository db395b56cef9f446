"""Positions of random games, for tests of the players that decide in them."""

from collections import defaultdict

from carc_env import Rules, Table

#: A builder's turn in which a bazaar waits face down.
FACE_DOWN = """
    [carc_env position 1]
    [rules {sets: [base, bridges], builders: true, bazaars: true,
    bazaar_builder_order: builder_first}]
    [scores 3:0]
    [second part 0,1]
    [bazaar A waits: bg-cap, bg-curve]
    [turn A places bg-curve]
    bg-cap-straight 0,0 r0
    bcb-bazaar 0,1 r0
    """.replace("\n    bazaar_b", " bazaar_b")

RULES = {
    "base": Rules(),
    "first edition": Rules.preset("first-edition"),
    "three players": Rules(n_players=3),
    "everything": Rules.preset("all"),
    "everything, four": Rules.preset("all", n_players=4, castle_choice="ask"),
    "every set": Rules.preset("big-box"),
    "bazaars behind the builder": Rules.preset("all", bazaar_builder_order="builder_first"),
}
"""Rules under which players are tested, by name."""


def positions(rules, n_of_each_phase, seed=0):
    """Return positions of two random games, at most twice ``n_of_each_phase`` of each phase."""
    found = defaultdict(list)
    for k in range(2):
        table = Table(rules, seed=1_000 * seed + k)
        while not table.is_over:
            if (
                len(found[table.phase]) < n_of_each_phase * (k + 1)
                and table.random_action() % 3 == 0
            ):
                found[table.phase].append(table.clone())
            table.step(table.random_action())
    return [table for tables in found.values() for table in tables]
