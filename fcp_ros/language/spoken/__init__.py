# SPDX-License-Identifier: Apache-2.0
"""What was said, from dependency trees: noun phrases as values of `parsing.trees`.

- `spans`: the words of a tree at the tokens of a sentence, and where their phrases begin.
- `heads`: openings, adjectives and nouns: a phrase up to its head.
- `tails`: what stands behind a head: places, relative clauses, exceptions.
- `phrases`: whole phrases, also joined ones; `PhraseReader` is the way in.
"""
