# SPDX-License-Identifier: Apache-2.0
"""The compiled task, and a domain's rules in the form that compiling works on.

- `task`: facts as integers, operators as tuples of them; all later stages read it.
- `conditions`: the negative side of its operators (absences, constraints).
- `lifted`: a domain's rules over numbered slots; `lifted_atoms`: its relations, and atoms;
  `lifted_formulas`: conditions that are not conjunctions of literals.
- `patterns`: joins of atoms over facts.
- `forgetting`: rules that overwrite an old value without reading it.
"""
