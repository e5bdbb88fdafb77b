# SPDX-License-Identifier: Apache-2.0
"""The default oracle: degrees from sentence embeddings.

- `oracle`: the three ways to judge, chosen by the predicate's form.
- `phrasing`: similarity of a pair without a head.
"""
