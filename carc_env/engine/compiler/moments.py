"""Moments: what kernels of the core call without knowing who has something to do then.

The core names a moment, sets link kernels to it, and one kernel that calls them all, in the order
of their numbers and of ``SETS``, is written and compiled when the first entry point needs it. A
switch of the rules stands before each call, so that a game without the set only reads that switch.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from carc_env.engine.compiler.jit import Compiler, kernel
from carc_env.sets import SETS, import_all

EACH, SUM, THREAD, FLAGS, COUNT = "each", "sum", "thread", "flags", "count"
"""What becomes of what links return: nothing, the sum, the last argument of the next one, flags,
how far the array is filled that is the last argument."""


class _Fold(NamedTuple):
    """How a kernel calls its links.

    What it begins with, what becomes of a call, what it returns, and what each call has for its
    last argument. ``LAST`` stands for the last parameter, ``KEY`` for the number of a link.
    """

    begin: str = "pass"
    take: str = ""
    end: str = "return"
    last: str = "LAST"


FOLDS = {
    EACH: _Fold(),
    SUM: _Fold("n = 0", "n += ", "return n"),
    THREAD: _Fold(take="LAST = ", end="return LAST"),
    FLAGS: _Fold("n = 0", "n |= KEY * ", "return n"),
    COUNT: _Fold("n = 0", "n += ", "return n", "LAST[n:]"),
}


class _Link(NamedTuple):
    """A kernel, the field of the rules above 0 under which it is called, and its number."""

    kernel: Any
    switch: str
    key: int


@dataclass
class _Moment:
    """A moment, the kernels that are linked to it and what switches each of them on."""

    name: str
    signature: Any
    parameters: tuple[str, ...]
    fold: str
    scope: dict[str, Any]
    links: list[_Link] = field(default_factory=list)

    def text(self) -> str:
        """The source of the kernel that calls all links."""
        call, fold = ", ".join(self.parameters), FOLDS[self.fold]
        passed = ", ".join([*self.parameters[:-1], fold.last])
        lines = [f"def {self.name}_links({call}):", f"    {fold.begin}"]
        for k, link in enumerate(self.links):
            called = f"{fold.take}link_{k}({passed})".replace("KEY", str(link.key))
            switched = [f"    if s.rules.{link.switch} > 0:", f"        {called}"]
            lines += switched if link.switch else [f"    {called}"]
        return "\n".join([*lines, f"    {fold.end}", ""]).replace("LAST", self.parameters[-1])


_open: dict[Any, _Moment] = {}
"""The moments, by the kernels that the core calls, until they are closed."""


def _written(name: str, text: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """A function from its source, which tracebacks and debuggers show."""
    file = f"<moment {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


def moment(signature: Any, fold: str = EACH) -> Compiler:
    """Turn a function without a body, which says when it is called, into a moment for the core."""

    def make(function: Callable[..., Any]) -> Any:
        name, parameters = function.__name__, tuple(inspect.signature(function).parameters)
        scope: dict[str, Any] = {"__name__": function.__module__}
        call = ", ".join(parameters)
        stub = _written(name, f"def {name}({call}):\n    return links({call})\n", scope)
        stub.__doc__ = function.__doc__
        called = kernel(signature)(stub)
        _open[called] = _Moment(name, signature, parameters, fold, scope)
        return called

    return make


def at(called: Any, switch: str = "", key: int = 0) -> Compiler:
    """Link a kernel to a moment, under rules of which a field is above 0: ``@at(..., "fairy")``."""

    def link(linked: Any) -> Any:
        _open[called].links.append(_Link(linked, switch, int(key)))
        return linked

    return link


def _place(link: _Link) -> int:
    """Where the set of a kernel stands among all; kernels of others come behind them."""
    name = link.kernel.__module__.removeprefix("carc_env.sets.").rpartition(".")[0]
    return SETS.index(name) if name in SETS else len(SETS)


def close_moments(*floors: str) -> None:
    """Import files of all sets, and write the kernels that call their links: once for a moment."""
    for floor in floors:
        import_all(floor)
    for one in _open.values():
        one.links.sort(key=lambda link: (link.key, _place(link)))
        one.scope.update({f"link_{k}": linked for k, (linked, *_) in enumerate(one.links)})
        one.scope["links"] = kernel(one.signature)(
            _written(f"{one.name}_links", one.text(), one.scope)
        )
    _open.clear()
