# SPDX-License-Identifier: Apache-2.0
"""The goal of a request: from its expression to alternatives, each a set of facts with a degree.

- `grounding`: expression to `formula`, with every variable replaced by elements; the facts that a
  formula speaks of (`Wanted`) are where relevance begins.
- `symmetry`: classes of interchangeable objects, of which a goal considers as many as it can use.
- `alternatives`: formula to alternatives; `degree_formula` is the degree of one.
"""
