"""Which phases have something in common."""

from carc_env.engine.core.codes import Phase

#: The tile of the placement that is going on lies on the board.
PLACED = {
    Phase.FIGURE,
    Phase.BRIDGE,
    Phase.FLOCK,
    Phase.CASTLE,
    Phase.CASTLE_CHOICE,
    Phase.WAGON,
    Phase.WAGON_SPOT,
}
#: And nothing has been scored yet.
UNSCORED = {Phase.FIGURE, Phase.BRIDGE, Phase.FLOCK, Phase.CASTLE}
#: The tiles of a bazaar are chosen.
BAZAAR = {Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL}
