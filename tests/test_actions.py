"""The action layout: every action has one index and one name, and only the rules define them."""

import pytest

from carc_env import Rules, Table
from carc_env.layout.actions import action_layout

LAYOUTS = [Rules(), Rules(abbot=False), Rules(view=24, n_players=5), Rules.preset("abbey-mayor")]
LAYOUTS += [Rules.preset("bridges"), Rules.preset("bridges", castle_choice="ask")]
LAYOUTS += [Rules.preset("all", n_players=6)]


@pytest.mark.parametrize("rules", LAYOUTS)
def test_names_are_unique_and_lead_back(rules):
    layout = action_layout(rules)
    names = [layout.name(action) for action in range(layout.n_actions)]
    assert len(set(names)) == layout.n_actions
    assert all(layout.index(name) == action for action, name in enumerate(names))


def test_blocks_follow_each_other_in_the_order_of_the_design():
    layout = action_layout(Rules())
    assert list(layout.blocks) == ["tile", "meeple", "abbot", "recall", "pass"]
    assert layout.n_actions == 32 * 32 * 4 + 15 + 1 + 1 + 1
    end = 0
    for block in layout.blocks.values():
        assert block.first == end
        end += block.size
    assert end == layout.n_actions


def test_blocks_of_systems_that_are_off_are_absent():
    layout = action_layout(Rules(abbot=False))
    assert list(layout.blocks) == ["tile", "meeple", "pass"]
    assert layout.first("abbot") == -1


def test_abbey_and_mayor_adds_its_blocks():
    layout = action_layout(Rules.preset("abbey-mayor"))
    sizes = {name: block.size for name, block in layout.blocks.items()}
    assert list(sizes) == [
        *("tile", "meeple", "abbot", "mayor", "wagon", "barn", "recall", "wagon move", "pass")
    ]
    assert (sizes["mayor"], sizes["wagon"], sizes["barn"], sizes["wagon move"]) == (4, 5, 4, 45)
    assert layout.name(layout.first("barn")) == "barn NE"
    assert layout.name(layout.first("wagon") + 4) == "wagon mid"
    assert layout.name(layout.first("wagon move")) == "wagon move -1,-1 N"


def test_bridges_castles_and_bazaars_adds_its_blocks():
    layout = action_layout(Rules.preset("bridges", castle_choice="ask", bazaar_bid_limit=7))
    sizes = {name: block.size for name, block in layout.blocks.items()}
    assert list(sizes)[-8:] == [
        *("bridge", "wagon move", "take", "accept", "decline", "pick", "bid", "pass")
    ]
    assert (sizes["bridge"], sizes["take"], sizes["pick"], sizes["bid"]) == (10, 30, 6, 8)
    assert layout.name(layout.first("bridge") + 3) == "bridge 0,-1 EW"
    assert layout.name(layout.first("take") + 29) == "take 5,0 mid"
    assert layout.name(layout.first("pick")) == "pick 1"
    assert layout.name(layout.first("bid") + 7) == "bid 7"


def test_blocks_of_a_bazaar_without_auction_are_absent():
    layout = action_layout(Rules.preset("bridges", bazaar_mode="take"))
    assert list(layout.blocks)[-2:] == ["pick", "pass"]
    assert "accept" in action_layout(Rules(castles=True)).blocks


def test_the_number_of_players_changes_nothing():
    assert action_layout(Rules(n_players=2)).blocks == action_layout(Rules(n_players=6)).blocks


@pytest.mark.parametrize("action", [-1, 4114, 10**9])
def test_actions_outside_of_the_space_are_refused(action):
    with pytest.raises(ValueError, match=r"outside the action space 0\.\.4113"):
        action_layout(Rules()).name(action)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="no action is called 'castle'"):
        action_layout(Rules()).index("castle")


def test_tile_names_are_view_coordinates():
    layout = action_layout(Rules())
    assert layout.name(0) == "tile 0,0 r0"
    assert layout.name(4 * (32 * 2 + 5) + 3) == "tile 5,2 r3"


def test_legal_actions_mask_and_list_agree():
    table = Table(seed=4)
    while not table.is_over:
        mask = table.action_mask()
        assert mask.nonzero()[0].tolist() == table.legal_actions()
        assert set(mask.tolist()) <= {0, 1} and mask.dtype == "int8"
        table.step(table.random_action())
    assert table.legal_actions() == [] and not table.action_mask().any()
