# SPDX-License-Identifier: Apache-2.0
"""Homomorphism search: all ways in which a pattern occurs in an instance.

The pattern is joined atom by atom over the preimage indexes of the target (DESIGN section 7), in
the order that `join_order` finds, with backtracking on an explicit stack. Its slow obvious twin
(try every assignment) is in the tests.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from itertools import islice

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.search.join_order import join_order
from fcp_ros.cset.search.pattern import Atom, FunctionAtom, Pattern, RelationAtom, pattern_of


def find_homs(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool | Collection[str] = True,
    initial: Mapping[int, int] | None = None,
    allowed: Mapping[int, Collection[int]] | None = None,
    limit: int | None = None,
) -> Iterator[Morphism]:
    """The morphisms from `pattern` to `target`, lazily.

    An element of the pattern matches elements of its type and subtypes; attributes that are set in
    the pattern must be equal, those that are not set match anything.

    Args:
        pattern: what to find.
        target: where.
        monic: whether different elements and tuples must have different images; or the types (with
            their subtypes) and relations for which they must.
        initial: images that are fixed, by id of the pattern.
        allowed: the only images that some ids of the pattern may have.
        limit: at most so many morphisms; all of them by default.

    Raises:
        ValueError: schemas differ, or `initial` or `allowed` has an id that the pattern lacks.
        SchemaError: `monic` names a type or relation that does not exist.
    """
    if pattern.schema != target.schema:
        raise ValueError(
            f"the pattern has schema {pattern.schema.name!r}, the target "
            f"{target.schema.name!r}; they must be the same schema"
        )
    query = pattern_of(pattern)
    anchors = {_slot(query, id_, "initial"): image for id_, image in (initial or {}).items()}
    choices = {
        _slot(query, id_, "allowed"): images if isinstance(images, Set) else frozenset(images)
        for id_, images in (allowed or {}).items()
    }
    search = _Search(query, target, _monic_slots(pattern, query, monic), choices)
    bindings = search.run(anchors)
    ids = [slot.id for slot in query.slots]
    return _morphisms(pattern, target, ids, bindings, limit)


def find_hom(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool | Collection[str] = True,
    initial: Mapping[int, int] | None = None,
    allowed: Mapping[int, Collection[int]] | None = None,
) -> Morphism | None:
    """One morphism, or None where there is none; the arguments are those of `find_homs`."""
    found = find_homs(pattern, target, monic=monic, initial=initial, allowed=allowed, limit=1)
    return next(found, None)


def _morphisms(
    pattern: Instance,
    target: Instance,
    ids: list[int],
    bindings: Iterable[list[int]],
    limit: int | None,
) -> Iterator[Morphism]:
    for binding in islice(bindings, None if limit is None else max(0, limit)):
        yield Morphism(pattern, target, dict(zip(ids, binding, strict=True)))


def _slot(query: Pattern, id_: int, argument: str) -> int:
    slot = query.index.get(id_)
    if slot is None:
        raise ValueError(f"{argument!r} has id {id_}, which is no element of the pattern")
    return slot


def _monic_slots(
    pattern: Instance, query: Pattern, monic: bool | Collection[str]
) -> tuple[bool, ...]:
    if isinstance(monic, bool):
        return (monic,) * len(query.slots)
    wanted = frozenset().union(*(pattern.schema.subtypes(type_) for type_ in monic))
    return tuple(slot.type in wanted for slot in query.slots)


class _Search:
    """One search: what each slot is bound to so far (0 for nothing yet), and how to go on."""

    def __init__(
        self,
        query: Pattern,
        target: Instance,
        monic: tuple[bool, ...],
        allowed: Mapping[int, Set[int]],
    ) -> None:
        self.query = query
        self.target = target
        self.monic = monic
        self.allowed = allowed
        self.types = target.element_table().types
        self.binding = [0] * len(query.slots)
        self.used: set[int] = set()
        self.trail: list[int] = []

    def run(self, anchors: Mapping[int, int]) -> Iterator[list[int]]:
        """Every complete binding; the list is reused, so copy it before going on."""
        if not all(self.bind(slot, image) for slot, image in anchors.items()):
            return
        order = join_order(self.query, self.target, anchors, self.allowed)
        stack: list[Iterator[None]] = []
        while True:
            if len(stack) == len(order):
                yield self.binding
            else:
                stack.append(self.step(order[len(stack)]))
            while stack and next(stack[-1], self) is self:
                stack.pop()
            if not stack:
                return

    def step(self, atom: Atom) -> Iterator[None]:
        """Bind what the atom leaves open in every way that agrees with what is bound."""
        if isinstance(atom, RelationAtom):
            return self.relation_step(atom)
        if isinstance(atom, FunctionAtom):
            return self.function_step(atom)
        return self.element_step(atom.slot)

    def relation_step(self, atom: RelationAtom) -> Iterator[None]:
        rows = self.target.relation_table(atom.relation).rows
        for row in self.row_candidates(atom):
            mark = len(self.trail)
            if self.bind(atom.row, row) and all(map(self.bind, atom.legs, rows[row])):
                yield
            self.undo(mark)

    def row_candidates(self, atom: RelationAtom) -> Collection[int]:
        table = self.target.relation_table(atom.relation)
        row = self.binding[atom.row]
        if row:
            return (row,) if row in table.rows else ()
        legs = [self.binding[slot] for slot in atom.legs]
        if all(legs):
            found = table.by_legs.get(tuple(legs))
            return () if found is None else (found,)
        candidates: Collection[int] = table.rows
        for position, element in enumerate(legs):
            if element:
                bucket = table.index(position).get(element, ())
                if len(bucket) < len(candidates):
                    candidates = bucket
        return candidates

    def function_step(self, atom: FunctionAtom) -> Iterator[None]:
        table = self.target.function_table(atom.function)
        argument, value = self.binding[atom.argument], self.binding[atom.value]
        candidates: Iterable[int] = table.values
        if argument:
            candidates = (argument,) if argument in table.values else ()
        elif value:
            candidates = table.preimages().get(value, ())
        for candidate in candidates:
            mark = len(self.trail)
            image = table.values[candidate]
            if self.bind(atom.argument, candidate) and self.bind(atom.value, image):
                yield
            self.undo(mark)

    def element_step(self, slot: int) -> Iterator[None]:
        candidates: Collection[int] = self.target.elements(self.query.slots[slot].type)
        chosen = self.allowed.get(slot)
        if chosen is not None and len(chosen) < len(candidates):
            candidates = chosen
        for candidate in candidates:
            mark = len(self.trail)
            if self.bind(slot, candidate):
                yield
            self.undo(mark)

    def bind(self, slot: int, image: int) -> bool:
        """Bind a slot if the image may fill it, or check that it is bound to the image."""
        current = self.binding[slot]
        if current:
            return current == image
        if not self.fits(slot, image):
            return False
        if self.monic[slot]:
            if image in self.used:
                return False
            self.used.add(image)
        self.binding[slot] = image
        self.trail.append(slot)
        return True

    def fits(self, slot: int, image: int) -> bool:
        wanted = self.query.slots[slot]
        if wanted.accepted and self.types.get(image) not in wanted.accepted:
            return False
        if slot in self.allowed and image not in self.allowed[slot]:
            return False
        return all(self.target.attribute(image, name) == value for name, value in wanted.attributes)

    def undo(self, mark: int) -> None:
        """Forget everything that was bound since the trail had length `mark`."""
        while len(self.trail) > mark:
            slot = self.trail.pop()
            if self.monic[slot]:
                self.used.discard(self.binding[slot])
            self.binding[slot] = 0
