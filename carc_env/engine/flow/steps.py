"""The steps of a placement after the figure action, in rulebook order (TURN-01, TURN-02).

Decisions are in ``turn.py``, and the choice of who places the next tile is in ``rounds.py``. Only
these three modules put the expansions in sequence.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import switches_of
from carc_env.engine.core.answers import (
    CASTLES,
    CIRCLES,
    ESCAPE,
    FERRIES,
    FLIGHT,
    FLOCKS,
    LATE,
    MARKERS,
    SCORING,
    SECOND,
    TOKENS,
    TOWNS,
    WAGONS,
)
from carc_env.engine.core.codes import Figure, Stock
from carc_env.engine.core.moments import has, owns, scoring_begins, scoring_ends
from carc_env.engine.core.scoring import score_completed
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.engine.flow.rounds import end_placement
from carc_env.sets.barn.kernels import score_barn_fields
from carc_env.sets.castles import kernels as castles
from carc_env.sets.corn_circles import kernels as circles
from carc_env.sets.count import kernels as count
from carc_env.sets.ferries import kernels as ferries
from carc_env.sets.gold import kernels as gold
from carc_env.sets.hills_sheep.shepherd import kernels as shepherd
from carc_env.sets.phantom import kernels as phantom
from carc_env.sets.princess_dragon.dragon import kernels as dragon
from carc_env.sets.russian_promos import kernels as traps
from carc_env.sets.siege import kernels as siege
from carc_env.sets.traders.builder.kernels import note_extension
from carc_env.sets.tunnel import kernels as tunnel
from carc_env.sets.wagon import kernels as wagon

BEFORE = (
    *(owns(Figure.PHANTOM), owns(Figure.SHEPHERD), owns(Figure.BUILDER)),
    *(has(Stock.TUNNEL), has(Stock.BRIDGE), has(Stock.TOKEN)),
    *("russian_promos", "ferries", "dragon", "count"),
)
"""Switches for the steps before scoring."""
BEHIND = (
    *(owns(Figure.WAGON), has(Stock.TOKEN)),
    *("gold", "count", "dragon", "crop_circles", "siege"),
    *switches_of(scoring_ends),
)
"""Switches for the steps after scoring."""


@kernel(b1(State, i8))
def asks_before_scoring(s, step):
    """Perform the steps between the figure action and scoring; True if a player is asked."""
    if s.rules.russian_promos != 0 and step == SECOND:
        traps.spring_traps(s)  # RUS-10: after the figure action
    if step <= TOKENS:
        if s.rules.owned[Figure.PHANTOM] > 0 and phantom.ask_for_second(s, step == SECOND):
            return True  # PHA-02
        if s.rules.stock[Stock.TUNNEL] > 0 and tunnel.ask_for_token(s):  # TUN-05
            return True
    if s.rules.russian_promos != 0 and (step <= FERRIES or step == WAGONS):
        traps.spring_traps(s)  # after all figures and tokens, and after each ferry and wagon
    if step <= FERRIES and s.rules.ferries != 0 and ferries.ask_for_ferry(s):  # FER-04, FER-08
        return True
    if step <= FLIGHT:
        if s.rules.owned[Figure.SHEPHERD] > 0:
            if step <= FLOCKS and shepherd.ask_for_flock(s):  # HS-29
                return True
            shepherd.herd_closed(s, NO_SEGMENT)  # HS-34
        if s.rules.one_bridge_a_turn == 0:
            s.has_bridged = 0
        if s.rules.owned[Figure.BUILDER] > 0:
            note_extension(s)  # TRA-09, XW-02: the builder and the wagon have done their work
        if s.rules.dragon != 0 and s.rules.dragon_late == 0 and dragon.begin_flight(s):
            return True
    if step <= TOWNS:
        if s.rules.stock[Stock.TOKEN] > 0 and castles.ask_for_castles(s):  # CAS-06
            return True
        if s.rules.count != 0 and count.ask_for_a_move(s, 1, s.rules.n_players):  # COU-12
            return True
    return False


@kernel(b1(State, i8))
def asks_behind_scoring(s, step):
    """Perform the steps between scoring and the next placement; True if a player is asked."""
    if step <= CASTLES:
        if s.n_castles > 0 and castles.score_castles(s):
            return True
        if s.rules.gold != 0 and gold.share_out(s, s.turn_player):  # GOL-07
            return True
    if step <= MARKERS:
        scoring_ends(s)  # KR-15: markers; MW-13: mage and witch
    if step <= WAGONS:
        if s.rules.owned[Figure.WAGON] > 0 and wagon.ask_for_a_move(s):  # WAG-04
            return True
        if s.rules.count != 0 and count.ask_to_enter(s):  # COU-29
            return True
    if step <= LATE and s.rules.dragon_late != 0 and dragon.begin_flight(s):  # PD-09
        return True
    if step <= CIRCLES and s.rules.crop_circles != 0 and circles.ask_for_choice(s):  # CRN-03
        return True
    if step <= ESCAPE and s.rules.siege != 0 and siege.ask_to_escape(s):  # SIE-09
        return True
    return False


@kernel(void(State, i8), inline=True)
def finish_placement(s, step):
    """Continue a placement from a step until a player is asked or the next placement begins."""
    if s.rules.steps_before != 0 and asks_before_scoring(s, step):
        return
    if step <= SCORING:
        scoring_begins(s)  # TRA-03: goods; CULT-06: challenges
        score_completed(s)
        if s.rules.stock[Stock.TOKEN] > 0:
            castles.found_scored(s)
        if s.rules.owned[Figure.BARN] > 0:
            score_barn_fields(s)  # BARN-13
    if s.rules.steps_behind != 0 and asks_behind_scoring(s, step):
        return
    end_placement(s)
