# SPDX-License-Identifier: Apache-2.0
"""The demonstration's goals, chosen from what a scene contains.

Nothing is scripted for one house: each chooser looks at the present state and the judged degrees,
so the same five episodes run on the twin house, on a mapped apartment, or on a user's own scene.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance, facts
from fcp_ros.demo.words import PURPOSES, UNFIT_PURPOSES, WANTED, Purpose
from fcp_ros.domain import Domain, is_a
from fcp_ros.grounding import build_request
from fcp_ros.planning import MembershipSource, PlanStatus
from fcp_ros.report.names import to_words

SOLVED = frozenset({PlanStatus.SOLVED_OPTIMALLY, PlanStatus.SOLVED_SATISFICING})
ITEM, SUPPORT, FLOOR = "item", "surface", "floor"

SUBSTITUTE_MARGIN = 0.1
"""A substitute must reach alpha by this much: the steps cost a little membership, too."""

UNFIT_MARGIN = 0.05
"""What counts as unfit falls short of alpha by at least this much."""


class StoryError(RuntimeError):
    """The scene has too little in it for an episode; the sentence says what is missing."""


@dataclass(frozen=True)
class Story:
    """One episode before it is played.

    Attributes:
        number: its place in the demonstration, such as "4a".
        title: a few words.
        text: one or two sentences that say what it shows.
        goal: the goal expression.
        alpha: least acceptable membership, in [0, 1].
        expectation: what should come out, in words.
        statuses: planning statuses that count as expected.
        execute: whether the plan is executed.
        relaxed: whether the goal must have been relaxed.
        avoids: id of an element that the plan must not rely on; "" for none.
    """

    number: str
    title: str
    text: str
    goal: str
    alpha: float
    expectation: str
    statuses: frozenset[PlanStatus]
    execute: bool = True
    relaxed: bool = False
    avoids: str = ""


@dataclass(frozen=True)
class Cast:
    """Who plays: the purpose that the scene can serve best, and the places that matter.

    Attributes:
        purpose: what something is wanted for.
        best: id of the item that serves it best.
        stage: id of the support where it is wanted.
        aside: id of another support, where things can be put out of the way.
    """

    purpose: Purpose
    best: str
    stage: str
    aside: str


class Storyteller:
    """Chooses goals for a scene.

    Args:
        domain: a domain with items, supports, ``on``, ``serves_as`` and ``suitable_substitute``.
        memberships: who judges.
        alpha: least acceptable membership of the goals, in [0, 1].
    """

    def __init__(self, domain: Domain, memberships: MembershipSource, alpha: float) -> None:
        self._domain = domain
        self._memberships = memberships
        self._alpha = alpha

    def cast(self, state: Instance) -> Cast:
        """Finds the purpose, the item and the places.

        Raises:
            StoryError: no item serves any known purpose, or there are not two supports.
        """
        supports = len(state.elements(SUPPORT))
        if supports < 2:
            raise StoryError(
                "the demonstration needs two supports (tables, counters, floors ...) "
                f"and the scene has {supports}: try another scene"
            )
        for purpose in PURPOSES:
            ranked = self._ranked(state, "serves_as", purpose.words)
            if ranked and ranked[0][0] >= self._alpha:
                stage, aside = self._places(state, purpose, ranked[0][1])
                return Cast(purpose, ranked[0][1], stage, aside)
        raise StoryError(
            "no item of the scene serves any purpose that the demonstration knows "
            f"({', '.join(p.words for p in PURPOSES)}): try another scene"
        )

    def unserved(self, state: Instance, cast: Cast) -> Cast:
        """The cast with a stage on which nothing acceptable lies in this state.

        Args:
            state: the state that the goal will be asked in.
            cast: purpose, places and best item so far; purpose and item are kept.

        Raises:
            StoryError: something acceptable lies on every support already.
        """
        fit = self._fit(state, "serves_as", cast.purpose.words)
        free = [
            support
            for support in self._supports(state, cast.best)
            if not _any_lies_on(state, fit, support)
        ]
        if not free:
            raise StoryError(
                f"something for {cast.purpose.words} lies on every support of the "
                "scene already: try another scene"
            )
        return replace(cast, stage=cast.stage if cast.stage in free else free[0])

    def crisp(self, state: Instance, cast: Cast) -> Story:
        """A goal without vague words, reachable: moves one item to another support."""
        where = _support_of(state, cast.best)
        target = cast.aside if where == cast.stage else cast.stage
        item = cast.best if where == cast.stage else self._other_item(state, cast, target)
        return Story(
            "1",
            "A crisp goal",
            f"Put {_said(state, item)} on {_said(state, target)}: no "
            "vague word in it, so the only question is whether there is a plan.",
            f"on({_quoted(item)}, {_quoted(target)})",
            self._alpha,
            "planned, verified and executed",
            SOLVED,
        )

    def vague(self, state: Instance, cast: Cast) -> Story:
        """A goal with a vague word: the best-graded choice is wanted."""
        return Story(
            "2",
            "A vague goal",
            f"Bring {cast.purpose.said} to {_said(state, cast.stage)}: "
            "every item is a candidate, in degrees.",
            self._vague_goal(cast),
            self._alpha,
            "the best-graded candidate is chosen, and every candidate has its degree",
            SOLVED,
        )

    def missing(self, state: Instance, cast: Cast) -> Story:
        """A goal whose object does not exist, but has a substitute.

        Raises:
            StoryError: nothing is a substitute for any word that the demonstration knows.
        """
        for word in WANTED:
            if any(is_a(state, element, word) for element in state.elements(ITEM)):
                continue
            fit = self._fit(state, "suitable_substitute", word, SUBSTITUTE_MARGIN)
            target = next(
                (
                    support
                    for support in (cast.stage, cast.aside)
                    if not _any_lies_on(state, fit, support)
                ),
                "",
            )
            if fit and target:
                return Story(
                    "3",
                    "Something that is not there",
                    f"Put a {word} on {_said(state, target)}: there is none, so the goal is "
                    "relaxed to a substitute, with its degree and the reason.",
                    f'is_a(?x, "{word}") and on(?x, {_quoted(target)})',
                    self._alpha,
                    "relaxed by a graded substitution, then planned and executed",
                    SOLVED,
                    relaxed=True,
                )
        raise StoryError(
            "no item of the scene is a substitute for anything that the "
            f"demonstration knows ({', '.join(WANTED)}): try another scene"
        )

    def unacceptable(self, state: Instance, cast: Cast) -> Story:
        """A goal that can be met only badly: the best degree there is lies clearly below alpha.

        Raises:
            StoryError: the scene has something acceptable for every unfit purpose.
        """
        ranked = [
            (self._ranked(state, "serves_as", purpose.words)[0][0], index, purpose)
            for index, purpose in enumerate(UNFIT_PURPOSES)
        ]
        unfit = [entry for entry in ranked if entry[0] < self._alpha - UNFIT_MARGIN]
        if not unfit:
            raise StoryError(
                "the scene has something acceptable for every purpose that the "
                "demonstration takes to be far-fetched: try another scene"
            )
        _, _, purpose = max(unfit, key=lambda entry: (entry[0], -entry[1]))
        return Story(
            "4a",
            "Nothing good enough",
            f"Bring {purpose.said} to {_said(state, cast.stage)}: plans exist, but the best of "
            "them falls short of alpha, so nothing is executed.",
            self._vague_goal(replace(cast, purpose=purpose)),
            self._alpha,
            "UNSOLVABLE_AT_ALPHA with the best membership found, nothing executed",
            frozenset({PlanStatus.UNSOLVABLE_AT_ALPHA}),
        )

    def impossible(self, state: Instance, cast: Cast) -> Story:
        """A goal that no plan can meet, whatever its membership."""
        best, stage, aside = (_quoted(name) for name in (cast.best, cast.stage, cast.aside))
        return Story(
            "4b",
            "Impossible",
            f"Have {_said(state, cast.best)} on {_said(state, cast.stage)} and on "
            f"{_said(state, cast.aside)} at once: no plan can, and that is proven.",
            f"on({best}, {stage}) and on({best}, {aside})",
            self._alpha,
            "UNSOLVABLE_PROVEN, nothing executed",
            frozenset({PlanStatus.UNSOLVABLE_PROVEN}),
        )

    def failing(self, state: Instance, cast: Cast) -> Story:
        """A vague goal whose best item always slips: another is chosen after it failed."""
        return Story(
            "5a",
            "Learning from failure",
            f"Bring {cast.purpose.said} to "
            f"{_said(state, cast.stage)}, but every attempt to pick {_said(state, cast.best)} up "
            "fails: its degree falls, and the next plan takes something else.",
            self._vague_goal(cast),
            self._alpha,
            f"{_said(state, cast.best)} fails, its membership falls, another item is brought",
            SOLVED,
            avoids=cast.best,
        )

    def remembering(self, state: Instance, cast: Cast) -> Story:
        """The same goal after a restart: what was learned is still there."""
        return Story(
            "5b",
            "Remembered after a restart",
            "All nodes were killed and started again; the same goal is planned anew.",
            self._vague_goal(cast),
            self._alpha,
            f"the plan still avoids {_said(state, cast.best)}",
            SOLVED,
            execute=False,
            avoids=cast.best,
        )

    def _vague_goal(self, cast: Cast) -> str:
        return f'on(?x, {_quoted(cast.stage)}) and serves_as(?x, "{cast.purpose.words}")'

    def _ranked(self, state: Instance, predicate: str, words: str) -> list[tuple[float, str]]:
        """Every item with its degree, best first."""
        names = [state.name_of(element) for element in state.elements(ITEM)]
        requests = [
            build_request(self._domain.graded[predicate], (name, words), state) for name in names
        ]
        degrees = [membership.degree for membership in self._memberships.judge(requests)]
        return sorted(zip(degrees, names, strict=True), reverse=True)

    def _fit(
        self, state: Instance, predicate: str, words: str, margin: float = 0.0
    ) -> frozenset[str]:
        """The items whose degree reaches alpha by a margin."""
        return frozenset(
            name
            for degree, name in self._ranked(state, predicate, words)
            if degree >= self._alpha + margin
        )

    def _places(self, state: Instance, purpose: Purpose, best: str) -> tuple[str, str]:
        """A stage on which at most one acceptable item lies already, and a place aside."""
        fit = self._fit(state, "serves_as", purpose.words)
        supports = self._supports(state, best)
        stage = next(
            (
                support
                for support in supports
                if sum(_support_of(state, name) == support for name in fit) <= 1
            ),
            supports[0],
        )
        others = [support for support in supports if support != stage]
        other_rooms = [support for support in others if not _same_room(state, support, stage)]
        return stage, (other_rooms or others)[0]

    def _supports(self, state: Instance, item: str) -> list[str]:
        """The supports, the most suitable for an item first; floors and devices last."""
        names = sorted(state.name_of(element) for element in state.elements(SUPPORT))
        requests = [
            build_request(self._domain.graded["stable_enough"], (name, item), state)
            for name in names
        ]
        degrees = {
            name: membership.degree
            for name, membership in zip(names, self._memberships.judge(requests), strict=True)
        }

        def order(name: str) -> tuple[bool, bool, float, float, str]:
            element = state.id_of(name)
            powered = state.schema.is_subtype(state.type_of(element), "electronics")
            sizes = [state.attribute(element, size) for size in ("size_x", "size_y")]
            area = float(sizes[0] or 0.0) * float(sizes[1] or 0.0)
            return (
                is_a(state, element, FLOOR) or powered,
                not is_a(state, element, "table"),
                -degrees[name],
                -area,
                name,
            )

        return sorted(names, key=order)

    def _other_item(self, state: Instance, cast: Cast, target: str) -> str:
        """An item that is not at the target yet; rather not the one that the next story wants."""
        names = sorted(state.name_of(element) for element in state.elements(ITEM))
        movable = [name for name in names if _support_of(state, name) not in ("", target)]
        rather = [name for name in movable if name != cast.best]
        if not movable:
            raise StoryError("no item of the scene lies on anything: try another scene")
        return (rather or movable)[0]


def _support_of(state: Instance, item: str) -> str:
    """The support that an item lies on; "" when it lies on none."""
    on = [fact for fact in facts(state, ["on"]) if fact.arguments[0] == item]
    return on[0].arguments[1] if on else ""


def _any_lies_on(state: Instance, items: Iterable[str], support: str) -> bool:
    return any(_support_of(state, item) == support for item in items)


def _same_room(state: Instance, one: str, other: str) -> bool:
    rooms = {fact.arguments[0]: fact.arguments[1] for fact in facts(state, ["in_room"])}
    return one in rooms and rooms.get(one) == rooms.get(other)


def _quoted(name: str) -> str:
    """An element's id as it stands in a goal."""
    plain = name.replace("_", "").replace("-", "")
    return name if plain.isalnum() and not name[0].isdigit() else f'"{name}"'


def _said(state: Instance, name: str) -> str:
    return to_words(name, str(state.attribute(state.id_of(name), "category") or ""))
