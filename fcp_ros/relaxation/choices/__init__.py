# SPDX-License-Identifier: Apache-2.0
"""The parts of a goal that can be relaxed apart, and what may take their places.

conjunctions.py    conjunctions taken apart and put together, also those within an `exists`
requirements.py    the parts of a goal, and choices for them
contradictions.py  parts that exclude one another by their wording
order.py           order constraints, about what is left of the goal
stream.py          the choices for one requirement, best first, made as they are asked for
filling.py         elements judged for places, and put into them
weakening.py       weaker relations, broader labels
giving_up.py       what is done without
substitution.py    elements that take the place of others, one for one
"""
