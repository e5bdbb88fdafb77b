# SPDX-License-Identifier: Apache-2.0
"""The meaning of rules as double-pushout (DPO) rewriting rules.

- `rule_span`: a rule without its effects as a span with application conditions.
- `conditions`: negations and formulas as application conditions.
- `amalgam`: a rule with conditional and universal effects, applied as one amalgamated span.
- `derivation`: the facts of derived relations, which follow from a state.
"""
