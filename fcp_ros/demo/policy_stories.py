# SPDX-License-Identifier: Apache-2.0
"""The demonstration's episode of a general policy: several things are put where they belong.

The policies are those of this package. Which things one of them can bring depends on the scene (it
leaves closed doors to the search), so several goals are proposed, and the planner is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fcp_ros.cset import Instance
from fcp_ros.demo.stories import (
    ITEM,
    SOLVED,
    Cast,
    Story,
    Storyteller,
    are_in_same_room,
    find_support,
    quote_name,
    say_name,
)
from fcp_ros.foundation.wording import join_words
from fcp_ros.planning import PlanningResult

MOST_THINGS = 3
"""Things that are brought: enough to see the policy repeat itself."""


def propose_tidying(teller: Storyteller, state: Instance, cast: Cast) -> list[Story]:
    """Propose goals, those with more things to bring before those with fewer."""
    chosen = {place: _choose_things(state, place) for place in (cast.stage, cast.aside)}
    return [
        _tell_tidying(teller, state, things[:count], place)
        for count in range(MOST_THINGS, 0, -1)
        for place, things in chosen.items()
        if len(things) >= count
    ]


def choose_tidying(
    stories: Sequence[Story], plan: Callable[[Story], PlanningResult]
) -> Story | None:
    """Choose the first goal whose plan a policy makes; None if no policy makes any.

    Args:
        stories: the proposed ones.
        plan: plans one of them without executing anything.
    """
    return next((story for story in stories if story.is_answered_by(plan(story))), None)


def _choose_things(state: Instance, place: str) -> list[str]:
    """List things that lie elsewhere, those of other rooms first."""
    items = sorted(map(state.name_of, state.elements(ITEM)))
    away = [name for name in items if find_support(state, name) not in ("", place)]
    return sorted(away, key=lambda name: are_in_same_room(state, find_support(state, name), place))


def _tell_tidying(teller: Storyteller, state: Instance, things: Sequence[str], place: str) -> Story:
    names = join_words([say_name(state, thing) for thing in things], "and")
    return Story(
        "6",
        "A general policy",
        f"Put {names} on {say_name(state, place)}. That is one of the tasks for which a general "
        "policy was written once: it looks at a few features of the state, and makes the plan for "
        "any number of things without a search.",
        " and ".join(f"on({quote_name(thing)}, {quote_name(place)})" for thing in things),
        teller.alpha,
        "a policy makes the plan, which is verified and executed",
        SOLVED,
        relax=False,
        by_policy=True,
    )
