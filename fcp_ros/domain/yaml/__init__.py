# SPDX-License-Identifier: Apache-2.0
"""Domain files in YAML: read, checked against their shape, built into a `Domain`.

`reader` runs the stages: the shape of the file (`entries`), then one builder for each section. A
builder returns what can be read and puts every fault into the report, so that one run names all.

- `reader`: `load_domain` and `parse_domain`, the front door.
- `entries`: keys and kinds of values, as pydantic models.
- `types`: sections `types`, `relations`, `functions` and `attributes`.
- `atoms`: atoms inside rules and constraints, and how two of them relate.
- `rules`: sections `rules` and `constraints`; `rule_checks` finds rules that can never apply.
- `amounts`: durations, windows, costs and the section `resources`.
- `graded`, `oracles`, `fuzzy_rules`: section `graded`: rubrics, tables, judges, computed degrees.
- `chunks`: section `chunks`; `chunk_checks` finds steps that can't follow one another.
- `scene`: sections `labels`, `synonyms` and `scene`.
"""
