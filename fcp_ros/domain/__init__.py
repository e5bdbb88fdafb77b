# SPDX-License-Identifier: Apache-2.0
"""Domains: what a user writes (types, rules, graded predicates, goals), read, checked, resolved."""

from fcp_ros.domain.check import check_goal
from fcp_ros.domain.evaluate import evaluate
from fcp_ros.domain.expression import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    ExpressionError,
    Forall,
    Not,
    Or,
    Term,
    Text,
    TypedVariable,
    Variable,
    Weighted,
    atoms,
    children,
    free_variables,
    to_text,
)
from fcp_ros.domain.expression_parser import parse_expression
from fcp_ros.domain.infer_types import infer_types
from fcp_ros.domain.is_a import is_a
from fcp_ros.domain.model import (
    IS_A,
    TEXT,
    ActionRule,
    Anchor,
    Constraint,
    Domain,
    Duration,
    GradedPredicate,
    Literal,
    Parameter,
    Resource,
    Rubric,
    TableEntry,
)
from fcp_ros.domain.problems import DomainError, Problem
from fcp_ros.domain.spans import RuleSpan, constraint_pattern, span_of
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml_reader import load_domain, parse_domain

__all__ = [
    "IS_A",
    "TEXT",
    "ActionRule",
    "Anchor",
    "And",
    "Atom",
    "Constant",
    "Constraint",
    "Domain",
    "DomainError",
    "Duration",
    "Exists",
    "Expression",
    "ExpressionError",
    "Forall",
    "GradedPredicate",
    "Literal",
    "Not",
    "Or",
    "Parameter",
    "Problem",
    "Resource",
    "Rubric",
    "RuleSpan",
    "TableEntry",
    "Term",
    "Text",
    "TypedVariable",
    "Variable",
    "Vocabulary",
    "Weighted",
    "atoms",
    "check_goal",
    "children",
    "constraint_pattern",
    "evaluate",
    "free_variables",
    "infer_types",
    "is_a",
    "load_domain",
    "parse_domain",
    "parse_expression",
    "span_of",
    "to_text",
]
