# SPDX-License-Identifier: Apache-2.0
"""States such as "open" and "clean": opposites, synonyms, verbs that bring them about.

Also the phrases around clauses ("right now"), and the words between parts and a whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.language.english.word_lists import PhraseSet, gather_words

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

IN_ORDER = PhraseSet("in [exactly] (this|that|the given|the named) (order|sequence)")
"""Words by which several things are done in the order in which they were named."""

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


OPENING_PARTS = gather_words("door lid")
"""Parts by which their whole is opened and closed: "the fridge door" is the fridge's."""
PART_NOUNS = gather_words("part component piece thing item stuff equipment bit element ingredient")
"""Nouns for parts of anything, in the singular."""

NEEDED = gather_words("necessary needed required essential requisite")
"""Adjectives of parts, without which there is no whole."""

NEED_PHRASES = PhraseSet(
    "[(that|which)] [(is|are)] (needed|required|necessary)",
    "[(that|which)] (i|we|you|they) [will] (need|want|require)",
    "[that] one needs",
    "it takes",
    "(in order|meant|intended)",
)
"""Words that may stand before the purpose."""

PART_LINKS = PhraseSet(
    "(of|for|belonging to|making up)",
    "(that|which) (belong to|belongs to|go into|goes into|make up|make|form)",
    "that (are|is) part of",
)
"""Words between the parts and the noun of the whole."""

MAKING_VERBS = {
    **dict.fromkeys(gather_words("build assemble make construct create prepare arrange"), ""),
    **dict.fromkeys(gather_words("complete equip produce lay have get"), ""),
    "set": "up",
    "put": "together",
}
"""Verbs of making something out of its parts, each with its particle."""
WHOLE_VERBS = gather_words(
    "build assemble make construct create prepare arrange produce lay set gather collect get bring "
    "find fetch"
)
"""Verbs that ask for a whole, or for its parts to be together, without a place."""


ANTONYMS = (
    *(("open", "closed"), ("open", "shut"), ("clean", "dirty"), ("washed", "dirty")),
    *(("empty", "full"), ("full", "empty"), ("locked", "unlocked"), ("wet", "dry")),
    *(("switched on", "switched off"), ("on", "off"), ("lit", "unlit"), ("hot", "cold")),
)
"""States of which one holds if the other does not."""


def _turn_round(table: Mapping[str, str]) -> dict[str, str]:
    return {said: state for state, words in table.items() for said in words.split(", ")}


SAME_STATES = _turn_round(
    {
        "closed": "shut",
        "open": "opened",
        "dirty": "filthy, unclean, stained, soiled, messy, unwashed",
        "clean": "cleaned, wiped, spotless",
        "switched on": "turned on, on, running, powered on",
        "switched off": "turned off, off, powered off",
    }
)
"""States that mean another one, which a domain is more likely to name."""

STATE_VERBS = _turn_round(
    {
        "open": "open, unlatch",
        "closed": "close, shut",
        "clean": "clean, wipe, wash, scrub",
        "dry": "dry",
        "locked": "lock",
        "unlocked": "unlock",
        "refilled": "refill",
        "full": "fill",
        "dirty": "dirty",
        "empty": "empty",
        "lit": "light",
        "switched on": "switch on, turn on, power on",
        "switched off": "switch off, turn off, power off",
    }
)
"""Verbs that bring a state about; used where no phrase of the domain has the verb."""
