# SPDX-License-Identifier: Apache-2.0
"""What words take for granted where the scene is silent."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_reader import TV_OFF, ScriptedReader
from small_house import Words

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import Fact
from fcp_ros.domain import load_domain
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import to_text
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.relaxation.plan_instruction import plan_instruction
from fcp_ros.relaxation.presuppositions import find_presupposed, find_unseen_condition
from fcp_ros.scene import complete_relations, read_scene
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta


@pytest.fixture(scope="module")
def domain():
    return load_domain(find_domain("household"))


@pytest.fixture(scope="module")
def graph():
    return complete_relations(read_scene(find_scene("twin_house_furnished")))


@pytest.fixture(scope="module")
def see(domain, graph):
    """The state of the house, after some attributes were seen."""

    def make(**seen):
        nodes = tuple(
            replace(graph.nodes[id_], attributes={**graph.nodes[id_].attributes, **attributes})
            for id_, attributes in seen.items()
        )
        changed = apply_delta(graph, SceneDelta(graph.sequence + 1, nodes))
        return scene_to_instance(changed, domain.schema, domain.mapping)

    return make


DIRTY = Fact("dirty", ("table_1",))


@pytest.mark.parametrize(
    ("goal", "taken"),
    [
        ("not dirty(table_1)", {DIRTY}),
        ("on(mug_1, counter_1) and not dirty(table_1)", {DIRTY}),
        ('forall ?x: "table" (not dirty(?x))', {DIRTY}),
        ("not switched_on(television_1)", {Fact("switched_on", ("television_1",))}),
        # what is wanted to be so, doesn't hold by itself
        ("switched_on(television_1)", set()),
        # seen, one way or the other
        ("not closed(fridge_1)", set()),
        # a place is no attribute: where nothing is stated to lie, nothing lies
        ("not on(mug_1, counter_1)", set()),
        # not asked for as such
        ("not dirty(table_1) or on(mug_1, counter_1)", set()),
        ("never dirty(table_1)", set()),
        ("not initially (not dirty(table_1)) or on(mug_1, counter_1)", set()),
        # "if the table is dirty, wipe it" ends the dirt in any case
        ("not initially (dirty(table_1)) or not dirty(table_1)", {DIRTY}),
        ("initially (not dirty(table_1)) or not dirty(table_1)", {DIRTY}),
        ("not initially (dirty(table_1)) or not dirty(counter_1)", set()),
        ("exists ?x: support (not dirty(?x))", set()),
        ("forall ?x: support (on(mug_1, ?x) or not dirty(?x))", set()),
    ],
)
def test_only_what_a_goal_ends_and_nobody_has_seen_is_taken_for_granted(domain, see, goal, taken):
    state = see()
    checked = check_goal(parse_expression(goal), domain, state.instance, goal)
    assert set(find_presupposed(checked, state.instance, state.facts.is_unseen)) == taken


@pytest.mark.parametrize(
    ("goal", "condition"),
    [
        ("not initially (dirty(table_1)) or on(mug_1, counter_1)", "dirty(table_1)"),
        ("not initially (not dirty(table_1)) or on(mug_1, counter_1)", "not dirty(table_1)"),
        (
            "closed(door_1) and (initially (dirty(table_1)) or closed(fridge_1))",
            "not dirty(table_1)",
        ),
        # it is seen, or it is done in any case
        ("not initially (closed(fridge_1)) or on(mug_1, counter_1)", None),
        ("not initially (dirty(table_1)) or not dirty(table_1)", None),
        ("not initially (on(mug_1, counter_1)) or closed(fridge_1)", None),
    ],
)
def test_a_condition_that_nobody_has_seen_is_found(domain, see, goal, condition):
    state = see()
    checked = check_goal(parse_expression(goal), domain, state.instance, goal)
    found = find_unseen_condition(checked, state.facts.is_unseen)
    assert (None if found is None else to_text(found.condition)) == condition


class _Conditional:
    name = "fixed"
    goal = "not initially (switched_on(television_1)) or closed(door_1)"

    def read(self, instruction, _context):
        reading = Reading(self.goal, 1.0, "")
        return Interpretation(instruction, ReadingStatus.READ, "", (reading,))


@pytest.mark.parametrize(("said", "steps"), [("yes", ["close_door"]), ("no", []), ("", None)])
def test_what_depends_on_what_nobody_has_seen_is_asked(domain, see, said, steps):
    """ "If the TV is on, close the door" was done by doing nothing, the TV counting as off."""
    state, questions = see(), []

    def ask(question):
        questions.append(question.text)
        return question.choices.index(said) if said else None

    context = ReadingContext(domain, state.instance, is_unseen=state.facts.is_unseen)
    request = PlanningRequest(domain, state.instance, "", PlanningOptions(time_limit=20.0), Words())
    result = plan_instruction(request, "if ...", _Conditional(), context, ask=ask).result
    assert questions == ["Nobody has seen whether television_1 is on: is it so?"]
    assert (None if result.plan is None else [one.rule for one in result.plan.steps]) == steps


def answer(domain, state):
    context = ReadingContext(domain, state.instance, is_unseen=state.facts.is_unseen)
    options = PlanningOptions(time_limit=20.0)
    request = PlanningRequest(domain, state.instance, "", options, Words())
    return plan_instruction(request, TV_OFF, ScriptedReader(), context).result


def test_what_is_asked_for_is_done_where_the_scene_is_silent(domain, see):
    result = answer(domain, see())
    assert [step.rule for step in result.plan.steps][-1] == "switch_off"
    assert result.message.endswith(
        "Taken for granted, since nobody has seen it either way: television_1 is on."
    )


@pytest.mark.parametrize("is_on", [True, False])
def test_what_was_seen_counts_more_than_words(domain, see, is_on):
    result = answer(domain, see(television_1={"is_on": is_on}))
    assert bool(result.plan.steps) == is_on
    assert "granted" not in result.message
