# SPDX-License-Identifier: Apache-2.0
"""The compiled task, and a domain's rules in the form that compiling works on.

- `task`: facts as integers, operators as tuples of them: what all later stages read.
- `conditions`, `effect_conditions`: the negative side of operators (absences, constraints).
- `lifted`, `fluents`: a domain's rules over numbered slots.
- `patterns`: joins of atoms over facts.
- `forgetting`: rules that overwrite an old value without reading it.

Conditions are conjunctions of literals here; `lifted` is where a rule's precondition enters.
"""
