# SPDX-License-Identifier: Apache-2.0
"""Presentations: the freest instance with some elements, in which some equations hold.

An instance is a functor to sets; each is a colimit of representable ones (Mac Lane, *Categories for
the Working Mathematician*, III.7, theorem 1), and generators with equations say which. Naming an
element brings all that functions make of it; naming a tuple brings its elements.

The representable of a type has one generator of that type. By the Yoneda lemma, with `is_a` as
inclusions, its morphisms to an instance are the instance's elements of the type and its subtypes.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fcp_ros.cset.instance.builder import check_value
from fcp_ros.cset.instance.expressions import ValueExpression
from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.limits.chase import Chase, FunctionalLegs, read_out
from fcp_ros.cset.limits.diagrams import (
    LimitError,
    PresentationError,
    collect_values,
    require_natural,
)
from fcp_ros.cset.schema.schema import RelationName, Schema, SchemaError, TypeName
from fcp_ros.foundation.wording import describe_unknown_name


@dataclass(frozen=True, slots=True)
class Term:
    """A generator, or what functions make of it.

    Attributes:
        generator: its name.
        path: functions to apply, from left to right; of a tuple, the first one is a leg.
    """

    generator: str
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.generator, *self.path))


TermLike: TypeAlias = Term | str
"""A term, or the name of a generator."""


@dataclass(frozen=True)
class TupleStatement:
    """The statement that a relation holds between terms.

    Attributes:
        relation: its name.
        legs: a term for each leg, in order.
        attributes: of the tuple.
    """

    relation: RelationName
    legs: Sequence[TermLike]
    attributes: Mapping[str, ValueExpression] | None = None


@dataclass(frozen=True)
class AttributeStatement:
    """The statement that an attribute of a term has a value, or a variable.

    Attributes:
        term: the element or tuple.
        attribute: its name.
        value: a value, or a variable, which is the same one throughout a presentation.
    """

    term: TermLike
    attribute: str
    value: ValueExpression


@dataclass(frozen=True, eq=False)
class Presented:
    """A presented instance, with its universal property.

    Attributes:
        instance: the freest one in which the statements hold.
        generators: the id in it of each generator, whether an element or a tuple.
    """

    instance: Instance
    generators: Mapping[str, int]

    def universal(
        self, target: Instance, images: Mapping[str, int], values: Mapping[str, Any] | None = None
    ) -> Morphism:
        """Return the one morphism that sends each generator to its image.

        Args:
            target: where it ends.
            images: an id of the target for each generator.
            values: what the variables of the presentation become.

        Raises:
            LimitError: the statements do not hold of the images.
        """
        lacking = sorted(self.generators.keys() ^ images.keys())
        if lacking:
            raise LimitError(
                f"give an image for each generator, and for no others; "
                f"wrong are {', '.join(lacking)}"
            )
        mapping: dict[int, int] = {}
        for name, id_ in self.generators.items():
            if mapping.setdefault(id_, images[name]) != images[name]:
                others = [other for other, same in self.generators.items() if same == id_]
                raise LimitError(f"generators {', '.join(others)} are equal; give them one image")
        extend(self.instance, target, mapping)
        result = Morphism(self.instance, target, mapping, dict(values or {}))
        return require_natural(result, "no such morphism")


def present(
    schema: Schema,
    generators: Mapping[str, TypeName],
    equations: Iterable[tuple[TermLike, TermLike]] = (),
    *,
    tuples: Iterable[TupleStatement] = (),
    attributes: Iterable[AttributeStatement] = (),
    functional: FunctionalLegs = FunctionalLegs.REFUSE,
    bound: int = 10_000,
) -> Presented:
    """Build the instance that generators and statements about them present.

    Elements that a function needs are created, and named like ``src(e1)``; what the statements, the
    schema's path equations, and relations as sets make equal, is one. An element that two
    statements take for elements of two types is one of their greatest common subtype.

    Args:
        schema: of the instance.
        generators: the type of each generator, or its relation: then it is a tuple.
        equations: pairs of terms that are equal.
        tuples: which relations hold.
        attributes: which attributes are set.
        functional: what to do where a functional leg would break.
        bound: the most elements that there may be besides those that the arguments name.

    Returns:
        The instance, and which elements its generators are.

    Raises:
        PresentationError: a statement speaks of what does not exist, or there are more than `bound`
            elements: the message names the cycle of functions that never ends.
        LimitError: what is stated to be equal cannot be; or a functional leg breaks and may not.
    """
    chase = Chase(schema, functional)
    nodes: dict[str, int] = {}
    for name, type_ in generators.items():
        if not schema.has_type(type_) and not schema.has_relation(type_):
            known = (*schema.types, *(relation.name for relation in schema.relations))
            raise PresentationError(
                describe_unknown_name("type", type_, known, f"generator {name!r}")
            )
        nodes[name] = chase.add(type_, name)
    statements = _Statements(chase, nodes)
    for first, second in equations:
        statements.equal(first, second)
    for stated in tuples:
        statements.holds(stated)
    for attribute in attributes:
        statements.has(attribute)
    chase.run(bound)
    instance, ids = read_out(chase, functional)
    return Presented(
        instance, {name: ids[chase.congruence.find(node)] for name, node in nodes.items()}
    )


def representable(schema: Schema, type_: TypeName, bound: int = 10_000) -> Presented:
    """Build the representable instance of a type or relation, with a generator of its name.

    Args:
        schema: of the instance.
        type_: the type or relation.
        bound: the most elements that there may be besides the generator.

    Raises:
        PresentationError: there is no such type, or there are more elements: the message names the
            cycle of functions that never ends.
    """
    return present(schema, {type_: type_}, bound=bound)


class _Statements:
    """A translation of statements about terms into statements about nodes."""

    def __init__(self, chase: Chase, nodes: Mapping[str, int]) -> None:
        self.chase = chase
        self.nodes = nodes

    def node(self, term: TermLike) -> int:
        """Find the node of a term."""
        if isinstance(term, str):
            term = Term(term)
        if term.generator not in self.nodes:
            what = describe_unknown_name(
                "generator", term.generator, self.nodes, "the presentation"
            )
            raise PresentationError(what)
        return self.chase.at(self.nodes[term.generator], term.path)

    def equal(self, first: TermLike, second: TermLike) -> None:
        """State that two terms are equal."""
        self.chase.congruence.merge(self.node(first), self.node(second))

    def holds(self, stated: TupleStatement) -> None:
        """State that a relation holds."""
        try:
            legs = [leg for leg, _ in self.chase.schema.relation(stated.relation).legs]
        except SchemaError as error:
            raise PresentationError(str(error)) from error
        if len(legs) != len(stated.legs):
            raise PresentationError(
                f"relation {stated.relation!r} has {len(legs)} legs ({', '.join(legs)}), "
                f"got {len(stated.legs)}"
            )
        terms = [self.node(term) for term in stated.legs]
        row = self.chase.add(stated.relation, None)
        for leg, node in zip(legs, terms, strict=True):
            self.chase.set(row, leg, node)
        for name, value in (stated.attributes or {}).items():
            self.set_attribute(row, name, value)

    def has(self, stated: AttributeStatement) -> None:
        """State the value of an attribute."""
        self.set_attribute(self.node(stated.term), stated.attribute, stated.value)

    def set_attribute(self, node: int, name: str, value: ValueExpression) -> None:
        """State the value of an attribute of a node."""
        congruence, schema = self.chase.congruence, self.chase.schema
        try:
            declared = schema.attribute(congruence.types(node)[0], name)
            value = check_value(declared, value, lambda: repr(self.chase.name(node)))
        except (SchemaError, InstanceError) as error:
            raise PresentationError(str(error)) from error
        congruence.set_attribute(node, name, value)


def extend(source: Instance, target: Instance, mapping: dict[int, int]) -> None:
    """Extend a partial map to all that functions and legs lead to, and to tuples between them.

    The caller checks that the result is a morphism.

    Args:
        source: where the map starts.
        target: where it ends.
        mapping: images by id; completed here.

    Raises:
        LimitError: an image has no value for a function that it needs, or there is no tuple where
            the image of one must be.
    """
    queue = deque(mapping)
    while queue:
        id_ = queue.popleft()
        values, images = collect_values(source, id_), collect_values(target, mapping[id_])
        for step, value in values.items():
            if step not in images:
                raise LimitError(
                    f"{source.name_of(id_)!r} cannot be sent to {target.name_of(mapping[id_])!r}, "
                    f"which has no {step!r}"
                )
            if value not in mapping:
                mapping[value] = images[step]
                queue.append(value)
    for relation in source.schema.relations:
        for row, legs in source.relation_table(relation.name).rows.items():
            if row not in mapping and all(leg in mapping for leg in legs):
                found = target.find_tuple(relation.name, tuple([mapping[leg] for leg in legs]))
                if found is None:
                    names = ", ".join(target.name_of(mapping[leg]) for leg in legs)
                    raise LimitError(
                        f"{source.name_of(row)} would be sent to {relation.name}({names}), "
                        "which is not there"
                    )
                mapping[row] = found
