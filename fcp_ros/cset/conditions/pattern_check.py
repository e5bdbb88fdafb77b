# SPDX-License-Identifier: Apache-2.0
"""Whether a mapping of a pattern is natural, in time that depends on the pattern alone.

`Morphism.violations` says why a mapping is none; this says only whether it is one, and which values
the pattern's variables take. What has to be looked up is worked out once for each pattern.
"""

from dataclasses import dataclass

from fcp_ros.cset.instance.expressions import Variable
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.schema.schema import AttributeValue


@dataclass(frozen=True, slots=True)
class PatternCheck:
    """What every morphism from a pattern must satisfy.

    Attributes:
        elements: each element, with the types that its image may have.
        functions: (function, element, value).
        tuples: (relation, tuple, legs).
        constants: (attribute, element or tuple, value) where the value is given.
        variables: (attribute, element or tuple, variable) where a variable stands for it.
    """

    elements: tuple[tuple[int, frozenset[str]], ...]
    functions: tuple[tuple[str, int, int], ...]
    tuples: tuple[tuple[str, int, tuple[int, ...]], ...]
    constants: tuple[tuple[str, int, AttributeValue], ...]
    variables: tuple[tuple[str, int, str], ...]

    def holds(self, match: Morphism) -> bool:
        """Whether a mapping from the pattern is natural (the values of variables apart)."""
        mapping, target = match.mapping, match.target
        types = target.element_table().types
        try:
            for element, accepted in self.elements:
                if types.get(mapping[element]) not in accepted:
                    return False
            for relation, row, legs in self.tuples:
                if target.relation_table(relation).rows.get(mapping[row]) != tuple(
                    [mapping[leg] for leg in legs]
                ):
                    return False
            for function, element, value in self.functions:
                values = target.function_table(function).values
                if values.get(mapping[element]) != mapping[value]:
                    return False
        except KeyError:
            return False
        return all(
            target.attribute(mapping[id_], attribute) == value
            for attribute, id_, value in self.constants
        )

    def values(self, match: Morphism) -> dict[str, AttributeValue] | None:
        """The values of the variables at a mapping; None where one has none, or several."""
        found: dict[str, AttributeValue] = {}
        for attribute, id_, variable in self.variables:
            value = match.target.attribute(match.mapping[id_], attribute)
            if value is None or found.setdefault(variable, value) != value:
                return None
        return found


def compile_check(pattern: Instance) -> PatternCheck:
    """The check of the morphisms from `pattern`."""
    schema = pattern.schema
    elements = tuple((e, schema.subtypes(pattern.type_of(e))) for e in pattern.all_elements())
    functions = tuple(
        (function.name, element, value)
        for function in schema.functions
        for element, value in pattern.function_table(function.name).values.items()
    )
    tuples = tuple(
        (relation.name, row, legs)
        for relation in schema.relations
        for row, legs in pattern.tuples(relation.name).items()
    )
    constants: list[tuple[str, int, AttributeValue]] = []
    variables: list[tuple[str, int, str]] = []
    for id_ in [element for element, _ in elements] + [row for _, row, _ in tuples]:
        for attribute, value in pattern.attributes(id_).items():
            if isinstance(value, Variable):
                variables.append((attribute, id_, value.name))
            else:
                constants.append((attribute, id_, value))
    return PatternCheck(elements, functions, tuples, tuple(constants), tuple(variables))
