# SPDX-License-Identifier: Apache-2.0
"""The syntax of instructions: spaCy's dependency trees, and clauses read off them.

`parse_clauses` is the way in; `normalisation` prepares the words so that imperatives, which news
texts lack, are tagged as verbs.
"""

from fcp_ros.language.syntax.clauses import (
    Argument,
    Mood,
    ParsedClause,
    list_clauses,
    parse_clauses,
)
from fcp_ros.language.syntax.pipeline import load_pipeline, load_pipeline_ahead, require_pipeline
from fcp_ros.language.syntax.questions import join_checks, join_conditions, write_inversions
from fcp_ros.language.syntax.requests import Force, Framed, find_requests
from fcp_ros.language.syntax.sentences import Segment, parse_segments
from fcp_ros.language.syntax.tree import Tree, Word, join_trees

__all__ = [
    "Argument",
    "Force",
    "Framed",
    "Mood",
    "ParsedClause",
    "Segment",
    "Tree",
    "Word",
    "find_requests",
    "join_checks",
    "join_conditions",
    "join_trees",
    "list_clauses",
    "load_pipeline",
    "load_pipeline_ahead",
    "parse_clauses",
    "parse_segments",
    "require_pipeline",
    "write_inversions",
]
