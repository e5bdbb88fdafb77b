# SPDX-License-Identifier: Apache-2.0
"""Sentences read off dependency trees: clauses with what they ask for, in their order.

- `clause_tree`: the clauses of a tree; `chunks`: the phrases of a clause as a row.
- `span_phrases`: noun phrases of spans of words.
- `verb_frames`: phrases of a domain as frames, matched with chunks; `general_verbs`: verbs of
  motion and possession; `core_reader`: what a clause asks for.
- `statement_reader`: what shall be so; `adjuncts`: words around the core of a clause.
- `tree_parser`: sentences.
"""
