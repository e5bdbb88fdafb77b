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
from fcp_ros.cset.search.anchored_search import AnchoredSearch, MatchKey, anchors_of
from fcp_ros.cset.search.homs import find_homs
from fcp_ros.cset.search.pattern import pattern_of

_SMALLEST = 64
_FRACTION = 8


class MatchKeys(Collection[MatchKey]):
    """An immutable set of keys."""

    __slots__ = ("_base", "_changes", "_count")

    def __init__(self, keys: Iterable[MatchKey] = ()) -> None:
        """The set of these keys."""
        self._base: dict[MatchKey, None] = dict.fromkeys(keys)
        self._changes: Map[MatchKey, bool] = Map()
        self._count = len(self._base)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: object) -> bool:
        present = self._changes.get(key)  # type: ignore[call-overload]
        return key in self._base if present is None else bool(present)

    def __iter__(self) -> Iterator[MatchKey]:
        """The keys, in an order that is the same in every process."""
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

    def changed(self, without: Iterable[MatchKey], including: Iterable[MatchKey]) -> "MatchKeys":
        """The set without some keys, which it has, and with others, which it has not.

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
    """How the matches that a `MatchSet` holds are found, at first and from change to change."""

    @property
    def pattern(self) -> Instance:
        """Where the matches start."""

    def initial(self, state: Instance) -> Iterable[MatchKey]:
        """The matches in a state, each once."""

    def step(
        self, keys: MatchKeys, before: Instance, after: Instance, change: Change
    ) -> tuple[Iterable[MatchKey], Iterable[MatchKey]]:
        """Which matches a change ends, of those there are, and which others it brings about."""


class MatchSet(Collection[Morphism]):
    """Morphisms from a pattern to an instance, maintained: always what a new search would find.

    A value, like the instance that it belongs to: `updated` gives the match set of the next state
    and leaves this one as it is. So it serves a search that branches over states, a replay that
    goes back, and a monitor that follows the world, and nothing need ever be undone. Successive
    sets share what they have in common. A match is kept as the ids of its images; the morphisms are
    made when asked for.

    What a change ends, and what it brings about, is found in the same way, by a search in the old
    and one in the new state from each tuple, value or element that changed. An index from elements
    to the matches that contain them would find the former without a search, but it takes several
    times the space of the matches, and keeping it takes longer than such a search.
    """

    def __init__(
        self,
        maintenance: Maintenance,
        instance: Instance,
        keys: MatchKeys,
        last: "Transition | None" = None,
    ) -> None:
        """For `starting` and `updated` only."""
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
        """The matches that `find_homs` finds; arguments and errors as there."""
        return cls.starting(homs_maintenance(pattern, instance, monic, where), instance)

    @classmethod
    def starting(cls, maintenance: Maintenance, instance: Instance) -> "MatchSet":
        """The matches in an instance that are maintained in this way."""
        return cls(maintenance, instance, MatchKeys(maintenance.initial(instance)))

    def updated(self, after: Instance, change: Change) -> "MatchSet":
        """The match set of the next state.

        Args:
            after: a state that was made from this set's `instance`.
            change: how the two differ, as `InstanceBuilder.change` or `Rewrite.change` say.
        """
        before, keys = self.instance, self._keys
        ended, begun = self._maintenance.step(keys, before, after, change)
        last = Transition(before, tuple(sorted(ended)), tuple(sorted(begun)))
        if last.ended or last.begun:
            keys = keys.changed(last.ended, last.begun)
        return MatchSet(self._maintenance, after, keys, last)

    @property
    def pattern(self) -> Instance:
        """Where the matches start."""
        return self._maintenance.pattern

    @cached_property
    def appeared(self) -> tuple[Morphism, ...]:
        """The matches that the last update brought about; none before the first."""
        return tuple(self._morphisms(self._last.begun, self.instance)) if self._last else ()

    @cached_property
    def vanished(self) -> tuple[Morphism, ...]:
        """The matches that the last update ended, into the state before it."""
        return tuple(self._morphisms(self._last.ended, self._last.before)) if self._last else ()

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Morphism]:
        return self._morphisms(self._keys, self.instance)

    def __contains__(self, match: object) -> bool:
        """Whether a morphism from the pattern to the instance is one of the matches."""
        if not isinstance(match, Morphism) or len(match.mapping) != len(self._ids):
            return False
        return tuple([match.mapping.get(id_, 0) for id_ in self._ids]) in self._keys

    def __repr__(self) -> str:
        return f"<{len(self)} matches of {self.pattern!r} in {self.instance!r}>"

    @property
    def _ids(self) -> tuple[int, ...]:
        return pattern_of(self.pattern).ids

    def _morphisms(self, keys: Iterable[MatchKey], target: Instance) -> Iterator[Morphism]:
        return (morphism_of(self.pattern, target, key) for key in keys)


@dataclass(frozen=True, slots=True)
class Transition:
    """What the last update of a match set did.

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
    """Maintains all that `find_homs` finds.

    Attributes:
        pattern: what is matched.
        search: from what changes.
    """

    pattern: Instance
    search: AnchoredSearch

    def initial(self, state: Instance) -> Iterable[MatchKey]:
        """All matches."""
        search = self.search
        homs = find_homs(self.pattern, state, monic=search.monic, where=search.where)
        columns = homs.columns()
        if not columns:
            return [()] * homs.count()
        return zip(*(columns[id_].tolist() for id_ in search.pattern.ids), strict=True)

    def step(
        self, keys: MatchKeys, before: Instance, after: Instance, change: Change
    ) -> tuple[Iterable[MatchKey], Iterable[MatchKey]]:
        """The matches through what changed, in the old state or the new one but not in both."""
        old, new = self.search.before(before, change), self.search.after(after, change)
        return old - new, new - old


def homs_maintenance(
    pattern: Instance,
    target: Instance,
    monic: bool | Collection[str],
    where: Sequence[ValueComparison] = (),
) -> HomsMaintenance:
    """How the morphisms of a pattern are maintained; arguments and errors as in `find_homs`."""
    find_homs(pattern, target, monic=monic, where=where)
    query = pattern_of(pattern)
    options = monic if isinstance(monic, bool) else frozenset(monic)
    return HomsMaintenance(pattern, AnchoredSearch(query, anchors_of(query), options, tuple(where)))


def morphism_of(pattern: Instance, target: Instance, key: MatchKey) -> Morphism:
    """The match with this key; a variable whose attribute is not set in the target has no value."""
    query = pattern_of(pattern)
    values = {}
    for slot, image in zip(query.slots, key, strict=True):
        for attribute, name in slot.variables:
            value = target.attribute_table(attribute).get(image)
            if value is not None:
                values[name] = value
    return Morphism(pattern, target, dict(zip(query.ids, key, strict=True)), values)
