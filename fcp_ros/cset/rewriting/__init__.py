# SPDX-License-Identifier: Apache-2.0
"""Rewriting by double pushouts: rules ``L <- K -> R``, legal matches, their application to a state.

- `rule`: rules; `rule_check` validates a span, `rule_plan` compiles it once for all matches.
- `match_check`: every condition that a match breaks.
- `dpo`: what a rule leaves of the state (the pushout complement), as a `context`.
- `gluing`: how R is glued to the context.
- `rewrite`: the whole: check the match, make the context, glue, and report the change.
"""
