# SPDX-License-Identifier: Apache-2.0
"""Rewriting: rules ``L <- K -> R``, legal matches, and their application to a state.

- `rule`: rules and their semantics (DPO, SPO, SqPO); `rule_check` validates a span, `rule_plan`
  compiles it once for all matches.
- `match_check`: every condition that a match breaks; `match_maintenance` keeps the legal matches of
  a rule up to date.
- `dpo`, `spo`, `sqpo`: what each semantics leaves of the state, as a `context`; SqPO clones, with
  `fibres` (what lies over the image of L) and `copies` (what refers to a clone).
- `gluing`: how R is glued to the context.
- `rewrite`: the whole: check the match, make the context, glue, and report the change.
"""
