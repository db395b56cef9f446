"""What is wrong with a state: everything that the engine keeps up to date, counted anew."""

from enum import IntFlag

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.state import NO_FIGURE, State
from carc_env.engine.expansions.dragon import has_wrong_dragon
from carc_env.engine.expansions.fairy import has_wrong_fairy
from carc_env.engine.expansions.hills import has_wrong_hidden
from carc_env.engine.expansions.king_robber import has_wrong_markers
from carc_env.engine.expansions.shepherd import has_unherded_flock, has_wrong_flocks
from carc_env.engine.expansions.shrines import has_wrong_rivals
from carc_env.engine.expansions.tower import has_wrong_towers
from carc_env.engine.problems.of_bazaar import has_wrong_bazaar
from carc_env.engine.problems.of_board import (
    has_mismatched_edges,
    has_wrong_completed,
    has_wrong_features,
    has_wrong_frontier,
    leaves_view,
)
from carc_env.engine.problems.of_figures import (
    has_wrong_castles,
    has_wrong_figures,
    unscored_figure,
)
from carc_env.engine.problems.of_stock import (
    has_wrong_abbeys,
    has_wrong_goods,
    has_wrong_stock,
    has_wrong_tiles,
)
from carc_env.engine.problems.of_turn import has_wrong_turn


class Problem(IntFlag):
    """Invariants that a state can break; ``entry.problems`` returns their sum, 0 for none."""

    EDGES = 1
    """Two tiles side by side show different edges (BASE-04)."""
    FRONTIER = 2
    """The list of free cells, or what they require, is not what the tiles say."""
    FEATURES = 4
    """A feature's segments, tiles, open sides or coats of arms, or complete ones are miscounted."""
    FIGURES = 8
    """Figures are lost or doubled, or stand where they may not (GAR-01, ABT-03)."""
    TILES = 16
    """Tiles are lost or doubled."""
    VIEW = 32
    """A tile lies outside of the view."""
    TURN = 64
    """Phase, tile in hand and players do not go together."""
    UNSCORED = 128
    """A complete feature, or a field with a barn, kept its figures (BASE-18, BARN-12)."""
    STOCK = 256
    """Bridges, castle tokens, goods or markers are lost, doubled or invented.

    BRI-01, CAS-01, TRA-01, KR-17.
    """
    CASTLES = 512
    """The list of castles is not what stands on the board, or holds no towns (CAS-02)."""
    BAZAAR = 1024
    """Offer, owners, bids and phase do not go together (BAZ-03 to BAZ-11)."""
    RIVALS = 2048
    """A shrine or monastery has two rivals (CULT-03, CULT-04)."""
    DRAGON = 16384
    """Dragon and flight do not go together, or somebody stands where it is (PD-06, PD-11)."""
    FAIRY = 32768
    """The fairy is beside no meeple of her tile (PD-31, PD-40)."""
    HIDDEN = 4096
    """What lies under hills was not drawn, or lies there twice (HS-02)."""
    FLOCKS = 8192
    """Sheep are without a shepherd, lost or doubled, or wait in a closed field (HS-01, HS-34)."""
    TOWERS = 65536
    """Floors are lost, a bare foundation is closed, or prisoners stay (TOW-04, TOW-23)."""


@kernel(i8(State))
def find_problems(s):
    """Return the sum of the :class:`Problem` flags that apply; 0 for a sound state."""
    found = 0
    if has_mismatched_edges(s):
        found |= Problem.EDGES.value
    if has_wrong_frontier(s):
        found |= Problem.FRONTIER.value
    has_wrong_counts = has_wrong_completed(s, Kind.ROAD) or has_wrong_completed(s, Kind.CITY)
    if has_wrong_features(s) or has_wrong_counts:
        found |= Problem.FEATURES.value
    if has_wrong_figures(s):
        found |= Problem.FIGURES.value
    if has_wrong_tiles(s) or has_wrong_abbeys(s):
        found |= Problem.TILES.value
    if has_wrong_stock(s) or has_wrong_goods(s) or has_wrong_markers(s):
        found |= Problem.STOCK.value
    if has_wrong_castles(s):
        found |= Problem.CASTLES.value
    if has_wrong_bazaar(s):
        found |= Problem.BAZAAR.value
    if has_wrong_rivals(s):
        found |= Problem.RIVALS.value
    if has_wrong_dragon(s):
        found |= Problem.DRAGON.value
    if has_wrong_fairy(s):
        found |= Problem.FAIRY.value
    if has_wrong_hidden(s):
        found |= Problem.HIDDEN.value
    if has_wrong_flocks(s) or has_unherded_flock(s):
        found |= Problem.FLOCKS.value
    if has_wrong_towers(s):
        found |= Problem.TOWERS.value
    if leaves_view(s):
        found |= Problem.VIEW.value
    if has_wrong_turn(s):
        found |= Problem.TURN.value
    if unscored_figure(s) != NO_FIGURE:
        found |= Problem.UNSCORED.value
    return found
