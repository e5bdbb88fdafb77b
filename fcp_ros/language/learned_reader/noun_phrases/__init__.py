# SPDX-License-Identifier: Apache-2.0
"""Noun phrases off dependency trees.

Lowest first:

- `joined_nouns`: the parts of lists, and what these share.
- `domain_phrases`: phrases of the domain that say something of a thing.
- `descriptions`: adjectives, places and relative clauses.
- `head_reader`: phrases up to their head.
- `noun_reader`: whole noun phrases; `NounReader` is the way in.
"""
