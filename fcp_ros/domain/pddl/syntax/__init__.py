# SPDX-License-Identifier: Apache-2.0
"""PDDL files read as syntax trees and checked; nothing is grounded here.

A file (`source`) is read into lists, the lists into a tree (`tree`). The tree has more features
than later stages support (constraints with times, numbers other than costs); `checks` refuses
those, and is the place to change for a new feature.

- `source`: the text of a file, its sections, and errors with their places.
- `tree`: the syntax tree as values; `writer` writes it as a file.
- `substitution`: terms in the place of free variables.
- `formulas`: terms, typed variables, conditions, numbers and effects.
- `objects`: declared objects, each with all its types.
- `domain_file`, `problem_file`: the sections of the two kinds of files.
- `checks`: names are declared and fit, derived predicates have an order; unsupported features are
  refused by name.
- `requirements`: what a task uses of PDDL.
"""
