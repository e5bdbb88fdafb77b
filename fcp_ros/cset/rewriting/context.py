# SPDX-License-Identifier: Apache-2.0
"""Contexts: the state without what a rule deletes, before anything is glued to it.

In the diagram of a rewrite, the context is D::

    L <----- K -----> R
    |        |        |
    G <----- D -----> H
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.instance.draft import Change
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.rule_plan import RulePlan


@dataclass(frozen=True, slots=True)
class Context:
    """D, written as a state and what is still to be taken from it.

    Attributes:
        state: G, or what cloning made of it.
        glue: K -> D: an id of the state for each element and tuple of K that is in D.
        elements: ids of the state to delete.
        tuples: (relation, id of the state) to delete.
        forgotten: (attribute, id of the state) to unset.
        cloning: how the state differs from G; None if it is G.
        origins: for each element and tuple that cloning made, what of G it is a copy of.
        lost: ids of R that are not glued, because what they stand for was deleted (SPO).
        lost_values: (attribute, id of R) that are not kept, for the same reason.
        violations: why there is no context; the rest is then meaningless.
    """

    state: Instance
    glue: Mapping[int, int] = field(default_factory=dict)
    elements: Collection[int] = ()
    tuples: Collection[tuple[str, int]] = ()
    forgotten: Collection[tuple[str, int]] = ()
    cloning: Change | None = None
    origins: Mapping[int, int] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()
    lost_values: frozenset[tuple[str, int]] = frozenset()
    violations: tuple[Violation, ...] = ()


class Deletion:
    """A set of elements and tuples to delete, with everything that refers to them.

    Attributes:
        elements: ids, in the order in which they were found.
        tuples: the relation of each tuple, by id.
    """

    def __init__(self, plan: RulePlan, state: Instance) -> None:
        """Start with nothing; the plan knows what may refer to what."""
        self._plan = plan
        self._state = state
        self.elements: dict[int, None] = {}
        self.tuples: dict[int, str] = {}

    @classmethod
    def of_match(cls, plan: RulePlan, match: Morphism) -> "Deletion":
        """Delete the image of ``L - K``, and everything that refers to it."""
        deletion, mapping = cls(plan, match.target), match.mapping
        deletion.add(
            [mapping[element] for element in plan.deleted_elements],
            [(relation, mapping[row]) for relation, row in plan.deleted_tuples],
        )
        return deletion

    def __contains__(self, id_: int) -> bool:
        return id_ in self.elements or id_ in self.tuples

    def add(self, elements: Iterable[int], tuples: Iterable[tuple[str, int]] = ()) -> None:
        """Delete these, and everything that refers to them."""
        self.tuples.update((row, relation) for relation, row in tuples)
        open_ = [element for element in elements if element not in self.elements]
        self.elements.update(dict.fromkeys(open_))
        while open_:
            open_.extend(self._spread(open_.pop()))

    def _spread(self, element: int) -> list[int]:
        """Delete what refers to an element; return the new elements among it."""
        incidence = self._plan.incidence(self._state.type_of(element))
        for relation, position, _ in incidence.legs:
            rows = self._state.relation_table(relation).index(position).get(element, ())
            self.tuples.update(dict.fromkeys(rows, relation))
        found = [
            source
            for function in incidence.functions
            for source in self._state.function_table(function).preimages().get(element, ())
            if source not in self.elements
        ]
        self.elements.update(dict.fromkeys(found))
        return list(dict.fromkeys(found))

    def list_tuples(self) -> list[tuple[str, int]]:
        """List (relation, id) of the tuples."""
        return [(relation, row) for row, relation in self.tuples.items()]


def find_undermined(
    state: Instance, glue: Mapping[int, int], deletion: Deletion
) -> Iterator[Violation]:
    """Find what a rule preserves although a function that it does not know would be deleted.

    This happens where an element is of a subtype with more functions than its type in the rule.
    """
    for image in dict.fromkeys(glue.values()):
        if image in deletion.elements:
            gone = [
                (function.name, state.apply(function.name, image))
                for function in state.schema.functions_of(state.type_of(image))
            ]
            function, value = next((f, v) for f, v in gone if v in deletion.elements)
            names = (state.name_of(value), state.name_of(image))
            text = (
                f"the rule preserves {names[1]!r}, but its {function!r} {names[0]!r} would be "
                f"deleted, and a function is never without a value"
            )
            yield Violation(ViolationKind.DANGLING, text, names, function)
