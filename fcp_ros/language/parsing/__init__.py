# SPDX-License-Identifier: Apache-2.0
"""Trees of English instructions: a chart over the words of a domain and the things of a state.

- `meanings`: the phrases of a domain as patterns, each with a condition over its slots.
- `trees`: noun phrases and clauses as values, and the words that they stand for.
- `pattern_building`: patterns from the phrases of a domain.
- `set_index`: the words of things that belong together.
- `lexicon`: what nouns and names may mean in a state: kinds and elements.
- `noun_phrases`: the chart of noun phrases, with the patterns that stand in them.
- `clauses`: constructions of clauses beside the plain imperative.
- `adverbial_parser`, `statement_parser`, `motion_parser`, `clause_parser`: the chart of clauses.
- `partial_sentences`: readings of the first tokens;
  `proviso_parser`: conditions on the way.
- `sentence_parser`: clauses in an order, with words skipped at a price.
"""
