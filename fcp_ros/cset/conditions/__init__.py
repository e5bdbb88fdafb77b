# SPDX-License-Identifier: Apache-2.0
"""Application conditions of rules: what must, or must not, surround a match.

- `extension`: extensions of a match to a larger pattern, planned once for each inclusion.
- `conditions`: `ApplicationCondition` (positive, negative, nested).
"""
