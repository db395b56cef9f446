"""Hand-written YAML: only text, numbers, lists and mappings are accepted."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from typing import Any

import yaml

MAX_DEPTH = 8
"""Nesting limit; rules and settings need 4."""
MAX_KEPT = 4096
"""Longest text whose value is cached, in characters."""


def read_yaml(what: str, text: str) -> Any:
    """Return the value of a YAML text; ``what`` names its content in error messages.

    Tags, anchors and aliases, duplicate names and deep nesting are refused.

    Raises
    ------
    ValueError
        The text is not YAML of this kind.
    """
    if not isinstance(text, str):
        raise ValueError(f"{what} must be YAML text, got {text!r}")
    try:
        return deepcopy(_kept(text)) if len(text) < MAX_KEPT else _parse(text)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise ValueError(f"{what}: not valid YAML: {error}") from error


def _parse(text: str) -> Any:
    _check_events(text)
    return yaml.load(text, _Loader)


_kept = lru_cache(maxsize=256)(_parse)
"""Cached values: many records and saved states share the same few rules."""


def _check_events(text: str) -> None:
    """Refuse anything that could run code, grow without limit or exhaust the stack."""
    depth = 0
    for event in yaml.parse(text, _Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        for is_there, problem in (
            (getattr(event, "anchor", None), "anchors and aliases are not allowed"),
            (getattr(event, "tag", None), "tags are not allowed"),
            (depth > MAX_DEPTH, f"nested more than {MAX_DEPTH} deep"),
        ):
            if is_there:
                raise yaml.YAMLError(f"{problem}\n{event.start_mark}")


class _Loader(yaml.SafeLoader):
    """Refuses mappings with duplicate keys, whose last value would silently win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for name in (name for name, _ in node.value if isinstance(name, yaml.ScalarNode)):
            if name.value in seen:
                raise yaml.YAMLError(f"{name.value!r} is given twice\n{name.start_mark}")
            seen.add(name.value)
        return super().construct_mapping(node, deep)
