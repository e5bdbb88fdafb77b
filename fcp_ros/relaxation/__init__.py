# SPDX-License-Identifier: Apache-2.0
"""Relaxation: if a goal can't be reached as stated, plan the best one that can, with the reasons.

    plan_goal.py         from a goal's text to a result: parse, plan as stated, relax if that fails
    plan_instruction.py  the same for an instruction in words, after reading it
    intent.py            what goes without saying, and what somebody says that it is for
    dangers.py           what of a plan is not safe for a person, and has to be asked about
    question.py          questions to the person who asked, and what follows from the answers
    engine.py            the relaxation of one goal: plans relaxed goals, finds what blocks
    worlds.py            elements taken for another type, help, things that are missing
    acceptance.py        plans that bring about what was wanted, and are poor only by length
    lattice.py           the search over all combinations of choices, best first, with proof
    wording.py           changes in words: what, why, instead of what

The parts of a goal that can be relaxed apart, and what may take their places:

    requirements.py      the parts of a goal, and choices for them
    interactions.py      parts that exclude one another by their wording, and order constraints
    stream.py            the choices for one requirement, best first, made as they are asked for
    weakening.py         weaker relations, broader labels, what is done without
    substitution.py      elements judged for places, and put into them, one for one

`plan_goal` is the entry point of nodes and commands. docs/relaxation.md explains it. Nothing is
imported here: a PDDL task needs `question` only.
"""
