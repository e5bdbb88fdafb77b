# SPDX-License-Identifier: Apache-2.0
"""The demonstration's goals, chosen from what a scene contains.

Nothing is scripted for one house: each chooser looks at the present state and the judged degrees,
so the same episodes run on the twin house, on a mapped apartment, or on a user's own scene.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance, facts
from fcp_ros.domain import Domain, is_a
from fcp_ros.grounding import build_request
from fcp_ros.planning import MembershipSource, PlanningResult, PlanStatus
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.report.node_names import to_words

SOLVED = frozenset({PlanStatus.SOLVED_OPTIMALLY, PlanStatus.SOLVED_SATISFICING})
ITEM, SUPPORT, FLOOR, ROBOT = "item", "surface", "floor", "robot"
PLACES = ("on", "inside", "holding")

UNFIT_MARGIN = 0.05  # An unfit item is below alpha by at least this much


@dataclass(frozen=True)
class Purpose:
    """A purpose as a goal names it ("drinking") and as it is said ("something to drink from")."""

    words: str
    said: str


PURPOSES = (
    Purpose("drinking", "something to drink from"),
    Purpose("giving light", "something that gives light"),
    Purpose("sitting", "something to sit on"),
    Purpose("reading", "something to read"),
    Purpose("cleaning", "something to clean with"),
    Purpose("eating", "something to eat"),
)
"""Purposes of the vague goal; the first that the scene can serve is taken."""

UNFIT_PURPOSES = (
    Purpose("cutting paper", "something to cut paper with"),
    Purpose("driving in a nail", "something to drive in a nail with"),
    Purpose("taking a photograph", "something to take a photograph with"),
    Purpose("drinking", "something to drink from"),
    Purpose("writing", "something to write with"),
    Purpose("opening a bottle", "something to open a bottle with"),
    Purpose("keeping warm in bed", "something to keep warm with in bed"),
)
"""Far-fetched purposes, of which the best-served unfit one is taken."""


class StoryError(RuntimeError):
    """The scene has too little in it for an episode; the message says what is missing."""


@dataclass(frozen=True)
class Story:
    """One episode before it is played."""

    number: str  # its place in the demonstration, such as "4a"
    title: str
    text: str  # one or two sentences about what it shows
    goal: str  # the goal expression; "" if there is an instruction
    alpha: float  # least acceptable membership, in [0, 1]
    expectation: str  # the expected result, in words
    statuses: frozenset[PlanStatus]  # planning statuses that count as expected
    execute: bool = True  # True if the plan is executed
    # the kinds of changes that the goal must have been relaxed by; empty if it must not have been
    # relaxed
    kinds: frozenset[RelaxationKind] = frozenset()
    avoids: str = ""  # id of an element that the plan must not rely on; "" for none
    instruction: str = ""  # the goal in words; "" if there is an expression
    relax: bool = True  # False if nothing but the goal as stated will do
    by_policy: bool = False  # True if a general policy has to make the plan
    optimise: str = ""  # what is minimised or maximised; "" for the membership
    robots: int = 1  # as many have to have a part in the plan, if there is one

    def is_answered_by(self, result: PlanningResult) -> bool:
        schedule = None if result.plan is None else result.plan.schedule
        busy = {robot for robots in schedule.agents for robot in robots} if schedule else set()
        if len(busy) < self.robots and self.robots > 1:
            return False
        kinds = list_kinds(result)
        relaxed = self.kinds <= kinds if self.kinds else not kinds
        made = bool(result.policy) or not self.by_policy
        # A plan that waits for a yes, which the demonstration says when the story is played.
        proposed = result.status is PlanStatus.NEEDS_CLARIFICATION and result.plan is not None
        return relaxed and made and (proposed or result.status in self.statuses)


@dataclass(frozen=True)
class Cast:
    """The purpose that the scene serves best, and the item and places for it."""

    purpose: Purpose
    best: str
    stage: str  # id of the support where the item is wanted
    aside: str  # id of another support, where things can be put out of the way


class Storyteller:
    """A chooser of goals, with a least membership alpha, for a scene.

    The domain has items, supports, ``on``, ``serves_as`` and ``suitable_substitute``.
    """

    def __init__(self, domain: Domain, memberships: MembershipSource, alpha: float) -> None:
        self._domain = domain
        self._memberships = memberships
        self._alpha = alpha

    @property
    def alpha(self) -> float:
        """Least acceptable membership of the goals, in [0, 1]."""
        return self._alpha

    def choose_cast(self, state: Instance) -> Cast:
        """Choose the purpose, the item and the places (two supports at least, else StoryError)."""
        supports = len(state.elements(SUPPORT))
        if supports < 2:
            raise StoryError(
                "the demonstration needs two supports (tables, counters, floors ...) "
                f"and the scene has {supports}: try another scene"
            )
        for purpose in PURPOSES:
            ranked = self.rank_items(state, "serves_as", purpose.words)
            if ranked and ranked[0][0] >= self._alpha:
                stage, aside = self._choose_places(state, purpose, ranked[0][1])
                return Cast(purpose, ranked[0][1], stage, aside)
        raise StoryError(
            "no item of the scene serves any purpose that the demonstration knows "
            f"({', '.join(p.words for p in PURPOSES)}): try another scene"
        )

    def choose_free_stage(self, state: Instance, cast: Cast) -> Cast:
        """Choose a stage without anything acceptable for the cast's purpose (else StoryError)."""
        fit = self._find_fit(state, "serves_as", cast.purpose.words)
        free = [
            support
            for support in self.rank_supports(state, cast.best)
            if not has_any_on(state, fit, support)
        ]
        if not free:
            raise StoryError(
                f"something for {cast.purpose.words} lies on every support of the "
                "scene already: try another scene"
            )
        return replace(cast, stage=cast.stage if cast.stage in free else free[0])

    def tell_crisp(self, state: Instance, cast: Cast) -> Story:
        """Tell of a reachable goal without vague words: move one item to another support."""
        where = find_support(state, cast.best)
        target = cast.aside if where == cast.stage else cast.stage
        item = cast.best if where == cast.stage else self._choose_other_item(state, cast, target)
        return Story(
            "1",
            "A crisp goal",
            f"Put {say_name(state, item)} on {say_name(state, target)}: no "
            "vague word in it, so the only question is whether there is a plan.",
            f"on({quote_name(item)}, {quote_name(target)})",
            self._alpha,
            "planned, verified and executed",
            SOLVED,
        )

    def tell_vague(self, state: Instance, cast: Cast) -> Story:
        """Tell of a goal with a vague word, whose best-graded candidate is wanted."""
        return Story(
            "2",
            "A vague goal",
            f"Bring {cast.purpose.said} to {say_name(state, cast.stage)}: "
            "every item is a candidate, in degrees.",
            self._write_vague_goal(cast),
            self._alpha,
            "the best-graded candidate is chosen, and every candidate has its degree",
            SOLVED,
        )

    def tell_unacceptable(self, state: Instance, cast: Cast) -> Story:
        """Tell of a goal whose best degree lies clearly below alpha (else StoryError)."""
        ranked = [
            (self.rank_items(state, "serves_as", purpose.words)[0][0], index, purpose)
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
            f"Bring {purpose.said} to {say_name(state, cast.stage)}: plans exist, but the best of "
            "them falls short of alpha, so nothing is executed.",
            self._write_vague_goal(replace(cast, purpose=purpose)),
            self._alpha,
            "UNSOLVABLE_AT_ALPHA with the best membership found, nothing executed",
            frozenset({PlanStatus.UNSOLVABLE_AT_ALPHA}),
        )

    def tell_impossible(self, state: Instance, cast: Cast) -> Story:
        """Tell of a goal that no plan can meet, whatever its membership."""
        best, stage, aside = (quote_name(name) for name in (cast.best, cast.stage, cast.aside))
        return Story(
            "4b",
            "Impossible",
            f"Have {say_name(state, cast.best)} on {say_name(state, cast.stage)} and on "
            f"{say_name(state, cast.aside)} at once, and nothing less: no plan can, and that is "
            "proven.",
            f"on({best}, {stage}) and on({best}, {aside})",
            self._alpha,
            "UNSOLVABLE_PROVEN, nothing executed",
            frozenset({PlanStatus.UNSOLVABLE_PROVEN}),
            relax=False,
        )

    def tell_preferred(self, state: Instance, cast: Cast) -> Story:
        """Tell of a goal with a constraint on the way and preferences, which conflict."""
        robot = min(map(state.name_of, state.elements(ROBOT)), default="")
        begun = _find_leg(state, "at", robot)
        item, target = self._choose_errand(state, cast, begun)
        avoided = _find_leg(state, "in_room", find_support(state, item))
        names = {
            "item": item,
            "target": target,
            "robot": robot,
            "room": avoided,
            "home": begun or avoided,
        }
        goal = (
            "on({item}, {target}) and at most once holding({robot}, {item}) "
            "and prefer 0.1 as quiet: never at({robot}, {room}) "
            "and prefer 0.2 as back: at({robot}, {home})"
        )
        return Story(
            "4c",
            "Only preferred",
            f"Put {say_name(state, item)} on {say_name(state, target)}, carried in one go; "
            f"preferably stay out of {say_name(state, avoided)}, and end where the robot is now. "
            "What can't be kept is given up, with the price of keeping it.",
            goal.format(**{key: quote_name(name) for key, name in names.items()}),
            self._alpha,
            "the robot comes back, but its way leads through the room: that is given up",
            SOLVED,
            execute=False,
        )

    def tell_failing(self, state: Instance, cast: Cast) -> Story:
        """Tell of a vague goal whose best item always slips, so that another is chosen."""
        return Story(
            "5a",
            "Learning from failure",
            f"Bring {cast.purpose.said} to {say_name(state, cast.stage)}, but every attempt to "
            f"pick {say_name(state, cast.best)} up fails: its degree falls, and the next plan "
            "takes something else.",
            self._write_vague_goal(cast),
            self._alpha,
            f"{say_name(state, cast.best)} fails, its membership falls, another item is brought",
            SOLVED,
            avoids=cast.best,
        )

    def tell_remembering(self, state: Instance, cast: Cast) -> Story:
        """Tell of the same goal after a restart: what was learned is still known."""
        return Story(
            "5b",
            "Remembered after a restart",
            "All nodes were killed and started again; the same goal is planned again.",
            self._write_vague_goal(cast),
            self._alpha,
            f"the plan still avoids {say_name(state, cast.best)}",
            SOLVED,
            execute=False,
            avoids=cast.best,
        )

    def _write_vague_goal(self, cast: Cast) -> str:
        return f'on(?x, {quote_name(cast.stage)}) and serves_as(?x, "{cast.purpose.words}")'

    def rank_items(self, state: Instance, predicate: str, words: str) -> list[tuple[float, str]]:
        """List every item whose place is known with its degree, best first."""
        placed = {leg for fact in facts(state) if fact.relation in PLACES for leg in fact.arguments}
        items = (state.name_of(element) for element in state.elements(ITEM))
        names = [name for name in items if name in placed]
        requests = [
            build_request(self._domain.graded[predicate], (name, words), state) for name in names
        ]
        degrees = [membership.degree for membership in self._memberships.judge(requests)]
        return sorted(zip(degrees, names, strict=True), reverse=True)

    def _find_fit(self, state: Instance, predicate: str, words: str) -> frozenset[str]:
        return frozenset(
            name
            for degree, name in self.rank_items(state, predicate, words)
            if degree >= self._alpha
        )

    def _choose_places(self, state: Instance, purpose: Purpose, best: str) -> tuple[str, str]:
        """Choose a stage on which at most one acceptable item lies, and a place aside."""
        fit = self._find_fit(state, "serves_as", purpose.words)
        supports = self.rank_supports(state, best)
        stage = next(
            (
                support
                for support in supports
                if sum(find_support(state, name) == support for name in fit) <= 1
            ),
            supports[0],
        )
        others = [support for support in supports if support != stage]
        other_rooms = [support for support in others if not are_in_same_room(state, support, stage)]
        return stage, (other_rooms or others)[0]

    def rank_supports(self, state: Instance, item: str) -> list[str]:
        """List the supports, the most suitable for an item first, floors and devices last."""
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

    def _choose_errand(self, state: Instance, cast: Cast, begun: str) -> tuple[str, str]:
        """Choose an item, if possible in another room than the robot, and a place in its room."""

        def is_here(fixture: str) -> bool:
            return _find_leg(state, "in_room", fixture) == begun

        target = cast.stage if is_here(cast.stage) else cast.aside
        names = sorted(map(state.name_of, state.elements(ITEM)))
        far = [name for name in names if (on := find_support(state, name)) and not is_here(on)]
        return far[0] if far else self._choose_other_item(state, cast, target), target

    def _choose_other_item(self, state: Instance, cast: Cast, target: str) -> str:
        """Choose an item that is not at the target, if possible not the one of the next story."""
        names = sorted(state.name_of(element) for element in state.elements(ITEM))
        movable = [name for name in names if find_support(state, name) not in ("", target)]
        rather = [name for name in movable if name != cast.best]
        if not movable:
            raise StoryError("no item of the scene lies on anything: try another scene")
        return (rather or movable)[0]


