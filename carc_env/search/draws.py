"""Chance as a game of its own: an action is carried out up to each outcome that somebody must draw.

The game before the action is in record BEFORE, its hidden tiles in an order that tells nothing. The
outcomes chosen so far are part of it: tiles lie where the action will draw them, and a token or the
number on a die is in ``next_token``. To find out whether another outcome is needed, the action is
carried out in record AFTER, with any tiles still to be chosen, and the tiles that it turns up are
counted.
"""

from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.compiler.jit import entry_point, i8, kernel, u8, void, without_lookup
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.bag import first_drawable, list_unseen, n_face_down, shuffle, swap_tiles
from carc_env.engine.core.chance import chances_among
from carc_env.engine.core.codes import N_OUTCOMES, Phase
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.moments import (
    may_draw,
    may_lie_face_down,
    outcomes_of,
    unseen_exchanged,
)
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.engine.core.state import (
    NO_DESIGN,
    NO_OUTCOME,
    STATE,
    State,
    States,
    Template,
    new_states,
)
from carc_env.engine.core.tiles import N_DESIGNS
from carc_env.engine.flow.hidden import conceal, shuffle_hidden
from carc_env.engine.flow.rounds import begin_part, set_up
from carc_env.sets.bazaars.kernels import is_open, n_for_sale

apply, legal = linked(entry.apply), linked(entry.legal)

BEFORE, AFTER, RECORDS = 0, 1, 2
ACTION, N_CHOSEN, N_LEGAL, PROGRESS = 0, 1, 2, 3
"""Fields of a step's progress: its action, or BEGIN; the tiles chosen so far; and, once the step is
complete, the number of legal actions after it."""
BEGIN = -1
"""Used in place of an action: draw the first tile of a game."""
FIRST_OUTCOME = N_DESIGNS
"""Codes of outcomes: a tile's design, or this number plus an ``Outcome``."""
MAX_CODES = N_DESIGNS + N_OUTCOMES


@kernel(void(States, i8))
def carry_out(states, action):
    """Write to AFTER what an action makes of BEFORE."""
    copy_in_use(states[AFTER], states[BEFORE])
    if action == BEGIN:
        begin_part(states[AFTER])
    else:
        apply(states, AFTER, action)


# Which tiles an action turns up.


@kernel(i8(State, State))
def first_lot_turned_up(s, after):
    """Return the bag place of the first tile of a bazaar that an action has opened, or -1.

    A bazaar's tiles come from consecutive places, downwards. In a turn that begins none, a bazaar
    is either the first to draw tiles or, if it was delayed, the last.
    """
    n = s.rules.n_players
    if not is_open(after) or after.bazaar.waits != 0 or n_for_sale(after) < n:
        return -1
    if s.bazaar.waits != 0:
        return s.bazaar.place
    if n_for_sale(s) == n:
        return -1
    return after.n_bag + n - 1 if is_open(s) else s.n_bag - 1


@kernel(i8(State, State, i8[::1]))
def list_turned_up(s, after, places):
    """Write the bag places of the tiles that an action turns up, in order; return how many.

    No action draws anything after opening a bazaar. Tiles that remain face down are left out.
    """
    n, n_lots, lots = 0, 0, -1
    if s.rules.bazaars != 0:
        lots = first_lot_turned_up(s, after)
        n_lots = s.rules.n_players if lots >= 0 else 0
    first_beside = lots
    n_beside = n_lots
    if after.bazaar.waits != 0 and s.bazaar.waits == 0:
        first_beside, n_beside = after.bazaar.place, s.rules.n_players
    for place in range(s.n_bag - 1, after.n_bag - 1, -1):
        is_covered = first_beside - n_beside < place <= first_beside
        for k in range(s.n_hidden, after.n_hidden):
            is_covered |= after.hidden[k] == place
        if not is_covered:
            places[n] = place
            n += 1
    for lot in range(n_lots):
        places[n] = lots - lot
        n += 1
    return n


# What they can be.


