# SPDX-License-Identifier: Apache-2.0
"""Relaxation: if a goal can't be reached as stated, plan the best one that can, with the reasons.

    plan_goal.py         from a goal's text to a result: parse, plan as stated, relax if that fails
    plan_instruction.py  the same for an instruction in words, after reading it
    intent.py            what goes without saying, and what somebody says that it is for
    question.py          questions to the person who asked, and what follows from the answers
    engine.py            the relaxation of one goal: plans relaxed goals, finds what blocks
    choices/             the parts of a goal, and what may take their places
    worlds.py            elements taken for another type, help, things that are missing
    below_alpha.py       plans that are only long, and what is poor in the others
    lattice.py           the search over all combinations of choices, best first, with proof
    purpose.py           a plan has to bring about something that was wanted
    wording.py           changes in words: what, why, instead of what
    answer.py            the answer: status, chain of changes, what was refused, a question

`plan_goal` is the entry point of nodes and commands. docs/relaxation.md explains it. Nothing is
imported here: a PDDL task needs `question` only.
"""
