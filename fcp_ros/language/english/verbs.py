# SPDX-License-Identifier: Apache-2.0
"""Verbs of English that every domain may have: by what they ask for, and synonyms."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet, gather_words

_SAME = (
    ("turn on, power on, start up, start, activate", "switch on"),
    ("turn off, power off, shut down, shut off, deactivate", "switch off"),
    ("close up, pull shut, push shut, shut", "close"),
    ("open up, pull open, push open, unlatch", "open"),
    ("discard, trash, bin, dump, dispose of, get rid of, do away with, scrap", "throw away"),
    ("throw out, toss out, toss away, chuck out, chuck away", "throw away"),
    ("toss, chuck", "throw away, throw"),
    ("launder, wash up", "wash"),
    ("scrub", "wipe, clean, wash"),
    ("clean", "wipe, wash, mop"),
    ("wash, wipe, clean up", "clean"),
    ("wipe down, wipe off", "wipe"),
    ("wash down, clean off, clean down, dust, dust off", "wipe, clean"),
    ("top up, fill up, replenish, restock", "refill, fill"),
    ("load up", "load"),
    ("take hold of, get hold of", "pick up, grab, take"),
    ("tidy away, clear away, stow away, pack away, take away", "put away"),
    ("grab, lift, seize", "pick up, pick, grab, take"),
    ("sweep", "mop, clean"),
    ("prepare, arrange", "set up"),
    ("lay", "set"),
)
SAME_VERBS = {verb: tuple(meant.split(", ")) for said, meant in _SAME for verb in said.split(", ")}
"""Verbs that may be read as others, where the domain has those."""

BEING = gather_words("is are am was were")
"""The forms of "be" with a subject."""

PUT_VERBS = gather_words(
    "add arrange bring carry collect convey deliver deposit distribute drag drop dump ferry "
    "fetch gather get hang haul have insert install lay lean leave load lug mount move pack "
    "park pile place plonk pop position prop pull push put relocate rest return roll "
    "send set shift shove situate slide slip slot squeeze stack stand stash stick store stow "
    "stuff take throw toss transfer transport tuck wheel"
)
"""Verbs of placing: something is in a place afterwards."""

BRING_VERBS = gather_words("bring fetch get grab give hand pass deliver carry take serve offer")
"""Verbs of bringing something to a person."""

PARTICLES = gather_words("away up down off on out back in over together")
"""Words that belong to a verb, and may stand behind its object."""

HOLD_VERBS = gather_words("grab grasp take hold pick lift get fetch collect gather")
"""Verbs of taking something into the hand."""

REMOVE_VERBS = gather_words("take remove clear get unload move pick pull extract withdraw unpack")
"""Verbs of removing something from a place."""

GO_VERBS = gather_words(
    "go end finish move drive navigate come travel walk head return visit enter run join meet "
    "report"
)
"""Verbs of motion of the robot itself."""

SOCIAL_VERBS = gather_words(
    "accompany announce answer ask escort explain follow greet guide inform introduce lead remind "
    "reply say sing talk tell usher"
)
"""Verbs of company and speech: no act with things stands for them."""

GOING = PhraseSet("(make|find) your way", "(take|get|park) yourself")
"""Phrases for motion of the robot itself, with a place behind them."""

KEEP_VERBS = frozenset(["keep", "leave"])

MAKE_VERBS = gather_words("make get have turn set keep leave render want need")

CLEAR_VERBS = frozenset(["clear", "empty", "unload", "vacate", "declutter"])

AWAY_FROM = PhraseSet(
    "(avoid|avoiding|bypass)",
    "(stay|staying|keep|steer) (out of|away from|clear of)",
    "(never|do not) set foot in",
)
"""Before a place where the robot shall not be."""

FORBIDDEN = PhraseSet(
    "(off limits|out of bounds|forbidden [territory|ground]|taboo|prohibited) [(for|to) you]",
    "(a no go (area|zone)|not to be entered) [(for|to) you]",
)
"""Behind "is": the robot shall not be there."""

THROUGH = PhraseSet("(through|via|by way of|across|past)")
"""Before a place that lies on the way."""
