# SPDX-License-Identifier: Apache-2.0
"""Phrases that say that a request is only a wish, or is about the whole time."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet, gather_phrases

PREFERENCES = PhraseSet(
    "[but] [only] (if|where|when|whenever|wherever) [at all] (possible|feasible)",
    "(if|when|where) (it|that) is [at all] (possible|feasible|convenient)",
    "as far as possible",
    "[but] [only] if you (can|could|like|want) [(manage|do) (it|that|to|this)]",
    "[but] [only] if you (can|could) manage",
    "[but] [only] if you (manage|get) (to|it|that|to it|around to it|the chance)",
    "[but] [only] if you [happen to] (have|find) [the|enough|any|some] time [for (it|that)]",
    "[but] [only] if you (are able|have the chance) [to]",
    "[but] [only] if (there is|you have) [still|enough|any|some] time [left]",
    "[but] [only] if (time|circumstances) (permits|permit|allows|allow)",
    "[but] [only] if (it|that) is (no|not [too] much|not a) (trouble|bother|problem|hassle)",
    "[but] [only] if (it|that) is not [too] much [to ask]",
    "[but] [only] if (it|that) (works|works out|can be (done|arranged|managed))",
    "it would be [even] (nice|good|better|preferable|a plus|a bonus) (if|to|to have)",
    "it would be (nice|good|great) (but|though|although) not (essential|necessary|important) "
    "(if|to|to have)",
    "(preferably|ideally|optionally|hopefully|rather)",
    "(by preference|at best|as a bonus|nice to have|best of all)",
    "[do|please] try [(to|and)]",
    "(i|we) would prefer [(you to|it if|it if you|if you|to have)]",
    "(i|we) would rather [(you|have|like)]",
    "would be [even] (nice|great|good|best|better|preferable|a bonus|a plus|my first choice)",
)
"""Words that make a wish of what they stand beside."""

NEGATIONS = gather_phrases(
    "do not ever",
    "do not",
    "never ever",
    "never",
    "not to",
    "not",
    "avoid",
    "refrain from",
    "under no circumstances",
    "without ever",
    "without",
    "you must not",
    "you should not",
    "must not",
    "you may not",
    "should not",
    "at no point ever",
    "at no point",
    "at no time",
    "at no moment",
    "did not",
    "would not",
    "on no account",
    "in no case",
    "you can not",
)
"""Words before what shall not be done; the longer of two goes first."""

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

SOMETIME = PhraseSet(
    "at (some|one) (point|time|stage|moment) [(on|along) (the|your) way]",
    "(some time|sometime) [(on|along) (the|your) way]",
    "at least once",
    "for (a while|a moment|a bit|some time)",
    "(briefly|temporarily)",
    "(on|along) (the|your) way",
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

AFTERTHOUGHTS = PhraseSet(
    "(that|this|it) (is|would be) not [so|that|very|really|terribly|as|too|all that] "
    "(important|essential|necessary|crucial|urgent|vital)",
    "(that|this|it) (is|would be) (not a must|no must|optional|less important|a bonus)",
    "(that|this|it) (is|would be) (only|just) (a wish|a preference|nice to have|if you can)",
    "(that|this|it) (is|would be) no big deal",
    "(no big deal|no problem|do not worry|it is fine|that is fine) if (not|you can not)",
    "it does not matter [much] if not",
    "[but] not [so|that|very] (important|essential|necessary|crucial|urgent)",
)
"""Sentences by which what was said before them is only a wish."""
