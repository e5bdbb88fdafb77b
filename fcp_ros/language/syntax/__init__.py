# SPDX-License-Identifier: Apache-2.0
"""The syntax of instructions: spaCy's dependency trees, and clauses read off them.

`parse_clauses` is the way in; `normalisation` prepares the words so that imperatives, which news
texts lack, are tagged as verbs.
"""

from fcp_ros.language.syntax.clauses import (
    ParsedClause,
    Segment,
    parse_clauses,
    parse_instruction,
    parse_segments,
)
from fcp_ros.language.syntax.pipeline import load_pipeline, load_pipeline_ahead, require_pipeline
from fcp_ros.language.syntax.requests import Force, Framed, find_requests
from fcp_ros.language.syntax.tree import Tree, Word, join_trees

__all__ = [
    "Force",
    "Framed",
    "ParsedClause",
    "Segment",
    "Tree",
    "Word",
    "find_requests",
    "join_trees",
    "load_pipeline",
    "load_pipeline_ahead",
    "parse_clauses",
    "parse_instruction",
    "parse_segments",
    "require_pipeline",
]
