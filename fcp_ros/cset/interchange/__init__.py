# SPDX-License-Identifier: Apache-2.0
"""The JSON of ACSets (AlgebraicJulia), for schemas and instances.

- `columns`: the tables and columns that both share.
- `schemas`: schemas to and from JSON.
- `instances`: instances to and from JSON.
"""
