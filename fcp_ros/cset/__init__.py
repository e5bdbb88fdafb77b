# SPDX-License-Identifier: Apache-2.0
"""C-sets: schemas, instances, morphisms, homomorphism search and double-pushout rewriting.

World states are instances, actions are rules; both are values. Knows nothing of planning.
"""

from fcp_ros.cset.builder import InstanceBuilder
from fcp_ros.cset.conditions import ApplicationCondition, ConditionKind
from fcp_ros.cset.facts import Delta, Fact, difference, facts, with_facts
from fcp_ros.cset.homs import find_hom, find_homs
from fcp_ros.cset.instance import Instance, InstanceError, UnknownElement
from fcp_ros.cset.isomorphism import find_isomorphism, is_isomorphic
from fcp_ros.cset.match_check import check_match, find_matches
from fcp_ros.cset.morphism import Morphism, identity, inclusion, morphism
from fcp_ros.cset.rewrite import Rewrite, rewrite
from fcp_ros.cset.rule import Rule, RuleError
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
    "ApplicationCondition",
    "Attribute",
    "AttributeKind",
    "AttributeValue",
    "ConditionKind",
    "Delta",
    "Fact",
    "Function",
    "Instance",
    "InstanceBuilder",
    "InstanceError",
    "Morphism",
    "Relation",
    "RelationName",
    "Rewrite",
    "Rule",
    "RuleError",
    "Schema",
    "SchemaError",
    "TypeName",
    "UnknownElement",
    "Violation",
    "ViolationKind",
    "check_match",
    "difference",
    "facts",
    "find_hom",
    "find_homs",
    "find_isomorphism",
    "find_matches",
    "identity",
    "inclusion",
    "is_isomorphic",
    "morphism",
    "rewrite",
    "with_facts",
]
