"""Which phases have something in common."""

from carc_env.engine.core.codes import Phase

#: The tile of the placement that is going on lies on the board.
PLACED = {
    Phase.FIGURE,
    Phase.ELSEWHERE,
    Phase.CAPTURE,
    Phase.EXCHANGE,
    Phase.BRIDGE,
    Phase.FLOCK,
    Phase.FLIGHT,
    Phase.CASTLE,
    Phase.CASTLE_CHOICE,
    Phase.WAGON,
    Phase.WAGON_SPOT,
}
#: The figure action, with what it leads to, or the bridge behind it.
ACTING = {Phase.FIGURE, Phase.ELSEWHERE, Phase.CAPTURE, Phase.EXCHANGE, Phase.BRIDGE}
#: Nothing has been scored yet.
UNSCORED = {
    *ACTING,
    *(Phase.FLOCK, Phase.FLIGHT, Phase.CASTLE),
}
#: The tiles of a bazaar are chosen.
BAZAAR = {Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL}
