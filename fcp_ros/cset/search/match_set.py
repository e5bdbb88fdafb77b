# SPDX-License-Identifier: Apache-2.0
"""All matches of a pattern in a state, kept up to date from one state to the next."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from immutables import Map

from fcp_ros.cset.instance.draft import Change
from fcp_ros.cset.instance.expressions import ValueComparison
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.search.anchored_search import AnchoredSearch, MatchKey, find_anchors
from fcp_ros.cset.search.homs import find_homs
from fcp_ros.cset.search.pattern import analyse_pattern

_SMALLEST = 64
_FRACTION = 8
"""A set is rebuilt when more than `_SMALLEST` keys, and an eighth of its base, have changed."""


class MatchKeys(Collection[MatchKey]):
    """An immutable set of matches that shares memory with the set that it was made from.

    A match is its key. The set is a frozen base, and a persistent map of the keys that joined or
    left since. Once the map has grown to a fraction of the base, a new base is made; so a change
    costs the same on average, however large the set is.
    """

    __slots__ = ("_base", "_changes", "_count")

    def __init__(self, keys: Iterable[MatchKey] = ()) -> None:
        """Make the set of these keys."""
        self._base: dict[MatchKey, None] = dict.fromkeys(keys)
        self._changes: Map[MatchKey, bool] = Map()
        self._count = len(self._base)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: object) -> bool:
        present = self._changes.get(key)  # type: ignore[call-overload]
        return key in self._base if present is None else bool(present)

    def __iter__(self) -> Iterator[MatchKey]:
        """Iterate over the keys, in an order that is the same in every process."""
        changes = self._changes
        if not changes:
            yield from self._base
            return
        for key in self._base:
            if changes.get(key, True):
                yield key
        for key, present in changes.items():
            if present and key not in self._base:
                yield key

    def replace(self, without: Iterable[MatchKey], including: Iterable[MatchKey]) -> "MatchKeys":
        """Return the set without some of its keys, and with others that it lacks.

        Args:
            without: keys of this set.
            including: keys that are not in this set.
        """
        count = self._count
        changes = self._changes.mutate()
        for key in without:
            changes[key] = False
            count -= 1
        for key in including:
            changes[key] = True
            count += 1
        result = MatchKeys.__new__(MatchKeys)
        result._base, result._changes, result._count = self._base, changes.finish(), count
        if len(result._changes) > max(_SMALLEST, len(self._base) // _FRACTION):
            return MatchKeys(result)
        return result


class Maintenance(Protocol):
    """A way to find the matches of a `MatchSet`, initially and after each change."""

    @property
    def pattern(self) -> Instance:
        """The source of the matches."""

    def initial(self, state: Instance) -> Iterable[MatchKey]:
        """Find the matches in a state, each once."""

    def step(
        self, keys: MatchKeys, before: Instance, after: Instance, change: Change
    ) -> tuple[Iterable[MatchKey], Iterable[MatchKey]]:
        """Find the matches in the set that a change ends, and those that it brings about."""


class MatchSet(Collection[Morphism]):
    """Morphisms from a pattern to an instance, maintained: always what a new search would find.

    A value, like the instance that it belongs to: `update` returns the match set of the next state
    and leaves this one unchanged. So it serves a search that branches over states, a replay that
    goes back, and a monitor that follows the world. Successive sets share what they have in common.
    A match is kept as the ids of its images; morphisms are made on demand.

    The matches that a change ends, and those that it brings about, are found in the same way: by a
    search in the old and one in the new state from each tuple, value or element that changed. An
    index from elements to their matches would find the former without a search, but it takes
    several times the space of the matches, and maintaining it takes longer than such a search.
    """

    def __init__(
        self,
        maintenance: Maintenance,
        instance: Instance,
        keys: MatchKeys,
        last: "Transition | None" = None,
    ) -> None:
        """For `start` and `update` only."""
        self.instance = instance
        self._maintenance = maintenance
        self._keys = keys
        self._last = last

    @classmethod
    def of(
        cls,
        pattern: Instance,
        instance: Instance,
        *,
        monic: bool | Collection[str] = True,
        where: Sequence[ValueComparison] = (),
    ) -> "MatchSet":
        """Make the set of the matches that `find_homs` finds; arguments and errors as there."""
        return cls.start(maintain_homs(pattern, instance, monic, where), instance)

    @classmethod
    def start(cls, maintenance: Maintenance, instance: Instance) -> "MatchSet":
        """Make the set of the matches that a maintenance finds in an instance."""
        return cls(maintenance, instance, MatchKeys(maintenance.initial(instance)))

    def update(self, after: Instance, change: Change) -> "MatchSet":
        """Return the match set of the next state.

        Args:
            after: a state that was made from this set's `instance`.
            change: how the two differ, as `InstanceBuilder.change` or `Rewrite.change` say.
        """
        before, keys = self.instance, self._keys
        ended, begun = self._maintenance.step(keys, before, after, change)
        last = Transition(before, tuple(sorted(ended)), tuple(sorted(begun)))
        if last.ended or last.begun:
            keys = keys.replace(last.ended, last.begun)
        return MatchSet(self._maintenance, after, keys, last)

    @property
    def pattern(self) -> Instance:
        """The source of the matches."""
        return self._maintenance.pattern

    @cached_property
    def appeared(self) -> tuple[Morphism, ...]:
        """The matches that the last update brought about; none before the first."""
        return tuple(self._iterate_morphisms(self._last.begun, self.instance)) if self._last else ()

    @cached_property
    def vanished(self) -> tuple[Morphism, ...]:
        """The matches that the last update ended, into the state before it."""
        return (
            tuple(self._iterate_morphisms(self._last.ended, self._last.before))
            if self._last
            else ()
        )

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Morphism]:
        return self._iterate_morphisms(self._keys, self.instance)

    def __contains__(self, match: object) -> bool:
        """Return True if a morphism from the pattern to the instance is one of the matches."""
        if not isinstance(match, Morphism) or len(match.mapping) != len(self._ids):
            return False
        return tuple([match.mapping.get(id_, 0) for id_ in self._ids]) in self._keys

    def __repr__(self) -> str:
        return f"<{len(self)} matches of {self.pattern!r} in {self.instance!r}>"

    @property
    def _ids(self) -> tuple[int, ...]:
        return analyse_pattern(self.pattern).ids

    def _iterate_morphisms(self, keys: Iterable[MatchKey], target: Instance) -> Iterator[Morphism]:
        return (to_morphism(self.pattern, target, key) for key in keys)


@dataclass(frozen=True, slots=True)
class Transition:
    """The effect of the last update of a match set.

    Attributes:
        before: the state before.
        ended: the matches that are gone.
        begun: the matches that are new.
    """

    before: Instance
    ended: tuple[MatchKey, ...]
    begun: tuple[MatchKey, ...]


@dataclass(frozen=True, slots=True)
class HomsMaintenance:
    """Maintenance of everything that `find_homs` finds.

    Attributes:
        pattern: what is matched.
        search: from what changes.
    """

    pattern: Instance
    search: AnchoredSearch

    def initial(self, state: Instance) -> Iterable[MatchKey]:
        """Find all matches."""
        search = self.search
        homs = find_homs(self.pattern, state, monic=search.monic, where=search.where)
        columns = homs.columns()
        if not columns:
            return [()] * homs.count()
        return zip(*(columns[id_].tolist() for id_ in search.pattern.ids), strict=True)

    def step(
        self, keys: MatchKeys, before: Instance, after: Instance, change: Change
    ) -> tuple[Iterable[MatchKey], Iterable[MatchKey]]:
        """Find the matches through what changed, in one of the two states but not in both."""
        old, new = self.search.before(before, change), self.search.after(after, change)
        return old - new, new - old


def maintain_homs(
    pattern: Instance,
    target: Instance,
    monic: bool | Collection[str],
    where: Sequence[ValueComparison] = (),
) -> HomsMaintenance:
    """Maintain the morphisms of a pattern; arguments and errors as in `find_homs`."""
    find_homs(pattern, target, monic=monic, where=where)
    query = analyse_pattern(pattern)
    options = monic if isinstance(monic, bool) else frozenset(monic)
    return HomsMaintenance(
        pattern, AnchoredSearch(query, find_anchors(query), options, tuple(where))
    )


def to_morphism(pattern: Instance, target: Instance, key: MatchKey) -> Morphism:
    """Make the match with this key; variables whose attribute is unset get no value."""
    query = analyse_pattern(pattern)
    values = {}
    for slot, image in zip(query.slots, key, strict=True):
        for attribute, name in slot.variables:
            value = target.attribute_table(attribute).get(image)
            if value is not None:
                values[name] = value
    return Morphism(pattern, target, dict(zip(query.ids, key, strict=True)), values)
