"""Settings that make torch fast on a few CPU cores; apply them before torch is imported."""

from __future__ import annotations

import ctypes
import os
import sys

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4
KEEP_FREED_BYTES = 2**31 - 1


def prepare_cpu() -> None:
    """Keep freed memory in the process and let idle OpenMP threads sleep.

    A network over planes allocates and frees tensors of many megabytes at every step. glibc returns
    each of them to the kernel, and touching fresh pages then takes longer than the arithmetic.
    OpenMP threads that spin while waiting take up cores that other processes need.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, KEEP_FREED_BYTES)
