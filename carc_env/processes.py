"""What the processes that carc_env starts have in common."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread


def end_with_parent() -> None:
    """Let this process of ``multiprocessing`` end as soon as the one that started it has ended.

    It ends whatever it is doing, also when its parent was killed and could tell it nothing.
    """
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
