# SPDX-License-Identifier: Apache-2.0
"""Domain files in YAML: read, checked against their shape, built into a `Domain`.

`sections` runs the stages: the shape of the file (`entries`), then one builder for each section. A
builder returns the part that can be read and reports every fault, so that one run names all.

- `domain_files`: `load_domain`, `parse_domain` and `load_overrides`, the front door; files, texts
  and their lines.
- `sections`: all sections of a file, checked and built; `labels`, `synonyms` and `scene`.
- `entries`: keys and kinds of values, as pydantic models.
- `types`: sections `types`, `relations` and `attributes`.
- `atoms`: atoms and conditions of rules and constraints; atoms that exclude one another.
- `rules`: sections `rules`, `constraints` and `resources`; rules that can never apply.
- `graded`: section `graded`: rubrics, tables, oracles, computed degrees.
- `chunks`: section `chunks`.
- `phrase_sections`: what people say: `phrases`, `tasks`, `kinds`, `ignorable`.
- `relaxing_sections`: weaker forms, substitutes, what is hard; the goals of tasks, checked at the
  end.
- `overrides`: names of a perception in the domain's words, in the section `scene` or a file of
  their own.
"""
