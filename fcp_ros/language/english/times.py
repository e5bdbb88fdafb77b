# SPDX-License-Identifier: Apache-2.0
"""Words before and behind a length of time ("two minutes"), by what they make of it."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import gather_phrases

WITHIN = gather_phrases(
    "within",
    "within the next",
    "within at most",
    "inside",
    "in",
    "in at most",
    "in under",
    "in less than",
    "in no more than",
    "in not more than",
    "in no longer than",
    "in a maximum of",
    "in the next",
    "in the first",
    "during the next",
    "over the next",
    "no later than",
    "no later than in",
    "no later than after",
    "not later than",
    "by no later than",
    "at the latest in",
    "at the latest after",
    "at the latest within",
    "taking no more than",
    "taking no longer than",
    "taking at most",
)
"""Before: it shall be so by then."""

LATEST = gather_phrases(
    "at the very latest",
    "at the latest",
    "at most",
    "at the outside",
    "maximum",
    "max",
    "tops",
    "or less",
    "or sooner",
    "or faster",
)
"""Behind: the same, also where nothing is before ("two minutes at most") or "after"."""

FROM_NOW = gather_phrases(
    "from now on", "from now", "'s time", "time", "counting from now", "starting now"
)
"""Behind: what is so anyhow."""

PASSED = gather_phrases(
    "are up",
    "is up",
    "are over",
    "is over",
    "have passed",
    "has passed",
    "have gone by",
    "has gone by",
    "have elapsed",
    "has elapsed",
    "have run out",
    "has run out",
    "pass",
    "passes",
)
"""Behind "before", it shall be so by then; behind "once" or "after", from then on."""

BEFORE = gather_phrases("before", "before the first", "until")
ONCE = gather_phrases("once", "when", "as soon as", "after", "after the first", "the moment")

AFTER = gather_phrases("after", "after the first")
"""Before: it shall be so from then on."""

FROM = gather_phrases("from", "starting from", "starting", "as of", "beginning")
"""Before: the same, with one of the words of `ONWARDS` behind."""

ONWARDS = gather_phrases(
    "from now on", "from now onwards", "from now", "onwards", "onward", "on", "later"
)

FOR = gather_phrases(
    "for",
    "for at least",
    "for no less than",
    "for the next",
    "for the first",
    "during the first",
    "throughout the first",
    "throughout the next",
    "for the whole first",
)
"""Before: it shall be so from the start until then."""

ALLOWED = gather_phrases(
    "you have", "you have got", "you get", "there are", "there is", "i give you", "take"
)
"""Before a time that is allowed for something; `ALLOWED_BOUNDS` may be between."""

ALLOWED_BOUNDS = gather_phrases(
    "no more than",
    "not more than",
    "no longer than",
    "at most",
    "up to",
    "a maximum of",
    "only",
    "just",
    "exactly",
)

LONGEST = gather_phrases(
    "must not take longer than",
    "must not take more than",
    "should not take longer than",
    "should not take more than",
    "may not take longer than",
    "may not take more than",
    "can not take longer than",
    "may take at most",
    "may take no more than",
    "may take no longer than",
    "may take up to",
    "should take at most",
    "should take no more than",
    "should take no longer than",
    "should take less than",
    "must take less than",
    "must be done",
    "has to be done",
    "should be done",
    "should happen",
    "must happen",
    "has to happen",
)
"""After "this", "it" or "that": a sentence about the time of the one before it."""
