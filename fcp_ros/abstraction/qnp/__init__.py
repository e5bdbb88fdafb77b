# SPDX-License-Identifier: Apache-2.0
"""Qualitative numeric problems, their solver, and the graphs of their policies.

- `problem`: variables, conditions, abstract actions, qstates;
- `state_space`: conditions and actions as bit masks; reachable qstates and moves, limits; the
  graph of a policy; SIEVE: does it terminate?;
- `solver`: where a policy can keep the goal reachable, and also terminate; the front door.
"""
