# SPDX-License-Identifier: Apache-2.0
"""The compiled task, and a domain's rules in the form that compiling works on.

- `task`: facts as integers, operators as tuples of them; all later stages read it.
- `conditions`: the negative side of its operators (absences, constraints).
- `lifted`: a domain's rules over numbered slots; `lifted_formulas`: their relations, atoms and
  conditions.
- `patterns`: joins of atoms over facts.
- `forgetting`: rules that overwrite an old value without reading it.
"""
