# SPDX-License-Identifier: Apache-2.0
"""PDDL in: a domain and a problem file -> `Domain`, `Instance`, goal (docs/pddl.md)."""

from fcp_ros.domain.pddl.reader import parse_pddl, read_pddl
from fcp_ros.domain.pddl.syntax.source import PddlError, UnsupportedPddl
from fcp_ros.domain.pddl.task import ActionForm, PddlTask

__all__ = [
    "ActionForm",
    "PddlError",
    "PddlTask",
    "UnsupportedPddl",
    "parse_pddl",
    "read_pddl",
]
