# SPDX-License-Identifier: Apache-2.0
"""Copies: the elements that D has over each element of G in a final pullback complement."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.limits.diagrams import PresentationError, collect_values
from fcp_ros.cset.limits.presentation import Term, extend, present
from fcp_ros.cset.rewriting.rule_plan import RulePlan
from fcp_ros.cset.schema.schema import PathEquation, Schema

Choice = Mapping[str, int]


class Copies:
    """The elements of D over those of G, and their function values.

    Copies have provisional ids, which no element of G has; the first copy of an element is the
    element itself.

    Attributes:
        original: the element of G that a provisional id is a copy of.
        changed: (function, id) with its value in D, where the id is new or the value is.
    """

    def __init__(self, state: Instance) -> None:
        """Start with one copy of everything, itself."""
        self._state = state
        self._copies: dict[int, tuple[int, ...]] = {}
        self._next = state.next_id()
        self.original: dict[int, int] = {}
        self.changed: dict[tuple[str, int], int] = {}

    def of(self, element: int) -> tuple[int, ...]:
        """Return the elements of D over an element of G."""
        return self._copies.get(element, (element,))

    def make(self, element: int, count: int) -> tuple[int, ...]:
        """Give an element `count` copies, the first of which is itself."""
        fresh = tuple(range(self._next, self._next + max(0, count - 1)))
        self._next += len(fresh)
        self.original.update(dict.fromkeys(fresh, element))
        self._copies[element] = (element, *fresh)[:count]
        return self._copies[element]

    def value(self, function: str, copy: int) -> int:
        """Return the value of a function in D."""
        found = self.changed.get((function, copy))
        return self._state.function_table(function).values[copy] if found is None else found

    def set(self, function: str, copy: int, value: int) -> None:
        """Set the value of a function in D."""
        if self._state.function_table(function).values.get(copy) != value:
            self.changed[function, copy] = value

    def list_choices(
        self, originals: Mapping[str, int], equations: Sequence[PathEquation]
    ) -> list[dict[str, int]]:
        """List the ways to choose copies of what an element or tuple outside of L refers to.

        Args:
            originals: what it refers to in G, by function or leg.
            equations: those that start at it.

        Returns:
            For each way the copies, by function or leg; the originals first, if they are one.
        """
        ways = (
            dict(zip(originals, chosen, strict=True))
            for chosen in product(*(self.of(element) for element in originals.values()))
        )
        return [way for way in ways if all(self._agree(way, equation) for equation in equations)]

    def _agree(self, way: Choice, equation: PathEquation) -> bool:
        if not equation.left or not equation.right:
            # A path leads back to its start: it is inside of L, or in a cycle (see `copy_cyclic`).
            return True
        return self._follow(way, equation.left) == self._follow(way, equation.right)

    def _follow(self, way: Choice, path: Sequence[str]) -> int:
        first, *rest = path
        place = way[first]
        for function in rest:
            place = self.value(function, place)
        return place

    def list_deleted(self) -> Iterator[int]:
        """Yield the elements of G that have no copy."""
        return (element for element, copies in self._copies.items() if not copies)


_START = "start"
_MOST_PATHS = 1_000

Lift = Mapping[int, int]


@dataclass(frozen=True)
class _Unfolding:
    """The paths from an element; paths that the path equations make equal are one.

    Attributes:
        paths: an instance with an element for each path.
        start: the empty path.
        ends: the element of G to which each path leads.
    """

    paths: Instance
    start: int
    ends: Mapping[int, int]


def copy_cyclic(state: Instance, copies: Copies, waiting: Mapping[int, Mapping[str, int]]) -> None:
    """Copy elements whose copies depend on each other, like the edges of symmetric graphs.

    Over an element g the final pullback complement has the lifts along D -> G of the morphism to G
    that g is, from the freest instance with one element of its type (the Yoneda lemma). Elements of
    that instance are paths from g: a lift chooses a copy of the end of each path whose copies are
    known.

    Args:
        state: G.
        copies: of everything else; completed here.
        waiting: the elements, with what their functions lead to.

    Raises:
        PresentationError: there are infinitely many paths from one, or more than 1,000.
    """
    unfoldings = {element: _unfold(state, element) for element in waiting}
    lifts: dict[int, list[Lift]] = {}
    numbers: dict[int, dict[frozenset[tuple[int, int]], int]] = {}
    for element, unfolding in unfoldings.items():
        lifts[element] = list(_enumerate_lifts(unfolding, copies, waiting.keys()))
        made = copies.make(element, len(lifts[element]))
        keys = (frozenset(lift.items()) for lift in lifts[element])
        numbers[element] = dict(zip(keys, made, strict=True))
    for element, values in waiting.items():
        here = unfoldings[element]
        for lift, copy in zip(lifts[element], numbers[element].values(), strict=True):
            for function, value in values.items():
                place = here.paths.apply(function, here.start)
                if value in waiting:
                    rest = _restrict(lift, here.paths, place, unfoldings[value])
                    copies.set(function, copy, numbers[value][rest])
                else:
                    copies.set(function, copy, lift[place])


def _unfold(state: Instance, element: int) -> _Unfolding:
    """Build the paths from an element, through elements of the types that the state has there."""
    types = {_START: state.type_of(element)}
    equations: list[tuple[Term, str]] = []
    while True:
        presented = present(state.schema, types, equations, bound=_MOST_PATHS)
        start = presented.generators[_START]
        ends, routes = {start: element}, {start: Term(_START)}
        places = list(_walk(presented.instance, state, ends, routes))
        narrower = [p for p in places if presented.instance.type_of(p) != state.type_of(ends[p])]
        if not narrower:
            return _Unfolding(presented.instance, start, ends)
        for place in narrower:
            # What a function leads to may be of a subtype, with functions of its own.
            name = f"{_START}_{len(types)}"
            types[name] = state.type_of(ends[place])
            equations.append((routes[place], name))


def _walk(
    paths: Instance, state: Instance, ends: dict[int, int], routes: dict[int, Term]
) -> Iterator[int]:
    """Yield every path, after its end and its functions have been noted."""
    open_ = list(ends)
    while open_:
        place = open_.pop()
        for function in paths.schema.functions_of(paths.type_of(place)):
            value = paths.apply(function.name, place)
            if value not in ends:
                ends[value] = state.apply(function.name, ends[place])
                routes[value] = Term(_START, (*routes[place].path, function.name))
                open_.append(value)
        yield place


def _enumerate_lifts(
    unfolding: _Unfolding, copies: Copies, waiting: Collection[int]
) -> Iterator[Lift]:
    """Yield all choices of copies along the paths that agree with functions."""
    known = [place for place, end in unfolding.ends.items() if end not in waiting]
    partial: list[dict[int, int]] = [{}]
    while partial:
        lift = partial.pop()
        place = next((place for place in known if place not in lift), None)
        if place is None:
            yield lift
            continue
        for copy in reversed(copies.of(unfolding.ends[place])):
            larger = _choose(unfolding.paths, copies, lift, place, copy)
            if larger is not None:
                partial.append(larger)


def _choose(
    paths: Instance, copies: Copies, lift: Lift, place: int, copy: int
) -> dict[int, int] | None:
    """Add a choice to a lift, with all that follows from it; return None on contradiction."""
    larger = {**lift, place: copy}
    open_ = [place]
    while open_:
        place = open_.pop()
        for function in paths.schema.functions_of(paths.type_of(place)):
            value = paths.apply(function.name, place)
            follows = copies.value(function.name, larger[place])
            if value not in larger:
                larger[value] = follows
                open_.append(value)
            elif larger[value] != follows:
                return None
    return larger


def _restrict(
    lift: Lift, paths: Instance, place: int, unfolding: _Unfolding
) -> frozenset[tuple[int, int]]:
    """Restrict a lift to the paths that go on from one place."""
    mapping = {unfolding.start: place}
    extend(unfolding.paths, paths, mapping)
    return frozenset((inner, lift[outer]) for inner, outer in mapping.items() if outer in lift)


def find_touched(plan: RulePlan, state: Instance, elements: Iterable[int]) -> dict[int, None]:
    """Find these elements and all that functions lead to them from, in order of discovery."""
    found = dict.fromkeys(elements)
    open_ = list(found)
    while open_:
        element = open_.pop()
        for function in plan.incidence(state.type_of(element)).functions:
            for source in state.function_table(function).preimages().get(element, ()):
                if source not in found:
                    found[source] = None
                    open_.append(source)
    return found


def copy_outside(state: Instance, copies: Copies, outside: Collection[int]) -> list[Violation]:
    """Copy elements outside the image of L: once for each choice of what they refer to.

    Args:
        state: G.
        copies: of what is not outside; completed here.
        outside: the elements that refer, directly or not, to something with several copies.

    Returns:
        Violations if there would be infinitely many copies; empty otherwise.
    """
    # In the order of dependence, as long as there is one; the rest refers to itself in cycles.
    waiting = {element: collect_values(state, element) for element in outside}
    while waiting:
        ready = [e for e, values in waiting.items() if waiting.keys().isdisjoint(values.values())]
        for element in ready:
            _copy(state, copies, element, waiting.pop(element))
        if not ready:
            break
    try:
        copy_cyclic(state, copies, waiting)
    except PresentationError as error:
        names = tuple(state.name_of(element) for element in waiting)
        text = f"the rule clones what {', '.join(names)} depend on, without end: {error}"
        return [Violation(ViolationKind.UNBOUNDED, text, names)]
    return []


def find_equations(schema: Schema, type_: str) -> list[PathEquation]:
    """Find the path equations that hold at the elements of a type, or tuples of a relation."""
    above = schema.ancestors(type_)
    return [equation for equation in schema.equations if equation.source in above]


def _copy(state: Instance, copies: Copies, element: int, values: Mapping[str, int]) -> None:
    equations = find_equations(state.schema, state.type_of(element))
    ways = copies.list_choices(values, equations)
    for copy, way in zip(copies.make(element, len(ways)), ways, strict=True):
        for function, value in way.items():
            copies.set(function, copy, value)
