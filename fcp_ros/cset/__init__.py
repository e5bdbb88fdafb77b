# SPDX-License-Identifier: Apache-2.0
"""C-sets: schemas, instances, morphisms, homomorphism search and double-pushout rewriting.

World states are instances, actions are rules; both are values. Knows nothing of planning.
"""

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.facts import Delta, Fact, difference, facts, with_facts
from fcp_ros.cset.instance.instance import Instance, InstanceError, UnknownElement
from fcp_ros.cset.instance.morphism import Morphism, identity, inclusion, morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.conditions import ApplicationCondition, ConditionKind
from fcp_ros.cset.rewriting.match_check import check_match, find_matches
from fcp_ros.cset.rewriting.rewrite import Rewrite, rewrite
from fcp_ros.cset.rewriting.rule import Rule, RuleError
from fcp_ros.cset.schema.schema import (
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
from fcp_ros.cset.search.homs import find_hom, find_homs
from fcp_ros.cset.search.isomorphism import find_isomorphism, is_isomorphic

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
