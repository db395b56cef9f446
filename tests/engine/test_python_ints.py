"""Python reads Python numbers from records and tables, with and without the JIT."""

import numpy as np
import pytest

from carc_env.engine.compiler.memory import _numbers_in_python, _words_in_python
from carc_env.engine.compiler.python_ints import Numbers, Record
from carc_env.engine.core import fief, figures, tiles
from carc_env.engine.core.state import new_states
from carc_env.engine.sight.lanes import LANE
from carc_env.engine.sight.shown import SHOWN

TABLES = {
    f"{module.__name__}.{name}": table
    for module in (tiles, figures, fief)
    for name, table in vars(module).items()
    if isinstance(table, np.ndarray)
}


def test_fields_are_python_numbers_at_every_level():
    s = new_states(2)[1]
    numbers = (s.phase, s.rng, s.rules.view_size, s.players[1].supply[2], s.bazaar.lots[0].owner)
    assert {type(number) for number in numbers} == {int}
    assert type(s.rolled[0]) is int and type(s.players[1].stock[1:][0]) is int
    assert type(np.zeros(1, LANE)[0].reward) is float
    assert type(np.zeros(1, SHOWN)[0].looks[0]) is int


def test_arithmetic_with_fields_does_not_wrap_around():
    s = new_states(1)[0]
    s.turn = s.bag[0] = s.hand = np.iinfo(np.int16).max
    assert s.turn + s.bag[0] + s.hand == 3 * np.iinfo(np.int16).max


def test_fields_are_written_in_place():
    states = new_states(1)
    s = states[0]
    s.rules.owned[3], s.players[2].score, s.bazaar.price = 1, -7, 20
    assert states["rules"]["owned"][0, 3] == 1
    assert states["players"]["score"][0, 2] == -7 and states["bazaar"]["price"][0] == 20


@pytest.mark.parametrize("number", [2**15, -(2**15) - 1])
def test_a_number_that_does_not_fit_is_refused(number):
    s = new_states(1)[0]
    with pytest.raises(OverflowError, match="out of bounds for int16"):
        s.turn = number
    with pytest.raises(OverflowError, match="out of bounds for int16"):
        s.bag[0] = number
    assert (s.turn, s.bag[0]) == (0, 0)


def test_a_name_that_is_no_field_is_refused():
    with pytest.raises(AttributeError, match=r"no field of name score; its fields are \('rng',"):
        _ = new_states(1)[0].score
    assert issubclass(type(new_states(1)[0]), Record)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_and_parts_of_them_give_python_numbers(table):
    assert isinstance(table, Numbers)
    element = table[(0,) * table.ndim]
    assert type(element) is (bool if table.dtype == np.bool_ else int)
    assert type(table[:1][(0,) * table.ndim]) is type(element)


def test_room_for_numbers_holds_python_numbers():
    room = _numbers_in_python(3)
    room[1] = 2**40
    assert room.shape == (3,) and room[1] == 2**40 and type(room[1]) is int


def test_words_are_empty_and_hold_64_bits():
    words = _words_in_python(3)
    assert words.tolist() == [0, 0, 0]
    words[1] |= np.uint64(1) << np.uint64(63)
    assert words[1] == 2**63 and type(words[1]) is int
