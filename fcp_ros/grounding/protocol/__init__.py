# SPDX-License-Identifier: Apache-2.0
"""Values that all of grounding exchanges; nothing here knows an oracle or a store.

- `judgement`: `JudgementRequest` (the question, made of bound arguments and a state) and
  `Membership` (the answer).
- `oracle`: the interface of every oracle, and the version of a predicate for cache keys.
- `options`: settings, checked on construction.
- `errors`: `GroundingError`, a code for programs and a sentence for people.
"""
