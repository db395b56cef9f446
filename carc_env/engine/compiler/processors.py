"""The processors for which kernels are compiled: this machine's and a common one."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import binding as llvm
from numba.core.registry import cpu_target

config: Any = numba.config
Processor = tuple[str, str, str]
"""A platform, a processor name and processor features, in LLVM's notation."""

COMMON = "x86-64-v3"
"""The processor that wheels with kernels target: most PCs and servers since 2015."""
ON = "x86_64"
FEATURES = (
    *("avx", "avx2", "bmi", "bmi2", "crc32", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt"),
    *("sahf", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"),
)
"""Features of the common processor that LLVM uses in addition to those of every x86-64."""


def own_processor() -> Processor:
    """Return what this process compiles for: this machine's processor, or the one set for numba."""
    found: Processor = cpu_target.target_context.codegen().magic_tuple()
    return found


def common_processor() -> Processor | None:
    """Return the common processor if this machine can run its code and none was set by name."""
    platform, _, _ = own_processor()
    is_asked_for = config.CPU_NAME is not None or config.CPU_FEATURES is not None
    if is_asked_for or not platform.startswith(ON):
        return None
    has = llvm.get_host_cpu_features()
    return (platform, COMMON, "") if all(has.get(name) for name in FEATURES) else None
