# SPDX-License-Identifier: Apache-2.0
"""The demonstration's spoken wish for more than the scene has.

A sentence is put together from a thing that the scene lacks but has a substitute for, and one more
of a kind of thing than there are. What becomes of it depends on the judged degrees, so several
sentences are proposed, and the planner is asked which one shows the most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.demo.stories import (
    ITEM,
    SOLVED,
    Cast,
    Story,
    StoryError,
    Storyteller,
    find_support,
    has_any_on,
)
from fcp_ros.domain import is_a
from fcp_ros.foundation.labels import is_named, normalise_label
from fcp_ros.language.nouns import add_article, is_countable, pluralise, write_number
from fcp_ros.planning import PlanningResult
from fcp_ros.planning.model.result import RelaxationKind

LEAST_FIT = 0.5  # Least degree of a substitute for which a sentence is proposed
BOTH = (RelaxationKind.SUBSTITUTION, RelaxationKind.FEWER)
"""The changes that a wish with two of them needs; one with a single change needs the first."""
MOST_COMPANIONS = 3  # Sentences with two changes that are proposed for one missing thing

WANTED = (
    "teacup", "tumbler", "goblet", "flashlight", "lantern", "candle", "stool", "armchair",
    "magazine", "cloth", "tablet", "carafe", "jug", "pear",
)  # fmt: skip
"""Things that the scene may lack but have a substitute for."""


@dataclass(frozen=True)
class _MissingThing:
    """A word for something that the scene lacks, and its best substitute."""

    word: str
    substitute: str


def propose_wishes(teller: Storyteller, state: Instance, cast: Cast) -> list[Story]:
    """Propose sentences, those with two wishes that can't be met before those with one."""
    missing = list(_find_missing(teller, state))
    places = (cast.stage, cast.aside)
    pairs = [
        (f"{add_article(thing.word)} and {more}", place)
        for thing in missing
        for more, place in _list_companions(state, thing, places)
    ]
    singles = [
        (add_article(thing.word), place)
        for thing in missing
        for place in places
        if not has_any_on(state, _find_alike(state, thing.substitute), place)
    ]
    if not singles and not pairs:
        raise StoryError(
            "no item of the scene is a substitute for anything that the "
            f"demonstration knows ({', '.join(WANTED)}): try another scene"
        )
    return [
        *(_tell_wish(teller, state, *pair, *BOTH) for pair in pairs),
        *(_tell_wish(teller, state, *single, BOTH[0]) for single in singles),
    ]


def choose_wish(stories: Sequence[Story], plan: Callable[[Story], PlanningResult]) -> Story:
    """Choose the first sentence whose goal is relaxed as it promises, by plans only."""
    for story in stories:
        if story.is_answered_by(plan(story)):
            return story
    said = "; ".join(story.instruction for story in stories)
    raise StoryError(f"no wish of the demonstration can be met by relaxing it ({said})")


def _tell_wish(
    teller: Storyteller, state: Instance, things: str, place: str, *kinds: RelaxationKind
) -> Story:
    instruction = f"Please put {things} on {_write_place(state, place)}."
    fewer = RelaxationKind.FEWER in kinds
    lacks = "not all of that is there" if fewer else "there is none"
    changes = "a substitute, and fewer than wanted" if fewer else "a substitute"
    return Story(
        "3",
        "Said in words",
        f"Somebody says: \u201c{instruction}\u201d The robot says how it understood that. But "
        f"{lacks}, so it looks for the best that can be done, and says what it gives up and why.",
        "",
        teller.alpha,
        f"understood, relaxed to {changes}, then planned and executed",
        SOLVED,
        kinds=frozenset(kinds),
        instruction=instruction,
    )


def _find_missing(teller: Storyteller, state: Instance) -> Iterator[_MissingThing]:
    """Yield things that the scene lacks, with their best substitutes."""
    for word in WANTED:
        if any(is_a(state, element, word) for element in state.elements(ITEM)):
            continue
        ranked = teller.rank_items(state, "suitable_substitute", word)
        if ranked and ranked[0][0] >= LEAST_FIT:
            yield _MissingThing(word, ranked[0][1])


def _list_companions(
    state: Instance, thing: _MissingThing, places: Sequence[str]
) -> list[tuple[str, str]]:
    """List what else is wanted, and where, beside something that the scene lacks."""
    found = [
        (more, place)
        for more, names in _list_counts(state)
        for place in places
        if thing.substitute not in names and find_support(state, thing.substitute) != place
    ]
    return found[:MOST_COMPANIONS]


def _list_counts(state: Instance) -> list[tuple[str, frozenset[str]]]:
    """List one more of each kind of thing than there are ("three cups"), and their names."""
    found: dict[str, set[str]] = {}
    for element in state.elements(ITEM):
        name, type_ = state.name_of(element), state.type_of(element)
        if find_support(state, name):
            nouns = {_get_label(state, name)} | ({normalise_label(type_)} - {ITEM})
            for noun in nouns:
                found.setdefault(noun, set()).add(name)
    return [
        (f"{write_number(len(names) + 1)} {pluralise(noun)}", frozenset(names))
        for noun, names in sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        if is_named(noun) and is_countable(noun)
    ]


def _find_alike(state: Instance, name: str) -> list[str]:
    label = _get_label(state, name)
    names = (state.name_of(element) for element in state.elements(ITEM))
    return [one for one in names if _get_label(state, one) == label]


def _get_label(state: Instance, name: str) -> str:
    return normalise_label(str(state.attribute(state.id_of(name), "category") or ""))


def _write_place(state: Instance, support: str) -> str:
    """Write a support as people say it: by its label if that is the only one, or else by its id."""
    label = _get_label(state, support)
    alike = [e for e in state.elements("surface") if _get_label(state, state.name_of(e)) == label]
    if is_named(label) and len(alike) == 1:
        return f"the {label}"
    return support.replace("_", " ")
