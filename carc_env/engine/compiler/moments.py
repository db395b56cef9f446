"""Moments: calls in kernels of the core to which sets link code that the core does not know.

The core names a moment, and sets link kernels to it. One kernel that calls them all, in the order
of their keys and of ``SETS``, is written and compiled when the first entry point needs it. Each
call is guarded by a switch of the rules. The rules also have a bit for each moment of the engine,
which tells whether any link is switched on, so that a game pays nothing for sets that it does not
use.
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
"""How the results of links combine: ignored, the sum, the first above 0, whether all agree, the
argument ``n`` of the next link (or the last argument), flags, or how far the array in the last
argument is filled. A case has one link, whose number is the second argument, which is not passed
on; 0 without a link."""


class _Fold(NamedTuple):
    """How a kernel calls its links.

    Its start value, what it does with each result, what follows a call, what it returns, and the
    last argument of each call. ``LAST`` stands for the last parameter, ``THREADED`` for the value
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
    """A kernel, the field of the rules that must be above 0 for it to be called, and its key."""

    kernel: Any
    switch: str
    key: int


@dataclass(eq=False)
class _Moment:
    """A moment, the kernels that are linked to it and the switch of each."""

    name: str
    signature: Any
    parameters: tuple[str, ...]
    fold: str
    scope: dict[str, Any]
    links: list[_Link] = field(default_factory=list)

    @property
    def has_bit(self) -> bool:
        """Whether the rules have a bit for it: it belongs to the engine, and is not a case."""
        return self.scope["__name__"].startswith("carc_env.engine.") and self.fold != CASE

    def stub(self) -> str:
        """Return the source of the function that the core calls, which calls the links, if any."""
        call = ", ".join(self.parameters)
        lines = [f"def {self.name}({call}):", f"return links({call})"]
        if self.has_bit:
            byte, bit = divmod(len(_of_engine), 8)
            fold = FOLDS[self.fold]
            without = self._named("; ".join(filter(None, (fold.begin, fold.end))))
            lines.insert(1, f"if s.rules.linked[{byte}] & {1 << bit} == 0: {without}")
        return "\n    ".join(lines) + "\n"

    def _named(self, text: str) -> str:
        """Return a piece of source with the names of the parameters filled in."""
        last = self.parameters[-1]
        return text.replace("THREADED", "n" if "n" in self.parameters[:-1] else last).replace(
            "LAST", last
        )

    def text(self) -> str:
        """Return the source of the kernel that calls all links."""
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
"""Bytes of the bits that tell which moments of the engine have links."""
_open: dict[Any, _Moment] = {}
"""The moments, by the kernels that the core calls, until they are closed."""
_of_engine: dict[Any, _Moment] = {}
"""The moments with a bit in the rules, in the order of their bits."""


def is_any_on(rules: Any, switches: Iterable[str]) -> bool:
    """Return whether any switch is on under a record's rules: a field, or a number ``owned[3]``."""
    for switch in switches:
        name, _, number = switch.partition("[")
        value = rules[name][int(number[:-1])] if number else rules[name]
        if value > 0:
            return True
    return False


def switches_of(called: Any) -> tuple[str, ...]:
    """Return the switches of all links of a moment.

    Raises
    ------
    RuntimeError
        Links can still be added.
    """
    if called in _open:
        raise RuntimeError(f"{_open[called].name} is not closed yet: import carc_env.engine.entry")
    return tuple(link.switch for link in _of_engine[called].links)


def linked(rules: Any) -> dict[str, bool]:
    """Return for each moment of the engine whether the rules of a record link anything to it.

    The values come in the order of the moments' bits.

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
    """Make a function from its source, which tracebacks and debuggers show."""
    file = f"<moment {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


def moment(signature: Any, fold: str = EACH) -> Compiler:
    """Turn a function without a body, whose docstring tells when it is called, into a moment."""

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
    """Link a kernel to a moment if a field of the rules is above 0: ``@at(..., "fairy")``.

    ``key`` is its case or flag. Otherwise it is its rank, if the order is not that of ``SETS``.
    """

    def link(linked: Any) -> Any:
        _open[called].links.append(_Link(linked, switch, int(key)))
        return linked

    return link


def _place(link: _Link) -> tuple[int, int]:
    """Return its key, and the place of the kernel's set among all; kernels of others come last."""
    name = link.kernel.__module__.removeprefix("carc_env.sets.").rpartition(".")[0]
    return link.key, SETS.index(name) if name in SETS else len(SETS)


def close_moments(*floors: str) -> None:
    """Import files of all sets, and write the kernels that call the links, one for each moment."""
    for floor in floors:
        import_all(floor)
    for one in _open.values():
        one.links.sort(key=_place)
        one.scope.update({f"link_{k}": linked for k, (linked, *_) in enumerate(one.links)})
        one.scope["links"] = kernel(one.signature)(
            _written(f"{one.name}_links", one.text(), one.scope)
        )
    _open.clear()
