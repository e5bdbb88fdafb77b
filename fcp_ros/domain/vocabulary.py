# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of a domain: types with their parents, predicates with their parameters.

A tolerant view of a file that may still have faults (unknown parents, cyclic is_a), so that one run
reports all of them. `Vocabulary.of` gives the same view of a sound domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.cset.schema import closure, map_children
from fcp_ros.domain.model import Domain, Parameter


@dataclass(frozen=True)
class Vocabulary:
    """Types (name -> direct parents) and predicates (name -> parameters)."""

    parents: Mapping[str, tuple[str, ...]]
    relations: Mapping[str, tuple[Parameter, ...]]
    graded: Mapping[str, tuple[Parameter, ...]]

    @staticmethod
    def of(domain: Domain) -> Vocabulary:
        relations = {
            relation.name: tuple(Parameter(leg, type_) for leg, type_ in relation.legs)
            for relation in domain.schema.relations
        }
        graded = {name: predicate.parameters for name, predicate in domain.graded.items()}
        parents = {name: tuple(above) for name, above in domain.schema.types.items()}
        return Vocabulary(parents, relations, graded)

    def ancestors(self, type_: str) -> frozenset[str]:
        return ancestors(self.parents, type_)

    def is_subtype(self, sub: str, sup: str) -> bool:
        """Return True if every `sub` is a `sup`."""
        return sub == sup or sup in ancestors(self.parents, sub)

    def common_subtypes(self, types: Iterable[str]) -> tuple[str, ...]:
        """The largest types that lie below all the given ones, sorted by name."""
        return common_subtypes(self.parents, types)

    def signature(self, predicate: str) -> tuple[Parameter, ...] | None:
        """Return the parameters of a relation or graded predicate; None if it is unknown."""
        found = self.graded.get(predicate)
        return found if found is not None else self.relations.get(predicate)


def ancestors(parents: Mapping[str, tuple[str, ...]], type_: str) -> frozenset[str]:
    """Return the type and its known ancestors; circles do no harm."""
    return closure((type_,), parents).intersection(parents)


def common_subtypes(
    parents: Mapping[str, tuple[str, ...]], types: Iterable[str]
) -> tuple[str, ...]:
    """The largest types that lie below all the given ones, sorted by name."""
    # One type if the given ones form a chain; empty if no element can have all of them.
    wanted = set(types)
    if not wanted <= parents.keys():
        return ()
    children = map_children(parents)
    below = set(parents).intersection(*(closure((type_,), children) for type_ in wanted))
    # What is between two types that are below is below, too: direct parents are enough.
    return tuple(sorted(t for t in below if below.isdisjoint(parents[t])))
