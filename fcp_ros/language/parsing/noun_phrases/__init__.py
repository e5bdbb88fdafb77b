# SPDX-License-Identifier: Apache-2.0
"""Noun phrases, read off dependency trees.

Lowest first:

- `quantities`: numbers, articles and quantifiers.
- `tree_spans`: the words of a tree at the tokens, and where noun phrases begin.
- `pattern_matcher`: words and slots of phrases matched with tokens.
- `modifier_parser`: states, places and purposes that are said of something.
- `set_parser`: sets of things and their parts.
- `adjective_parser`: words between an opening and its noun.
- `head_parser`: phrases up to their head: nouns, names and pronouns.
- `relative_parser`: what stands behind a head: relative clauses, participles, exceptions.
- `noun_parser`: whole noun phrases, and lists of them; `NounParser` is the way in.
"""
