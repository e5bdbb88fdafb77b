# SPDX-License-Identifier: Apache-2.0
"""Words between the parts of something and the whole: "all that is needed to build a shed"."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_phrases, gather_words

PART_NOUNS = gather_words("part component piece thing item stuff equipment bit element ingredient")
"""Nouns for parts of anything, in the singular."""

NEEDED = gather_words("necessary needed required essential requisite")
"""Adjectives of parts, without which there is no whole."""

NEED_PHRASES = gather_phrases(
    "that is needed",
    "that are needed",
    "which is needed",
    "which are needed",
    "that is required",
    "that are required",
    "which are required",
    "that is necessary",
    "that are necessary",
    "which are necessary",
    "is needed",
    "is required",
    "are needed",
    "it takes",
    "needed",
    "required",
    "necessary",
    "i need",
    "we need",
    "you need",
    "one needs",
    "they need",
    "that i need",
    "that we need",
    "that you need",
    "that one needs",
    "which i need",
    "which we need",
    "which you need",
    "that i want",
    "i require",
    "we require",
    "i want",
    "i will need",
    "we will need",
    "that i will need",
    "in order",
    "meant",
    "intended",
)
"""Words that may stand before the purpose."""

PART_LINKS = gather_phrases(
    "of",
    "for",
    "that belong to",
    "that belongs to",
    "which belong to",
    "belonging to",
    "that go into",
    "that goes into",
    "that make up",
    "making up",
    "that make",
    "that form",
    "that are part of",
    "that is part of",
)
"""Words between the parts and the noun of the whole."""

MAKING_VERBS = (
    ("set", "up"),
    ("put", "together"),
    ("build",),
    ("assemble",),
    ("make",),
    ("construct",),
    ("create",),
    ("prepare",),
    ("arrange",),
    ("complete",),
    ("equip",),
    ("produce",),
    ("lay",),
    ("set",),
    ("have",),
    ("get",),
)
"""Verbs of making something out of its parts; `SETTING_VERBS` are those that begin a request."""

SETTING_VERBS = gather_words("build assemble make construct create prepare arrange produce lay set")
"""Verbs that ask for a whole by themselves: "build a shed"."""

GATHERING_VERBS = gather_words("gather collect assemble get bring find fetch")
"""Verbs that ask for parts to be together, without a place."""
