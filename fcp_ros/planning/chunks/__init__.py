# SPDX-License-Identifier: Apache-2.0
"""Chunks: sequences of steps that are planned as one.

    library.py      the chunks to plan with, and the graded atoms that they and their steps rest on
    learning.py     chunks learned from the plans of the past
    composition.py  several flat operators, one after the other, as one
    macros.py       the chunks of a library as operators of a task that is being encoded

A chunk is declared in the domain or learned. `macros` finds the sequences of flat operators that
fit it and composes each to one more operator. In the plan its steps are steps again, with a label.
"""
