# SPDX-License-Identifier: Apache-2.0
"""Words between clauses."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_phrases

_DONE = (
    *(
        f"{when} {subject} {done}"
        for when in ("once", "when", "as soon as", "after")
        for subject in (
            *("that is", "this is", "it is", "all that is", "all this is", "everything is"),
            *("that has been", "this has been", "it has been", "you are", "you have"),
        )
        for done in ("done", "finished", "completed", "complete", "over", "through", "done that")
    ),
    *(
        f"{when} {subject} there"
        for when in ("once", "when", "as soon as")
        for subject in ("you are", "you have been", "you get", "you arrive", "it is", "they are")
    ),
    *(f"{doing} {it}" for doing in ("having done", "after doing") for it in ("that", "this", "so")),
    "once done",
    "when done",
    "once finished",
    "once you have done that",
    "when you have done that",
    "after your work",
)
_AFTERWARDS = (
    *("after that", "after this", "after it", "after them", "after which", "afterwards"),
    *("afterward", "thereafter", "thereupon", "then"),
)
_THEN = (
    *_AFTERWARDS,
    *(
        f"{soon} {after}"
        for soon in ("immediately", "right", "directly", "straight", "only", "shortly", "just")
        for after in _AFTERWARDS
    ),
    *("subsequently", "followed by", "finally", "before finally", "lastly", "last", "last of all"),
    *("in the end", "at the end", "at the very end", "at last", "to finish", "next", "later"),
    *("later on", "secondly", "second", "third", "thirdly", "as the next thing"),
    *("as the last thing", "only after that", "only afterwards", "only once that is done"),
    *_DONE,
)
_FIRST = (
    *("before anything else", "before you do anything else", "before doing anything else"),
    *(
        "first thing",
        "first off",
        "first of all",
        "to begin with",
        "to start with",
        "firstly",
        "first",
    ),
    "before all else",
)
_EARLIER_LINKS = ("before that", "beforehand", "prior to that", "before doing that", "before this")
_AND = (
    *("and also", "as well as", "and", "but also", "but", "while", "plus", "&", "additionally"),
    *("in addition", "furthermore", "moreover", "also", "meanwhile", "so that"),
)
SEQUENCE: dict[tuple[str, ...], str] = {
    **{tuple(phrase.split()): "and" for phrase in _AND},
    **{(*joint, *phrase.split()): "then" for phrase in _THEN for joint in ((), ("and",), ("but",))},
    **{tuple(phrase.split()): "first" for phrase in _FIRST},
    **{
        (*joint, *phrase.split()): "earlier"
        for phrase in _EARLIER_LINKS
        for joint in ((), ("and",), ("but",))
    },
    ("but", "first"): "earlier",
}
"""Words between clauses, and what they say of the order."""

LONGEST_LINK = max(map(len, SEQUENCE))

UNTIL = gather_phrases("until", "till", "before", "unless and until", "up until", "earlier than")
"""Before what has to be so first, of what shall not be so or shall stay so."""

AS_LONG_AS = gather_phrases("as long as", "so long as", "for as long as")
WHILE = gather_phrases("while", "whilst", "as long as", "so long as", "for as long as")
"""Before what is so at the same time."""

WHENEVER = gather_phrases(
    "whenever",
    "each time that",
    "each time",
    "every time that",
    "every time",
    "any time that",
    "any time",
    "always when",
    "if ever",
)
"""Before what may happen several times."""

EARLIER = gather_phrases(
    "immediately after",
    "right after",
    "straight after",
    "directly after",
    "only after",
    "after",
    "only once",
    "once",
    "only when",
    "when",
    "as soon as",
    "the moment",
    "not before",
    "not until",
    "not earlier than",
    "having",
)
"""Before what is so earlier."""

ONLY_LATER = tuple(phrase for phrase in EARLIER if phrase[0] == "only")
"""Those of a permission: "the book only after the mug"."""
