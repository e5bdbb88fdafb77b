# SPDX-License-Identifier: Apache-2.0
"""Two judges of plans: would the person who asked accept it? Neither shares code with the planner.

`list_absurdities` has rules of common sense about the states before and after, and about what was
said. `list_needless` knows nothing of houses: it undoes each change that the plan leaves and looks
if the goal holds all the same, and counts the steps that the changes take one after the other. What
no way to the goal avoids is not needless: a machine is filled to wash, and a mop gets dirty.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from fcp_ros.cset import Fact, Instance, InstanceBuilder, facts
from fcp_ros.domain import Domain
from fcp_ros.domain.expressions.evaluation import DegreeOf, evaluate, is_a
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Bound,
    Constant,
    Count,
    Expression,
    Forall,
    Initially,
    Not,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    atoms,
    children,
    walk,
)
from fcp_ros.domain.model import ActionRule
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning import PlanStep

HOLDING = ("holding", "is_holding")
INSIDE = ("inside", "thrown_into")
PLACES = ("on", "is_on", *INSIDE)
"""Relations that say where a thing is, its place last."""
OPEN, CLOSED = ("is_open",), ("closed", "is_closed")
COLD = ("food", "drink", "medicine", "liquid")
"""Types of what may be put into a fridge unasked."""
KEPT_IN = {"fridge": COLD, "bin": (), "oven": (), "microwave": (), "washer": ("textile",)}
"""Type of a container -> types of what people put there unasked; into others, anything small."""
GENERAL = frozenset(["thing", "item", "grabbable", "locatable", "movable"])
_TO_ME = re.compile(r"\b(?:bring|fetch|get|hand|give|pass)\s+(?:\w+\s+){0,4}?(?:me|us)\b", re.I)
_TOLERANCE = 0.02


@dataclass(frozen=True)
class PlannedCase:
    """A plan for what somebody said.

    Attributes:
        sentence: the words.
        domain: the domain.
        goal: as it was planned for.
        steps: of the plan.
        states: before it, and after each step.
        speaker: who speaks; "" if nobody here.
        degree_of: judges graded predicates.
        tnorm: composes degrees.
        types: of the goal's free variables.
    """

    sentence: str
    domain: Domain
    goal: Expression
    steps: Sequence[PlanStep]
    states: Sequence[Instance]
    speaker: str
    degree_of: DegreeOf
    tnorm: TNorm
    types: Mapping[str, str]

    @cached_property
    def before(self) -> frozenset[Fact]:
        """The facts of the initial state."""
        return frozenset(facts(self.states[0]))

    @cached_property
    def after(self) -> frozenset[Fact]:
        """The facts of the final state."""
        return frozenset(facts(self.states[-1]))

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """All atoms of the goal, those of descriptions included."""
        return tuple(atoms(self.goal))

    @cached_property
    def names(self) -> frozenset[str]:
        """The elements that the goal names."""
        terms = (term for atom in self.atoms for term in atom.arguments)
        return frozenset(term.name for term in terms if isinstance(term, Constant))

    def speaks_of(self, element: str) -> bool:
        """Return True if the goal may speak of an element, by its name or by its kind."""
        state = self.states[0]
        if element in self.names:
            return True
        labels = [
            term.value
            for atom in self.atoms
            if atom.predicate == "is_a"
            for term in atom.arguments
            if isinstance(term, Text)
        ]
        kinds = {variable.type for variable in _list_variables(self.goal)} | {*self.types.values()}
        if any(isinstance(part, Forall) for part in walk(self.goal)):
            labels = []  # they may say what is excepted
        id_ = state.id_of(element)
        schema = self.domain.schema
        for kind in kinds:
            if schema.has_type(kind) and schema.is_subtype(state.type_of(id_), kind):
                if kind not in GENERAL or not labels:
                    return True
            elif not schema.has_type(kind) and is_a(state, id_, kind):
                return True
        return any(is_a(state, id_, label) for label in labels)

    def find_type(self, element: str) -> str:
        """Find the type of an element."""
        return self.states[0].type_of(self.states[0].id_of(element))

    def is_of(self, element: str, types: Sequence[str]) -> bool:
        """Return True if an element has one of these types, as far as the domain has them."""
        schema = self.domain.schema
        own = self.find_type(element)
        return any(schema.has_type(one) and schema.is_subtype(own, one) for one in types)


def _list_variables(goal: Expression) -> Iterator[TypedVariable]:
    return (variable for part in walk(goal) for variable in getattr(part, "variables", ()))


def _list_asked(goal: Expression, positive: bool = True) -> Iterator[tuple[Atom, bool]]:
    """Yield the atoms that a goal asks for, and False for those that must not hold."""
    if isinstance(goal, Atom):
        yield goal, positive
    elif isinstance(goal, Not) or (isinstance(goal, Count) and goal.bound is Bound.AT_MOST):
        yield from _list_asked(goal.body, not positive)
    elif not isinstance(goal, Initially):
        for part in children(goal):
            yield from _list_asked(part, positive)


# --- common sense


def list_absurdities(case: PlannedCase) -> list[str]:
    """List what nobody would accept in a plan; a clause each."""
    rules: tuple[Callable[[PlannedCase], Iterator[str]], ...] = (
        _find_loops,
        _find_left_open,
        _find_strange_containers,
        _find_strangers,
        _find_carried_away,
        _find_kept_in_hand,
        _find_not_brought,
        _find_switched,
    )
    return [clause for rule in rules for clause in rule(case)]


def _find_loops(case: PlannedCase) -> Iterator[str]:
    if any(isinstance(one, TrajectoryConstraint) for one in walk(case.goal)):
        return  # what is reached on the way may be asked for
    seen: dict[frozenset[Fact], int] = {}
    for number, state in enumerate(case.states):
        known = frozenset(facts(state))
        if known in seen:
            yield f"steps {seen[known] + 1} to {number} undo each other"
        seen[known] = number


def _find_left_open(case: PlannedCase) -> Iterator[str]:
    asked = {atom.predicate for atom, _ in _list_asked(case.goal)}
    if not asked.isdisjoint(OPEN):
        asked.update(CLOSED)
    for fact in sorted(case.before - case.after, key=str):
        if fact.relation in CLOSED and not (
            fact.relation in asked and case.speaks_of(fact.arguments[0])
        ):
            yield f"{fact.arguments[0]} is left open"


def _find_strange_containers(case: PlannedCase) -> Iterator[str]:
    for fact in sorted(case.after - case.before, key=str):
        if fact.relation != "inside":
            continue
        item, container = fact.arguments
        if not case.domain.schema.has_type("fridge"):
            continue
        wanted = [atom for atom, positive in _list_asked(case.goal) if positive]
        if any(_fits(case, atom, fact) and container in _list_names(atom) for atom in wanted):
            continue
        for kind, kept in KEPT_IN.items():
            if case.is_of(container, (kind,)) and not case.is_of(item, kept):
                named = any(
                    variable.type == kind or kind in variable.type.split()
                    for variable in _list_variables(case.goal)
                )
                if not named:
                    yield f"{item} is put into {container}"


def _list_names(atom: Atom) -> set[str]:
    return {term.name for term in atom.arguments if isinstance(term, Constant)}


def _fits(case: PlannedCase, atom: Atom, fact: Fact) -> bool:
    return atom.predicate == fact.relation and all(
        not isinstance(term, Constant) or term.name == name
        for term, name in zip(atom.arguments, fact.arguments, strict=True)
    )


def _find_strangers(case: PlannedCase) -> Iterator[str]:
    """Find things of which nobody spoke that are no longer where they were."""
    moved = {
        fact.arguments[0]
        for fact in case.before - case.after
        if fact.relation in PLACES and len(fact.arguments) == 2
    }
    for item in sorted(moved):
        if not case.speaks_of(item) and not _is_tool(case, item):
            yield f"{item} is moved, of which nobody spoke"


def _is_tool(case: PlannedCase, item: str) -> bool:
    """Return True for what some step uses while it is held."""
    return any(
        item in dict(step.arguments).values() and "tool" in dict(step.arguments)
        for step in case.steps
    )


def _find_carried_away(case: PlannedCase) -> Iterator[str]:
    """Find what was where the goal wants it, and isn't any more."""
    for atom, positive in _list_asked(case.goal):
        if (
            not positive
            or atom.predicate not in PLACES
            or not isinstance(atom.arguments[-1], Constant)
        ):
            continue
        for fact in sorted(case.before - case.after, key=str):
            wanted = _fits(case, atom, fact) and case.speaks_of(fact.arguments[0])
            if wanted and not _must_leave(case, fact):
                yield f"{fact.arguments[0]} is taken away from {fact.arguments[-1]}"


