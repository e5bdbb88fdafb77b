# SPDX-License-Identifier: Apache-2.0
"""Objects and facts of a Taskography problem, checked, by lower-case names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.foundation.s_expressions import SNode, list_words, preview
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.errors import SceneError

ADVICE = "Correct this entry, or generate the problem again."
ITEMS = ("item", "object")
"""Types of what can be carried; v1 says object."""

_Types = tuple[tuple[str, ...], ...]
_FACTS: Mapping[str, tuple[str, _Types]] = {
    "inroom": ("room of agent", (("agent",), ("room",))),
    "atlocation": ("location of agent", (("agent",), ("location",))),
    "inplace": ("place of agent", (("agent",), ("place",))),
    "receptacleatlocation": ("location", (("receptacle",), ("location",))),
    "itematlocation": ("location", (ITEMS, ("location",))),
    "objectatlocation": ("location", (ITEMS, ("location",))),
    "locationinroom": ("room of location", (("location",), ("room",))),
    "locationinplace": ("place of location", (("location",), ("place",))),
    "placeinroom": ("room of place", (("place",), ("room",))),
    "inreceptacle": ("receptacle", (ITEMS, ("receptacle",))),
}
"""Facts of which each thing may have one: what they say, and the types of their arguments."""

_PAIRS: Mapping[str, _Types] = {
    "roomsconnected": (("room",), ("room",)),
    "holds": (("agent",), ITEMS),
}
_FLAGS: Mapping[str, _Types] = {
    "receptacleopeningtype": (("receptacle",),),
    "receptacleopened": (("receptacle",),),
    "smallitem": (ITEMS,),
    "mediumitem": (ITEMS,),
    "largeitem": (ITEMS,),
}
_REPEATED = frozenset({"roomplace", "placelocation", "roomlocation", "inanyreceptacle", "holdsany"})
"""Facts that say nothing new about the scene: centres of rooms, and what follows from others."""


@dataclass(frozen=True)
class Declared:
    """Objects by their lower-case names: type, and spelling in the file."""

    types: Mapping[str, str]
    spelling: Mapping[str, str]

    def of_type(self, *types: str) -> Iterator[str]:
        return (name for name, type_ in self.types.items() if type_ in types)


def declared_objects(section: list[SNode]) -> Declared:
    """``a b - room`` declares two rooms.

    Raises:
        SceneError: A name has no type, or is declared twice (case does not count).
    """
    words = _words_of(section)
    types: dict[str, str] = {}
    spelling: dict[str, str] = {}
    waiting: list[str] = []
    rest = iter(words)
    for word in rest:
        if word != "-":
            waiting.append(word)
            continue
        type_ = next(rest, "")
        if not type_ or not waiting:
            raise SceneError("a `-` stands between names and a type", element=type_, advice=ADVICE)
        for name in waiting:
            _declare(name, type_.lower(), types, spelling)
        waiting = []
    if waiting:
        raise SceneError(f"{list_names(waiting)} have no type", element=":objects", advice=ADVICE)
    return Declared(types, spelling)


def _words_of(node: SNode | list[SNode]) -> list[str]:
    """Return the words of a list; raises SceneError where there is a list within it."""
    words = list_words(node)
    if words is None:
        raise SceneError(f"a list of words is expected, not {preview(node)}")
    return words


def _declare(name: str, type_: str, types: dict[str, str], spelling: dict[str, str]) -> None:
    folded = name.lower()
    if folded not in types:
        types[folded], spelling[folded] = type_, name
        return
    reason = "this object is declared twice"
    if spelling[folded] != name:
        reason = f"it is the same object as {spelling[folded]}: PDDL does not tell cases apart"
    raise SceneError(reason, element=name, advice="Rename one of them.")


@dataclass
class Facts:
    """The facts of ``:init``, checked, by what they say."""

    declared: Declared
    single: dict[str, dict[str, str]] = field(default_factory=dict)
    pairs: dict[str, dict[tuple[str, str], None]] = field(default_factory=dict)
    flags: dict[str, dict[str, None]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, entry: SNode) -> None:
        """Take one fact in; raises SceneError where it is none."""
        if isinstance(entry, list) and entry and entry[0] in ("not", "="):
            self.left_out[str(entry[0])] += 1
            return
        predicate, *names = [word.lower() for word in _words_of(entry)] or [""]
        if predicate in _FACTS:
            kind, types = _FACTS[predicate]
            self._check(names, types, entry)
            first, second = names
            if self.single.setdefault(kind, {}).setdefault(first, second) != second:
                other = self.single[kind][first]
                raise SceneError(
                    f"{first} has two of these: {other} and {second}",
                    element=preview(entry),
                    advice=ADVICE,
                )
        elif predicate in _PAIRS:
            self._check(names, _PAIRS[predicate], entry)
            self.pairs.setdefault(predicate, {})[names[0], names[1]] = None
        elif predicate in _FLAGS:
            self._check(names, _FLAGS[predicate], entry)
            self.flags.setdefault(predicate, {})[names[0]] = None
        elif predicate not in _REPEATED:
            self.left_out[predicate] += 1

    def _check(self, names: list[str], types: _Types, entry: SNode) -> None:
        if len(names) != len(types):
            reason = f"the fact needs {len(types)} arguments"
            raise SceneError(reason, element=preview(entry), advice=ADVICE)
        for name, allowed in zip(names, types, strict=True):
            type_ = self.declared.types.get(name)
            if type_ is None:
                reason = f"{name} is no object of the problem"
                raise SceneError(reason, element=preview(entry), advice=ADVICE)
            if type_ not in allowed:
                reason = f"{name} is a {type_}, not a {' or '.join(allowed)}"
                raise SceneError(reason, element=preview(entry), advice=ADVICE)

    def one(self, kind: str, name: str | None) -> str | None:
        """What the one fact of a kind says about an object."""
        return None if name is None else self.single.get(kind, {}).get(name)

    def holds(self, flag: str, name: str) -> bool:
        """Whether a fact with one argument is there."""
        return name in self.flags.get(flag, {})
