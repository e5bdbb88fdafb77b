# SPDX-License-Identifier: Apache-2.0
"""Copies of what refers, directly or not, to something that a rule clones."""

from collections.abc import Collection, Iterable, Mapping

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.limits.errors import PresentationError
from fcp_ros.cset.rewriting.copies import Copies
from fcp_ros.cset.rewriting.cyclic_copies import copy_cyclic
from fcp_ros.cset.rewriting.rule_plan import RulePlan
from fcp_ros.cset.schema.schema import PathEquation, Schema


def touched_by(plan: RulePlan, state: Instance, elements: Iterable[int]) -> dict[int, None]:
    """These elements and all that functions lead to them from, in the order of their discovery."""
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
        Why there are no such copies: there would be infinitely many.
    """
    waiting = {element: _values(state, element) for element in outside}
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


def equations_at(schema: Schema, type_: str) -> list[PathEquation]:
    """The path equations that hold at the elements of a type, or at the tuples of a relation."""
    above = schema.ancestors(type_)
    return [equation for equation in schema.equations if equation.source in above]


def _values(state: Instance, element: int) -> Mapping[str, int]:
    functions = state.schema.functions_of(state.type_of(element))
    return {f.name: state.function_table(f.name).values[element] for f in functions}


def _copy(state: Instance, copies: Copies, element: int, values: Mapping[str, int]) -> None:
    equations = equations_at(state.schema, state.type_of(element))
    ways = copies.choices(values, equations)
    for copy, way in zip(copies.make(element, len(ways)), ways, strict=True):
        for function, value in way.items():
            copies.set(function, copy, value)
