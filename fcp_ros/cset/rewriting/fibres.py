# SPDX-License-Identifier: Apache-2.0
"""Fibres: the part of K over each element and tuple of the image of L, along ``K -> L -> G``."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.dpo import collisions, conflict, describe_value_conflict
from fcp_ros.cset.rewriting.rule_plan import RulePlan

Classes: TypeAlias = list[tuple[int, ...]]
"""Ids of K, in one tuple those that are one element of D."""


class Fibres:
    """The image of L in a final pullback complement.

    Over the image of one element of L lie its preimages in K, each an element of D. Over the image
    of several there may be nothing of K, or one preimage each: these are then one element of D.
    With different numbers there is no pullback complement: pulled back to L, D has as much over
    each of them. Where each has the same number of copies, two or more, there is one if what they
    refer to tells which copies belong together; that is refused all the same, to keep this simple.
    """

    def __init__(self, plan: RulePlan, match: Morphism) -> None:
        """Find the fibres of a rule's left leg over the image of a natural match."""
        self._plan = plan
        self._match = match
        relations = {row: relation for relation, row, _ in plan.check.tuples}
        self.elements: dict[int, Classes] = {}
        self.tuples: dict[int, tuple[str, Classes]] = {}
        for id_, image in match.mapping.items():
            if image in self.elements or image in self.tuples:
                continue
            members = self._identified.get(image, [id_])
            classes = self._form_classes(members)
            if id_ in relations:
                self.tuples[image] = (relations[id_], classes)
            else:
                self.elements[image] = classes

    @cached_property
    def _identified(self) -> dict[int, list[int]]:
        return collisions(self._match)

    @cached_property
    def _preimages(self) -> Mapping[int, list[int]]:
        """The ids of K over each id of L."""
        found: dict[int, list[int]] = {id_: [] for id_ in self._match.mapping}
        for id_, original, _ in self._plan.glue:
            found[original].append(id_)
        return found

    def _form_classes(self, members: list[int]) -> Classes:
        if len(members) == 1:
            return [(id_,) for id_ in self._preimages[members[0]]]
        together = tuple(id_ for member in members for id_ in self._preimages[member])
        return [together] if together else []

    def violations(self) -> list[Violation]:
        """Find where the match identifies what K does not have once each, or not at all."""
        return [
            violation
            for image, members in self._identified.items()
            for violation in self._check_sizes(image, members)
        ]

    def _check_sizes(self, image: int, members: list[int]) -> Iterator[Violation]:
        sizes = {member: len(self._preimages[member]) for member in members}
        if set(sizes.values()) in ({0}, {1}):
            return
        lost = [member for member, size in sizes.items() if not size]
        if lost:
            yield conflict(self._match, image, members, lost)
            return
        what = self._match.target.name_of(image)
        source = self._match.source
        cloned = ", ".join(source.name_of(member) for member, size in sizes.items() if size > 1)
        text = (
            f"{what!r} is matched by {', '.join(map(source.name_of, members))}, and the rule "
            f"clones {cloned}: it cannot be told which copies stand for the others"
        )
        yield Violation(ViolationKind.IDENTIFICATION, text, (what,))

    def find_disagreements(self, glue: Mapping[int, int]) -> Iterator[Violation]:
        """Find elements of K that become one though they refer to different copies.

        Args:
            glue: the element of D for each one of K.
        """
        for image, class_ in self._list_identified():
            seen: dict[str, int] = {}
            for symbol, value in (pair for id_ in class_ for pair in self._refers[id_]):
                if seen.setdefault(symbol, glue[value]) != glue[value]:
                    yield self._describe_torn(image, class_, symbol)

    def find_value_conflicts(self) -> Iterator[Violation]:
        """Find attributes that one element of a class of K keeps, and another forgets."""
        forgotten = set(self._plan.forgotten)
        kept = set(self._plan.values_kept)
        for image, class_ in self._list_identified():
            for attribute in sorted({name for name, id_ in forgotten if id_ in class_}):
                if any((attribute, id_) in kept for id_ in class_):
                    yield describe_value_conflict(self._match.target, image, attribute)

    def _list_identified(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield (element or tuple of G, class) for classes with several members."""
        tuples = {row: classes for row, (_, classes) in self.tuples.items()}
        for image, classes in (self.elements | tuples).items():
            yield from ((image, class_) for class_ in classes if len(class_) > 1)

    def _describe_torn(self, image: int, class_: tuple[int, ...], symbol: str) -> Violation:
        what = self._match.target.name_of(image)
        names = ", ".join(map(self._plan.left.source.name_of, class_))
        text = f"{names} are all {what!r}, but the rule gives them different copies as {symbol!r}"
        return Violation(ViolationKind.IDENTIFICATION, text, (what,), symbol)

    @cached_property
    def _refers(self) -> Mapping[int, list[tuple[str, int]]]:
        """(function or leg, value) for everything in K."""
        inner = self._plan.left.source
        found: dict[int, list[tuple[str, int]]] = {id_: [] for id_ in self._plan.left.mapping}
        for function in inner.schema.functions:
            for element, value in inner.function_table(function.name).values.items():
                found[element].append((function.name, value))
        for relation in inner.schema.relations:
            names = [leg for leg, _ in relation.legs]
            for row, legs in inner.tuples(relation.name).items():
                found[row] = list(zip(names, legs, strict=True))
        return found

    def values(self, class_: tuple[int, ...]) -> dict[str, int]:
        """Return the function values, or legs, of a class of K, as ids of K."""
        return dict(pair for id_ in class_ for pair in self._refers[id_])
