# SPDX-License-Identifier: Apache-2.0
"""A goal of a request: from its expression to alternatives, each a set of facts with a degree.

- `grounding`: expression to `formula`, with every variable replaced by elements.
- `wanted`: the facts that a formula speaks of, where `relevance` begins.
- `symmetry`: interchangeable objects, of which the goal considers as many as it can use.
- `alternatives`: formula to alternatives; `degree_formula` is what one is worth.
"""
