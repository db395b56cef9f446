"""Common code of the processes that carc_env starts."""

from __future__ import annotations

import os
import sys
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Any


@cache
def fresh_processes() -> Any:
    """Return the context of ``multiprocessing`` in which all processes are started.

    A fork of this process would lack the threads in which kernels run. On Linux, processes are
    forks of a process that has only imported the engine, so they start at once. They have the
    environment variables of the first start. Elsewhere each process imports everything again.
    """
    if sys.platform != "linux":
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["carc_env.envs.naming"])
    return context


def end_with_parent() -> None:
    """Let this process of ``multiprocessing`` end as soon as its parent has ended.

    It ends at any point of its work, even if its parent was killed and could not notify it.
    """
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
