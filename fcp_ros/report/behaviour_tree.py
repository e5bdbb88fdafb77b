# SPDX-License-Identifier: Apache-2.0
"""A plan as a tree of BehaviorTree.CPP 4: its partial order nested, in the XML of Groot2.

A series-parallel order is a nest of sequences and parallel parts, found by splitting: steps that
fall into groups without any order between them are parallel parts; steps that fall into groups each
of which comes before the next are the parts of a sequence (Valdes, Tarjan, Lawler: The recognition
of series parallel digraphs, SIAM J. Comput. 11, 1982).

What can be split in neither way (a hand-over between two robots, each with steps before and after
it) becomes chains of steps side by side, in which steps wait for those of other chains. Nothing is
added to the order: a step may begin as soon as all that come before it have ended.

The nodes are Sequence, Parallel, Precondition and Script of the library itself, and an action for
each rule, which whoever loads the tree registers (docs/behaviour_trees.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from fcp_ros.foundation.input_error import InputError
from fcp_ros.planning import Plan
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.step_order import PartialOrder, find_all_predecessors

DEEPEST = 40
"""Levels of a nest. Deeper parts become chains, since readers of XML have limits (BehaviorTree.CPP:
256)."""


@dataclass(frozen=True, slots=True)
class SingleStep:
    """A step by its position in the plan."""

    number: int
    waits_for: tuple[int, ...] = ()  # besides all that come before it in the nest


@dataclass(frozen=True, slots=True)
class InSequence:
    """Parts one after the other."""

    parts: tuple[Nest, ...]  # two or more; none of them a sequence


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Parts that may run at the same time."""

    parts: tuple[Nest, ...]  # two or more; none of them side by side


Nest: TypeAlias = SingleStep | InSequence | SideBySide


def nest_steps(order: PartialOrder, agents: Sequence[tuple[str, ...]]) -> Nest | None:
    """Nest the steps of an order; None if there are none.

    `agents`: those of each step. Chains follow them where they can.
    """
    if not order.predecessors:
        return None
    return _Nesting(order, agents).nest(tuple(range(len(order.predecessors))), 0)


class _Nesting:
    """The nest of one order. Sets of steps are the bits of integers."""

    def __init__(self, order: PartialOrder, agents: Sequence[tuple[str, ...]]) -> None:
        self._direct = order.predecessors
        self._agents = agents
        self._below = find_all_predecessors(order.predecessors)
        self._related = list(self._below)
        for number, below in enumerate(self._below):
            for before in range(len(self._below)):
                if below >> before & 1:
                    self._related[before] |= 1 << number

    def nest(self, steps: tuple[int, ...], depth: int) -> Nest:
        """Nest some of the steps, which all others precede, follow, or are unordered with."""
        if len(steps) == 1:
            return SingleStep(steps[0])
        if depth < DEEPEST:
            groups = _split(steps, lambda step: self._related[step])
            if len(groups) > 1:
                return SideBySide(tuple(self.nest(group, depth + 1) for group in groups))
            stages = _split(steps, lambda step: ~self._related[step])
            if len(stages) > 1:
                stages.sort(key=lambda stage: self._count_earlier(stage[0], steps))
                return InSequence(tuple(self.nest(stage, depth + 1) for stage in stages))
        return self._make_chains(steps)

    def _count_earlier(self, step: int, steps: Sequence[int]) -> int:
        return sum(self._below[step] >> other & 1 for other in steps)

    def _make_chains(self, steps: tuple[int, ...]) -> Nest:
        """Cover steps with chains along the order; the rest of the order is what they wait for."""
        chains: list[list[SingleStep]] = []
        for step in sorted(steps, key=lambda step: (self._count_earlier(step, steps), step)):
            before = self._direct[step].intersection(steps)
            open_chains = [chain for chain in chains if chain[-1].number in before]
            chain = max(open_chains, key=lambda c: self._count_shared(c, step), default=None)
            if chain is None:
                chains.append([SingleStep(step, tuple(sorted(before)))])
            else:
                chain.append(SingleStep(step, tuple(sorted(before - {chain[-1].number}))))
        parts = tuple(chain[0] if len(chain) == 1 else InSequence(tuple(chain)) for chain in chains)
        return parts[0] if len(parts) == 1 else SideBySide(parts)

    def _count_shared(self, chain: Sequence[SingleStep], step: int) -> int:
        return len(set(self._agents[chain[-1].number]) & set(self._agents[step]))


def _split(steps: Sequence[int], find_neighbours: Callable[[int], int]) -> list[tuple[int, ...]]:
    """Split steps into connected groups, each sorted, in the order of their first steps."""
    waiting = sum(1 << step for step in steps)
    groups: list[tuple[int, ...]] = []
    for first in sorted(steps):
        if not waiting >> first & 1:
            continue
        waiting &= ~(1 << first)
        group = [first]
        for step in group:  # grows meanwhile
            found = find_neighbours(step) & waiting
            waiting &= ~found
            group.extend(_list_bits(found))
        groups.append(tuple(sorted(group)))
    return groups


def _list_bits(bits: int) -> list[int]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


TREE = "FcpPlan"
"""The id of the tree."""

STEP_PORTS = {
    "executor": ("std::string", "relative name of the ExecuteStep action that performs the step"),
    "step_index": ("unsigned", "position in the plan, from 0"),
    "duration": ("double", "expected duration [s]"),
}
"""The ports of each action besides the parameters of its rule: type and meaning."""

TAKEN = frozenset({*STEP_PORTS, "name", "ID"})
"""Names that a port for a rule's parameter can't have."""

