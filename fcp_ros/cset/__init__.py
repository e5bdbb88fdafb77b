# SPDX-License-Identifier: Apache-2.0
"""C-sets: schemas, instances, morphisms, homomorphism search, (co)limits and rewriting.

World states are instances, actions are rules; both are values. Knows nothing of planning.
docs/cset.md is the tour. What is not named here is for those who ask for it by its module: schema
texts, subobjects, migration, interchange.
"""

from fcp_ros.cset.conditions.conditions import ApplicationCondition, ConditionKind, CountCondition
from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.change import Change
from fcp_ros.cset.instance.delta import AttributeChange, Delta, FunctionChange, delta_of, difference
from fcp_ros.cset.instance.expressions import (
    Comparator,
    Comparison,
    ExpressionError,
    Operation,
    Operator,
    Variable,
)
from fcp_ros.cset.instance.fact import Fact
from fcp_ros.cset.instance.facts import facts, with_facts
from fcp_ros.cset.instance.instance import Instance, InstanceError, UnknownElement
from fcp_ros.cset.instance.morphism import Morphism, identity, inclusion, morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.isomorphism.canonical import canonical_hash
from fcp_ros.cset.isomorphism.search import find_isomorphism, is_isomorphic
from fcp_ros.cset.limits.colimits import Colimit, coequaliser, coproduct, initial, pushout
from fcp_ros.cset.limits.diagrams import LimitError, PresentationError
from fcp_ros.cset.limits.limits import Limit, equaliser, product, pullback, terminal
from fcp_ros.cset.limits.presentation import present, representable
from fcp_ros.cset.rewriting.match_check import check_match, find_matches
from fcp_ros.cset.rewriting.match_maintenance import rule_matches
from fcp_ros.cset.rewriting.rewrite import Rewrite, rewrite
from fcp_ros.cset.rewriting.rule import Rule, RuleError, Semantics
from fcp_ros.cset.schema.schema import (
    Attribute,
    AttributeKind,
    AttributeValue,
    Function,
    PathEquation,
    Relation,
    RelationName,
    Schema,
    SchemaError,
    TypeName,
)
from fcp_ros.cset.search.homs import Homs, find_hom, find_homs
from fcp_ros.cset.search.match_set import MatchSet

__all__ = [
    "ApplicationCondition",
    "Attribute",
    "AttributeChange",
    "AttributeKind",
    "AttributeValue",
    "Change",
    "Colimit",
    "Comparator",
    "Comparison",
    "ConditionKind",
    "CountCondition",
    "Delta",
    "ExpressionError",
    "Fact",
    "Function",
    "FunctionChange",
    "Homs",
    "Instance",
    "InstanceBuilder",
    "InstanceError",
    "Limit",
    "LimitError",
    "MatchSet",
    "Morphism",
    "Operation",
    "Operator",
    "PathEquation",
    "PresentationError",
    "Relation",
    "RelationName",
    "Rewrite",
    "Rule",
    "RuleError",
    "Schema",
    "SchemaError",
    "Semantics",
    "TypeName",
    "UnknownElement",
    "Variable",
    "Violation",
    "ViolationKind",
    "canonical_hash",
    "check_match",
    "coequaliser",
    "coproduct",
    "delta_of",
    "difference",
    "equaliser",
    "facts",
    "find_hom",
    "find_homs",
    "find_isomorphism",
    "find_matches",
    "identity",
    "inclusion",
    "initial",
    "is_isomorphic",
    "morphism",
    "present",
    "product",
    "pullback",
    "pushout",
    "representable",
    "rewrite",
    "rule_matches",
    "terminal",
    "with_facts",
]
