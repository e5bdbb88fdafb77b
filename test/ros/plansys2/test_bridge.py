# SPDX-License-Identifier: Apache-2.0
"""The bridge with real messages, called as PlanSys2's terminal and executor call its own nodes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from lifecycle_msgs.msg import Transition

pytest.importorskip("plansys2_msgs", reason="plansys2_msgs isn't built (docs/plansys2.md says how)")

from plansys2_msgs.msg import Knowledge, Node, Tree
from std_msgs.msg import Empty

STEPS = ["(go R2 Hall kitchen)", "(take R2 cup kitchen)", "(go R2 kitchen Hall)",
         "(drop R2 cup Hall)"]  # fmt: skip


@pytest.fixture(scope="module")
def served(bridge, until):
    """A bridge for all tests that leave it active."""
    node, clients = bridge(improve_time=0.0)
    until(lambda: node.is_active, "the bridge")
    return node, clients


@pytest.fixture
def clients(served):
    _, clients = served
    clients.set_up()
    return clients


# --- the terminal: set instance, set predicate, set goal, get plan


def test_a_session_ends_with_a_plan(clients):
    assert clients.set_goal("(lies cup Hall)").success
    answer = clients.get_plan()
    assert answer.success, answer.error_info
    assert [item.action for item in answer.plan.items] == STEPS
    assert [round(item.duration, 3) for item in answer.plan.items] == [10.0, 2.0, 12.5, 0.001]
    ends = [item.time + item.duration for item in answer.plan.items]
    assert all(e < n.time for e, n in zip(ends, answer.plan.items[1:], strict=False))
    # BTBuilder::to_action_id: an action and its time in ms have to be one of a kind
    assert len({(i.action, int(i.time * 1000)) for i in answer.plan.items}) == len(STEPS)


def test_what_was_told_is_told_again(clients):
    clients.set_goal("(lies cup Hall)")
    found = clients.ask("GetProblemInstances", "problem_expert/get_problem_instances").instances
    assert {(one.name, one.type) for one in found} == {
        ("R2", "robot"), ("kitchen", "place"), ("Hall", "place"), ("cup", "item"),
    }  # fmt: skip
    states = clients.ask("GetStates", "problem_expert/get_problem_predicates").states
    assert {(s.name, *(p.name for p in s.parameters)) for s in states} == {
        ("at", "R2", "Hall"), ("free", "R2"), ("lies", "cup", "kitchen"), ("served", "kitchen"),
    }  # fmt: skip
    one = clients.ask("GetNodeDetails", "problem_expert/get_problem_function",
                      expression="(way Hall kitchen)")  # fmt: skip
    assert one.success
    assert one.node.value == 10.0
    goal = clients.ask("GetProblemGoal", "problem_expert/get_problem_goal").tree
    assert [node.node_type for node in goal.nodes] == [Node.AND, Node.PREDICATE]
    problem = clients.ask("GetProblem", "problem_expert/get_problem").problem
    clients.ask("ClearProblemKnowledge", "problem_expert/clear_problem_knowledge")
    assert not clients.exists("(free R2)")
    assert clients.ask("AddProblem", "problem_expert/add_problem", problem=problem).success
    assert clients.ask("GetProblem", "problem_expert/get_problem").problem == problem


def test_a_true_fact_can_be_added_and_a_false_one_removed(clients):
    """PlanSys2 #38: re-adding aborted a plan."""
    for _ in range(2):
        assert clients.affect("add_problem_predicate", "(at R2 Hall)").success
        assert clients.affect("remove_problem_predicate", "(broken R2)").success
        assert clients.add_instance("R2", "robot").success
    assert clients.affect("update_problem_function", "(way Hall kitchen)", 7.0).success
    assert not clients.affect("update_problem_function", "(way Depot Hall)", 7.0).success
    assert clients.affect("remove_problem_function", "(way Hall kitchen)").success
    clients.set_goal("(lies cup Hall)")
    assert "needs (way hall kitchen), which has no value" in clients.get_plan().error_info


def test_an_instance_takes_along_what_names_it(clients):
    clients.set_goal("(lies cup Hall)", "(at R2 Hall)")
    cup = clients.msg.Param(name="cup")
    assert clients.ask("AffectParam", "problem_expert/remove_problem_instance", param=cup).success
    assert not clients.exists("(lies cup kitchen)")
    goal = clients.ask("GetProblemGoal", "problem_expert/get_problem_goal").tree
    assert [node.name for node in goal.nodes] == ["", "at"]
    again = clients.ask("AffectParam", "problem_expert/remove_problem_instance", param=cup)
    assert not again.success
    assert again.error_info.startswith("There is no instance 'cup': known are")


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        ("(is R2 Hall)", "unknown predicate is"),
        ("(at R2 a\nb)", "holds the control character"),
    ],
)
def test_a_wrong_fact_is_refused_with_its_reason(clients, fact, sentence):
    answer = clients.affect("add_problem_predicate", fact)
    assert not answer.success
    assert sentence in answer.error_info


