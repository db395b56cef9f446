"""Moments: calls in core kernels to which sets link code that the core does not know.

The core names a moment, and sets link kernels to it. When the first entry point needs the moment, a
kernel that calls all of its links is written and compiled. It calls them in the order of their keys
and of ``SETS``, each one guarded by a switch in the rules. The rules also have a bit for each
engine moment that tells whether any link is switched on, so unused sets cost a game nothing.
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
"""How the results of links are combined: ignored, the sum, the first above 0, whether all agree,
the argument ``n`` of the next link (or the last argument), flags, or how far the array in the last
argument is filled. A case has one link, whose number is the second argument and is not passed on;
without a link, the result is 0."""


class _Fold(NamedTuple):
    """How a moment's kernel calls its links.

    The fields are the start value, what is done with each result, what follows a call, what is
    returned, and the last argument of each call. ``LAST`` stands for the last parameter,
    ``THREADED`` for the value passed from link to link, ``KEY`` for the number of a link.
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
    """A kernel, its switch (it is called if this rules field is above 0) and its key."""

    kernel: Any
    switch: str
    key: int


@dataclass(eq=False)
class _Moment:
    """A moment, with the kernels that are linked to it and their switches."""

    name: str
    signature: Any
    parameters: tuple[str, ...]
    fold: str
    scope: dict[str, Any]
    links: list[_Link] = field(default_factory=list)

    @property
    def has_bit(self) -> bool:
        """Whether the rules have a bit for it: it belongs to the engine and is not a case."""
        return self.scope["__name__"].startswith("carc_env.engine.") and self.fold != CASE

    def stub(self) -> str:
        """Return the source of the function that the core calls, which in turn calls any links."""
        call = ", ".join(self.parameters)
        lines = [f"def {self.name}({call}):", f"return links({call})"]
        if self.has_bit:
            byte, bit = divmod(len(_of_engine), 8)
            fold = FOLDS[self.fold]
            without = self._named("; ".join(filter(None, (fold.begin, fold.end))))
            lines.insert(1, f"if s.rules.linked[{byte}] & {1 << bit} == 0: {without}")
        return "\n    ".join(lines) + "\n"

    def _named(self, text: str) -> str:
        """Return a piece of source with the parameter names filled in."""
        last = self.parameters[-1]
        return text.replace("THREADED", "n" if "n" in self.parameters[:-1] else last).replace(
            "LAST", last
        )

    def text(self) -> str:
        """Return the source of the kernel that calls all the links."""
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
"""Number of bytes for the bits that tell which engine moments have links."""
_open: dict[Any, _Moment] = {}
"""Moments to which links can still be added, by the kernels that the core calls."""
_of_engine: dict[Any, _Moment] = {}
"""Moments that have a bit in the rules, in bit order."""


def is_any_on(rules: Any, switches: Iterable[str]) -> bool:
    """Return whether a record's rules turn on any switch: a field, or an item ``owned[3]``."""
    for switch in switches:
        name, _, number = switch.partition("[")
        value = rules[name][int(number[:-1])] if number else rules[name]
        if value > 0:
            return True
    return False


def switches_of(called: Any) -> tuple[str, ...]:
    """Return the switches for all links of a moment.

    Raises
    ------
    RuntimeError
        If links can still be added.
    """
    if called in _open:
        raise RuntimeError(f"{_open[called].name} is not closed yet: import carc_env.engine.entry")
    return tuple(link.switch for link in _of_engine[called].links)


def linked(rules: Any) -> dict[str, bool]:
    """Return for each engine moment whether a record's rules switch on any of its links.

    The values are in the order of the moments' bits.

    Raises
    ------
    RuntimeError
        If links can still be added.
    """
    found = {one.name: switches_of(called) for called, one in _of_engine.items()}
    switches = {*chain.from_iterable(found.values())} - {""}
    on = {switch for switch in switches if is_any_on(rules, [switch])} | {""}
    return {name: not on.isdisjoint(links) for name, links in found.items()}


def _written(name: str, text: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """Make a function from its source, and let tracebacks and debuggers show that source."""
    file = f"<moment {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


def moment(signature: Any, fold: str = EACH) -> Compiler:
    """Turn a function without a body, whose docstring explains when it is called, into a moment."""

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
    """Link a kernel to a moment if a rules field is above 0: ``@at(..., "fairy")``.

    ``key`` is the link's case or flag. For other moments, it is the link's rank, used if the order
    differs from that of ``SETS``.
    """

    def link(linked: Any) -> Any:
        _open[called].links.append(_Link(linked, switch, int(key)))
        return linked

    return link


def _place(link: _Link) -> tuple[int, int]:
    """Return a link's key and its set's position in the list; kernels outside sets come last."""
    name = link.kernel.__module__.removeprefix("carc_env.sets.").rpartition(".")[0]
    return link.key, SETS.index(name) if name in SETS else len(SETS)


def close_moments(*floors: str) -> None:
    """Import the given files of all sets, and write the kernel that calls each moment's links."""
    for floor in floors:
        import_all(floor)
    for one in _open.values():
        one.links.sort(key=_place)
        one.scope.update({f"link_{k}": linked for k, (linked, *_) in enumerate(one.links)})
        one.scope["links"] = kernel(one.signature)(
            _written(f"{one.name}_links", one.text(), one.scope)
        )
    _open.clear()
