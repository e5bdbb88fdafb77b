# SPDX-License-Identifier: Apache-2.0
"""The closed classes of English that tell where an imperative and its object begin."""

from __future__ import annotations

from fcp_ros.language.english.verbs import BEING
from fcp_ros.language.english.word_lists import gather_words

DETERMINERS = gather_words(
    "a an the this that these those my your his her its our their some any no every each both "
    "all either neither another other half most many much several few which what whatever "
    "whichever enough more only exactly"
)
PRONOUNS = gather_words(
    "i you he she it we they me him us them myself yourself itself ourselves themselves mine "
    "yours something anything nothing everything someone anyone everyone somebody anybody "
    "everybody nobody one ones who whoever there here"
)
NUMBERS = gather_words(
    "two three four five six seven eight nine ten eleven twelve twenty dozen hundred"
)
PREPOSITIONS = gather_words(
    "in on into onto to from at by with without for of off out over under up down through "
    "across behind beside besides near inside outside within around between among against along "
    "above below beneath underneath towards toward upon atop except during until till after "
    "before about back away together as than via"
)
CONJUNCTIONS = frozenset(("and", "or", "but", "then", ",", ":", "&", "plus"))
SUBORDINATORS = gather_words(
    "if when whenever while once until till after before unless because since although though "
    "as so that whether where wherever provided"
)
AUXILIARIES = BEING | gather_words(
    "be been being do does did have has had can could may might must shall should will would not"
)
ADVERBS = gather_words(
    "please kindly just also now then first firstly second secondly third finally lastly last "
    "next afterwards simply always never again instead maybe perhaps possibly okay ok so well "
    "yes yeah hey hi hello robot afterward later otherwise else still too either"
)
"""What may stand between the beginning of a clause and its verb."""
DIRECTIONS = gather_words(
    "left right straight forward forwards backward backwards ahead home upstairs downstairs "
    "everywhere somewhere apart open shut closed aside sure"
)
"""What stands behind a verb like an object, and is none."""

FUNCTION_WORDS = (
    DETERMINERS
    | PRONOUNS
    | NUMBERS
    | PREPOSITIONS
    | CONJUNCTIONS
    | SUBORDINATORS
    | AUXILIARIES
    | ADVERBS
    | DIRECTIONS
)
