# SPDX-License-Identifier: Apache-2.0
"""A plan as a tree of BehaviorTree.CPP 4: its partial order as chains, in the XML of Groot2.

A plan of one robot is a sequence. Others become chains of steps side by side, of each robot as far
as the order allows, in which steps wait for those of other chains. Nothing is added to the order: a
step may begin as soon as all that come before it have ended.

The nodes are Sequence, Parallel, Precondition and Script of the library itself, and an action for
each rule, which whoever loads the tree registers (docs/behaviour_trees.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from fcp_ros.foundation.input_error import InputError
from fcp_ros.planning import Plan
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.step_order import PartialOrder, find_all_predecessors


@dataclass(frozen=True, slots=True)
class ChainedStep:
    """A step by its position in the plan."""

    number: int
    waits_for: tuple[int, ...]  # steps of other chains


def make_chains(order: PartialOrder, agents: Sequence[tuple[str, ...]]) -> list[list[ChainedStep]]:
    """Cover steps with chains along the order; the rest of the order is what they wait for.

    `agents`: those of each step. Chains follow them where they can.
    """
    depth = [before.bit_count() for before in find_all_predecessors(order.predecessors)]
    chains: list[list[ChainedStep]] = []
    for step in sorted(range(len(depth)), key=lambda step: (depth[step], step)):
        before = order.predecessors[step]
        ends = {chain[-1].number: chain for chain in chains if chain[-1].number in before}
        last = max(ends, key=lambda end: len({*agents[end]} & {*agents[step]}), default=-1)
        chain = ends.get(last)
        if chain is None:
            chains.append(chain := [])
        chain.append(ChainedStep(step, tuple(sorted(before - {last}))))
    return chains


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
    chains = make_chains(order, agents)
    if chains:
        _Writer(plan.steps, chains).write(tree)
    else:
        SubElement(tree, "AlwaysSuccess")
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
    """Writes chains of steps as elements of XML."""

    def __init__(
        self, steps: tuple[PlanStep, ...], chains: Sequence[Sequence[ChainedStep]]
    ) -> None:
        self._steps = steps
        self._chains = chains
        self._marked = sorted({n for chain in chains for step in chain for n in step.waits_for})

    def write(self, tree: Element) -> None:
        """Write the tree's content, which begins with the marks of steps that others wait for."""
        if self._marked:
            tree = SubElement(tree, "Sequence")
            marks = "; ".join(f"{_mark(number)} := false" for number in self._marked)
            SubElement(tree, "Script", code=marks)
        if len(self._chains) > 1:
            tree = SubElement(tree, "Parallel", success_count="-1", failure_count="1")
        for chain in self._chains:
            parent = SubElement(tree, "Sequence") if len(chain) > 1 else tree
            for step in chain:
                self._write_step(parent, step)

    def _write_step(self, parent: Element, single: ChainedStep) -> None:
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