def list_kinds(result: PlanningResult) -> frozenset[RelaxationKind]:
    return frozenset(RelaxationKind(relaxation.kind) for relaxation in result.relaxations)


def find_support(state: Instance, item: str) -> str:
    """Find the support that an item lies on; "" if it lies on none."""
    return _find_leg(state, "on", item)


def find_room(state: Instance, name: str) -> str:
    """Find the room that a robot or a piece of furniture is in; "" if that is not known."""
    return _find_leg(state, "at", name) or _find_leg(state, "in_room", name)


def _find_leg(state: Instance, relation: str, subject: str) -> str:
    """Find the second leg of the fact whose first leg is given; "" without one."""
    found = [fact.arguments[1] for fact in facts(state, [relation]) if fact.arguments[0] == subject]
    return found[0] if found else ""


def has_any_on(state: Instance, items: Iterable[str], support: str) -> bool:
    return any(find_support(state, item) == support for item in items)


def are_in_same_room(state: Instance, one: str, other: str) -> bool:
    rooms = {fact.arguments[0]: fact.arguments[1] for fact in facts(state, ["in_room"])}
    return one in rooms and rooms.get(one) == rooms.get(other)


def quote_name(name: str) -> str:
    """Quote an element's id for a goal, if it needs quotes."""
    plain = name.replace("_", "").replace("-", "")
    return name if plain.isalnum() and not name[0].isdigit() else f'"{name}"'


def say_name(state: Instance, name: str) -> str:
    """Name an element in words, such as "the dining table"."""
    return to_words(name, str(state.attribute(state.id_of(name), "category") or ""))