def test_changes_are_published(served, clients, probe):
    """PlanSys2 #300: whoever has a plan hears that the world is no longer that of the plan."""
    _, served = served
    known = probe.listen(Knowledge, f"{served.space}/problem_expert/knowledge", latched=True)
    news = probe.listen(Empty, f"{served.space}/problem_expert/update_notify")
    known.wait(lambda message: "(at R2 Hall)" in message.predicates)
    news.wait_for_publisher()
    assert clients.affect("add_problem_predicate", "(broken R2)").success
    known.wait(lambda message: "(broken R2)" in message.predicates)
    news.wait()
    clients.set_goal("(lies cup Hall)")
    answer = clients.get_plan()
    assert not answer.success
    assert answer.error_info.startswith("UNSOLVABLE_PROVEN")
    for inbox in (known, news):
        inbox.close()


# --- the executor


class Executor:
    """Evaluates and applies trees as plansys2_problem_expert/.../Utils.cpp does."""

    def __init__(self, clients):
        self.clients = clients

    def evaluate(self, tree, apply, place=0, negate=False):
        if not tree.nodes:
            return True
        node = tree.nodes[place]
        if node.node_type in (Node.AND, Node.OR):
            parts = [self.evaluate(tree, apply, child, negate) for child in node.children]
            return all(parts) if node.node_type == Node.AND else any(parts)
        if node.node_type == Node.NOT:
            return self.evaluate(tree, apply, node.children[0], not negate)
        assert node.node_type == Node.PREDICATE
        name = "exist_problem_predicate"
        if apply:
            name = "remove_problem_predicate" if negate else "add_problem_predicate"
            return self.clients.ask("AffectNode", f"problem_expert/{name}", node=node).success
        found = self.clients.ask("ExistNode", f"problem_expert/{name}", node=node).exist
        return negate ^ found

    def run(self, item):
        """ExecutorNode.cpp: the action's details, its requirements and effects in their order."""
        name, *arguments = item.action.strip("()").split()
        if name in self.clients.ask("GetDomainActions", "domain_expert/get_domain_actions").actions:
            action = self.clients.ask(
                "GetDomainActionDetails",
                "domain_expert/get_domain_action_details",
                action=name,
                parameters=arguments,
            ).action
            parts = [(action.preconditions, False), (action.effects, True)]
        else:
            answer = self.clients.ask(
                "GetDomainDurativeActionDetails",
                "domain_expert/get_domain_durative_action_details",
                durative_action=name,
                parameters=arguments,
            )
            action = answer.durative_action
            parts = [
                (action.at_start_requirements, False),
                (action.at_start_effects, True),
                (action.over_all_requirements, False),
                (action.at_end_requirements, False),
                (action.at_end_effects, True),
            ]
        assert [param.name for param in action.parameters] == arguments
        return all(self.evaluate(tree, apply) for tree, apply in parts)


def test_the_executor_carries_the_plan_out(clients):
    clients.set_goal("(lies cup Hall)", "(served Hall)")
    plan = clients.get_plan().plan
    executor = Executor(clients)
    goal = clients.ask("GetProblemGoal", "problem_expert/get_problem_goal").tree
    name = "problem_expert/is_problem_goal_satisfied"
    assert not clients.ask("IsProblemGoalSatisfied", name, tree=goal).satisfied
    for item in plan.items:
        assert executor.run(item), item.action
    assert clients.ask("IsProblemGoalSatisfied", name, tree=goal).satisfied
    assert not executor.run(plan.items[1]), "the cup is elsewhere now"
    answer = clients.get_plan()
    assert answer.success
    assert list(answer.plan.items) == []
    assert "holds already" in answer.error_info


def test_the_domain_is_described(clients):
    types = clients.ask("GetDomainTypes", "domain_expert/get_domain_types").types
    assert set(types) == {"object", "place", "item", "robot"}
    name = "domain_expert/get_domain_durative_actions"
    assert clients.ask("GetDomainActions", name).actions == ["go", "take"]
    leg = clients.ask(
        "GetNodeDetails", "domain_expert/get_domain_predicate_details", expression="lies"
    )
    assert [(p.name, p.type) for p in leg.node.parameters] == [
        ("?item0", "item"),
        ("?place1", "place"),
    ]
    go = clients.ask("GetDomainDurativeActionDetails",
                     "domain_expert/get_domain_durative_action_details",
                     durative_action="go").durative_action  # fmt: skip
    assert [p.name for p in go.parameters] == ["?0", "?1", "?2"]
    over = go.over_all_requirements.nodes
    assert [node.node_type for node in over] == [Node.AND, Node.NOT, Node.PREDICATE]
    assert [p.name for p in over[2].parameters] == ["?0"]
    derived = clients.ask(
        "GetDomainDerivedPredicateDetails",
        "domain_expert/get_domain_derived_predicate_details",
        predicate="served",
    ).predicates
    assert [n.node_type for n in derived[0].preconditions.nodes] == [
        Node.AND, Node.EXISTS, Node.PREDICATE,
    ]  # fmt: skip
    found = clients.ask("GetDomainConstants", "domain_expert/get_domain_constants", type="place")
    assert found.constants == ["Depot"]
    wrong = clients.ask(
        "GetDomainActionDetails", "domain_expert/get_domain_action_details", action="fly"
    )
    assert not wrong.success
    assert wrong.error_info == "The domain has no action 'fly'; it has: drop."


