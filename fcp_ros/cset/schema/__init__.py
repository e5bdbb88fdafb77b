# SPDX-License-Identifier: Apache-2.0
"""Schemas: the types, functions, relations and attributes that instances obey.

- `symbols`: the parts of a schema, and `SchemaError` with its `SchemaProblem` values.
- `checks`: the conditions that the parts must meet.
- `data`: schemas as plain data, read from these, and as text for people.
- `schema`: `Schema`, which checks and indexes its parts; reads and writes YAML.
"""
