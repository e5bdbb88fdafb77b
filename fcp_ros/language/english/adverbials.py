# SPDX-License-Identifier: Apache-2.0
"""Phrases that say that a request is only a wish, or is about the whole time."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet

PREFERENCES = PhraseSet(
    "[but] [only] (if|where|when) [(it|that) is] [at all] (possible|feasible|convenient)",
    "[but] [only] if you (can|could) [(manage|do) [(it|that|to|this)]]",
    "[but] [only] if (time|circumstances) (permits|permit|allows|allow)",
    "[but] [only] if you [happen to] have [the|enough|any|some] time [for (it|that)]",
    "[but] [only] if (it|that) is (no|not too much|not a) (trouble|bother|problem|hassle)",
    "[but] [only] if (it|that) is not [too] much [to ask]",
    "it would be [even] (nice|good|better|preferable) (if|to|to have)",
    "(preferably|ideally|optionally|hopefully|rather|as a bonus|nice to have|best of all)",
    "[do|please] try [(to|and)]",
    "(i|we) would prefer [(you to|it if|it if you|if you|to have)]",
    "(i|we) would rather [(you|have|like)]",
    "would be [even] (nice|great|good|best|better|preferable|a bonus|a plus|my first choice)",
)
"""Words that make a wish of what they stand beside."""

NEGATIONS = PhraseSet(
    "do not [ever]",
    "(never|without) [ever]",
    "(not [to]|avoid|refrain from)",
    "(did|would|must|should) not",
    "you (must|should|may|can) not",
    "at no (point [ever]|time|moment)",
    "(under no circumstances|on no account|in no case)",
)
"""Words before what shall not be done."""

ALWAYS = PhraseSet(
    "(the whole time|all the time|all the while)",
    "at (all times|any time|any point)",
    "(all along|throughout|always|ever)",
    "[not] even for (a|one) [single] (moment|second|minute)",
)
"""Words by which something is so in every state."""

AT_MOST_ONCE = PhraseSet(
    "at [the] most (once|one time)",
    "(once|one time) at [the] most",
    "(no|not) more than (once|one time)",
    "(only|just) (once|one time)",
)
"""Words by which something is so at most once."""

MORE_THAN_ONCE = PhraseSet("more than (once|one time)", "(twice|a second time)")
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


FIRST = PhraseSet("first [of all]", "beforehand", "before (that|anything else)")
"""Words behind a clause by which it comes before the others."""

LAST = PhraseSet(
    "last [of all]",
    "as the last (thing|one)",
    "at the very end",
    "[right|immediately|straight] (afterwards|afterward)",
    "(after that|thereafter|later [on]|next|second|third)",
)
"""Words behind a clause by which it comes after the others."""
