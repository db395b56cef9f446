"""Common code for the processes that carc_env starts."""

from __future__ import annotations

import os
import sys
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Any

from carc_env.engine.compiler.jit import prepare_kernels


@cache
def fresh_processes() -> Any:
    """Return the ``multiprocessing`` context in which all processes are started.

    A fork of this process would lack the threads in which kernels run. On Linux, processes are
    instead forked from a process that has only imported the engine, so they start at once, with the
    environment variables from the first start. On other systems, each process imports everything
    again.

    Kernels are compiled first, so that all these processes find them.
    """
    prepare_kernels()
    if sys.platform != "linux":
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["carc_env.envs.naming"])
    return context


def end_with_parent() -> None:
    """Make this ``multiprocessing`` process end as soon as its parent has ended.

    It may end at any point in its work, even if its parent was killed and could not notify it.
    """
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
