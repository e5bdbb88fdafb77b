# SPDX-License-Identifier: Apache-2.0
"""What makes a map of ids a morphism: a quick test, and its slow twin that gives reasons.

Attributes that the source sets must have equal values in the target. Variables of the source are
bound by the morphism: one that the morphism says nothing of takes the value that it meets first. An
operation must become what it evaluates to under these values; as long as some of its variables
stand for expressions themselves, the same operation on those.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fcp_ros.cset.instance.expressions import (
    ValueExpression,
    ValueExpressionError,
    ValueOperation,
    ValueVariable,
    evaluate,
    variables_of,
)
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation, ViolationKind

Values = Mapping[str, Any]


def is_natural(
    source: Instance, target: Instance, mapping: Mapping[int, int], values: Values
) -> bool:
    """Whether a map of ids is a morphism.

    Args:
        source: where it starts.
        target: where it ends; of the same schema.
        mapping: the image of each id of the source.
        values: of variables of the source.
    """
    schema = source.schema
    image_of = mapping.get
    own_types, subtype = target.element_table().types, schema.is_subtype
    for element, type_ in source.element_table().types.items():
        own = own_types.get(image_of(element, 0))
        if own != type_ and (own is None or not subtype(own, type_)):
            return False
    for relation in schema.relations:
        tuples = source.relation_table(relation.name).rows
        if tuples:
            rows = target.relation_table(relation.name).rows
            for row, legs in tuples.items():
                if rows.get(image_of(row, 0)) != tuple([image_of(leg) for leg in legs]):
                    return False
    for function in schema.functions:
        pairs = source.function_table(function.name).values
        if pairs:
            images = target.function_table(function.name).values
            for element, value in pairs.items():
                if images.get(image_of(element, 0)) != image_of(value):
                    return False
    return _keeps_attributes(source, target, mapping, values)


def _keeps_attributes(
    source: Instance, target: Instance, mapping: Mapping[int, int], values: Values
) -> bool:
    bound: dict[str, Any] | None = None
    for name in dict.fromkeys([attribute.name for attribute in source.schema.attributes]):
        wanted = source.attribute_table(name)
        if wanted:
            found = target.attribute_table(name)
            for id_, value in wanted.items():
                if isinstance(value, (ValueVariable, ValueOperation)):
                    if bound is None:
                        bound = bound_values(source, target, mapping, values)
                    value = substituted(value, bound)
                other = found.get(mapping[id_])
                if other is None or other != value:
                    return False
    return True


def bound_values(
    source: Instance, target: Instance, mapping: Mapping[int, int], values: Values
) -> dict[str, Any]:
    """What the variables of the source stand for.

    Args:
        source: where the morphism starts.
        target: where it ends.
        mapping: the image of each id of the source.
        values: those that are known. The others are what they meet first in the target; where that
            is nothing, they are not in the result.
    """
    bound = dict(values)
    for name in dict.fromkeys([attribute.name for attribute in source.schema.attributes]):
        for id_, value in source.attribute_table(name).items():
            if isinstance(value, ValueVariable) and value.name not in bound:
                found = target.attribute_table(name).get(mapping.get(id_, 0))
                if found is not None:
                    bound[value.name] = found
    return bound


def substituted(expression: ValueExpression, values: Values) -> Any:
    """An expression with its variables replaced, evaluated where none is left; None if it can't be.

    Args:
        expression: a variable, an operation or a value.
        values: of variables; those without one stay.
    """
    if isinstance(expression, ValueVariable):
        return values.get(expression.name, expression)
    if not isinstance(expression, ValueOperation):
        return expression
    arguments = tuple([substituted(argument, values) for argument in expression.arguments])
    replaced = ValueOperation(expression.operator, arguments)
    if variables_of(replaced):
        return replaced
    try:
        return evaluate(replaced, {})
    except ValueExpressionError:
        return None


def naturality_violations(
    source: Instance, target: Instance, mapping: Mapping[int, int], values: Values
) -> Iterator[Violation]:
    """Everything that keeps a map of ids from being a morphism; the arguments of `is_natural`."""
    missing = tuple(_missing_images(source, target, mapping))
    if missing:
        yield from missing
        return
    yield from _type_violations(source, target, mapping)
    yield from _attribute_violations(source, target, mapping, values)
    yield from _function_violations(source, target, mapping)
    yield from _tuple_violations(source, target, mapping)


def all_ids(instance: Instance) -> Iterator[int]:
    """Ids of all elements and of all tuples."""
    yield from instance.element_table().types
    for relation in instance.schema.relations:
        yield from instance.relation_table(relation.name).rows


def _missing_images(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for id_ in all_ids(source):
        image = mapping.get(id_)
        name = source.name_of(id_)
        if image is None:
            yield _unnatural(f"{name!r} has no image", name)
        elif not target.contains(image):
            yield _unnatural(f"{name!r} is sent to id {image}, which does not exist", name)


def _type_violations(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for element in source.all_elements():
        type_, own = source.type_of(element), target.type_of(mapping[element])
        if not source.schema.is_subtype(own, type_):
            names = (source.name_of(element), target.name_of(mapping[element]))
            text = f"{names[0]!r} is a {type_!r}, its image {names[1]!r} is a {own!r}"
            yield _unnatural(text, *names)


def _attribute_violations(
    source: Instance, target: Instance, mapping: Mapping[int, int], values: Values
) -> Iterator[Violation]:
    bound = bound_values(source, target, mapping, values)
    for id_ in all_ids(source):
        for attribute, value in source.attributes(id_).items():
            other = target.attribute(mapping[id_], attribute)
            expected = substituted(value, bound)
            if other is None or other != expected:
                names = (source.name_of(id_), target.name_of(mapping[id_]))
                shown = repr(value)
                if isinstance(value, (ValueVariable, ValueOperation)):
                    known = "without a value" if expected is None else f"here {_text(expected)}"
                    shown = f"{value}, {known}" if expected != value else str(value)
                text = f"{attribute!r} of {names[0]!r} is {shown}, of {names[1]!r} {_text(other)}"
                yield _unnatural(text, *names, symbol=attribute)


def _function_violations(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for function in source.schema.functions:
        images = target.function_table(function.name).values
        for element, value in source.function_table(function.name).values.items():
            actual, expected = images.get(mapping[element]), mapping[value]
            if actual != expected:
                names = (source.name_of(element), target.name_of(mapping[element]))
                text = (
                    f"{function.name!r} of {names[1]!r} (image of {names[0]!r}) is "
                    f"{'undefined' if actual is None else repr(target.name_of(actual))}, "
                    f"but it must be {target.name_of(expected)!r}"
                )
                yield _unnatural(text, *names, symbol=function.name)


def _tuple_violations(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for relation in source.schema.relations:
        rows = target.relation_table(relation.name).rows
        for row, legs in source.relation_table(relation.name).rows.items():
            if rows.get(mapping[row]) != tuple([mapping[leg] for leg in legs]):
                names = (source.name_of(row), target.name_of(mapping[row]))
                yield _unnatural(f"{names[0]} is sent to {names[1]}, not leg by leg", *names)


def _text(value: object) -> str:
    return str(value) if isinstance(value, (ValueVariable, ValueOperation)) else repr(value)


def _unnatural(text: str, *elements: str, symbol: str | None = None) -> Violation:
    return Violation(ViolationKind.NATURALITY, text, elements, symbol)
