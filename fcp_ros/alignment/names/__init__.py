# SPDX-License-Identifier: Apache-2.0
"""Predicates and the synonyms among them.

synonyms.py       two predicates that may be one; the mapping that several make together
predicate_use.py  who makes a predicate true, and who needs it
likeness.py       names compared in meaning
merging.py        a model in which synonyms are one predicate
migration.py      the same for facts, as a migration of C-sets
"""
