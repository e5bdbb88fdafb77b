# SPDX-License-Identifier: Apache-2.0
"""Verbs of English that every domain may have: by what they ask for, and synonyms."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_words

SAME_VERBS = {
    "turn on": ("switch on",),
    "turn off": ("switch off",),
    "power on": ("switch on",),
    "power off": ("switch off",),
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
    "put place set lay move bring take carry transport transfer deliver get return store "
    "stow leave position drop relocate shift push stack arrange pile hang load stick throw "
    "toss collect gather distribute have add fetch insert pack dump insert send stand rest"
)
"""Verbs of placing: something is in a place afterwards."""

BRING_VERBS = gather_words("bring fetch get give hand pass deliver carry take serve")
"""Verbs of bringing something to a person."""

HOLD_VERBS = gather_words("grab grasp take hold pick lift get fetch")
"""Verbs of taking something into the hand."""

REMOVE_VERBS = gather_words("take remove clear get unload move pick pull")
"""Verbs of removing something from a place."""

GO_VERBS = gather_words(
    "go end finish move drive navigate come travel walk head return visit enter run"
)
"""Verbs of motion of the robot itself."""

KEEP_VERBS = frozenset(["keep", "leave"])

MAKE_VERBS = gather_words("make get have turn set keep leave render want need")

CLEAR_VERBS = frozenset(["clear", "empty", "unload", "vacate"])