def _must_leave(case: PlannedCase, fact: Fact) -> bool:
    return any(
        not positive and _fits(case, atom, fact) for atom, positive in _list_asked(case.goal)
    ) or any(
        positive
        and atom.predicate in (*PLACES, *HOLDING)
        and fact.arguments[0] in _list_names(atom)
        for atom, positive in _list_asked(case.goal)
    )


def _find_kept_in_hand(case: PlannedCase) -> Iterator[str]:
    asked = any(positive and atom.predicate in HOLDING for atom, positive in _list_asked(case.goal))
    for fact in sorted(case.after - case.before, key=str):
        if fact.relation in HOLDING and not asked:
            yield f"{fact.arguments[-1]} is still held in the end"


def _find_not_brought(case: PlannedCase) -> Iterator[str]:
    """Find what was to be brought to somebody, and ends in another room."""
    if not case.speaker or not _TO_ME.search(case.sentence):
        return
    rooms = {fact.arguments[0]: fact.arguments[1] for fact in case.after if fact.relation == "at"}
    here = rooms.get(case.speaker)
    where = {
        fact.arguments[0]: fact.arguments[1] for fact in case.after if fact.relation == "in_room"
    }
    for fact in sorted(case.after - case.before, key=str):
        if fact.relation in HOLDING:
            room = rooms.get(fact.arguments[0])
        elif fact.relation in PLACES:
            room = where.get(fact.arguments[-1])
        else:
            continue
        if room is not None and room != here:
            yield f"{fact.arguments} ends in {room}, and {case.speaker} is in {here}"


