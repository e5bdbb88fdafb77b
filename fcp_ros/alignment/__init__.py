# SPDX-License-Identifier: Apache-2.0
"""Alignment: names that mean the same, found by planning with replace rules and trying the plans.

    pairing.py        two domains as one task: the model that plans, the world that is tried
    predicate_use.py  who makes a predicate true, and who needs it
    synonyms.py       two predicates that may be one; the mapping that several make together
    proposals.py      the candidates, the most likely first: signature, structure, facts, names
    likeness.py       names compared in meaning
    replace_rules.py  a model in which a fact may change its name, at a penalty
    merging.py        a model in which synonyms are one predicate: a migration of C-sets
    simulator.py      where plans are tried
    trials.py         what a trial says for and against synonyms
    conflicts.py      all that the trials said, and the likeliest ways to comply with it
    evidence.py       what is known about each synonym
    engine.py         plan, try, learn, and again
    answer.py         the answer: status, mapping with evidence, trials

docs/alignment.md explains it.
"""
