# SPDX-License-Identifier: Apache-2.0
"""The place where something was before: "back where it was", "to its old place"."""

from __future__ import annotations

from collections.abc import Callable

from fcp_ros.language.english.verbs import BEING
from fcp_ros.language.english.word_lists import gather_words

_OWNERS = gather_words("its their his her the your my our")
_FORMER = gather_words("original old same former previous initial usual own proper starting first")
_PLACES = gather_words("place places spot spots position positions location locations point home")
_SUBJECTS = gather_words("it they you he she we i them he that this")
_VERBS = BEING | gather_words(
    "lies lie stands stand sits sit lay stood sat got took found came had started "
    "start began picked belongs belong have has originally initially located stored kept placed"
)
_WHERE_WORDS = _VERBS | gather_words(
    "been taken now right before from in at of the moment beginning start first up earlier "
    "originally initially currently previously standing lying sitting it them just"
)
_LAST = _WHERE_WORDS - gather_words("the of had have in at just")


def match_former_place(get: Callable[[int], str], start: int) -> int:
    """Return the end of "back in its old place", "where it was"; `start` if none is there.

    Args:
        get: the text of a token.
    """
    back = start + (get(start) == "back")
    ends = [_match_where(get, back), _match_owned(get, back)]
    if back > start and max(ends) == back:
        return back + (get(back) == "again")
    return max(ends) if max(ends) > back else start


def _match_owned(get: Callable[[int], str], start: int) -> int:
    """Match "to its old place"."""
    place = start + (get(start) in ("to", "in", "on", "at", "into", "onto"))
    if get(place) not in _OWNERS:
        return start
    owned = get(place) != "the"
    place += 1
    while get(place) in _FORMER:
        owned = True
        place += 1
    if not owned or get(place) not in _PLACES or get(place + 1) == "of":
        return start
    where = _match_where(get, place + 1)
    return where if where > place + 1 else place + 1


def _match_where(get: Callable[[int], str], start: int) -> int:
    """Match "to where you took it from"."""
    place = start + (get(start) in ("to", "from", "at", "in"))
    while get(place) in ("the", "container", "place", "spot", "exactly", "right"):
        place += 1
    if get(place) == "from":
        place += 1
    if get(place) != "where" or get(place + 1) not in _SUBJECTS:
        return start
    place += 2
    end = start
    verb = False
    while get(place) in _WHERE_WORDS:
        verb = verb or get(place) in _VERBS
        place += 1
        if verb and get(place - 1) in _LAST:
            end = place
    return end