def _find_switched(case: PlannedCase) -> Iterator[str]:
    asked = {atom.predicate for atom in case.atoms}
    for fact in sorted(case.before ^ case.after, key=str):
        if fact.relation == "switched_on" and fact.relation not in asked:
            yield f"{fact.arguments[0]} is switched, and nobody asked for it"


# --- nothing needless


def list_needless(case: PlannedCase) -> list[str]:
    """List changes without which the goal holds all the same, and steps beyond those needed."""
    found = [clause for clause, is_excused in _list_changes_without_need(case) if not is_excused]
    most = _count_steps(case)
    if most is not None and len(case.steps) > most:
        found.append(f"{len(case.steps)} steps where {most} do")
    return found


def list_excused(case: PlannedCase) -> list[str]:
    """List changes without which the goal holds all the same, and that no way to it avoids."""
    return [clause for clause, is_excused in _list_changes_without_need(case) if is_excused]


def _counts_time(case: PlannedCase) -> bool:
    """Return True for a goal with times: they can't be told for a state that was never reached."""
    return any(isinstance(part, TrajectoryConstraint) and part.times for part in walk(case.goal))


def _list_changes_without_need(case: PlannedCase) -> Iterator[tuple[str, bool]]:
    """Yield changes without which the goal holds, and True for those that no way avoids."""
    if _counts_time(case):
        return
    whole = _evaluate(case, case.states[-1])
    on_the_way = {
        atom.predicate
        for part in walk(case.goal)
        if isinstance(part, TrajectoryConstraint)
        for atom in atoms(part)
    }
    for change in _group_changes(case):
        if not on_the_way.isdisjoint(fact.relation for fact in change):
            continue  # it may be needed before the end
        other = _undo(case, change)
        if other is not None and _evaluate(case, other) >= whole - _TOLERANCE:
            names = ", ".join(str(fact) for fact in change)
            is_excused = all(_is_unavoidable(case, fact) for fact in change)
            yield f"the goal holds without this change: {names}", is_excused