RESERVED = frozenset(
    {
        "Action",
        "AlwaysSuccess",
        "BehaviorTree",
        "Condition",
        "Control",
        "Decorator",
        "Parallel",
        "Precondition",
        "Root",
        "Script",
        "Sequence",
        "SubTree",
        "root",
    }
)
"""Names of nodes and elements that mean something else in such a file."""

# Names of XML that the library takes, too.
_NAME = re.compile(r"[A-Za-z][\w-]*\Z", re.ASCII)
# Without what XML 1.0 or the library can't have.
_TEXT = re.compile("[\x20-\x7e\x80-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*\\Z")


class NotBehaviourTree(InputError):
    """The plan contains a name that the XML of BehaviorTree.CPP has no way to write."""


def to_behaviour_tree(plan: Plan) -> str:
    """Return the plan as an XML file of BehaviorTree.CPP 4.

    A step begins as soon as all steps that the plan's order puts before it have ended; without a
    schedule they run one after the other. A step that fails ends the tree, and halts the others.
    Raises NotBehaviourTree for a name that can't be written.
    """
    order, agents = _find_order(plan)
    root = Element("root", BTCPP_format="4", main_tree_to_execute=TREE)
    tree = SubElement(root, "BehaviorTree", ID=TREE)
    nest = nest_steps(order, agents)
    if nest is None:
        SubElement(tree, "AlwaysSuccess")
    else:
        _Writer(plan.steps, nest).write(tree, nest)
    models = SubElement(root, "TreeNodesModel")
    for step in {step.rule: step for step in plan.steps}.values():
        _write_model(models, step)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _find_order(plan: Plan) -> tuple[PartialOrder, tuple[tuple[str, ...], ...]]:
    size = len(plan.steps)
    if plan.schedule is None:
        return PartialOrder.of(size, pairwise(range(size))), ((),) * size
    return PartialOrder.of(size, plan.schedule.order), plan.schedule.agents


class _Writer:
    """Writes a nest of steps as elements of XML."""

    def __init__(self, steps: tuple[PlanStep, ...], nest: Nest) -> None:
        self._steps = steps
        self._marked = sorted({n for step in _list_steps(nest) for n in step.waits_for})

    def write(self, tree: Element, nest: Nest) -> None:
        """Write the tree's content, which begins with the marks of steps that others wait for."""
        if not self._marked:
            self._write_nest(tree, nest)
            return
        sequence = SubElement(tree, "Sequence")
        marks = "; ".join(f"{_mark(number)} := false" for number in self._marked)
        SubElement(sequence, "Script", code=marks)
        for part in nest.parts if isinstance(nest, InSequence) else (nest,):
            self._write_nest(sequence, part)

    def _write_nest(self, parent: Element, nest: Nest) -> None:
        if isinstance(nest, SingleStep):
            self._write_step(parent, nest)
            return
        if isinstance(nest, SideBySide):
            element = SubElement(parent, "Parallel", success_count="-1", failure_count="1")
        else:
            element = SubElement(parent, "Sequence")
        for part in nest.parts:
            self._write_nest(element, part)

    def _write_step(self, parent: Element, single: SingleStep) -> None:
        if single.waits_for:
            ended = " && ".join(map(_mark, single.waits_for))
            parent = SubElement(parent, "Precondition", {"if": ended, "else": "RUNNING"})
        step = self._steps[single.number]
        action = SubElement(parent, _check_name(step.rule), name=_check_text(str(step)))
        for parameter, element in step.arguments:
            action.set(_name_port(parameter), _check_value(element))
        action.set("executor", _check_value(step.executor))
        action.set("step_index", str(single.number))
        action.set("duration", f"{step.duration:g}")
        if single.number in self._marked:
            action.set("_onSuccess", f"{_mark(single.number)} := true")


def _list_steps(nest: Nest) -> Iterator[SingleStep]:
    if isinstance(nest, SingleStep):
        yield nest
    else:
        for part in nest.parts:
            yield from _list_steps(part)


def _mark(number: int) -> str:
    """Name the entry of the blackboard that says if a step has ended."""
    return f"step_{number}_ended"


def _write_model(models: Element, step: PlanStep) -> None:
    model = SubElement(models, "Action", ID=step.rule)
    for parameter, _ in step.arguments:
        text = f"the rule's parameter {parameter}"
        _write_port(model, _name_port(parameter), "std::string", text)
    for name, (kind, text) in STEP_PORTS.items():
        _write_port(model, name, kind, text)


def _write_port(model: Element, name: str, kind: str, text: str) -> None:
    port = SubElement(model, "input_port", name=name, type=kind)
    port.text = text


# --- names


def _name_port(parameter: str) -> str:
    """Return the parameter's name, with an underscore behind it where that one is taken."""
    return f"{parameter}_" if parameter in TAKEN else _check_name(parameter)


def _check_name(name: str) -> str:
    if not _NAME.match(name) or name in RESERVED:
        raise NotBehaviourTree(
            f"{name!r} can't be the name of a node or port of BehaviorTree.CPP (a letter, then "
            "letters, digits, - and _): rename it, or write the plan as JSON"
        )
    return name


def _check_value(text: str) -> str:
    if text.startswith("{") and text.endswith("}"):
        raise NotBehaviourTree(
            f"{text!r} would be an entry of the blackboard of BehaviorTree.CPP: rename it, or "
            "write the plan as JSON"
        )
    return _check_text(text)


def _check_text(text: str) -> str:
    if not _TEXT.match(text):
        raise NotBehaviourTree(
            f"{text!r} contains a control character, which such a file can't have: rename it, or "
            "write the plan as JSON"
        )
    return text
