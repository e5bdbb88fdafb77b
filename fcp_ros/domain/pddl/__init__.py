# SPDX-License-Identifier: Apache-2.0
"""PDDL tasks: a domain and a problem file become `Domain`, `Instance` and goal (docs/pddl.md).

`task_reader` runs the stages: files to syntax trees, actions to draft rules, both to a task.

A file is read into lists, the lists into a tree. The tree has more features than later stages
support (constraints with times, numbers other than costs); `syntax_checks` refuses those, and is
the place to change for a new feature.

- `source_text`: the text of a file, its sections, and errors with their places.
- `syntax_tree`: the syntax tree as values; `syntax_writer` writes it as a file.
- `formulas`: terms, typed variables, conditions, numbers and effects.
- `domain_file`, `problem_file`: the sections of the two kinds of files.
- `syntax_checks`: names are declared and fit, derived predicates have an order; unsupported
  features are refused by name; what a task uses of PDDL.

A precondition becomes alternatives (`normal_form`), each alternative one rule for each way to
identify the action's parameters (`drafting`).

- `universe`: types with their objects, static facts, and the objects that may come to be at each
  position of a predicate.
- `normal_form`: conditions in disjunctive normal form.
- `draft_rules`: draft rules over PDDL's own names as values, their effects and costs.
- `drafting`: from an action to its draft rules.

Both end in a task.

- `metric`: what a plan minimises as costs of actions and preferences; actions require the values
  that their costs read.
- `invariants`: mutex groups, which become functional legs.
- `definitions`: predicates that only repeat a relation, found and replaced by it.
- `pddl_task`: the result: the form of each rule in PDDL, the domain's names for PDDL's and back.
- `task_assembly`: all of it put together, goals and conditions as expressions.
- `rendering`: a domain and a state as syntax trees of PDDL, for its writer.
"""

from fcp_ros.domain.pddl.pddl_task import PddlTask
from fcp_ros.domain.pddl.source_text import PddlError, UnsupportedPddl
from fcp_ros.domain.pddl.task_reader import parse_pddl, read_pddl

__all__ = ["PddlError", "PddlTask", "UnsupportedPddl", "parse_pddl", "read_pddl"]
