# SPDX-License-Identifier: Apache-2.0
"""Words for numbers, units of time, and the words before and behind a length of time."""

from __future__ import annotations

import re

from fcp_ros.foundation.wording import gather_words
from fcp_ros.language.english.word_lists import PhraseSet

WITHIN = PhraseSet(
    "(within|inside|in) [at most|under|less than|no more than|the next|the first]",
    "(during|over) the next",
    "[by] (no|not) later than [in|after]",
    "at the latest (in|after|within)",
    "taking (no more than|no longer than|at most)",
)
"""Before: it shall be so by then."""

LATEST = PhraseSet("at the [very] latest", "at most", "(maximum|max|tops)", "or (less|sooner)")
"""Behind: the same, also where nothing is before ("two minutes at most") or "after"."""

FROM_NOW = PhraseSet("time", "[counting] from now [on]", "starting now")
"""Behind: what is so anyhow."""

PASSED = PhraseSet(
    "(is|are) (up|over)", "(has|have) (passed|elapsed|gone by|run out)", "(pass|passes)"
)
"""Behind "before", it shall be so by then; behind "once" or "after", from then on."""

BEFORE = PhraseSet("before [the first]", "until")
AFTER = PhraseSet("after [the first]")
ONCE = PhraseSet("(once|when|as soon as|the moment)", *map(" ".join, AFTER))
"""Before: it shall be so from then on."""

FROM = PhraseSet("[starting] from", "(starting|as of|beginning)")
"""Before: the same, with one of the words of `ONWARDS` behind."""
ONWARDS = PhraseSet("from now [on|onwards]", "(onwards|onward|on|later)")

FOR = PhraseSet(
    "for [at least|no less than|the [whole] first|the next]", "(during|throughout) the (first|next)"
)
"""Before: it shall be so from the start until then."""

ALLOWED_BOUNDS = PhraseSet(
    "(no|not) (more|longer) than", "(at most|up to|a maximum of|only|just|exactly)"
)
"""Before a time that is the longest for something."""


_UP_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
NUMBERS = {
    **{word: number for number, word in enumerate(_UP_TO_TWENTY.split())},
    **{word: 10 * tens for tens, word in enumerate(_TENS.split(), start=3)},
    "dozen": 12,
    **dict.fromkeys(("couple", "pair", "several"), 2),
}
"""Number words; "several" is at least two."""

CLOCK_TIME = re.compile(
    r"\b(at|by|before|after|until|till) (\d{1,2}([:.]\d\d)?|%s|noon|midnight)"
    r"(?= ?(sharp|please|today|tomorrow|tonight)?\W*($|and\b|then\b|,))"
    r"|\b(\d+|%s) ?([ap]\.?m\b|o ?['\u2019]? ?clock\b)|\b(half|quarter) (past|to) \w+"
    % (("|".join(_UP_TO_TWENTY.split()[1:13]),) * 2),
    re.IGNORECASE,
)
"""A time of day, in the text of an instruction."""

UNITS = {
    **dict.fromkeys(gather_words("s sec secs second seconds"), 1),
    **dict.fromkeys(gather_words("min mins minute minutes"), 60),
    **dict.fromkeys(gather_words("h hour hours"), 3600),
}
"""Units of time, in seconds."""