@kernel(i8(State, State, i8, i8))
def n_known_not_to_be(s, after, design, place):
    """Return how many tiles lie face down that cannot be of a design; -1 if ``place`` is one."""
    here = after
    if s.bazaar.waits != 0 and after.bazaar.waits == 0:
        here = s
    places, n_known = room_for(MAX_BAG), 0
    n = n_face_down(here)
    list_unseen(here, places)
    for k in range(n):
        if not may_lie_face_down(here, k, design):
            if places[n - 1 - k] == place:
                return -1
            n_known += 1
    return n_known


@kernel(i8(State, i8[::1], i8, i8[::1]))
def list_candidates(s, turned_up, k, places):
    """Write the places of the tiles that may be the k-th one turned up; return how many."""
    place = turned_up[k]
    first = first_drawable(s, place + 1) if place < s.n_bag else 0
    n, unseen = 0, room_for(MAX_BAG)
    for j in range(list_unseen(s, unseen)):
        is_chosen = False
        for known in range(k):
            is_chosen |= turned_up[known] == unseen[j]
        if not is_chosen and unseen[j] >= first:
            places[n] = unseen[j]
            n += 1
    return n


@kernel(i8(States, i8[::1], i8, i8[::1], i8[::1]))
def list_tiles(states, turned_up, k, codes, weights):
    """Write the designs of the k-th tile turned up, ascending, with weights; return how many.

    Each tile that nobody can see is equally likely, except that face-down tiles drawn before the
    first volcano are known not to be dragon tiles, so that those are likelier elsewhere (PD-07).
    """
    s, after, place = states[BEFORE], states[AFTER], turned_up[k]
    copies, known, candidates = room_for(N_DESIGNS), room_for(N_DESIGNS), room_for(MAX_BAG)
    copies[:], known[:] = 0, 0
    n_all = list_candidates(s, turned_up, k, candidates)
    for j in range(n_all):
        copies[s.bag[candidates[j]]] += 1
    if s.rules.withholds_dragons != 0:
        hand, n_bag = after.hand, after.n_bag
        n_barred, n_known = 0, 0
        for design in range(N_DESIGNS):
            if copies[design] > 0:
                known[design] = n_known_not_to_be(s, after, design, place)
                if known[design] != 0:
                    n_barred, n_known = n_barred + copies[design], max(n_known, known[design])
        after.hand = NO_DESIGN
        if place < s.n_bag:
            after.n_bag = place + 1
        n_plain = n_all - n_barred
        for design in range(N_DESIGNS):
            if copies[design] > 0:
                weight = n_plain - n_known
                if known[design] != 0:
                    weight = n_plain if known[design] > 0 else 0
                copies[design] *= weight if n_known > 0 or known[design] < 0 else 1
                if place < s.n_bag and not may_draw(after, design):
                    copies[design] = 0
        after.hand, after.n_bag = hand, n_bag
    n = 0
    for design in range(N_DESIGNS):
        if copies[design] > 0:
            codes[n], weights[n] = design, copies[design]
            n += 1
    return n


@kernel(void(States, i8[::1], i8, i8))
def turn_up(states, turned_up, k, design):
    """Let the k-th tile turned up be of a design; the tile it replaces takes its place."""
    s, place = states[BEFORE], turned_up[k]
    if s.bag[place] == design:
        return
    candidates = room_for(MAX_BAG)
    for j in range(list_candidates(s, turned_up, k, candidates) - 1, -1, -1):
        if s.bag[candidates[j]] == design:
            swap_tiles(s, candidates[j], place)
            unseen_exchanged(s)
            return


@kernel(i8(State, i8, i8[::1], i8[::1]))
def list_outcomes(s, action, codes, weights):
    """Write the tokens or numbers on a die that decide on an action; return how many."""
    n = 0
    if action == BEGIN or s.next_token != NO_OUTCOME:
        return n
    possible = outcomes_of(s, action)
    for outcome in range(N_OUTCOMES):
        chances = chances_among(s, possible, outcome)
        if chances > 0:
            codes[n], weights[n] = FIRST_OUTCOME + outcome, chances
            n += 1
    return n


