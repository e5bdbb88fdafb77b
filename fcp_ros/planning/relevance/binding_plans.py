# SPDX-License-Identifier: Apache-2.0
"""The order in which the open slots of a rule are bound, given what a demand binds already.

The order decides what is considered at all: a slot that a *changing* condition binds takes the
values that are there; one that a static condition or its type binds takes every value that fits,
and the changing conditions on it are then demanded. The cheapest order is found by Dijkstra's
algorithm over sets of bound slots; plans are kept with the domain.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.planning.task.lifted import LiftedAtom, LiftedDomain, LiftedRelation, Trigger


class BindingStyle(Enum):
    """The preferred ways to bind a slot."""

    NOW = "take the values that are there"
    NEAR = "follow static links, then take the values that are there"
    FAR = "follow static links, then take any element of the type"
    ALL = "take every value that is there or can be demanded"


@dataclass(frozen=True, slots=True)
class _StepCosts:
    """Costs of steps: lower ones are taken first.

    Attributes:
        link, scan: static condition with one leg bound, with none.
        value, listed, any: changing condition with a functional leg bound, another one, none.
    """

    link: float
    scan: float
    value: float
    listed: float
    any: float
    element: float  # any element of the slot's type


# Now, where a thing is comes before where a robot is: it is the robot that has to go there.
_COSTS = {
    BindingStyle.NOW: _StepCosts(link=3.0, scan=9.0, value=1.0, listed=1.1, any=12.0, element=10.0),
    BindingStyle.NEAR: _StepCosts(link=0.8, scan=9.0, value=2.0, listed=5.0, any=12.0, element=3.0),
    BindingStyle.FAR: _StepCosts(link=0.8, scan=9.0, value=8.0, listed=8.0, any=12.0, element=3.0),
    BindingStyle.ALL: _StepCosts(link=1.0, scan=4.0, value=1.5, listed=2.0, any=5.0, element=6.0),
}
_FEW = 0.3
"""Cost of an element whose type has a handful of elements: hardly a choice."""
_MOVING = 0.2
"""Extra cost of reading where a robot is: it can go there, so that place is better demanded."""


@dataclass(frozen=True, eq=False, slots=True)
class BindingStep:
    """Bind some slots."""

    # of the condition that binds them; None: any element of the slot's type
    relation: LiftedRelation | None
    bound: tuple[tuple[int, int], ...]  # (position, slot) of the legs that are bound already
    # (position, slot) of the legs that are not; for an element one with position -1. A step without
    # is a check: a static fact must be there, a changing one possible.
    opens: tuple[tuple[int, int], ...]
    determined: bool  # True if there is at most one value (a functional leg is bound)
    # True if no changing condition mentions the slots, so that all values are equally good
    free: bool


@dataclass(frozen=True, eq=False, slots=True)
class BindingPlan:
    """The steps that bind all slots of a trigger."""

    trigger: Trigger
    steps: tuple[BindingStep, ...]
    chooses: bool  # True if a step chooses among values that are equally good
    loose: bool  # True if a slot with many values is bound by a step that leaves a choice
    graded: bool  # True if such a slot is mentioned by graded atoms
    # a plan with the same outcome that follows static links first and then checks the values:
    # better if the links are few. None if there is no such plan.
    links: BindingPlan | None = None


class BindingPlanner:
    """Makes plans and keeps them."""

    def __init__(self, lifted: LiftedDomain) -> None:
        self._lifted = lifted
        self._plans: dict[
            tuple[Trigger, BindingStyle, frozenset[int], frozenset[int]], BindingPlan
        ] = {}
        self._undoing: dict[Trigger, bool] = {}

    def plan(
        self, trigger: Trigger, style: BindingStyle, bound: frozenset[int], few: frozenset[int]
    ) -> BindingPlan:
        """Return the steps for a trigger, made once."""
        key = (trigger, style, bound, few)
        found = self._plans.get(key)
        if found is None:
            path = _order(trigger, _COSTS[style], bound, few)
            path = _put_off(trigger, path, None if style is BindingStyle.ALL else few)
            found = _plan(trigger, bound, path, few)
            if style is BindingStyle.NOW:
                found = replace(found, links=_by_links(found, bound, few))
            self._plans[key] = found
        return found

    def only_undoes(self, trigger: Trigger) -> bool:
        """Return True if a rule only restores what its own needs presuppose.

        To step back into a room from a table takes being at the table, which takes being in the
        room: that the robot may be at some table is no way into the room.
        """
        found = self._undoing.get(trigger)
        if found is None:
            found = self._undoing[trigger] = only_undoes(trigger, self._lifted)
        return found


def _by_links(plan: BindingPlan, bound: frozenset[int], few: frozenset[int]) -> BindingPlan | None:
    trigger = plan.trigger
    read = [step.relation for step in plan.steps if step.relation and step.relation.changes]
    if not read:
        return None
    path = _order(trigger, _COSTS[BindingStyle.NEAR], bound, few)
    if "fluent" in (kind for kind, _ in path):
        return None
    if any(kind == "element" and slot not in few for kind, slot in path):
        return None
    checked = [atom for atom in trigger.fluent if atom[0] in read]
    return _plan(trigger, bound, path, few, checked)


_PATIENCE = 256
"""Sets of bound slots that are looked at for the cheapest order: those of 8 open slots. Rules with
more (those of parc-printer have up to 16) are ordered greedily from the best set so far."""

_Path = tuple[tuple[str, int], ...]
"""What binds slots, in order: a static or changing condition by number, or a slot's type."""


