# SPDX-License-Identifier: Apache-2.0
"""Alignment: names that mean the same, found by planning with replace rules and trying the plans.

    names/         predicates and their use, synonyms, models in which synonyms are one predicate
    trials/        where plans are tried, and what follows from the outcome
    candidates/    two domains as one task; the synonyms worth a trial
    search/        the plans worth a trial
    answer.py      the answer: status, mapping with evidence, trials
    evidence.py    what is known about each synonym
    record.py      candidates and trials of a request, and the conclusion from them
    engine.py      plan, try, learn, and again
    comparison.py  a request from the files on: read, pair, try, translate
    noticing.py    effects of a step that arrive under another name
    name_book.py   the pairs that were noticed so, and what somebody said about them; on disk

docs/alignment.md explains it.
"""
