# SPDX-License-Identifier: Apache-2.0
"""Schemas: the types, functions, relations and attributes that instances obey.

- `symbols`: the parts of a schema, and `SchemaError` with its `SchemaProblem` values.
- `data`: schemas as plain data, read from these, and as text for people.
- `schema`: the conditions that the parts must meet; `Schema` indexes them, reads and writes YAML.
"""
