# SPDX-License-Identifier: Apache-2.0
"""Refinement: abstract actions as small programs of concrete actions.

- `programs`: steps, branches and loops as values, their text, and the programs of each action.
- `program_parser`: programs read from their text.
- `run`: one program in one state, with the choices that are left.
- `refining`: the refinements of an abstract action: runs that change the features as it says.
"""
