# SPDX-License-Identifier: Apache-2.0
"""Effects that arrive under another name: an expected fact is missing, an unknown relation is new.

A step should have made `holding(robot_1, mug_1)` true. The scene graph does not show it, but since
the step began it has `grasped(robot_1, mug_1)`, a relation that the domain doesn't have. Then
`grasped` may be perception's name for `holding`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from fcp_ros.alignment.synonyms import Synonym
from fcp_ros.cset import Fact
from fcp_ros.scene.graph.elements import SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph


@dataclass(frozen=True)
class StepView:
    """A step, as the scene graph shows it."""

    step: str
    expected: frozenset[Fact]  # the facts that it should make true
    missing: frozenset[Fact]  # those of them that the state after it lacks
    before: SceneGraph
    after: SceneGraph
    known: Collection[str]  # the relations of the domain, and others that are no candidates

    @cached_property
    def new(self) -> tuple[SceneRelation, ...]:
        """The relations of unknown names, of elements of the step, that are new since it began."""
        elements = {name for fact in self.expected for name in fact.arguments}
        found = {
            relation.key: relation
            for id_ in sorted(elements)
            if id_ in self.after.nodes
            for relation in self.after.relations_of(id_)
        }
        unknown = (found[key] for key in sorted(found) if key[0] not in self.known)
        return tuple(
            relation
            for relation in unknown
            if self.before.relation(relation.name, *relation.elements) is None
        )


@dataclass(frozen=True)
class Notice:
    """A pair of names that one step speaks for."""

    synonym: Synonym  # from perception's name to the domain's
    stated: str  # the fact as the scene graph states it
    expected: str  # the fact that the step should have made true
    step: str

    def __str__(self) -> str:
        return f"after {self.step} the scene has {self.stated}, and not {self.expected}"


def find_notices(view: StepView) -> Iterator[Notice]:
    """Yield the pairs of names that a step speaks for: new relations of the elements of a fact."""
    # A fact that names an element twice says nothing about the order of its arguments.
    for fact in sorted(view.missing):
        arguments = fact.arguments
        if len(set(arguments)) < len(arguments):
            continue
        for relation in view.new:
            if sorted(relation.elements) == sorted(arguments):
                places = tuple(relation.elements.index(name) for name in arguments)
                synonym = Synonym(relation.name, fact.relation, places)
                yield Notice(synonym, str(relation), str(fact), view.step)


def contradicts(view: StepView, synonym: Synonym) -> bool:
    """Return True if a step speaks against a pair: the unknown name is new, of other elements.

    `synonym`: from perception's name to the domain's.
    """
    found = [relation for relation in view.new if relation.name == synonym.source]
    if any(len(relation.elements) != len(synonym.places) for relation in found):
        return True
    stated = {
        Fact(synonym.target, tuple(relation.elements[place] for place in synonym.places))
        for relation in found
    }
    return not stated <= view.expected