def _order(
    trigger: Trigger, costs: _StepCosts, bound: frozenset[int], few: frozenset[int]
) -> _Path:
    everything = (1 << len(trigger.types)) - 1
    start = _to_mask(bound)
    if start == everything:
        return ()
    choices = [choice for choice in _list_choices(trigger, costs, few) if choice.slots & ~start]
    best = {start: 0.0}
    links: dict[int, tuple[int, tuple[str, int]]] = {}  # the set before, and the choice after it
    queue = [(0.0, 0, start)]
    count = looked = 0
    while queue:
        cost, _, now = heapq.heappop(queue)
        if now == everything:
            return _trace(links, start, now)
        if cost > best[now]:
            continue
        looked += 1
        if looked > _PATIENCE:
            return _complete(choices, now, everything, _trace(links, start, now))
        for extra, name, then in _extend(choices, now):
            total = cost + extra
            if total < best.get(then, math.inf):
                best[then], links[then] = total, (now, name)
                count += 1
                heapq.heappush(queue, (total, count, then))
    raise AssertionError("every slot can be bound by its type")


def _trace(links: Mapping[int, tuple[int, tuple[str, int]]], start: int, now: int) -> _Path:
    """Return the choices that led from one set of slots to another."""
    path = []
    while now != start:
        now, name = links[now]
        path.append(name)
    return tuple(reversed(path))


def _complete(choices: Sequence[_Choice], now: int, everything: int, path: _Path) -> _Path:
    """Extend an order to all slots, each time by the cheapest choice."""
    while now != everything:
        _, name, now = min(_extend(choices, now), key=lambda found: found[0])
        path = (*path, name)
    return path


def _put_off(trigger: Trigger, path: _Path, safe: frozenset[int] | None) -> _Path:
    """Move elements that nothing else in an order depends on to its end.

    All steps behind an element are repeated for each of its values: values are read again, and a
    check that fails for one fails for all (agricola: 2.0 million bindings for 147,000 operators of
    one rule).

    Args:
        safe: slots all of whose elements are tried wherever they stand; None for all slots.
            The choice among others depends on what is bound before.
    """
    named = {"static": trigger.static, "fluent": trigger.fluent}
    read = [named[kind][number] for kind, number in path if kind in named]
    used = {slot for _, slots in (*trigger.static, *read) for slot in slots}

    def is_free(name: tuple[str, int]) -> bool:
        kind, slot = name
        return kind == "element" and slot not in used and (safe is None or slot in safe)

    return tuple(sorted(path, key=is_free))


@dataclass(frozen=True, slots=True)
class _Choice:
    """A way to bind slots; sets of slots are masks.

    Attributes:
        keyed, several, linked, open: the costs with a key bound, with several slots bound, with
            one, and with none.
    """

    name: tuple[str, int]
    slots: int
    keys: int  # one of these determines the others
    keyed: float
    several: float
    linked: float
    open: float


def _list_choices(trigger: Trigger, costs: _StepCosts, few: frozenset[int]) -> list[_Choice]:
    found = []
    for number, (relation, slots) in enumerate(trigger.static):
        keys = _to_mask(slots[key] for key in relation.keys)
        # With a key or several slots bound, there is hardly ever more than one value.
        found.append(
            _Choice(("static", number), _to_mask(slots), keys, 0.0, 0.0, costs.link, costs.scan)
        )
    for number, (relation, slots) in enumerate(trigger.fluent):
        keys = _to_mask(slots[key] for key in relation.keys)
        value = costs.value + (_MOVING if relation.moves else 0.0)
        found.append(
            _Choice(
                ("fluent", number),
                _to_mask(slots),
                keys,
                value,
                costs.listed,
                costs.listed,
                costs.any,
            )
        )
    for slot in range(len(trigger.types)):
        cost = _FEW if slot in few else costs.element
        found.append(_Choice(("element", slot), 1 << slot, 0, cost, cost, cost, cost))
    return found


