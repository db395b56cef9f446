"""Moments: what kernels of the core call without knowing who has something to do then.

The core names a moment, sets link kernels to it, and one kernel that calls them all, in the order
of their keys and of ``SETS``, is written and compiled when the first entry point needs it. A
switch of the rules stands before each call. So that a game pays nothing for sets without which it
is played, the rules also have a bit for each moment of the engine: whether any link is switched on.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from carc_env.engine.compiler.jit import Compiler, kernel
from carc_env.sets import SETS, import_all

EACH, SUM, FIRST, ALL, THREAD, FLAGS, COUNT, CASE = (
    "each",
    "sum",
    "first",
    "all",
    "thread",
    "flags",
    "count",
    "case",
)
"""What becomes of what links return: nothing, the sum, the first above 0, whether all agree, the
argument ``n`` of the next one (or the last argument), flags, how far the array is filled that is
the last argument. A case has one link, whose number is the second argument, which it does not get;
0 without any."""


class _Fold(NamedTuple):
    """How a kernel calls its links.

    What it begins with, what becomes of a call, what follows it, what it returns, and what each
    call has for its last argument. ``LAST`` stands for the last parameter, ``THREADED`` for the one
    that goes from link to link, ``KEY`` for the number of a link.
    """

    begin: str = ""
    take: str = ""
    then: str = ""
    end: str = "return"
    last: str = "LAST"


FOLDS = {
    EACH: _Fold(),
    SUM: _Fold("n = 0", "n += ", end="return n"),
    FIRST: _Fold(take="n = ", then="if n > 0: return n", end="return 0"),
    ALL: _Fold("agreed = True", "agreed = agreed and ", end="return agreed"),
    THREAD: _Fold(take="THREADED = ", end="return THREADED"),
    FLAGS: _Fold("n = 0", "n |= KEY * ", end="return n"),
    COUNT: _Fold("n = 0", "n += ", end="return n", last="LAST[n:]"),
    CASE: _Fold(take="return ", end="return 0"),
}


class _Link(NamedTuple):
    """A kernel, the field of the rules above 0 under which it is called, and its key."""

    kernel: Any
    switch: str
    key: int


@dataclass(eq=False)
class _Moment:
    """A moment, the kernels that are linked to it and what switches each of them on."""

    name: str
    signature: Any
    parameters: tuple[str, ...]
    fold: str
    scope: dict[str, Any]
    links: list[_Link] = field(default_factory=list)

    @property
    def has_bit(self) -> bool:
        """Whether the rules say if anything is linked to it: it is of the engine, and no case."""
        return self.scope["__name__"].startswith("carc_env.engine.") and self.fold != CASE

    def stub(self) -> str:
        """The source of what the core calls, which goes on to all links if there are any."""
        call = ", ".join(self.parameters)
        lines = [f"def {self.name}({call}):", f"return links({call})"]
        if self.has_bit:
            byte, bit = divmod(len(_of_engine), 8)
            fold = FOLDS[self.fold]
            without = self._named("; ".join(filter(None, (fold.begin, fold.end))))
            lines.insert(1, f"if s.rules.linked[{byte}] & {1 << bit} == 0: {without}")
        return "\n    ".join(lines) + "\n"

    def _named(self, text: str) -> str:
        """A piece of source with the names of the parameters."""
        last = self.parameters[-1]
        return text.replace("THREADED", "n" if "n" in self.parameters[:-1] else last).replace(
            "LAST", last
        )

    def text(self) -> str:
        """The source of the kernel that calls all links."""
        fold, (*others, _) = FOLDS[self.fold], self.parameters
        lines = [f"def {self.name}_links({', '.join(self.parameters)}):", fold.begin]
        for k, link in enumerate(self.links):
            condition, passed = link.switch and f"if s.rules.{link.switch} > 0:", others
            if self.fold == CASE:
                condition, passed = f"if {others[1]} == KEY:", [others[0], *others[2:]]
            call = f"{fold.take}link_{k}({', '.join([*passed, fold.last])})"
            indent = " " * 4 * (condition != "")
            body = [condition, indent + call, fold.then and indent + fold.then]
            lines += [line.replace("KEY", str(link.key)) for line in body]
        return self._named("\n    ".join(line for line in [*lines, fold.end] if line) + "\n")


N_LINKED = 16
"""Bytes of the bits that say to which moments of the engine anything is linked."""
_open: dict[Any, _Moment] = {}
"""The moments, by the kernels that the core calls, until they are closed."""
_of_engine: dict[Any, _Moment] = {}
"""Those that have a bit in the rules, in the order of their bits."""


def is_any_on(rules: Any, switches: Iterable[str]) -> bool:
    """Whether any switch is on under the rules of a record: a field, or a number: ``owned[3]``."""
    for switch in switches:
        name, _, number = switch.partition("[")
        value = rules[name][int(number[:-1])] if number else rules[name]
        if value > 0:
            return True
    return False


def switches_of(called: Any) -> tuple[str, ...]:
    """The switches of all links of a moment.

    Raises
    ------
    RuntimeError
        Links can still be added.
    """
    if called in _open:
        raise RuntimeError(f"{_open[called].name} is not closed yet: import carc_env.engine.entry")
    return tuple(link.switch for link in _of_engine[called].links)


def linked(rules: Any) -> dict[str, bool]:
    """Whether anything is linked to each moment of the engine under the rules of a record.

    They come in the order of their bits.

    Raises
    ------
    RuntimeError
        Links can still be added.
    """
    found = {one.name: switches_of(called) for called, one in _of_engine.items()}
    switches = {*chain.from_iterable(found.values())} - {""}
    on = {switch for switch in switches if is_any_on(rules, [switch])} | {""}
    return {name: not on.isdisjoint(links) for name, links in found.items()}


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
        one = _Moment(name, signature, parameters, fold, {"__name__": function.__module__})
        stub = _written(name, one.stub(), one.scope)
        stub.__doc__ = function.__doc__
        called = kernel(signature, inline=True)(stub)
        _open[called] = one
        if one.has_bit:
            _of_engine[called] = one
        return called

    return make


def at(called: Any, switch: str = "", key: int = 0) -> Compiler:
    """Link a kernel to a moment, under rules of which a field is above 0: ``@at(..., "fairy")``.

    ``key`` is its case or flag. Otherwise it is its rank, where the order is not that of ``SETS``.
    """

    def link(linked: Any) -> Any:
        _open[called].links.append(_Link(linked, switch, int(key)))
        return linked

    return link


def _place(link: _Link) -> tuple[int, int]:
    """Its key, and where the set of the kernel stands among all; those of others come last."""
    name = link.kernel.__module__.removeprefix("carc_env.sets.").rpartition(".")[0]
    return link.key, SETS.index(name) if name in SETS else len(SETS)


def close_moments(*floors: str) -> None:
    """Import files of all sets, and write the kernels that call their links: once for a moment."""
    for floor in floors:
        import_all(floor)
    for one in _open.values():
        one.links.sort(key=_place)
        one.scope.update({f"link_{k}": linked for k, (linked, *_) in enumerate(one.links)})
        one.scope["links"] = kernel(one.signature)(
            _written(f"{one.name}_links", one.text(), one.scope)
        )
    _open.clear()
