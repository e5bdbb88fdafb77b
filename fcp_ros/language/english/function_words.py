# SPDX-License-Identifier: Apache-2.0
"""Words that carry little meaning, prepositions, and the phrases between clauses."""

from __future__ import annotations

from fcp_ros.language.english.adverbials import PREFERENCES
from fcp_ros.language.english.number_words import NUMBERS, UNITS
from fcp_ros.language.english.remark_words import CLOSINGS, POLITE
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
from fcp_ros.language.english.word_lists import PhraseSet, gather_words

_LINKS = {
    "and": PhraseSet(
        "(and [also]|but [also]|as well as|while|plus|additionally|in addition|also|so that)",
        "(furthermore|moreover|meanwhile)",
    ),
    "then": PhraseSet(
        "[and|but] [immediately|right|directly|straight|only|just] (afterwards|afterward|then)",
        "[and|but] [immediately|right|directly|straight|only|just] after (that|this|it|them|which)",
        "[and|but] (thereafter|subsequently|followed by|finally|lastly|last [of all]|at last)",
        "[and|but] (in|at) the [very] end",
        "[and|but] (next|later [on]|second|secondly|third|thirdly|as the (last|next) thing)",
        "[and|but] (once|when|as soon as|after) (that|this|it|everything) (is|has been) "
        "(done|finished|complete|completed|over)",
        "[and|but] (once|when|as soon as|after) you (are|have) (done|finished|through|done that)",
        "[and|but] (once|when|as soon as) (you are|you have been|you get|it is|they are) there",
        "[and|but] (once|when) (done|finished)",
        "[and|but] (having done|after doing) (that|this|so)",
        "after your work",
    ),
    "first": PhraseSet(
        "first [off|of all|thing]",
        "firstly",
        "to (begin|start) with",
        "before (anything|all|you do anything) else",
    ),
    "earlier": PhraseSet("[and|but] (before (that|this)|beforehand|prior to that)", "but first"),
}
SEQUENCE = {("&",): "and"} | {words: link for link, phrases in _LINKS.items() for words in phrases}
"""Words between clauses, and what they say of the order."""

LONGEST_LINK = max(map(len, SEQUENCE))

UNTIL = PhraseSet("[up] until", "(till|before|unless and until|earlier than)")
"""Before what has to be so first, of what shall not be so or shall stay so."""

AS_LONG_AS = PhraseSet("[for] as long as", "so long as")
WHILE = PhraseSet("(while|whilst)", *map(" ".join, AS_LONG_AS))
"""Before what is so at the same time."""

WHENEVER = PhraseSet("(whenever|always when|if ever)", "(each|every|any) time [that]")
"""Before what may happen several times."""

EARLIER = PhraseSet(
    "[immediately|right|straight|directly|only] after",
    "[only] (once|when)",
    "(as soon as|the moment|having)",
    "not (before|until|earlier than)",
)
"""Before what is so earlier."""

IF = PhraseSet("if", "in case", "(provided|assuming) [that]")
UNLESS = PhraseSet("unless")
"""Before what is asked if a condition doesn't hold."""

"""Before what something is asked in place of."""

OTHERWISE = PhraseSet("[and|or] (otherwise|else)", "[and] if not", "[and] if (it|he|she) is not")
INSTEAD_OF = PhraseSet("(instead of|rather than|as opposed to)")
ONLY_LATER = PhraseSet("only (after|once|when)")
"""Those of a permission: "the book only after the mug"."""


_SPOKEN = {
    "on": "on, on top of, on to, onto, upon, atop, back on, back onto, down on",
    "in": "in, inside of, in to, into, inside, within, back in, back into",
    "at": "at",
    "near": "next to, close to, beside, near, by, around",
    "under": "underneath, under, below, beneath",
    "behind": "behind",
    "before": "in front of",
    "above": "above, over",
    "to": "to, back to, over to",
    "from": "from, out of, off of, off, away from",
    "for": "for",
    "with": "with, using",
}
PREPOSITIONS = {
    tuple(spoken.split()): meant for meant, said in _SPOKEN.items() for spoken in said.split(", ")
}
"""Spoken prepositions and the one that stands for them."""

PLACING = frozenset(["in", "into", "inside", "on", "onto"])
"""Prepositions behind a verb of putting."""

FITS = {
    **{(same, same): 1.0 for same in ("on", "in", "at", "near")},
    ("at", "in"): 0.9,
    ("at", "on"): 0.85,
    ("at", "near"): 0.85,
    ("in", "at"): 0.98,
    ("to", "at"): 0.98,
    ("to", "in"): 0.97,
    ("to", "on"): 0.95,
    ("to", "near"): 0.85,
    ("on", "in"): 0.6,
    ("in", "on"): 0.6,
}
"""How well a spoken preposition says that of a relation."""


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
