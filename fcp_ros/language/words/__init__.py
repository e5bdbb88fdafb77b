# SPDX-License-Identifier: Apache-2.0
"""Words by resources: what WordNet and a spelling library know, beyond the words of a domain.

- `wordnet_nouns`: synonyms of nouns, kinds of things, and nouns that only say what sort of thing.
- `spelling`: known words that a word may be a misspelling of.

The domain comes first: its labels, types, synonyms and kinds (`parsing.lexicon`).
"""
