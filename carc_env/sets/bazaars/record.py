"""Record fields for bazaars."""

from __future__ import annotations

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.sizes import MAX_BAG, n_with

MAX_BAZAARS = n_with("bazaar")
"""Number of bazaar tiles in the game."""
NO_LOT = ABSENT

_LOT = (
    Field("design", "i2", most="designs", empty=ABSENT),  # NO_DESIGN: its owner has it in hand
    Field("owner", "i2", empty=ABSENT),  # seat that has bought it, or NO_SEAT
)
_BAZAAR = (
    Field("starter", "i1", empty=ABSENT),  # seat that owns the bazaar; NO_SEAT without a bazaar
    Field("resumes", "i1", empty=ABSENT),  # seat whose normal turn it is
    Field("waits", "i1"),  # 1: its tiles are face down until the second part of the turn (BAZ-21)
    Field("takes", "i1"),  # 1: tiles are taken, not auctioned
    # If so, bag position from which the first of them was drawn:
    Field("place", "i2", most=MAX_BAG - 1),
    # first_part of the second part that follows the bazaar, or NO_TILE (BAZ-20):
    Field("owed_part", "i2", most="tiles", empty=ABSENT),
    Field("owed_bridged", "i1"),  # has_bridged of that part
    Field("owed_ransomed", "i1"),  # ransomed of the turn that the second part belongs to (TOW-26)
    Field("lots", _LOT, (MAX_PLAYERS,)),
    # Seat that has put a lot up for sale or is about to; NO_SEAT: no auction
    Field("chooser", "i1", empty=ABSENT),
    Field("lot", "i1", empty=NO_LOT),  # number of the lot, or NO_LOT
    Field("price", "i2"),  # highest bid
    Field("bidder", "i1", empty=ABSENT),  # seat that made it, or NO_SEAT before the first
    Field("n_delayed", "i1", most=MAX_BAZAARS),
    Field("delayed", "i1", (MAX_BAZAARS,)),  # seats whose bazaars wait, the next one first
)

PART = Part(
    game=(Field("bazaar", _BAZAAR),),
    rules=(
        Field("bazaars", "i1"),  # 1: bazaar tiles start bazaars
        Field("bazaar_takes", "i1"),  # 1: no auction (BAZ-23)
        # 1: the second part of a turn comes before its bazaar (BAZ-21)
        Field("builder_first", "i1"),
        Field("forbids_overbids", "i1"),  # 1: no bid above the bidder's score (BAZ-12)
        Field("seller_again", "i1"),  # 1: the seller is the next chooser (BAZ-09)
        # 1: no replacement for a bought tile that cannot be placed (BAZ-27)
        Field("skips_unplaceable", "i1"),
        Field("bid_limit", "i1"),
    ),
)
