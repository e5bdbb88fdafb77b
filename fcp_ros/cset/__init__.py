# SPDX-License-Identifier: Apache-2.0
"""C-sets: schemas, instances, morphisms, homomorphism search, (co)limits and rewriting.

World states are instances, actions are rules; both are values. Nothing here knows of planning.
docs/cset.md is the tour. Lowest first:

- `schema`: what a state may hold: types, functions, relations, attributes.
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
    )
    from fcp_ros.cset.instance.builder import InstanceBuilder
    from fcp_ros.cset.instance.constraints import find_conflicts
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
    from fcp_ros.cset.search.homs import Homs, find_hom, find_homs

__all__ = [
    "ApplicationCondition",
    "Attribute",
    "AttributeChange",
    "AttributeKind",
    "AttributeValue",
    "Change",
    "Comparator",
    "ValueComparison",
    "ConditionKind",
    "Delta",
    "ValueExpressionError",
    "Fact",
    "Function",
    "FunctionChange",
    "Homs",
    "Instance",
    "InstanceBuilder",
    "InstanceError",
    "Morphism",
    "ValueOperation",
    "Operator",
    "Relation",
    "RelationName",
    "Rewrite",
    "Rule",
    "RuleError",
    "Schema",
    "SchemaError",
    "TypeName",
    "UnknownElement",
    "ValueVariable",
    "Violation",
    "ViolationKind",
    "check_match",
    "delta_of",
    "difference",
    "facts",
    "find_conflicts",
    "find_hom",
    "find_homs",
    "find_matches",
    "identity",
    "inclusion",
    "morphism",
    "rewrite",
    "with_facts",
]
