# SPDX-License-Identifier: Apache-2.0
"""What goes when something is deleted and nothing may dangle: all that refers to it, and so on."""

from collections.abc import Iterable, Iterator, Mapping

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.rule_plan import RulePlan


class Deletion:
    """A set of elements and tuples of a state that refers to nothing outside of what stays.

    Attributes:
        elements: ids, in the order in which they were found.
        tuples: the relation of each tuple, by id.
    """

    def __init__(self, plan: RulePlan, state: Instance) -> None:
        """Nothing so far; the plan knows what may refer to what."""
        self._plan = plan
        self._state = state
        self.elements: dict[int, None] = {}
        self.tuples: dict[int, str] = {}

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
        """Delete what refers to an element; the elements among it that are new."""
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

    def pairs(self) -> list[tuple[str, int]]:
        """(relation, id) of the tuples."""
        return [(relation, row) for row, relation in self.tuples.items()]


def undermined(state: Instance, glue: Mapping[int, int], deletion: Deletion) -> Iterator[Violation]:
    """What a rule preserves although a function of it, which the rule does not know, is deleted.

    That may be where an element is of a subtype that has more functions than its type in the rule.
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
