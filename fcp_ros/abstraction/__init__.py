# SPDX-License-Identifier: Apache-2.0
"""Generalized policies through QNP abstractions: found, debugged, executed.

- `states`: one instance as bitsets, and the rules of a domain as moves between them.
- `features`: what a policy looks at: a language of concepts, counts and distances.
- `qnp`: qualitative numeric problems: the common text format, the solver, termination (SIEVE).
- `policy`: a general policy, the small programs that its abstract actions stand for, its file, and
  its execution.
- `proposers`: training tasks, and abstractions found in transitions sampled from them, written by
  a person, or by a language model.
- `debugging`: the four checks of an abstraction, and the loop that hands faults back.
"""
