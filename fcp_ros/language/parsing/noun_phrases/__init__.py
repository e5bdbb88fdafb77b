# SPDX-License-Identifier: Apache-2.0
"""The chart of noun phrases.

Lowest first:

- `quantities`: numbers, articles and quantifiers.
- `pattern_matcher`: words and slots of phrases matched with tokens.
- `modifier_parser`: states, places and purposes that are said of something.
- `set_parser`: sets of things and their parts.
- `head_parser`: adjectives, nouns and names.
- `relative_parser`: what stands behind a head: relative clauses, participles, exceptions.
- `noun_parser`: whole noun phrases, and lists of them.
"""
