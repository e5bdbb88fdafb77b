# SPDX-License-Identifier: Apache-2.0
"""Plans as trees of BehaviorTree.CPP: executed tick by tick, they keep the plan's order exactly.

The interpreter has the semantics of the library (4.10), which itself has run trees like these, with
all ports, as a binding of 4.8 has those of 400 random orders, 61 with steps that wait.
"""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.planning import Plan
from fcp_ros.planning.model.plan import PlanStep, Schedule
from fcp_ros.planning.step_order import PartialOrder
from fcp_ros.report.behaviour_tree import NotBehaviourTree, to_behaviour_tree

RUNNING, SUCCESS, FAILURE = "RUNNING", "SUCCESS", "FAILURE"


def make_plan(size, pairs=None, **changes):
    step = {"rule": "pick", "arguments": (("item", "mug_1"),), "executor": "arm", **changes}
    steps = tuple(
        PlanStep(degree=1.0, membership_after=1.0, duration=2.5, **step) for _ in range(size)
    )
    schedule = None
    if pairs is not None:
        order = PartialOrder.of(size, pairs).pairs()
        times = (0.0,) * size
        agents = tuple((f"robot_{number % 2}",) for number in range(size))
        schedule = Schedule(times, times, times, order, agents, 0.0)
    return Plan("", steps, 1.0, 1.0, (), (), 0.5, "lukasiewicz", "", schedule=schedule)


class Interpreter:
    """Ticks a tree. Steps run until somebody says that they succeed or fail."""

    def __init__(self, text):
        self.root = ElementTree.fromstring(text)
        (self.tree,) = self.root.find("BehaviorTree")
        self.started, self.ends, self.marks, self.memory = [], {}, {}, {}

    def tick(self):
        return self._tick(self.tree)

    def _tick(self, node):
        if node not in self.memory:  # a node that has ended is not ticked again
            status = getattr(self, f"_tick_{node.tag}", self._tick_step)(node)
            if status == RUNNING:
                return RUNNING
            self.memory[node] = status
        return self.memory[node]

    def _tick_Sequence(self, node):
        return next((end for end in map(self._tick, node) if end != SUCCESS), SUCCESS)

    def _tick_Parallel(self, node):
        assert node.attrib == {"success_count": "-1", "failure_count": "1"}
        ends = []
        for child in node:
            ends.append(self._tick(child))
            if ends[-1] == FAILURE:
                return FAILURE
        return RUNNING if RUNNING in ends else SUCCESS

    def _tick_Precondition(self, node):
        if all(self.marks[mark] for mark in node.get("if").split(" && ")):
            return self._tick(*node)
        return node.get("else")

    def _tick_Script(self, node):
        self._run(node.get("code"))
        return SUCCESS

    def _tick_AlwaysSuccess(self, node):
        return SUCCESS

    def _tick_step(self, node):
        number = int(node.get("step_index"))
        if number not in self.started:
            self.started.append(number)
            return RUNNING
        end = self.ends.get(number, RUNNING)
        if end == SUCCESS and "_onSuccess" in node.attrib:
            self._run(node.get("_onSuccess"))
        return end

    def _run(self, code):
        for name, value in re.findall(r"(\w+) := (\w+)", code):
            self.marks[name] = value == "true"


@st.composite
def random_orders(draw):
    size = draw(st.integers(0, 9))
    numbers = draw(st.permutations(range(size)))
    pairs = list(combinations(numbers, 2))
    return size, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


def find_ready(size, pairs, ended):
    """The steps whose predecessors have all ended: the obvious way."""
    return {n for n in range(size) if all(b in ended for b, after in pairs if after == n)}


@given(random_orders(), st.randoms(use_true_random=False))
def test_a_step_starts_as_soon_as_its_predecessors_have_ended_and_once(case, random):
    size, pairs = case
    run = Interpreter(to_behaviour_tree(make_plan(size, pairs)))
    status = run.tick()
    while status == RUNNING:
        status = run.tick()  # a mark that was set late in a tick shows with the next
        assert len(run.started) == len(set(run.started))
        assert set(run.started) == find_ready(size, pairs, run.ends)
        run.ends[random.choice([n for n in run.started if n not in run.ends])] = SUCCESS
        status = run.tick()
    assert status == SUCCESS
    assert sorted(run.started) == list(range(size))


