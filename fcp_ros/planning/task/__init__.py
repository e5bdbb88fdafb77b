# SPDX-License-Identifier: Apache-2.0
"""The compiled task, a domain's rules in the form that compiling works on, and their invariants.

- `task`: facts as integers, operators as tuples of them, and their negative side (absences,
  constraints); all later stages read it.
- `lifted`: a domain's rules over numbered slots: their relations, atoms and conditions.
- `patterns`: joins of atoms over facts.

Facts that never hold together, proven over a domain's rules or over the operators of a task:

- `mutex_pairs`: lifted mutex pairs: two legs of relations that no element ever fills both.
- `invariants`: facts that share an element and are always linked by a static fact: worked out once
  for a domain and checked in a state; relevance uses them. And mutex functional legs over the
  operators of one task; encoding uses them.
"""
