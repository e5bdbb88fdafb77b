# SPDX-License-Identifier: Apache-2.0
"""Perception renames a relation: it is proposed, asked about, kept, and used from then on."""

from __future__ import annotations

import pytest
from rclpy.qos import QoSProfile

from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import NameProposals, Question, RequestError, SceneGraphUpdate, Synonym
from fcp_ros.srv import SettleName

OWN, HEARD = "holding", "in_gripper"
TURNED = [1, 0]
GOAL = "holding(robot_1, bowl_1)"


def turn(relations) -> None:
    """Rename `holding` in a message, and exchange its arguments."""
    first = 0
    for number, name in enumerate(relations.names):
        count = relations.element_counts[number]
        if name == OWN:
            relations.names[number] = HEARD
            ids = list(relations.elements[first : first + count])
            relations.elements[first : first + count] = ids[::-1]
        first += count


@pytest.fixture(scope="module")
def renaming_site(make_sites, tmp_path_factory, probe):
    """All nodes; what executors change is seen by a perception with names of its own."""
    sites = make_sites()
    site = sites.start(
        tmp_path_factory.mktemp("names"),
        ros_args=("--ros-args", "-r", "simulated_executor:scene_graph_update:=perceived"),
        executive={"settle_time": 0.5, "question_timeout": 20.0, "learn_wait": 0.0},
        simulated_executor={"report_timeout": 0.5},
    )
    publisher = probe.node.create_publisher(
        SceneGraphUpdate, site.name("scene_graph_update"), QoSProfile(depth=100)
    )

    def perceive(message: SceneGraphUpdate) -> None:
        turn(message.relations)
        turn(message.removed_relations)
        publisher.publish(message)

    subscription = probe.node.create_subscription(
        SceneGraphUpdate, site.name("perceived"), perceive, 100, callback_group=probe.group
    )
    site.until(lambda: publisher.get_subscription_count(), "the scene graph")
    site.until(lambda: probe.node.count_publishers(site.name("perceived")), "the executor")
    site.proposals = probe.listen(NameProposals, site.name("name_proposals"), latched=True)
    yield site
    site.proposals.close()
    probe.node.destroy_subscription(subscription)
    probe.node.destroy_publisher(publisher)
    sites.stop()


@pytest.fixture
def site(renaming_site):
    """The scene as it was at first, and no pair of names."""
    while pairs := renaming_site.executive._names.pairs:
        pair = pairs[0].proposal.synonym
        answer = Synonym(source=pair.source, target=pair.target, places=list(pair.places))
        assert renaming_site.client.settle_name(answer, SettleName.Request.FORGET).success
    taken = renaming_site.stack.nodes["scene_graph"]
    renaming_site.until(lambda: not taken.diagnose().values["renamed_relations"], "no names")
    renaming_site.reset()
    renaming_site.proposals.messages.clear()
    return renaming_site


def pair_in(message, standing: int) -> Synonym | None:
    found = [one for one in message.synonyms if one.standing == standing]
    return found[0] if found else None


def test_a_renamed_relation_is_proposed_kept_and_remembered(site, plan_of):
    pick = plan_of("pick robot_1 bowl_1 counter_1 kitchen_1")
    _, result = site.execute(pick)
    assert result.outcomes[-1].outcome.code == OutcomeCode.POSTCONDITION_FAILED.value
    message = site.proposals.wait(lambda one: pair_in(one, Synonym.OPEN))
    pair = pair_in(message, Synonym.OPEN)
    assert site.client.name_proposals(timeout=30.0) == list(message.synonyms)
    assert (pair.source, pair.target, list(pair.places)) == (HEARD, OWN, TURNED)
    assert pair.reasons == [
        "after pick(robot_1, bowl_1, counter_1, kitchen_1) the scene has "
        "in_gripper(bowl_1, robot_1), and not holding(robot_1, bowl_1)"
    ]
    assert "in_gripper" in site.executive.diagnose().message
    assert (OWN, ("robot_1", "bowl_1")) not in site.relations()

    wrong = site.client.settle_name(Synonym(source="grip", target=OWN))
    assert wrong.error.code == RequestError.INVALID_REQUEST
    assert "was not proposed" in wrong.message
    kept = site.client.settle_name(pair)
    assert kept.success, kept.message
    site.proposals.wait(lambda one: pair_in(one, Synonym.KEPT))
    site.until(lambda: (OWN, ("robot_1", "bowl_1")) in site.relations(), "the known name")
    assert not any(name == HEARD for name, _ in site.relations())

    # From now on: what perception says under its name is known at once.
    state, result = site.execute(plan_of("place robot_1 bowl_1 counter_1 kitchen_1"))
    assert state is GoalState.SUCCEEDED, result.error_msg

    # After a restart of both nodes, too.
    site.transit("executive", 4, 2, 1, 3)
    site.transit("scene_graph", 4, 2, 1, 3)
    site.reset()
    site.until(
        lambda: HEARD in site.stack.nodes["scene_graph"].diagnose().values["renamed_relations"],
        "the name that was kept",
    )
    state, result = site.execute(pick)
    assert state is GoalState.SUCCEEDED, result.error_msg
    forgotten = site.client.settle_name(pair, SettleName.Request.FORGET)
    assert forgotten.success, forgotten.message
    site.until(
        lambda: not site.stack.nodes["scene_graph"].diagnose().values["renamed_relations"],
        "that it is forgotten",
    )


def test_a_goal_asks_and_goes_on_after_a_yes(site):
    questions = []

    def answer(question: Question) -> int:
        questions.append(question)
        return Question.YES

    result = site.client.achieve(GOAL, timeout=60.0, on_question=answer)
    assert result.error_code == 0, result.error_msg
    (question,) = questions
    assert question.kind == Question.NAMES
    assert question.text.startswith("After pick(robot_1, bowl_1, counter_1, kitchen_1) the scene")
    assert "(in_gripper ?1 ?2) = (holding ?2 ?1)" in question.text
    assert pair_in(site.proposals.messages[-1], Synonym.KEPT)


def test_after_a_no_it_is_not_asked_again(site):
    asked = []

    def refuse(question: Question) -> int:
        asked.append(question.kind)
        return Question.NO

    result = site.client.achieve(GOAL, timeout=60.0, on_question=refuse)
    assert result.error_code != 0
    assert asked == [Question.NAMES]
    site.proposals.wait(lambda one: pair_in(one, Synonym.REFUTED))
    assert not any(name == OWN for name, _ in site.relations())
