# SPDX-License-Identifier: Apache-2.0
"""C-sets: schemas, instances, morphisms, homomorphism search, (co)limits and rewriting.

World states are instances, actions are rules; both are values. Nothing here knows of planning.
docs/cset.md is the tour. Lowest first:

- `schema`: what a state may hold: types, functions, relations, attributes, equations.
- `instance`: one state and its builder, constraints, differences between states, morphisms.
- `search`: all morphisms from a pattern to a state, kept up to date from state to state.
- `isomorphism`: equality up to names, and hashes that respect it.
- `limits`: limits, colimits, subobjects, and instances presented by generators.
- `conditions`: application conditions around a match.
- `rewriting`: rules (spans), their matches, and rewriting by DPO, SPO and SqPO.
- `migration`: instances moved along a map from one schema to another.
- `interchange`: the JSON of ACSets.

`InstanceBuilder` builds states and patterns of a schema; `find_homs` finds a pattern in a state;
`Rule` says what to replace; `find_matches` and `rewrite` give the next state and its `Change`. The
names below are the front door; subobjects, migration and interchange are imported by module.
"""

from fcp_ros.foundation.deferred_imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.cset.conditions.conditions import (
        ApplicationCondition,
        ConditionKind,
        CountCondition,
    )
    from fcp_ros.cset.instance.builder import InstanceBuilder
    from fcp_ros.cset.instance.constraints import find_broken_equations, find_conflicts
    from fcp_ros.cset.instance.draft import Change
    from fcp_ros.cset.instance.expressions import (
        Comparator,
        Operator,
        ValueComparison,
        ValueExpressionError,
        ValueOperation,
        ValueVariable,
    )
    from fcp_ros.cset.instance.facts import (
        AttributeChange,
        Delta,
        FunctionChange,
        delta_of,
        difference,
        facts,
        with_facts,
    )
    from fcp_ros.cset.instance.instance import Instance, InstanceError, UnknownElement
    from fcp_ros.cset.instance.morphism import Morphism, identity, inclusion, morphism
    from fcp_ros.cset.instance.relation_table import Fact
    from fcp_ros.cset.instance.violation import Violation, ViolationKind
    from fcp_ros.cset.isomorphism.canonical import canonical_hash
    from fcp_ros.cset.isomorphism.search import find_isomorphism, is_isomorphic
    from fcp_ros.cset.limits.colimits import Colimit, coequaliser, coproduct, initial, pushout
    from fcp_ros.cset.limits.diagrams import LimitError, PresentationError
    from fcp_ros.cset.limits.limits import Limit, equaliser, product, pullback, terminal
    from fcp_ros.cset.limits.presentation import present, representable
    from fcp_ros.cset.rewriting.match_check import check_match, find_matches
    from fcp_ros.cset.rewriting.match_maintenance import maintain_matches
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
    "ValueComparison",
    "ConditionKind",
    "CountCondition",
    "Delta",
    "ValueExpressionError",
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
    "ValueOperation",
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
    "ValueVariable",
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
    "find_broken_equations",
    "find_conflicts",
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
    "maintain_matches",
    "terminal",
    "with_facts",
]