# --- what goes wrong


def test_requests_at_once_are_all_answered(clients):
    """PlanSys2 #221."""
    clients.set_goal("(lies cup Hall)")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: clients.get_plan(), range(8)))
    assert [[item.action for item in answer.plan.items] for answer in answers] == [STEPS] * 8


def test_bad_requests_are_answered_and_do_no_harm(clients):
    """pyrobosim #229: a bad request hung the client."""
    circle = Tree(nodes=[Node(node_type=Node.AND, children=[0, 0])])
    beyond = Tree(nodes=[Node(node_type=Node.NOT, children=[7])])
    action = Tree(nodes=[Node(node_type=Node.ACTION)])
    large = Tree(nodes=[Node(node_type=Node.AND)] * 1001)
    for tree in (circle, beyond, action, large, Tree()):
        answer = clients.ask("AddProblemGoal", "problem_expert/add_problem_goal", tree=tree)
        assert not answer.success
        assert answer.error_info
    for domain, problem in (("", ""), ("(define", "("), ("\0", "a"), ("(define (domain d))", "")):
        answer = clients.ask("GetPlan", "planner/get_plan", domain=domain, problem=problem)
        assert not answer.success
        assert answer.error_info.startswith("INVALID_REQUEST: the ")
        assert not clients.ask("ValidateDomain", "planner/validate_domain", domain="(").success
    timed = "(define (domain d) (:durative-action a :duration (<= ?duration 1)))"
    answer = clients.ask("ValidateDomain", "planner/validate_domain", domain=timed)
    assert "not supported: the duration" in answer.error_info
    clients.set_goal("(lies cup Hall)")
    assert clients.get_plan().success


TILES = [f"t{n}" for n in range(1, 16)]


def write_tiles() -> tuple[str, str]:
    """Fifteen tiles of which two have changed places: there is no plan, and no short proof."""
    places = [f"p{x}-{y}" for y in range(4) for x in range(4)]
    beside = [
        f"(beside p{x}-{y} p{x + dx}-{y + dy})"
        for y in range(4) for x in range(4) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))
        if 0 <= x + dx < 4 and 0 <= y + dy < 4
    ]  # fmt: skip
    domain = (
        "(define (domain tiles) (:types tile place) (:predicates (on ?t - tile ?p - place) "
        "(blank ?p - place) (beside ?a ?b - place)) (:action slide :parameters (?t - tile ?a ?b - "
        "place) :precondition (and (on ?t ?a) (blank ?b) (beside ?a ?b)) :effect (and (not (on ?t "
        "?a)) (on ?t ?b) (blank ?a) (not (blank ?b)))))"
    )
    now = [f"(on {t} {p})" for t, p in zip(TILES, places, strict=False)]
    swapped = [TILES[1], TILES[0], *TILES[2:]]
    goal = [f"(on {t} {p})" for t, p in zip(swapped, places, strict=False)]
    return domain, (
        f"(define (problem one) (:domain tiles) (:objects {' '.join(TILES)} - tile "
        f"{' '.join(places)} - place) (:init {' '.join((*now, *beside))} (blank p3-3)) "
        f"(:goal (and {' '.join(goal)})))"
    )


def test_a_time_limit_is_told_before_the_client_gives_up(bridge, until):
    """PlanSys2 #140, #243: silence, and the same answer as for a goal without a plan."""
    node, clients = bridge(plan_solver_timeout=1.0, parts=["planner"])
    until(lambda: node.is_active, "the bridge")
    domain, problem = write_tiles()
    answer = clients.ask("GetPlan", "planner/get_plan", domain=domain, problem=problem)
    assert not answer.success
    assert answer.error_info.startswith("TIMEOUT: ")
    assert "0.9 s" in answer.error_info
    names = {name for name, _ in node.get_service_names_and_types_by_node(node.get_name(),
             node.get_namespace())}  # fmt: skip
    assert {name for name in names if "plan" in name.rpartition("/")[2] or "expert" in name} == {
        f"/{clients.space}/planner/get_plan"
    }


def test_a_deactivation_ends_a_search_with_a_sentence(bridge, until, probe):
    node, clients = bridge(plan_solver_timeout=3600.0, parts=["planner"], queue_size=0)
    until(lambda: node.is_active, "the bridge")
    domain, problem = write_tiles()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(
            clients.ask, "GetPlan", "planner/get_plan", domain=domain, problem=problem
        )
        until(lambda: node.diagnose().values["requests_for_plans"] == 1, "the search")
        busy = clients.ask("GetPlan", "planner/get_plan", domain=domain, problem=problem)
        assert "busy" in busy.error_info
        name = f"{clients.space}/plansys2_bridge"
        assert probe.change_state(name, Transition.TRANSITION_DEACTIVATE)
        answer = waiting.result(60.0)
    assert not answer.success
    assert "deactivated" in answer.error_info
    refused = clients.ask("GetPlan", "planner/get_plan", domain=domain, problem=problem)
    assert "is inactive. Activate it" in refused.error_info
