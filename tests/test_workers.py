"""Processes that are handed one task after the other."""

from __future__ import annotations

import os
from functools import partial

import pytest
from carc_env.agents.workers import Crew, WorkerError

pytestmark = pytest.mark.once


def who_does(word: str, number: int) -> tuple[str, int, int]:
    """The work, the task, and the process."""
    return word, number, os.getpid()


def halved(number: int) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number // 2


def ended(number: int) -> None:
    if number % 2:
        os._exit(number)


def test_workers_stay_for_the_next_work() -> None:
    crew = Crew(2)
    first, second = ([*crew.spread(partial(who_does, word), range(6))] for word in ("dig", "build"))
    for word, found in (("dig", first), ("build", second)):
        assert {one[0] for one in found} == {word}
        assert sorted(one[1] for one in found) == [*range(6)]
    assert {one[2] for one in first} == {one[2] for one in second}
    assert len({one[2] for one in first}) == 2
    assert [*crew.spread(partial(who_does, "rest"), [])] == []
    crew.close()
    assert {one[2] for one in crew.spread(partial(who_does, "dig"), [0])}.isdisjoint(
        one[2] for one in first
    )
    crew.close()


@pytest.mark.parametrize(("work", "message"), [(halved, "1 is odd"), (ended, "with status 1")])
def test_after_an_error_others_take_their_place(work: object, message: str) -> None:
    crew = Crew(2)
    with pytest.raises(WorkerError, match=message):
        list(crew.spread(work, [2, 1]))  # type: ignore[arg-type]
    assert sorted(crew.spread(halved, [4, 6, 8])) == [2, 3, 4]
    crew.close()


def test_what_raises_meanwhile_ends_all_of_them() -> None:
    crew = Crew(2)

    def look() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(crew.spread(halved, [2], meanwhile=look))
    assert not crew._workers
