# SPDX-License-Identifier: Apache-2.0
"""The goal of a request: from its expression to alternatives, each a set of facts with a degree.

- `ground_goal`: expression to ground goal (a formula, counts, preferences, constraints), by
  `grounding`, which replaces the variables of conditions by elements.
- `formula`: conditions without variables; the facts that they speak of (`Wanted`) are where
  relevance begins.
- `trajectory_monitors`, `trajectory_effects`: trajectory constraints as facts that the operators of
  a task keep account of, by effects whose conditions are regressed to the state before.
- `symmetry`: classes of interchangeable objects, of which a goal considers as many as it can use.
- `alternatives`: formula to alternatives, each with a formula of its degree.
- `division`: a formula with very many alternatives, as stages of few alternatives each.
- `stages`: preferences and counts, settled one after the other behind the last step.
"""
