# SPDX-License-Identifier: Apache-2.0
"""Phrases that say that a request is only a wish, or is about the whole time."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_phrases

PREFERENCES = gather_phrases(
    *(
        f"{when} {how}"
        for when in ("if", "where", "when", "whenever", "as far as")
        for how in ("possible", "at all possible", "feasible", "it is possible", "that is possible")
    ),
    *(
        f"{only}if {how}"
        for only in ("", "only ", "but only ")
        for how in (
            "you can",
            "you could",
            "you can manage",
            "you can manage it",
            "you can manage that",
            "you manage to",
            "you manage it",
            "you have time",
            "you find the time",
            "you have the time",
            "you have time for it",
            "there is time",
            "there is time left",
            "time permits",
            "time allows",
            "you get the chance",
            "you get to it",
            "you get around to it",
            "you like",
            "you are able to",
            "you are able",
            "you happen to have time",
            "it is no trouble",
            "that is no trouble",
            "it is not too much trouble",
            "that is not too much trouble",
            "it is not too much to ask",
            "it works out",
            "that works",
            "it works",
            "it can be done",
            "that can be done",
            "it is no bother",
            "it can be arranged",
            "it is convenient",
        )
    ),
    *(
        f"it would be {good}{inner} {if_}"
        for good in (
            "nice",
            "good",
            "great",
            "better",
            "best",
            "lovely",
            "a plus",
            "a bonus",
            "preferable",
            "fine",
        )
        for inner in (
            "",
            " but not essential",
            " though not essential",
            " but not necessary",
            " though not necessary",
            " although not essential",
            " but not a must",
        )
        for if_ in ("if", "if you", "if you could", "if you would", "to", "to have")
    ),
    "preferably",
    "ideally",
    "optionally",
    "hopefully",
    "by preference",
    "at best",
    "as a bonus",
    "nice to have",
    "try to",
    "try and",
    "try",
    "do try to",
    "please try to",
    "i would prefer you to",
    "i would prefer it if you",
    "i would prefer it if",
    "i would prefer if you",
    "i would prefer",
    "i would rather",
    "i would rather you",
    "i would rather have",
    "would be nice",
    "would be great",
    "would be good",
    "would be best",
    "would be even better",
    "would be preferable",
    "would be a bonus",
    "would be a plus",
    "would be my first choice",
    "best of all",
    "rather",
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

FIRST = gather_phrases("first", "first of all", "beforehand", "before that", "before anything else")
"""Words behind a clause by which it comes before the others."""

LAST = gather_phrases(
    "last",
    "last of all",
    "as the last thing",
    "as the last one",
    "at the very end",
    "afterwards",
    "afterward",
    "after that",
    "thereafter",
    "later",
    "later on",
    "next",
    "right afterwards",
    "immediately afterwards",
    "straight afterwards",
    "second",
    "third",
)
"""Words behind a clause by which it comes after the others."""

AFTERTHOUGHTS = gather_phrases(
    *(
        f"{subject} {copula} {said}"
        for subject in ("that", "this", "it")
        for copula in ("is", "would be")
        for said in (
            *(
                f"not {degree}{needed}"
                for degree in ("", "so ", "that ", "very ", "really ", "terribly ", "as ", "too ")
                for needed in ("important", "essential", "necessary", "crucial", "urgent")
            ),
            "not a must",
            "no must",
            "optional",
            "only a wish",
            "just a wish",
            "only a preference",
            "just a preference",
            "less important",
            "nice to have",
            "just nice to have",
            "a bonus",
            "no big deal",
            "only if you can",
        )
    ),
    "no big deal if not",
    "no problem if not",
    "do not worry if you can not",
    "do not worry if not",
    "but it is fine if not",
    "it is fine if not",
    "it does not matter if not",
)
"""Sentences by which what was said before them is only a wish."""