def _to_mask(slots: Iterable[int]) -> int:
    mask = 0
    for slot in slots:
        mask |= 1 << slot
    return mask


def _extend(choices: Sequence[_Choice], now: int) -> list[tuple[float, tuple[str, int], int]]:
    """List the choices that bind a slot: the cost, the choice, and the slots bound then."""
    found = []
    for choice in choices:
        then = now | choice.slots
        if then != now:
            known = now & choice.slots
            if now & choice.keys:
                cost = choice.keyed
            elif not known:
                cost = choice.open
            else:
                cost = choice.several if known & (known - 1) else choice.linked
            found.append((cost, choice.name, then))
    return found


def _plan(
    trigger: Trigger,
    bound: frozenset[int],
    path: _Path,
    few: frozenset[int],
    checked: Sequence[LiftedAtom] = (),
) -> BindingPlan:
    spoken = {slot for _, slots in trigger.fluent for slot in slots}
    now = set(bound)
    unchecked = dict(enumerate(trigger.static))
    values = list(checked)
    steps: list[BindingStep] = []
    loose: set[int] = set()

    def check() -> None:
        for number, atom in list(unchecked.items()):
            if now.issuperset(atom[1]):
                steps.append(_step(atom, now, spoken))
                del unchecked[number]
        for atom in tuple(values):
            if now.issuperset(atom[1]):
                steps.append(_step(atom, now, spoken))
                values.remove(atom)

    check()
    for kind, number in path:
        if kind == "element":
            step = BindingStep(None, (), ((-1, number),), False, number not in spoken)
        elif kind == "static":
            step = _step(unchecked.pop(number), now, spoken)
        else:
            step = _step(trigger.fluent[number], now, spoken)
        steps.append(step)
        new = {slot for _, slot in step.opens}
        now |= new
        settled = step.determined and step.relation is not None and not step.relation.changes
        if not settled:
            loose |= new
        check()
    return BindingPlan(
        trigger,
        tuple(steps),
        any(step.free and not step.determined for step in steps),
        not loose <= few,
        not loose.isdisjoint(trigger.rule.graded & spoken),
    )


def _step(atom: LiftedAtom, now: set[int], spoken: set[int]) -> BindingStep:
    relation, slots = atom
    bound = tuple((position, slot) for position, slot in enumerate(slots) if slot in now)
    opens = tuple((position, slot) for position, slot in enumerate(slots) if slot not in now)
    determined = any(slots[key] in now for key in relation.keys)
    free = bool(opens) and all(slot not in spoken for _, slot in opens)
    return BindingStep(relation, bound, opens, determined, free)


def only_undoes(trigger: Trigger, lifted: LiftedDomain) -> bool:
    """Return True if a rule only restores what its own needs presuppose."""
    rule = trigger.rule
    if trigger.effect >= 0:
        return False
    for relation, slots in rule.body.add:
        if slots != trigger.slots or relation.name not in rule.chains:
            continue
        for needed, needs in rule.body.fluent:
            if needed is not relation:
                continue
            sources = [
                adder
                for adder in lifted.adders.get(relation.name, ())
                if _may_give(adder, trigger, needs, lifted)
            ]
            if all(_circular(trigger, relation, needs, adder) for adder in sources):
                return True
    return False


def _may_give(
    adder: Trigger, trigger: Trigger, needs: tuple[int, ...], lifted: LiftedDomain
) -> bool:
    below = lifted.below
    return all(
        not below(adder.types[one]).isdisjoint(below(trigger.types[other]))
        for one, other in zip(adder.slots, needs, strict=True)
    )


def _circular(
    trigger: Trigger, relation: LiftedRelation, needs: tuple[int, ...], adder: Trigger
) -> bool:
    """Return True if the adder needs the very fact that the trigger gives, by functional links."""
    offset = len(trigger.types)
    same = list(range(offset + len(adder.types)))

    def root(slot: int) -> int:
        while same[slot] != slot:
            slot = same[slot]
        return slot

    for one, other in zip(adder.slots, needs, strict=True):
        same[root(one + offset)] = root(other)
    atoms = [
        *trigger.static,
        *((r, tuple(slot + offset for slot in slots)) for r, slots in adder.static),
    ]
    changed = True
    while changed:
        changed = False
        for index, (one_relation, ones) in enumerate(atoms):
            for other_relation, others in atoms[index + 1 :]:
                if one_relation is other_relation and any(
                    root(ones[key]) == root(others[key]) for key in one_relation.keys
                ):
                    for a, b in zip(ones, others, strict=True):
                        if root(a) != root(b):
                            same[root(a)] = root(b)
                            changed = True
    given = [root(slot) for slot in trigger.slots]
    return any(
        needed is relation and [root(slot + offset) for slot in slots] == given
        for needed, slots in adder.fluent
    )
