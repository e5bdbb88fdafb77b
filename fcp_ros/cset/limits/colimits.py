# SPDX-License-Identifier: Apache-2.0
"""Colimits of instances: initial instance, coproducts, coequalisers, pushouts.

Mac Lane, *Categories for the Working Mathematician*, section III.3; pointwise, as in every category
of functors to sets (V.3). Beyond that:

- *Types.* A morphism may send an element to one of a subtype. So glued elements have the greatest
  common subtype of their types; without one there is no colimit. If none of them is of that type,
  its additional functions and equations are completed freely, as in `present`.
- *Relations* are sets of tuples: the colimit is taken of spans, and tuples with the same legs are
  one (the reflection of spans into relations). `FunctionalLegs` chooses what becomes of functional
  legs. Path equations hold in a colimit if they hold in its parts.
- *Attributes* are partial: glued elements have those of all of them, and there is no colimit where
  values differ. Variables are glued, too: they become what they must be equal to, which is the
  `values` of the injections. Variables of different parts are different, even if their names are
  not, until they are glued; the earlier part keeps its name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.limits.chase import Chase, FunctionalLegs, read_out
from fcp_ros.cset.limits.congruence import substitute, variables_in
from fcp_ros.cset.limits.diagrams import (
    LimitError,
    Square,
    check_cocone,
    check_morphisms,
    check_schemas,
    list_ids,
    require_natural,
)
from fcp_ros.cset.limits.presentation import extend
from fcp_ros.cset.schema.schema import Schema

BOUND = 10_000
"""Default for the number of elements that a colimit may create besides those of its parts."""


@dataclass(frozen=True, eq=False)
class Colimit:
    """A colimit with its universal property.

    Attributes:
        apex: the instance.
        injections: from the parts of the diagram to it.
        squares: what commutes in every cocone under the diagram.
    """

    apex: Instance
    injections: tuple[Morphism, ...]
    squares: tuple[Square, ...] = ()

    def universal(self, cocone: Sequence[Morphism], vertex: Instance | None = None) -> Morphism:
        """Return the one morphism from the apex through which a cocone factors.

        Args:
            cocone: a leg for each injection, to one instance, commuting with the diagram.
            vertex: that instance; needed only where there are no injections.

        Raises:
            LimitError: it is no cocone; the message says where it fails.
        """
        starts = [injection.source for injection in self.injections]
        target = check_cocone(cocone, starts, self.squares, vertex)
        if target.schema != self.apex.schema:
            raise LimitError(f"{target!r} and {self.apex!r} have different schemas")
        mapping: dict[int, int] = {}
        values: dict[str, Any] = {}
        for injection, leg in zip(self.injections, cocone, strict=True):
            self._send(mapping, injection, leg)
            values.update(_collect_values(injection, leg))
        if len(mapping) < sum(1 for _ in list_ids(self.apex)):
            extend(self.apex, target, mapping)
        return require_natural(Morphism(self.apex, target, mapping, values), "no universal map")

    def _send(self, mapping: dict[int, int], injection: Morphism, leg: Morphism) -> None:
        for id_, image in injection.mapping.items():
            known = mapping.setdefault(image, leg.mapping[id_])
            if known != leg.mapping[id_]:
                names = [leg.target.name_of(known), leg.target.name_of(leg.mapping[id_])]
                raise LimitError(
                    f"no universal map: {self.apex.name_of(image)!r} would be sent to "
                    f"{' and to '.join(map(repr, names))}"
                )


def initial(schema: Schema) -> Colimit:
    """Return the instance without elements, which has exactly one morphism to every instance."""
    return coproduct(schema=schema)


def coproduct(*instances: Instance, schema: Schema | None = None) -> Colimit:
    """Put instances side by side; functional legs that were unbroken stay so.

    Args:
        instances: its parts; without any it is the initial instance.
        schema: needed only where there are no parts.

    Raises:
        LimitError: schemas differ.
    """
    if schema is None:
        if not instances:
            raise LimitError("the coproduct of nothing is the initial instance; give its schema")
        schema = instances[0].schema
    check_schemas(schema, instances)
    apex, injections = glue(schema, instances, (), FunctionalLegs.KEEP, 0)
    return Colimit(apex, injections)


def coequaliser(
    first: Morphism,
    second: Morphism,
    *,
    functional: FunctionalLegs = FunctionalLegs.REFUSE,
    bound: int = BOUND,
) -> Colimit:
    """Make the images of each element under two morphisms equal, in their common target.

    Args:
        first: one of two parallel morphisms.
        second: the other.
        functional: what to do where a functional leg would break.
        bound: the most elements that may be created where glued elements get a type of their own.

    Returns:
        The colimit, with the projection from the target as its injection.

    Raises:
        LimitError: the morphisms are not parallel, or what is glued does not agree.
        PresentationError: more than `bound` elements would be created.
    """
    check_morphisms(first, second)
    if not (first.source.is_same(second.source) and first.target.is_same(second.target)):
        raise LimitError("the two morphisms are not parallel; give two with the same two ends")
    schema, parts = first.source.schema, (first.target,)
    pairs = (((0, first.mapping[i]), (0, second.mapping[i])) for i in list_ids(first.source))
    apex, injections = glue(schema, parts, pairs, functional, bound)
    return Colimit(apex, injections, (Square(0, first, 0, second),))


def pushout(
    first: Morphism,
    second: Morphism,
    *,
    functional: FunctionalLegs = FunctionalLegs.REFUSE,
    bound: int = BOUND,
) -> Colimit:
    """Glue the two targets along the common source.

    It takes time in proportion to the sizes of the two targets.

    Args:
        first: one of two morphisms from one instance.
        second: the other.
        functional: what to do where a functional leg would break.
        bound: the most elements that may be created where glued elements get a type of their own.

    Returns:
        The colimit, with injections from the targets of `first` and `second`.

    Raises:
        LimitError: the two do not start in one instance, or what is glued does not agree.
        PresentationError: more than `bound` elements would be created.
    """
    check_morphisms(first, second)
    if not first.source.is_same(second.source):
        raise LimitError(
            f"the morphisms start in {first.source!r} and {second.source!r}, not in one"
        )
    schema, parts = first.source.schema, (first.target, second.target)
    pairs = (((0, first.mapping[i]), (1, second.mapping[i])) for i in list_ids(first.source))
    apex, injections = glue(schema, parts, pairs, functional, bound)
    return Colimit(apex, injections, (Square(0, first, 1, second),))


def _collect_values(injection: Morphism, leg: Morphism) -> dict[str, Any]:
    """Collect what a leg binds the variables of the apex to that stand for those of its part."""
    found: dict[str, Any] = {}
    for name in variables_in(injection.source):
        variable = injection.values.get(name, ValueVariable(name))
        value = leg.values.get(name, ValueVariable(name))
        if isinstance(variable, ValueVariable) and variable != value:
            found[variable.name] = value
    return found


Place = tuple[int, int]
"""A part by its index, and an id in it."""


def glue(
    schema: Schema,
    parts: Sequence[Instance],
    pairs: Iterable[tuple[Place, Place]],
    functional: FunctionalLegs,
    bound: int,
) -> tuple[Instance, tuple[Morphism, ...]]:
    """Put the parts side by side, with pairs of elements and tuples made equal.

    Names, and names of variables, are kept where they are free; earlier parts come first.

    Args:
        schema: of all parts.
        parts: what is glued.
        pairs: what is made equal.
        functional: what to do where a functional leg would break.
        bound: the most elements that gluing may create.

    Returns:
        The result, and the morphism from each part to it.

    Raises:
        LimitError: what is glued has types or attributes that do not agree, or a functional leg
            breaks and may not.
        PresentationError: gluing creates more than `bound` elements.
    """
    chase, variables = Chase(schema, functional), FreeNames()
    loaded = [_load(chase, part, variables) for part in parts]
    for (first, one), (second, other) in pairs:
        chase.congruence.merge(loaded[first][0][one], loaded[second][0][other])
    chase.run(bound)
    apex, ids = read_out(chase, functional)
    find, resolve = chase.congruence.find, chase.congruence.unifier.resolve
    injections = []
    for part, (nodes, renamed) in zip(parts, loaded, strict=True):
        mapping = {id_: ids[find(node)] for id_, node in nodes.items()}
        found = {name: resolve(variable) for name, variable in renamed.items()}
        values: dict[str, Any] = {k: v for k, v in found.items() if v != ValueVariable(k)}
        injections.append(Morphism(part, apex, mapping, values))
    return apex, tuple(injections)


def _load(
    chase: Chase, part: Instance, variables: FreeNames
) -> tuple[Mapping[int, int], Mapping[str, ValueVariable]]:
    """Add nodes for all elements and tuples of a part, and rename its variables."""
    schema = part.schema
    names = sorted(variables_in(part))
    renamed = {name: ValueVariable(variables.take(name)) for name in names}
    table = part.element_table()
    nodes = {
        id_: chase.add(type_, table.names[id_], complete=True) for id_, type_ in table.types.items()
    }
    for function in schema.functions:
        for id_, value in part.function_table(function.name).values.items():
            chase.set_typed(nodes[id_], function.name, nodes[value])
    for relation in schema.relations:
        legs = [leg for leg, _ in relation.legs]
        for row, elements in part.relation_table(relation.name).rows.items():
            nodes[row] = chase.add(relation.name, None, complete=True)
            for leg, element in zip(legs, elements, strict=True):
                chase.set_typed(nodes[row], leg, nodes[element])
    for attribute in dict.fromkeys(attribute.name for attribute in schema.attributes):
        for id_, set_value in part.attribute_table(attribute).items():
            chase.congruence.set_attribute(nodes[id_], attribute, substitute(set_value, renamed))
    return nodes, renamed
