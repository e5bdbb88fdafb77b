# SPDX-License-Identifier: Apache-2.0
"""Candidates: predicates that may be one, before any trial.

pairing.py      two domains as one task: the model that plans, the world that is tried
other_world.py  that world: a PDDL problem, or a domain in a state; goals in its words
declared.py     candidates that a person names, also of different arity
proposals.py    the candidates, the most likely first: signature, structure, facts, names
"""