@kernel(void(State, State, i8))
def hide(s, after, place):
    """Take back the tile at a bag place and everything turned up after it."""
    lots = first_lot_turned_up(s, after) if s.rules.bazaars != 0 else -1
    conceal(after, s)
    if place < s.n_bag:
        after.n_bag = place + 1
    for lot in range(s.rules.n_players if lots >= 0 else 0):
        after.bazaar.lots[lot].design = NO_DESIGN


# Entry points for Python.


@entry_point(void(States, u8, Template))
def set_up_game(states, seed, template):
    """Set up a game in BEFORE, up to its first draw; the seed only decides which tiles it lacks."""
    states[BEFORE] = template[0]
    s = states[BEFORE]
    s.rng = seed
    shuffle(s)
    set_up(s)


@entry_point(void(States))
def forget_hidden(states):
    """Put whatever nobody knows in BEFORE in an order that depends on nothing hidden."""
    s = states[BEFORE]
    s.next_token = NO_OUTCOME
    shuffle_hidden(s, u8(0))


@entry_point(i8(States, i8[::1], i8[::1], i8[::1], i8[::1]))
def advance(states, progress, codes, weights, actions):
    """Go on until an outcome must be chosen, or to the next decision; return how many there are.

    With outcomes, AFTER shows what everybody knows before one of them is chosen; otherwise, it is
    at the next decision, whose legal actions are written.
    """
    s, after = states[BEFORE], states[AFTER]
    turned_up = room_for(MAX_BAG)
    while True:
        n = list_outcomes(s, progress[ACTION], codes, weights)
        if n > 0:
            copy_in_use(after, s)
            return n
        carry_out(states, progress[ACTION])
        k = progress[N_CHOSEN]
        if list_turned_up(s, after, turned_up) > k:
            place = turned_up[k]
            n = list_tiles(states, turned_up, k, codes, weights)
            for j in range(n if after.phase == Phase.GAME_OVER else 0):
                turn_up(states, turned_up, k, codes[j])
                carry_out(states, progress[ACTION])
                if after.phase != Phase.GAME_OVER:
                    break
            if after.phase != Phase.GAME_OVER:
                hide(s, after, place)
                return n
        s.next_token = NO_OUTCOME
        after.next_token = NO_OUTCOME
        progress[N_LEGAL] = legal(states, AFTER, actions)
        if progress[N_LEGAL] != 1 or s.rules.auto_single == 0:
            return 0
        copy_in_use(s, after)
        progress[ACTION], progress[N_CHOSEN] = actions[0], 0


@entry_point(void(States, i8[::1], i8))
def choose(states, progress, code):
    """Choose one of the outcomes that ``advance`` has written."""
    s, turned_up = states[BEFORE], room_for(MAX_BAG)
    if code >= FIRST_OUTCOME:
        s.next_token = code - FIRST_OUTCOME
        return
    carry_out(states, progress[ACTION])
    list_turned_up(s, states[AFTER], turned_up)
    turn_up(states, turned_up, progress[N_CHOSEN], code)
    progress[N_CHOSEN] += 1


set_up_game, forget_hidden, advance, choose = map(
    without_lookup, (set_up_game, forget_hidden, advance, choose)
)


class _Memory(local):
    """Each calling thread's records, which are scratch between steps."""

    def __init__(self) -> None:
        self.states = new_states(RECORDS)
        self._bytes = self.states.view(np.uint8).reshape(RECORDS, -1)

    def filled(self, before: Any) -> npt.NDArray[Any]:
        """Return the records, with the given bytes in BEFORE; nothing is left of earlier steps."""
        self._bytes[BEFORE] = before
        self._bytes[AFTER] = 0
        return self.states

    def after(self) -> npt.NDArray[Any]:
        """Return a copy of AFTER, shape (1,)."""
        return np.frombuffer(bytearray(self._bytes[AFTER]), STATE)

    def before(self) -> bytes:
        """Return the bytes of BEFORE."""
        found: bytes = self._bytes[BEFORE].tobytes()
        return found


memory = _Memory()
