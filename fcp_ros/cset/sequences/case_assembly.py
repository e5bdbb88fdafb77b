# SPDX-License-Identifier: Apache-2.0
"""Cases: in which ways a larger pattern can come about after some steps, in terms of the start.

A pattern P that extends what is known after the steps has an extension there exactly when one of
finitely many patterns had one at the start. They differ in which parts of P are what the steps
created; the other parts must have been there, and must not be what the steps deleted. This is the
shift of a condition along a morphism, and its translation over a rule (Ehrig et al. 2006, section
7.2; Habel and Pennemann 2009, section 3), also for extensions that may identify elements.

States are taken to keep their functional legs, so that two tuples with the same key are one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.conditions.conditions import Condition
from fcp_ros.cset.instance.expressions import Expression
from fcp_ros.cset.sequences.case_values import CaseValues, Impossible
from fcp_ros.cset.sequences.frame import Frame
from fcp_ros.cset.sequences.identifications import Assignment, choices, may_be, partitions
from fcp_ros.cset.sequences.known_state import CompositionError
from fcp_ros.cset.sequences.pattern_draft import Key, Legs, PatternDraft, Place
from fcp_ros.cset.sequences.run_names import RunNames


@dataclass
class Case:
    """One way in which a condition's pattern can come about.

    Attributes:
        pattern: what there must have been at the start; it extends the frame's.
        images: where each element and tuple of the condition's pattern is: keys of `pattern`, or
            of what the steps created.
        values: what the condition's variables stand for, and what they must satisfy.
        monic: whether what is in `pattern` must be different.
        apart: otherwise, what must: new keys with the old ones that they must not be, all at once.
    """

    pattern: PatternDraft
    images: Assignment
    values: CaseValues
    monic: bool
    apart: list[dict[Key, Key]] = field(default_factory=list)

    def says_nothing(self, frame: Frame) -> bool:
        """Whether the case asks for nothing beyond the frame."""
        return not self.values.where and self.pattern == frame.before


def cases_of(
    condition: Condition,
    frame: Frame,
    source: Mapping[int, Key],
    values: Mapping[str, Expression],
    names: RunNames,
    *,
    rigid: bool,
    counted: bool,
) -> Iterator[Case]:
    """The cases of a condition.

    Args:
        condition: with an inclusion of its source in a pattern P.
        frame: what the source is part of.
        source: the key of each element and tuple of the source.
        values: what the variables of the source stand for.
        names: for what is new.
        rigid: whether cases differ in all that may be identified, so that each is told by monic
            extensions; otherwise they differ only in what matters.
        counted: whether no extension may belong to two cases.

    Raises:
        CompositionError: there are too many, or a case cannot be told.
    """
    base: Assignment = {}
    for id_, key in source.items():
        if base.setdefault(condition.inclusion.mapping[id_], key) != key:
            return  # P identifies what is different here
    if condition.monic and len(set(base.values())) < len(base):
        return
    found: Iterator[Assignment]
    if rigid:
        found = partitions(condition.pattern, frame, base, names, monic=condition.monic)
    else:
        found = iter(choices(condition.pattern, frame, base))
    seen = set()
    for assignment in found:
        assembly = _Assembly(condition, frame, assignment, CaseValues(values, names), names)
        try:
            assembly.close()
            place = frozenset(assembly.images.items())
            if place not in seen:
                seen.add(place)
                yield assembly.case(rigid, counted)
        except Impossible:
            continue


class _Assembly:
    """A case in the making."""

    def __init__(
        self,
        condition: Condition,
        frame: Frame,
        assignment: Assignment,
        values: CaseValues,
        names: RunNames,
    ) -> None:
        self.condition = condition
        self.source = condition.inclusion
        self.given = condition.inclusion.image()
        self.wanted = condition.pattern
        self.schema = condition.pattern.schema
        self.frame = frame
        self.images = dict(assignment)
        self.values = values
        self.names = names
        self.pattern = frame.before.copy()
        self.fresh: set[Key] = set()
        self.new_tuples: dict[Key, tuple[str, Legs]] = {}

    # --- what follows from what is identified

    def close(self) -> None:
        """Add what functions and functional legs determine."""
        size = -1
        while size != len(self.images):
            size = len(self.images)
            for function in self.schema.functions:
                table = self.wanted.function_table(function.name)
                for element, value in table.values.items():
                    known = self.frame.after.functions.get(
                        (function.name, self.images.get(element, -1))
                    )
                    if known is not None:
                        self._force(value, known)
            for relation in self.schema.relations:
                for leg in relation.functional:
                    self._close_key(relation.name, relation.position(leg))

    def _close_key(self, relation: str, position: int) -> None:
        for row, legs in self.wanted.tuples(relation).items():
            element = self.images.get(legs[position])
            if row in self.given or element is None:
                continue
            found = next(self.frame.after.with_key(relation, position, element), None)
            if found is not None:
                for leg, image in zip(legs, self.frame.after.tuples[found][1], strict=True):
                    self._force(leg, image)
            elif any(self.frame.before.with_key(relation, position, element)):
                raise Impossible  # the one that there was is deleted

    def _force(self, element: int, key: Key) -> None:
        if self.images.setdefault(element, key) != key:
            raise Impossible
        if not may_be(self.wanted, element, self.frame, key):
            raise Impossible

    # --- the pattern

    def case(self, rigid: bool, counted: bool) -> Case:
        """The case.

        Raises:
            Impossible: there is none.
        """
        for element in self.wanted.all_elements():
            self._place_element(element)
        for function in self.schema.functions:
            table = self.wanted.function_table(function.name)
            for element, value in table.values.items():
                self._place_function(function.name, element, value, rigid)
        for relation in self.schema.relations:
            for row, legs in self.wanted.tuples(relation.name).items():
                self._place_tuple(row, relation.name, legs)
        self.values.require(self._wanted_values(), self.frame, self.pattern, self.condition.where)
        apart = [] if rigid else list(self._apart(counted))
        return Case(self.pattern, self.images, self.values, rigid, apart)

    def _place_element(self, element: int) -> None:
        type_ = self.wanted.type_of(element)
        key = self.images.setdefault(element, self.names.key())
        if not self.frame.knows(key):
            if key not in self.fresh:
                self.fresh.add(key)
                self.pattern.types[key] = type_
                self.pattern.names[key] = self.names.element(self.wanted.name_of(element))
            known = self.pattern.types[key]
        elif key in self.frame.created:
            if not self.schema.is_subtype(self.frame.after.types[key], type_):
                raise Impossible
            return
        else:
            known = self.pattern.types[key]
        if self.schema.is_subtype(known, type_):
            return
        if not self.schema.is_subtype(type_, known):
            if self.schema.subtypes(known).isdisjoint(self.schema.subtypes(type_)):
                raise Impossible
            raise CompositionError(
                f"condition {self.condition.name!r} may concern an element that is both a "
                f"{known!r} and a {type_!r}, of which none is a subtype of the other"
            )
        self.pattern.types[key] = type_

    def _place_function(self, function: str, element: int, value: int, rigid: bool) -> None:
        key, image = self.images[element], self.images[value]
        if (function, key) in self.frame.after.functions:
            return
        if image in self.frame.created:
            raise Impossible
        if self.pattern.functions.setdefault((function, key), image) != image:
            if rigid:
                raise Impossible
            raise CompositionError(
                f"condition {self.condition.name!r} may identify values of {function!r}"
            )

    def _place_tuple(self, row: int, relation: str, legs: Legs) -> None:
        images = tuple([self.images[leg] for leg in legs])
        found = self.frame.after.find(relation, images)
        if found is None:
            if not self.frame.created.isdisjoint(images):
                raise Impossible
            if (relation, images) in self.frame.removed:
                raise Impossible
            found = self.pattern.find(relation, images)
        if found is None:
            found = self.names.key()
            self.pattern.tuples[found] = self.new_tuples[found] = (relation, images)
        self.images[row] = found

    def _wanted_values(self) -> list[tuple[Place, Expression]]:
        """What the pattern wants beyond its source."""
        given = {
            (image, attribute)
            for id_, image in self.source.mapping.items()
            for attribute in self.source.source.attributes(id_)
        }
        ids = [*self.wanted.all_elements()]
        for relation in self.schema.relations:
            ids.extend(self.wanted.tuples(relation.name))
        return [
            ((self.images[id_], attribute), value)
            for id_ in ids
            for attribute, value in self.wanted.attributes(id_).items()
            if (id_, attribute) not in given
        ]

    # --- what must be different

    def _apart(self, counted: bool) -> Iterator[dict[Key, Key]]:
        """What the new elements must not be, since it is deleted, or told by other cases."""
        placed: set[Key] = set()
        for key, (relation, legs) in self.new_tuples.items():
            placed.update(legs)
            for name, olds in self._other_tuples(key, counted):
                if name == relation and self._can_coincide(legs, olds):
                    yield {n: o for n, o in zip(legs, olds, strict=True) if n in self.fresh}
        for key in sorted(self.fresh):
            others = self.frame.changed(self.pattern.values_of(key))
            if key not in placed:
                # An element with a tuple cannot have been deleted: the tuple would dangle.
                others |= self.frame.deleted
            for old in sorted(others):
                if old in self.frame.before.types and self._can_coincide((key,), (old,)):
                    yield {key: old}

    def _other_tuples(self, key: Key, counted: bool) -> Iterator[tuple[str, Legs]]:
        """The tuples that a new one must not be."""
        changed = self.frame.changed(self.pattern.values_of(key))
        for other, content in self.frame.before.tuples.items():
            if other in self.frame.deleted or other in changed:
                yield content
        if counted:
            for other, content in self.frame.after.tuples.items():
                if other in self.frame.created:
                    yield content

    def _can_coincide(self, news: Legs, olds: Legs) -> bool:
        met: dict[Key, Key] = {}
        for new, old in zip(news, olds, strict=True):
            if new not in self.fresh:
                if new != old:
                    return False
            elif old not in self.frame.before.types or met.setdefault(new, old) != old:
                return False
            else:
                types = (self.pattern.types[new], self.frame.before.types[old])
                if self.schema.subtypes(types[0]).isdisjoint(self.schema.subtypes(types[1])):
                    return False
        return True
