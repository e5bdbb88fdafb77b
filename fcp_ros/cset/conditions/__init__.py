# SPDX-License-Identifier: Apache-2.0
"""Application conditions of rules: what must, must not, or how often may surround a match.

- `extension`: extensions of a match to a larger pattern, planned once for each inclusion.
- `conditions`: `ApplicationCondition` (positive, negative, nested) and `CountCondition`.
- `counting`: conditions decided for all matches at once, by one join.
"""
