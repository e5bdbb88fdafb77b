# SPDX-License-Identifier: Apache-2.0
"""Facts that never hold together, proven over a domain's rules or over the operators of a task.

- `pairs`: lifted mutex pairs: two legs of relations that no element ever fills both.
- `invariants`: facts that share an element and are always linked by a static fact: worked out once
  for a domain and checked in a state; relevance uses them.
- `ground_mutexes`: mutex functional legs over the operators of one task; encoding uses them.
"""
