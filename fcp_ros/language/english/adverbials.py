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
