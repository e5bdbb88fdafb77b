# SPDX-License-Identifier: Apache-2.0
"""Verbs of English that every domain may have: by what they ask for, and synonyms."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_phrases, gather_words

SAME_VERBS = {
    "turn on": ("switch on",),
    "turn off": ("switch off",),
    "power on": ("switch on",),
    "power off": ("switch off",),
    "power up": ("switch on",),
    "power down": ("switch off",),
    "start up": ("switch on",),
    "start": ("switch on",),
    "activate": ("switch on",),
    "deactivate": ("switch off",),
    "shut down": ("switch off",),
    "shut off": ("switch off",),
    "close up": ("close",),
    "open up": ("open",),
    "pull open": ("open",),
    "push open": ("open",),
    "pull shut": ("close",),
    "push shut": ("close",),
    "shut": ("close",),
    "unlatch": ("open",),
    "discard": ("throw away",),
    "trash": ("throw away",),
    "bin": ("throw away",),
    "toss": ("throw away", "throw"),
    "chuck": ("throw away", "throw"),
    "dump": ("throw away",),
    "dispose of": ("throw away",),
    "get rid of": ("throw away",),
    "do away with": ("throw away",),
    "chuck out": ("throw away",),
    "chuck away": ("throw away",),
    "scrap": ("throw away",),
    "junk": ("throw away",),
    "throw out": ("throw away",),
    "toss out": ("throw away",),
    "toss away": ("throw away",),
    "launder": ("wash",),
    "scrub": ("wipe", "clean", "wash"),
    "clean": ("wipe", "wash", "mop"),
    "wash": ("clean",),
    "wipe": ("clean",),
    "wipe down": ("wipe",),
    "wipe off": ("wipe",),
    "wash up": ("wash",),
    "wash down": ("wipe", "clean"),
    "clean off": ("wipe", "clean"),
    "clean down": ("wipe", "clean"),
    "dust": ("wipe", "clean"),
    "dust off": ("wipe", "clean"),
    "top up": ("refill", "fill"),
    "fill up": ("refill", "fill"),
    "replenish": ("refill", "fill"),
    "restock": ("refill", "fill"),
    "load up": ("load",),
    "take hold of": ("pick up", "grab", "take"),
    "get hold of": ("pick up", "grab", "take"),
    "tidy away": ("put away",),
    "clear away": ("put away",),
    "stow away": ("put away",),
    "pack away": ("put away",),
    "clean up": ("clean",),
    "grab": ("pick up", "pick", "take"),
    "lift": ("pick up", "pick"),
    "seize": ("pick up", "grab"),
    "sweep": ("mop", "clean"),
    "prepare": ("set up",),
    "arrange": ("set up",),
    "lay": ("set",),
}
"""Verbs that may be read as others, where the domain has those."""

PUT_VERBS = gather_words(
    "add arrange bring carry collect convey deliver deposit distribute drag drop dump ferry "
    "fetch gather get hang haul have insert install lay lean leave load lug mount move pack "
    "park pile place plonk pop position prop pull push put relocate rest return roll "
    "send set shift shove situate slide slip slot squeeze stack stand stash stick store stow "
    "stuff take throw toss transfer transport tuck wheel"
)
"""Verbs of placing: something is in a place afterwards."""

BRING_VERBS = gather_words("bring fetch get give hand pass deliver carry take serve offer")
"""Verbs of bringing something to a person."""

PARTICLES = gather_words("away up down off on out back in over together")
"""Words that belong to a verb, and may stand behind its object."""

HOLD_VERBS = gather_words("grab grasp take hold pick lift get fetch collect gather")
"""Verbs of taking something into the hand."""

REMOVE_VERBS = gather_words("take remove clear get unload move pick pull extract withdraw unpack")
"""Verbs of removing something from a place."""

GO_VERBS = gather_words(
    "go end finish move drive navigate come travel walk head return visit enter run join meet"
)
"""Verbs of motion of the robot itself."""

GOING = gather_phrases(
    "make your way", "find your way", "take yourself", "get yourself", "park yourself"
)
"""Phrases for motion of the robot itself, with a place behind them."""

KEEP_VERBS = frozenset(["keep", "leave"])

MAKE_VERBS = gather_words("make get have turn set keep leave render want need")

CLEAR_VERBS = frozenset(["clear", "empty", "unload", "vacate", "declutter"])

AWAY_FROM = gather_phrases(
    "avoid",
    "avoiding",
    "stay out of",
    "keep out of",
    "stay away from",
    "staying away from",
    "staying out of",
    "keep away from",
    "keep clear of",
    "steer clear of",
    "stay clear of",
    "bypass",
    "never set foot in",
    "do not set foot in",
)
"""Before a place where the robot shall not be."""

_FORBIDDEN = (
    "off limits",
    "out of bounds",
    "forbidden",
    "forbidden territory",
    "forbidden ground",
    "taboo",
    "prohibited",
    "a no go area",
    "a no go zone",
    "not to be entered",
)
FORBIDDEN = gather_phrases(
    *(f"{said}{whom}" for said in _FORBIDDEN for whom in ("", " for you", " to you"))
)
"""Behind "is": the robot shall not be there."""

SINGLE_VISITS = gather_phrases(
    *(
        f"{bound} {number} visit to"
        for bound in ("no more than", "not more than", "at most", "only", "just", "at the most")
        for number in ("a", "one", "a single", "1")
    )
)
"""Before a place where the robot shall be at most once."""

VISITS = gather_phrases(
    "drop by",
    "stop by",
    "pass by",
    "look in on",
    "pay a visit to",
    "make a visit to",
    "a visit to",
    "no visit to",
    "no visits to",
)
"""Before a place where the robot shall be on the way; with "no", never."""

THROUGH = gather_phrases("through", "via", "by way of", "across", "past")
"""Before a place that lies on the way."""
