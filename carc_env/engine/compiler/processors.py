"""The processors that kernels are compiled for: that of this machine, and a common one."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import binding as llvm
from numba.core.registry import cpu_target

config: Any = numba.config
Processor = tuple[str, str, str]
"""A platform, a name and features, as LLVM writes them."""

COMMON = "x86-64-v3"
"""What wheels with kernels are made for: the processors of most PCs and servers since 2015."""
ON = "x86_64"
FEATURES = (
    *("avx", "avx2", "bmi", "bmi2", "crc32", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt"),
    *("sahf", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"),
)
"""What LLVM uses of a common processor, beyond what each x86-64 has."""


def own_processor() -> Processor:
    """What this process compiles for: the machine's own, or what numba was told."""
    found: Processor = cpu_target.target_context.codegen().magic_tuple()
    return found


def common_processor() -> Processor | None:
    """The common one if this machine runs its code, and nobody asked for a processor by name."""
    platform, _, _ = own_processor()
    is_asked_for = config.CPU_NAME is not None or config.CPU_FEATURES is not None
    if is_asked_for or not platform.startswith(ON):
        return None
    has = llvm.get_host_cpu_features()
    return (platform, COMMON, "") if all(has.get(name) for name in FEATURES) else None