@given(random_orders(), st.randoms(use_true_random=False))
def test_a_step_that_fails_ends_the_tree(case, random):
    size, pairs = case
    run = Interpreter(to_behaviour_tree(make_plan(size, pairs)))
    if run.tick() == SUCCESS:
        return  # no steps
    run.ends[random.choice(run.started)] = FAILURE
    assert run.tick() == FAILURE


def list_tags(text):
    return [node.tag for node in ElementTree.fromstring(text).find("BehaviorTree").iter()][1:]


def test_simple_orders_need_no_marks():
    assert list_tags(to_behaviour_tree(make_plan(0))) == ["AlwaysSuccess"]
    assert list_tags(to_behaviour_tree(make_plan(1))) == ["pick"]
    assert list_tags(to_behaviour_tree(make_plan(3))) == ["Sequence", *3 * ["pick"]]
    assert list_tags(to_behaviour_tree(make_plan(2, ()))) == ["Parallel", *2 * ["pick"]]


def test_a_hand_over_between_robots_is_a_chain_for_each_with_a_step_that_waits():
    """0 2 4 are one robot's, 1 3 5 the other's; 2 hands over to 5."""
    handed = to_behaviour_tree(make_plan(6, [(0, 2), (2, 4), (1, 3), (3, 5), (2, 5)]))
    tree = ElementTree.fromstring(handed).find("BehaviorTree/Sequence")
    script, parallel = tree
    assert script.get("code") == "step_2_ended := false"
    chains = [[int(s.get("step_index")) for s in chain.iter("pick")] for chain in parallel]
    assert chains == [[0, 2, 4], [1, 3, 5]]
    (waits,) = tree.iter("Precondition")
    assert waits.attrib == {"if": "step_2_ended", "else": RUNNING}
    assert waits[0].get("step_index") == "5"
    (marks,) = tree.findall(".//*[@_onSuccess]")
    assert (marks.get("step_index"), marks.get("_onSuccess")) == ("2", "step_2_ended := true")


def test_ports_are_the_parameters_and_what_an_executor_needs():
    arguments = (("item", 'a <"mug"> & more'), ("name", "Tür"), ("step_index", "7"))
    root = ElementTree.fromstring(to_behaviour_tree(make_plan(2, arguments=arguments)))
    assert root.attrib == {"BTCPP_format": "4", "main_tree_to_execute": "FcpPlan"}
    assert list(root.iter("pick"))[1].attrib == {
        "name": 'pick(a <"mug"> & more, Tür, 7)',
        "item": 'a <"mug"> & more',
        "name_": "Tür",
        "step_index_": "7",
        "executor": "arm",
        "step_index": "1",
        "duration": "2.5",
    }
    (model,) = root.find("TreeNodesModel")
    ports = [port.get("name") for port in model]
    assert (model.tag, model.get("ID")) == ("Action", "pick")
    assert {"name", *ports} == set(root.find(".//pick").attrib)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rule": "Parallel"}, "'Parallel' can't be the name of a node"),
        ({"rule": "2nd"}, "can't be the name of a node"),
        ({"arguments": (("the item", "mug"),)}, "'the item' can't be the name"),
        ({"arguments": (("item", "{mug}"),)}, "an entry of the blackboard"),
        ({"arguments": (("item", "a\nb"),)}, "control character"),
        ({"executor": "a\x01"}, "control character"),
    ],
)
def test_names_that_the_library_does_not_take_are_refused(changes, says):
    with pytest.raises(NotBehaviourTree, match=says):
        to_behaviour_tree(make_plan(1, **changes))


def test_the_command_writes_the_plan(tmp_path):
    file = tmp_path / "plans" / "plan.xml"  # a folder that is made
    arguments = ["plan", "--scene", "twin_house_furnished", "--goal", "on(mug_1, counter_1)"]
    result = CliRunner().invoke(app, [*arguments, "--behaviour-tree", str(file)])
    assert result.exit_code == 0, result.output
    run = Interpreter(file.read_text(encoding="utf-8"))
    assert [step.tag for step in run.tree] == ["navigate", "pick", "navigate", "place"]
    assert run.tree[1].get("item") == "mug_1"
