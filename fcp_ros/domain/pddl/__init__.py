# SPDX-License-Identifier: Apache-2.0
"""PDDL tasks: a domain and a problem file become `Domain`, `Instance` and goal (docs/pddl.md).

`reader` runs the stages: files to syntax trees (`syntax`), actions to draft rules (`rules`), both
to a task (the files here).

- `reader`: `read_pddl` and `parse_pddl`, the front door; derived predicates that no action changes
  are settled.
- `task`: the result, with the form of each rule in PDDL.
- `syntax`: files read as syntax trees and checked.
- `rules`: actions as draft rules over PDDL's own names.
- `metric`: what a plan minimises as costs of actions and preferences.
- `known_values`: actions require the values that their costs read.
- `invariants`: mutex groups, which become functional legs.
- `definitions`: predicates that only repeat a relation, found and replaced by it.
- `names`: types, relations and elements for PDDL's names; what the planner says, in PDDL.
- `assembly`: all of it put together, goals and conditions as expressions.
"""

from fcp_ros.domain.pddl.reader import parse_pddl, read_pddl
from fcp_ros.domain.pddl.syntax.source import PddlError, UnsupportedPddl
from fcp_ros.domain.pddl.task import ActionForm, PddlTask

__all__ = ["ActionForm", "PddlError", "PddlTask", "UnsupportedPddl", "parse_pddl", "read_pddl"]
