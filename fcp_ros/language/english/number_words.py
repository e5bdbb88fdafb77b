# SPDX-License-Identifier: Apache-2.0
"""Words for numbers, and units of time."""

from __future__ import annotations

from fcp_ros.foundation.wording import gather_words

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

UNITS = {
    **dict.fromkeys(gather_words("s sec secs second seconds"), 1),
    **dict.fromkeys(gather_words("min mins minute minutes"), 60),
    **dict.fromkeys(gather_words("h hour hours"), 3600),
}
"""Units of time, in seconds."""
