# SPDX-License-Identifier: Apache-2.0
"""C-sets: schemas, instances, facts. World states are values, and their changes are too."""

from fcp_ros.cset.builder import InstanceBuilder
from fcp_ros.cset.facts import Delta, Fact, difference, facts, with_facts
from fcp_ros.cset.instance import Instance, InstanceError, UnknownElement
from fcp_ros.cset.schema import (
    Attribute,
    AttributeKind,
    AttributeValue,
    Function,
    Relation,
    RelationName,
    Schema,
    SchemaError,
    TypeName,
)
from fcp_ros.cset.violation import Violation, ViolationKind

__all__ = [
    "Attribute",
    "AttributeKind",
    "AttributeValue",
    "Delta",
    "Fact",
    "Function",
    "Instance",
    "InstanceBuilder",
    "InstanceError",
    "Relation",
    "RelationName",
    "Schema",
    "SchemaError",
    "TypeName",
    "UnknownElement",
    "Violation",
    "ViolationKind",
    "difference",
    "facts",
    "with_facts",
]
