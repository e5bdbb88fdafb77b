# SPDX-License-Identifier: Apache-2.0
"""Facts that never hold together, proven over rules or over the operators of a task.

- `pairs`, `initial_pairs`: pairs of relation legs that an element never fills both (lifted).
- `links`: facts that share an element and are always linked by a static fact (lifted).
- `invariants`: both, worked out once for a domain and checked in a state.
- `ground_mutexes`: pairs of functional legs, proven over the operators of one task.
"""
