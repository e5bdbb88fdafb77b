# SPDX-License-Identifier: Apache-2.0
"""Attribute values: which ones an attribute admits."""

import math
from collections.abc import Callable
from typing import cast

from fcp_ros.cset.instance.expressions import Expression, Operation, Variable
from fcp_ros.cset.instance.instance import InstanceError
from fcp_ros.cset.schema.schema import Attribute, AttributeKind, AttributeValue

_EXPECTED = {
    AttributeKind.BOOL: "true or false",
    AttributeKind.INT: "a whole number",
    AttributeKind.FLOAT: "a finite number",
    AttributeKind.STRING: "a text",
}


def checked_value(
    attribute: Attribute, value: Expression, where: Callable[[], str]
) -> AttributeValue:
    """`value` as the attribute keeps it (an int becomes a float where the kind is FLOAT).

    Variables and operations, which patterns and right sides of rules hold, are kept as they are:
    which value they stand for, a match decides.

    Args:
        attribute: the declaration.
        value: what is to be set.
        where: names the element or tuple, for the message.

    Raises:
        InstanceError: the attribute does not admit it.
    """
    if isinstance(value, (Variable, Operation)):
        return cast(AttributeValue, value)
    if not _admits(attribute, value):
        expected = _EXPECTED.get(attribute.kind) or f"one of: {', '.join(attribute.values)}"
        name = attribute.name
        raise InstanceError(f"attribute {name!r} of {where()} is {value!r}; give {expected}")
    return float(value) if attribute.kind is AttributeKind.FLOAT else value


def _admits(attribute: Attribute, value: AttributeValue) -> bool:
    kind = attribute.kind
    if kind is AttributeKind.ENUM:
        return value in attribute.values
    if kind is AttributeKind.STRING:
        return isinstance(value, str)
    if kind is AttributeKind.BOOL or isinstance(value, bool):
        return kind is AttributeKind.BOOL and isinstance(value, bool)
    if kind is AttributeKind.INT:
        return isinstance(value, int)
    return isinstance(value, (int, float)) and math.isfinite(value)
