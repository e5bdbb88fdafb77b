# SPDX-License-Identifier: Apache-2.0
"""Words that carry little meaning, in English and in other languages."""

from __future__ import annotations

from fcp_ros.language.english.adverbials import PREFERENCES
from fcp_ros.language.english.connectives import SEQUENCE
from fcp_ros.language.english.number_words import NUMBERS, UNITS
from fcp_ros.language.english.polite_phrases import CLOSINGS, POLITE
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.verbs import (
    BRING_VERBS,
    CLEAR_VERBS,
    GO_VERBS,
    HOLD_VERBS,
    KEEP_VERBS,
    MAKE_VERBS,
    PUT_VERBS,
    REMOVE_VERBS,
)
from fcp_ros.language.english.word_lists import gather_words

ARTICLES = frozenset(["a", "an", "the"])

FILLERS = gather_words(
    "a an the of to is are be been being do does that which who it there's 's s please some "
    "own would could will shall should must can may might have has as so just also very "
    "really quite there up down over either both neither nor and or but , . ; : ! ? for with by "
    "at in on"
)
"""Words that may be left over without a loss of meaning."""

FOREIGN = {
    "German": "der die das und ist auf den dem bitte stelle bringe ich mir einen eine nicht zum",
    "French": "le la les des et est sur du dans mets apporte moi une pas avec pour vous s'il",
    "Spanish": "el la los las y es en por favor pon trae mi una del con para sobre lleva mesa",
    "Italian": "il lo gli e di che sul per favore metti porta mi una della con sulla tavolo",
    "Portuguese": "o os as e em por favor coloque traga uma do da com para sobre mesa ponha",
    "Dutch": "de het een en is op zet breng mij naar alsjeblieft niet van met voor graag",
    "Polish": "na w i do proszę postaw przynieś mi stole nie jest z kubek",
}
"""Function words of other languages: enough to say which language it may be."""

ENGLISH = gather_words(
    "i we a an the and of to in on at it is are be with for from that this me my you your all "
    "every each both then after before please bring put take make open close clean into "
    "onto by not there them two three one everything some any no"
)

COMMON = frozenset(
    [
        *(word for table in (POLITE, CLOSINGS, PREFERENCES) for words in table for word in words),
        *(word for words in (*SEQUENCE, *PREPOSITIONS) for word in words),
        *(word for verbs in (PUT_VERBS, BRING_VERBS, HOLD_VERBS, GO_VERBS) for word in verbs),
        *(word for verbs in (KEEP_VERBS, MAKE_VERBS, CLEAR_VERBS, REMOVE_VERBS) for word in verbs),
        *NUMBERS,
        *UNITS,
        *ENGLISH,
        *FILLERS,
        *("while", "where", "what", "these", "those", "here", "when", "their", "they", "whose"),
        *("until", "because", "since", "than", "only", "other", "others", "except", "without"),
        *("about", "far", "favor", "favour", "find", "job", "our", "task", "wish", "left"),
        *("able", "whenever", "goal", "main", "request", "yours", "although", "high"),
        *("least", "most", "more", "less", "fewer", "many", "much", "half", "rest", "same"),
        *("everyone", "someone", "nobody", "anyone", "something", "anything", "nothing"),
    ]
)
"""Words that are no misspelt names of things."""
