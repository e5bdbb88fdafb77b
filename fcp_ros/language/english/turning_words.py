# SPDX-License-Identifier: Apache-2.0
"""Words that turn a meaning round: closed classes of English, each said once, with its reason.

Whoever leaves words of an instruction out, or reads a clause without its logic, asks here which
ones must not be among them. Most classes have a core, and further words that are as often harmless.
"""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_words

NEGATIVES = gather_words("not n't 't never no none nor neither")
"""What they stand beside is not wanted: "not the mug"."""
NOTHINGS = gather_words("nothing nobody nowhere")
"""Pronouns that negate the whole clause: "nothing goes on the couch"."""
_AVOIDING = gather_words("avoid refuse stop skip")
"""Verbs that negate what follows: "skip the bathroom"."""

EXCEPTIONS = gather_words("except without but")
"""What follows is taken out: "all but the jacket"."""
SELDOM_EXCEPTIONS = gather_words("besides apart")
"""They take out, or add: "besides, I'm late"."""
_EXCLUDING = gather_words("save excluding excluded")
"""Verbs that take out."""
RESTRICTIONS = gather_words("only just instead rather")
"""Nothing else is wanted, or something else: "only the red ones"."""
_ALONE = frozenset(["alone"])
"""It restricts ("the mug alone"), or says that nothing is done ("leave it alone")."""

CONDITIONS = gather_words("if when whenever until till")
"""What is asked holds in some cases, or at some time, only."""
_REFUSALS = frozenset(["unless"])
"""A condition that is negated."""
_OPEN_CONDITIONS = frozenset(["whether"])
"""Both cases are spoken of."""
_CAUSES = gather_words("before since because provided case")
"""They give a time, a condition ("provided"), or a reason."""
SEQUENCE_WORDS = gather_words("then after once while")
"""They order what is asked: "after that"."""
_PLACES_IN_ORDER = gather_words("first last")
"""They order, or choose ("the first one")."""

_ALTERNATIVES = gather_words("or otherwise alternatively")
"""One of two is enough."""
COMPARING = gather_words("than most least more less fewer exactly between half")
"""They compare or measure: "at least three"."""
_MEASURING = gather_words("at under over above below up enough many much few one")
"""They measure beside a number; by themselves they are prepositions and pronouns."""
_AS = frozenset(["as"])
"""It compares ("as many as"), or gives a time or a reason."""
_OTHERS = gather_words("other others rest else")
"""Everything but what was named."""
_LIKENESS = gather_words("same different")
"""They compare with what was named."""
_EACH = gather_words("all every each both")
"""They say how many are meant: leaving one out makes one of all."""
_ANY = frozenset(["any"])
"""It leaves the choice; below a negation it says all."""

DUTIES = gather_words("should must shall let ought please")
"""Words that only a demand has: a remark lacks them."""
NOT_STATED = DUTIES | gather_words(
    "except unless until instead rather kindly if nor preferably ideally "
    "whichever whatever wherever"
)
"""Words of duty, condition, exception and choice that a mere statement lacks."""
CORRECTIONS = gather_words("sorry wait oops actually stop hold")
"""Words by which people take something back, if they stand alone."""

SAFETY = gather_words(
    "safe safely safety careful carefully caution cautious danger dangerous dangerously hazard "
    "hazardous hot boiling burning cold sharp fragile breakable poisonous toxic hurt harm burn "
    "broken spill heavy full electric live flammable baby child kid toddler"
)
"""Words that a robot has to heed before it touches anything."""

CONTRARY = NEGATIVES | EXCEPTIONS | _REFUSALS | _ALTERNATIVES | {"if"}
"""Words that must not even be among the fillers of a reading that is offered."""

TURNING = (
    (NEGATIVES | NOTHINGS | _AVOIDING)
    | (EXCEPTIONS | SELDOM_EXCEPTIONS | _EXCLUDING | RESTRICTIONS | _ALONE)
    | (CONDITIONS | _REFUSALS | _CAUSES | SEQUENCE_WORDS | _ALTERNATIVES)
    | (COMPARING | _MEASURING | _AS | _OTHERS | _LIKENESS | _EACH | {"similar"})
)
"""Words that negate, except, restrict, condition, order or measure: what they mean is never left
out where nothing else speaks for it."""

NOT_REMARKED = (
    NOTHINGS | EXCEPTIONS | RESTRICTIONS | CONDITIONS | _REFUSALS | _OPEN_CONDITIONS | DUTIES
) | (
    _EACH
    | _ANY
    | (_OTHERS - {"else"})
    | {"most", "least", "than"}
    | SEQUENCE_WORDS
    | _PLACES_IN_ORDER
    | (_ALTERNATIVES - {"or"})
)
"""Words that condition, restrict, order or demand, so that a clause with one is no mere remark. A
negation may be in one ("I can't sleep"), and a cause ("because I'm tired")."""