def _is_unavoidable(case: PlannedCase, fact: Fact) -> bool:
    """Return True for a change that comes with what is needed, in whichever way that is done.

    Needed is what the goal speaks of, and what later steps have as a condition.
    """
    asked = {atom.predicate for atom, _ in _list_asked(case.goal)}
    rules = case.domain.rules
    back = {atom.predicate for r in rules.values() for atom in _get_effects(r, fact in case.before)}
    for number, step in enumerate(case.steps):
        changed = _list_changed(rules[step.rule])
        if fact.relation not in changed or not {*fact.arguments} <= {
            *dict(step.arguments).values()
        }:
            continue
        later = (rules[one.rule] for one in case.steps[number + 1 :])
        wanted = {literal.atom.predicate for rule in later for literal in rule.when}
        if fact.relation in wanted and fact.relation not in back:
            return True
        for needed in (changed & (asked | wanted)) - {fact.relation}:
            ways = (one for one in map(_list_changed, rules.values()) if needed in one)
            if all(fact.relation in way for way in ways):
                return True
    return False


def _get_effects(rule: ActionRule, added: bool) -> Sequence[Atom]:
    return rule.add if added else rule.delete


def _list_changed(rule: ActionRule) -> frozenset[str]:
    return frozenset(atom.predicate for atom in (*rule.add, *rule.delete))


def _group_changes(case: PlannedCase) -> Iterator[tuple[Fact, ...]]:
    """Yield the changes of each thing but the robot."""
    by_thing: dict[str, list[Fact]] = {}
    for fact in sorted(case.before ^ case.after, key=str):
        thing = fact.arguments[-1] if fact.relation in HOLDING else fact.arguments[0]
        if not case.is_of(thing, ("robot",)):
            by_thing.setdefault(thing, []).append(fact)
    yield from map(tuple, by_thing.values())


def _undo(case: PlannedCase, change: Sequence[Fact]) -> Instance | None:
    builder = InstanceBuilder.of(case.states[-1])
    for fact in change:
        ids = [builder.id_of(name) for name in fact.arguments]
        if fact in case.after:
            builder.unrelate(fact.relation, *ids)
    for fact in change:
        if fact in case.before:
            builder.relate(fact.relation, *[builder.id_of(name) for name in fact.arguments])
    try:
        return builder.build(allow_conflicts=True)
    except ValueError:
        return None


def _evaluate(case: PlannedCase, last: Instance) -> float:
    return evaluate(
        case.goal, last, case.degree_of, case.tnorm, types=case.types, before=case.states[:-1]
    )


def _count_steps(case: PlannedCase) -> int | None:
    """Count the steps that the same changes take, one after the other, in the order of the plan.

    Each step that changes something besides where the robot is counts, and the shortest ways
    between the rooms that it takes place in; so do the doors on them. None where the domain has no
    such rooms, or the goal says in which order.
    """
    doors = [fact.arguments for fact in case.before if fact.relation == "connected"]
    ordered = any(isinstance(part, TrajectoryConstraint) for part in walk(case.goal))
    if not doors or ordered:
        return None
    most, here, going = 0, "", ""
    for step in case.steps:
        arguments = dict(step.arguments)
        if step.rule == "navigate":
            here = here or arguments["from"]
            continue
        room = arguments.get("room", "")
        if room and not here:
            here = room
        beyond = arguments.get("beyond", "")
        if room and room != here and beyond != here:
            most += _measure_way(here, room, doors)
            here = room
        most += 1
    ends = {fact.arguments for fact in case.after if fact.relation == "at"}
    going = next((room for agent, room in ends if case.is_of(agent, ("robot",))), here)
    return most + (_measure_way(here, going, doors) if here else 0)


def _measure_way(start: str, end: str, doors: Sequence[Sequence[str]]) -> int:
    """Measure the shortest way between rooms, in rooms."""
    reached, queue = {start: 0}, deque([start])
    while queue:
        room = queue.popleft()
        for one, other, *_ in doors:
            if one == room and other not in reached:
                reached[other] = reached[room] + 1
                queue.append(other)
    return reached.get(end, len(doors))
