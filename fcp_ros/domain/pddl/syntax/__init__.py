# SPDX-License-Identifier: Apache-2.0
"""PDDL files read as syntax trees and checked; nothing is worked out or grounded here.

A file (`source`) is read into lists, the lists into a tree (`tree`). What the tree holds and later
stages do not support (PDDL 3.0 preferences and trajectory constraints, numbers other than action
costs) is refused by `features`, which is thus the place to open for a new feature.

- `source`: the text of a file, its sections, and places for messages.
- `tree`: the values.
- `formulas`: terms, typed variables, conditions, numbers and effects.
- `domain_file`, `problem_file`: the sections of the two kinds of files.
- `names`: the check that whatever is named is declared and fits.
- `features`: the refusal of what is not supported, by name.
- `writer`: trees written as PDDL again.
"""
