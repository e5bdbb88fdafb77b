# SPDX-License-Identifier: Apache-2.0
"""Values that all of grounding exchanges; nothing here knows an oracle or a store.

- `context`: makes a `JudgementRequest` from a predicate, bound arguments and a state.
- `judgement`: `JudgementRequest` (the question) and `Membership` (the answer).
- `aggregation`: one `Membership` from several judgements or from a distribution over scores.
- `oracle`: the interface of every oracle, and the version of a predicate for cache keys.
- `options`: settings, checked on construction.
- `errors`: `GroundingError`, a code for programs and a sentence for people.
"""
