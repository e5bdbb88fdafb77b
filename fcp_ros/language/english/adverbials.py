# SPDX-License-Identifier: Apache-2.0
"""Phrases that say that a request is only a wish, or is about the whole time."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_phrases

PREFERENCES = gather_phrases(
    "if at all possible",
    "if it is possible",
    "if possible",
    "if you can",
    "if you could",
    "where possible",
    "preferably",
    "ideally",
    "try to",
    "try and",
    "try",
    "if you have time",
    "if there is time",
    "i would prefer you to",
    "i would prefer",
    "it would be nice if",
    "it would be good if",
    "i would prefer if you",
    "if you like",
)
"""Words that make a wish of what they stand beside."""

ALWAYS = gather_phrases(
    "the whole time",
    "all the time",
    "at all times",
    "at any time",
    "at any point",
    "all along",
    "throughout",
    "always",
    "ever",
)
"""Words by which something is so in every state."""

AT_MOST_ONCE = gather_phrases(
    "at most once",
    "at the most once",
    "at most one time",
    "once at most",
    "one time at most",
    "once at the most",
    "no more than once",
    "not more than once",
    "no more than one time",
    "no more than a single time",
    "no more often than once",
    "only once",
    "just once",
    "only one time",
    "only a single time",
)
"""Words by which something is so at most once."""

MORE_THAN_ONCE = gather_phrases(
    "more than once",
    "more than one time",
    "more than a single time",
    "more often than once",
    "twice",
    "a second time",
    "for a second time",
)
"""The same behind a negation."""

SOMETIME = gather_phrases(
    "at some point",
    "at some time",
    "at some stage",
    "at some moment",
    "at one point",
    "at least once",
    "sometime",
    "for a while",
    "for a moment",
    "for a bit",
    "for some time",
    "briefly",
    "temporarily",
    "on the way",
    "along the way",
    "on your way",
)
"""Words by which something is so on the way, and need not be so at the end."""

IN_ORDER = gather_phrases(
    "in that order",
    "in this order",
    "in exactly that order",
    "in exactly this order",
    "in the given order",
    "in the order given",
    "in the order named",
    "in the named order",
    "in that sequence",
    "in this sequence",
)
"""Words by which several things are done in the order in which they were named."""
