# SPDX-License-Identifier: Apache-2.0
"""Domains: types, rules, graded predicates and goals as a user writes them, read and checked.

- `model`: the domain as values: rules, effects, graded predicates with their oracles, resources.
- `identity`: the hash by which two versions of a domain are told apart.
- `vocabulary`: types and predicates with their parameters, also of a file that is not sound yet.
- `phrases`: what people say about it, and `phrase_goals`: the goals that this stands for.
- `scene_names`: the types that a domain gives to what perception reports.
- `diagnostics`: faults of a file as values, all reported at once.
- `expressions`: the goal language, and the arithmetic of fuzzy rules.
- `yaml`, `pddl`: the readers of domain files and of PDDL tasks; both end in a `Domain`.
- `rule_spans`: rules as double-pushout rewriting rules.
- `derived_facts`: what follows from a state. `shifting`: elements taken for those of another type.
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.domain.diagnostics import DomainError
    from fcp_ros.domain.expressions.evaluation import evaluate, is_a
    from fcp_ros.domain.expressions.parser import parse_expression
    from fcp_ros.domain.expressions.resolution import check_goal, infer_types
    from fcp_ros.domain.expressions.syntax import (
        Atom,
        Expression,
        ExpressionError,
        Variable,
        to_text,
    )
    from fcp_ros.domain.model import (
        ActionRule,
        Chunk,
        Cost,
        CostTerm,
        Domain,
        Duration,
        Effect,
        GradedPredicate,
        Literal,
        Parameter,
        Window,
    )
    from fcp_ros.domain.rule_spans import build_constraint_pattern, build_span
    from fcp_ros.domain.yaml.domain_files import load_domain, load_overrides, parse_domain

__all__ = [
    "ActionRule",
    "Atom",
    "Chunk",
    "Cost",
    "CostTerm",
    "Domain",
    "DomainError",
    "Duration",
    "Effect",
    "Expression",
    "ExpressionError",
    "GradedPredicate",
    "Literal",
    "Parameter",
    "Variable",
    "Window",
    "check_goal",
    "build_constraint_pattern",
    "evaluate",
    "infer_types",
    "is_a",
    "load_domain",
    "load_overrides",
    "parse_domain",
    "parse_expression",
    "build_span",
    "to_text",
]
