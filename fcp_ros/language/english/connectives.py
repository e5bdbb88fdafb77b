# SPDX-License-Identifier: Apache-2.0
"""Words between clauses."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_phrases

SEQUENCE: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): role
    for phrase, role in (
        ("and after that", "then"),
        ("and afterwards", "then"),
        ("and then", "then"),
        ("and finally", "then"),
        ("and lastly", "then"),
        ("and immediately afterwards", "then"),
        ("and immediately after that", "then"),
        ("immediately afterwards", "then"),
        ("immediately after that", "then"),
        ("after that", "then"),
        ("after this", "then"),
        ("after which", "then"),
        ("afterwards", "then"),
        ("afterward", "then"),
        ("subsequently", "then"),
        ("followed by", "then"),
        ("once done", "then"),
        ("once that is done", "then"),
        ("when you are done", "then"),
        ("when done", "then"),
        ("before finally", "then"),
        ("finally", "then"),
        ("lastly", "then"),
        ("in the end", "then"),
        ("at the end", "then"),
        ("at last", "then"),
        ("next", "then"),
        ("later", "then"),
        ("then", "then"),
        ("secondly", "then"),
        ("second", "then"),
        ("third", "then"),
        ("thirdly", "then"),
        ("first of all", "first"),
        ("to begin with", "first"),
        ("firstly", "first"),
        ("first", "first"),
        ("but before that", "earlier"),
        ("before that", "earlier"),
        ("but first", "earlier"),
        ("and also", "and"),
        ("as well as", "and"),
        ("and", "and"),
        ("but also", "and"),
        ("but", "and"),
        ("while", "and"),
        ("plus", "and"),
        ("&", "and"),
        ("additionally", "and"),
        ("in addition", "and"),
        ("furthermore", "and"),
        ("moreover", "and"),
        ("also", "and"),
        ("meanwhile", "and"),
        ("so that", "and"),
    )
}
"""Words between clauses, and what they say of the order."""

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
