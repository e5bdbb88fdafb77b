# SPDX-License-Identifier: Apache-2.0
"""Words between the parts of something and the whole: "all that is needed to build a shed"."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet, gather_words

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
