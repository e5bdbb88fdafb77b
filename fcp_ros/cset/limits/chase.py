# SPDX-License-Identifier: Apache-2.0
"""The chase: complete generators and equations to the instance that they present.

The generalisation of Todd and Coxeter's enumeration of cosets to actions of categories (Carmody,
Leeming and Walters, *The Todd-Coxeter procedure and left Kan extensions*, 1995), or in the words of
databases a standard chase for a cartesian theory (Meyers, Spivak and Wisnesky, *Fast left Kan
extensions using the chase*, 2022). Elements are completed in order of creation. So the chase is
fair: it ends whenever the presented instance is finite.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.constraints import find_conflicts
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.limits.congruence import Congruence
from fcp_ros.cset.limits.diagrams import LimitError, PresentationError
from fcp_ros.cset.schema.schema import PathEquation, Schema, TypeName


class FunctionalLegs(str, Enum):
    """The reading of "at most one tuple for each element in this leg" when things are glued.

    Where gluing breaks no functional leg, all three give the same.
    """

    REFUSE = "refuse"
    """A broken functional leg is an error: the two other readings differ, so choose one of them."""
    MERGE = "merge"
    """Tuples with one element in a functional leg are one tuple, so that their other legs are
    glued, too: the colimit among the instances that keep their functional legs (a chase with
    equality-generating dependencies)."""
    KEEP = "keep"
    """All tuples stay: the colimit among all instances; `find_conflicts` says what
    is broken."""


_NESTED = 8
"""Elements more functions away from a given one are named by their type, to keep names short."""


class Chase:
    """Given nodes, the statements about them, and all that follows."""

    def __init__(self, schema: Schema, functional: FunctionalLegs) -> None:
        """Start without nodes."""
        self.schema = schema
        self.congruence = Congruence(schema)
        self._names: dict[int, str] = {}
        self._origins: dict[int, tuple[int, str]] = {}
        self._depths: dict[int, int] = {}
        self._queue: deque[int] = deque()
        self._fields: dict[TypeName, dict[str, TypeName]] = {}
        self._equations: dict[TypeName, tuple[PathEquation, ...]] = {}
        self._keys: dict[str, dict[str, tuple[str, int]]] = {
            relation.name: {leg: (relation.name, relation.position(leg)) for leg in keys}
            for relation in schema.relations
            if (keys := relation.functional) and functional is FunctionalLegs.MERGE
        }

    # --- statements

    def add(self, type_: TypeName, name: str | None, *, complete: bool = False) -> int:
        """Add a node of a type or a relation.

        Args:
            type_: the type or the relation.
            name: what to call it; a tuple needs no name.
            complete: whether the caller sets all its values, which obey the equations.
        """
        node = self.congruence.add(type_)
        if name is not None:
            self._names[node] = name
        if not complete:
            self._queue.append(node)
        return node

    def set(self, node: int, field: str, value: int) -> None:
        """State a function value, or the element in a leg, and narrow it to the right type."""
        self.congruence.narrow(value, self.target(node, field))
        self.set_typed(node, field, value)

    def set_typed(self, node: int, field: str, value: int) -> None:
        """State a value as `set` does, if it is known to be of the right type."""
        self.congruence.set_value(node, field, value)
        if self._keys:
            key = self._keys.get(self.congruence.types(node)[0], {}).get(field)
            if key is not None:
                self.congruence.set_value(value, key, node)

    def target(self, node: int, field: str) -> TypeName:
        """Return the type that a function, or a leg, of a node leads to.

        Raises:
            PresentationError: the node has no such function.
        """
        types = self.congruence.types(node)
        for type_ in types:
            found = self.fields(type_).get(field)
            if found is not None:
                return found
        raise PresentationError(
            f"{self.name(node)!r} is a {' and '.join(types)}, which has no function {field!r}; "
            f"it has: {', '.join(n for type_ in types for n in self.fields(type_)) or 'none'}"
        )

    def fields(self, type_: TypeName) -> dict[str, TypeName]:
        """Return the functions of a type, or the legs of a relation, with their targets."""
        found = self._fields.get(type_)
        if found is None:
            if self.schema.has_relation(type_):
                found = dict(self.schema.relation(type_).legs)
            else:
                found = {f.name: f.target for f in self.schema.functions_of(type_)}
            self._fields[type_] = found
        return found

    def at(self, node: int, path: Sequence[str]) -> int:
        """Follow a path, creating elements that are missing; return the node at its end."""
        for step in path:
            value = self.congruence.value(node, step)
            node = self._create(node, step) if value is None else value
        return node

    # --- completion

    def run(self, bound: int) -> None:
        """Create what is missing and merge what is equal, until nothing of either is left.

        Args:
            bound: maximum number of elements besides the given ones.

        Raises:
            ValueError: the bound is negative.
            PresentationError: there are more; the message names the cycle of functions that never
            ends.
            LimitError: elements must be equal whose types or attributes cannot be.
        """
        if bound < 0:
            raise ValueError(f"the bound is {bound}; give a number that is not negative")
        congruence = self.congruence
        most = bound + congruence.classes
        # A class whose type was narrowed has more functions and equations than when it was
        # completed.
        while self._queue or congruence.narrowed:
            self._queue.extend(congruence.narrowed)
            congruence.narrowed.clear()
            if self._queue:
                self._complete(self._queue.popleft())
            if congruence.classes > most:
                raise PresentationError(self._describe_excess(bound))
        self._reflect()
        self._check()

    def _complete(self, node: int) -> None:
        for type_ in self.congruence.types(node):
            for equation in self._find_equations(type_):
                self._equate(node, equation)
        for type_ in self.congruence.types(node):
            for field in self.fields(type_):
                if self.congruence.value(node, field) is None:
                    self._create(node, field)

    def _equate(self, node: int, equation: PathEquation) -> None:
        """Apply an equation; a path that lacks its last value gets it from the other one."""
        short, long = sorted((equation.left, equation.right), key=len)
        if not long:
            return
        end, last = self.at(node, short), self.at(node, long[:-1])
        self.set(last, long[-1], end)

    def _create(self, node: int, field: str) -> int:
        node = self.congruence.find(node)
        value = self.congruence.add(self.target(node, field))
        self._origins[value] = (node, field)
        self._depths[value] = self._depths.get(node, 0) + 1
        self._queue.append(value)
        self.set_typed(node, field, value)
        return value

    def _find_equations(self, type_: TypeName) -> tuple[PathEquation, ...]:
        found = self._equations.get(type_)
        if found is None:
            is_subtype = self.schema.is_subtype
            found = tuple(e for e in self.schema.equations if is_subtype(type_, e.source))
            self._equations[type_] = found
        return found

    def _reflect(self) -> None:
        """Merge tuples with the same legs: relations are sets."""
        first: dict[tuple[str, tuple[int, ...]], int] = {}
        for node in self.roots():
            types = self.congruence.types(node)
            if self.schema.has_relation(types[0]):
                other = first.setdefault((types[0], self.legs(node)), node)
                self.congruence.merge(other, node)

    def _check(self) -> None:
        for node in self.roots():
            types = self.congruence.types(node)
            if len(types) > 1:
                raise LimitError(
                    f"{self.members(node)} must be one element, but {', '.join(map(repr, types))} "
                    "have no greatest common subtype that it could be of"
                )
        for clash in self.congruence.clashes:
            names = self.members(clash.node)
            raise LimitError(
                f"{names} must be one, but {clash.attribute!r} cannot be: {clash.reason}"
            )

    # --- results

    def roots(self) -> Iterator[int]:
        """Yield a node for each element and each tuple, in order of creation."""
        return (node for node in range(len(self.congruence)) if self.congruence.is_root(node))

    def legs(self, node: int) -> tuple[int, ...]:
        """Return the roots of the elements of a tuple."""
        return tuple(
            self.congruence.find(self.at(node, (leg,)))
            for leg in self.fields(self.congruence.types(node)[0])
        )

    def name(self, node: int) -> str:
        """Name an element: a generator's own name, or the functions that lead to it."""
        steps: list[str] = []
        current = root = self.congruence.find(node)
        while current not in self._names and current in self._origins and len(steps) < _NESTED:
            parent, step = self._origins[current]
            steps.append(step)
            current = self.congruence.find(parent)
        name = self._names.get(current)
        if name is None:
            return self._plain_name(root)
        return "".join(f"{step}(" for step in steps) + name + ")" * len(steps)

    def members(self, node: int) -> str:
        """List the names of the given nodes in a node's class, for a message."""
        root = self.congruence.find(node)
        names = [f"{n!r}" for g, n in self._names.items() if self.congruence.find(g) == root]
        return ", ".join(names[:8]) or repr(self.name(node))

    def _plain_name(self, node: int) -> str:
        types = self.congruence.types(node)
        if not self.schema.has_relation(types[0]):
            return types[0]
        legs = (self.congruence.value(node, leg) for leg in self.fields(types[0]))
        shown = ("?" if leg is None else self.name(leg) for leg in legs)
        return f"{types[0]}({', '.join(shown)})"

    def _describe_excess(self, bound: int) -> str:
        node = max(self._depths, key=lambda node: (self._depths[node], node))
        path: list[str] = []
        while node in self._origins:
            node, step = self._origins[node]
            path.append(step)
        reason = describe_endless_cycle(self.congruence, node, path[::-1])
        return f"more than {bound} elements besides those that are given: {reason}"


