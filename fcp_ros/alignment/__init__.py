# SPDX-License-Identifier: Apache-2.0
"""Alignment: names that mean the same, found by planning with replace rules and trying the plans.

    synonyms.py    two predicates that may be one, and what trials say of it
    predicate_use, merging
                   predicates and their use; models in which synonyms are one predicate
    simulator, predictor
                   where plans are tried, and what follows from the outcome
    pairing, proposals
                   two domains as one task; the synonyms worth a trial, by structure and likeness
    plan_finder.py the plans worth a trial
    ontology/      the same for the names in a scene
    answer.py      the answer: status, mapping with evidence, trials
    record.py      candidates, trials and evidence of a request, and the conclusion from them
    comparison.py  a request from the files on: read, pair, plan, try, learn, and again; translate;
                   declared synonyms
    name_book.py   effects that arrive under another name, and what somebody said of them; on disk

docs/alignment.md explains it.
"""
