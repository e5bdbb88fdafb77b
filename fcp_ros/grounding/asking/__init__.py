# SPDX-License-Identifier: Apache-2.0
"""One answer to each request of a batch, before calibration.

A batch passes from the top down; answers and errors come back up as values.

- `router`: chooses the oracles of a predicate, combines their answers, falls back on others.
- `cached_oracle`: one oracle behind the cache; one that is down is left alone for a while.
- `judgement_cache`: answers in memory and in a SQLite file.
"""