_LONGEST = 50
"""Maximum length of the cycles that are looked for."""


def describe_endless_cycle(congruence: Congruence, start: int, path: Sequence[str]) -> str:
    """Describe in a sentence the functions that keep creating elements, with a remedy.

    A cycle is blamed where following it from its first element, as far as elements have been
    created, never comes back to one that was passed.

    Args:
        congruence: where elements are created.
        start: a node that was given.
        path: the functions that lead from it to the element that is furthest away.
    """
    nodes = [congruence.find(start)]
    for step in path:
        nodes.append(_follow(congruence, nodes[-1], (step,)) or nodes[-1])
    types = [congruence.types(node)[0] for node in nodes]
    for first, length in _list_cycles(types, path):
        cycle = path[first : first + length]
        if _goes_on(congruence, nodes[types.index(types[first])], cycle):
            arrows = "".join(
                f" -{step}-> {type_}"
                for step, type_ in zip(cycle, types[first + 1 :], strict=False)
            )
            return (
                f"the cycle of functions {types[first]}{arrows} seems to lead to ever new "
                "elements; add an equation that ends it, or raise the bound"
            )
    return "no cycle of functions was seen that leads to ever new elements, so raise the bound"


def _list_cycles(types: Sequence[str], path: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield (start, length) of the different parts of a path that are cycles, short ones first."""
    seen = set()
    for length in range(1, min(len(path), _LONGEST) + 1):
        for first in range(len(path) - length + 1):
            word = (types[first], *path[first : first + length])
            if types[first] == types[first + length] and word not in seen:
                seen.add(word)
                yield first, length


def _goes_on(congruence: Congruence, node: int, cycle: Sequence[str]) -> bool:
    """Return True if following a cycle never comes back to a node that was passed."""
    passed = {node}
    while True:
        following = _follow(congruence, node, cycle)
        if following is None:
            return True
        if following in passed:
            return False
        passed.add(following)
        node = following


def _follow(congruence: Congruence, node: int, path: Sequence[str]) -> int | None:
    for step in path:
        value = congruence.value(node, step)
        if value is None:
            return None
        node = congruence.find(value)
    return node


def read_out(chase: Chase, functional: FunctionalLegs) -> tuple[Instance, dict[int, int]]:
    """Build the instance with one element, or tuple, for each class of nodes.

    Args:
        chase: one that has run.
        functional: whether a functional leg may be broken.

    Returns:
        The instance, and the id in it for the root of each class.

    Raises:
        LimitError: a functional leg is broken and may not be, or a variable stands for a value that
            an attribute does not admit.
    """
    schema, congruence = chase.schema, chase.congruence
    builder, names = InstanceBuilder(schema), FreeNames()
    ids: dict[int, int] = {}
    elements: list[tuple[int, str]] = []
    tuples: list[tuple[int, str]] = []
    for node in chase.roots():
        type_ = congruence.types(node)[0]
        (tuples if schema.has_relation(type_) else elements).append((node, type_))
    for node, type_ in elements:
        ids[node] = builder.add(type_, names.take(chase.name(node)))
    for node, type_ in elements:
        for function in chase.fields(type_):
            value = congruence.find(chase.at(node, (function,)))
            builder.set_function(function, ids[node], ids[value])
    for node, relation in tuples:
        ids[node] = builder.relate(relation, *(ids[leg] for leg in chase.legs(node)))
    try:
        for node, id_ in ids.items():
            for attribute, stated in congruence.attributes(node).items():
                resolved: Any = congruence.unifier.resolve(stated)
                builder.set_attribute(id_, attribute, resolved)
        instance = builder.build(allow_conflicts=True)
    except InstanceError as error:
        raise LimitError(f"no instance: {error}") from error
    if functional is FunctionalLegs.REFUSE:
        _refuse_conflicts(instance)
    return instance, ids


def _refuse_conflicts(instance: Instance) -> None:
    conflicts = find_conflicts(instance)
    if conflicts:
        raise LimitError(
            "; ".join(conflict.message for conflict in conflicts)
            + "; choose FunctionalLegs.MERGE to glue what must be equal then, or KEEP to leave it"
        )
