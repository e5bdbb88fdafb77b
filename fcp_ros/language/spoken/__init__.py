# SPDX-License-Identifier: Apache-2.0
"""Sentences read off dependency trees: clauses with what they ask for, in their order.

- `clause_tree`: the clauses of a tree; `chunks`: the phrases of a clause as a row.
- `span_phrases`: noun phrases of spans of words.
- `verb_frames`: phrases of a domain as frames, matched with chunks; `general_verbs`: verbs of
  motion and possession; `demand_reader`: learned demands; `core_reader`: what a clause asks for;
  `cores`: the values.
- `statement_reader`: what shall be so; `adjuncts`: words around the core of a clause.
- `subordinates`: conditions, order, provisos; `coverage`: words that no reading has a use for.
- `loosening`: sentences without places that the domain can't say.
- `tree_parser`: sentences, with the chart of `parsing` beside it.
"""
