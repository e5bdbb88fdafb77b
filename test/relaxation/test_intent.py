# SPDX-License-Identifier: Apache-2.0
"""The purpose that somebody says beside what is to be done, and what it does to substitutes."""

import pytest
from small_house import DOMAIN, ITEMS, Words, build

from fcp_ros.domain import parse_domain
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.reading import Reading, WordRole, WordUse
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.relaxation.intent import complete_goal, read_purpose
from fcp_ros.relaxation.plan_goal import plan_goal


@pytest.mark.parametrize(
    ("remark", "purpose"),
    [
        ("I have to call a doctor", "calling a doctor"),
        ("because I want to read", "reading"),
        ("I need to blow my nose", "blowing my nose"),
        ("I'd like to sign a letter.", "signing a letter"),
        ("we are going to eat soup", "eating soup"),
        ("I must write a letter", "writing a letter"),
        ("I'm thirsty", "quenching thirst"),
        ("I'm not thirsty", ""),
        ("I don't want to read", ""),
        ("I am about to write a letter", "writing a letter"),
        ("she will need to write a letter", "writing a letter"),
        ("I have a headache", ""),
        ("it is late", ""),
        ("", ""),
    ],
)
def test_a_purpose_is_read_from_a_remark(remark, purpose):
    text = f"{remark}, bring me a thing"
    use = WordUse(0, len(remark), WordRole.FILLER, ASIDE)
    assert read_purpose(text, Reading("g", 1.0, "", (use,))) == purpose


USES = DOMAIN.replace("named: 0.9}", "named: 0.9, purpose: serves_as}").replace(
    "  suitable_substitute:",
    """  serves_as:
    parameters: {item: item, purpose: text}
    context: {item: [name]}
    oracle: table
    default_degree: 0.5
  suitable_substitute:""",
)
VASE = 'exists ?v: item (is_a(?v, "vase") and on(?v, shelf_1))'


@pytest.mark.parametrize(
    ("purpose", "taken", "degree"),
    [("", "cup_1", 0.9), ("watering flowers", "mug_1", 0.8), ("calling a doctor", None, 0.0)],
)
def test_a_substitute_is_judged_for_the_purpose(purpose, taken, degree):
    degrees = {
        ("cup_1", "vase"): 0.9,
        ("mug_1", "vase"): 0.8,
        ("cup_1", "watering flowers"): 0.6,
        ("mug_1", "watering flowers"): 1.0,
        **{(item, "calling a doctor"): 0.1 for item in ("cup_1", "mug_1", "book_1", "plate_1")},
    }
    domain = parse_domain(USES)
    result = plan_goal(
        PlanningRequest(domain, build(domain), VASE, PlanningOptions(), Words(degrees)),
        purpose=purpose,
    )
    changes = [one for one in result.relaxations if one.kind == "substitution"]
    assert [(one.replacement, one.degree) for one in changes] == (
        [(taken, degree)] if taken else []
    )


THING = "exists ?v: item (on(?v, shelf_1))"


def complete(said, goal, domain=USES, items=None):
    parsed = parse_domain(domain)
    state = build(parsed, items=items) if items else build(parsed)
    remark = said.partition(",")[0]
    use = WordUse(0, len(remark), WordRole.FILLER, ASIDE)
    return complete_goal(said, Reading(goal, 1.0, "", (use,)), parsed, state)


@pytest.mark.parametrize(
    ("goal", "meant"),
    [
        (THING, 'exists ?v: item (serves_as(?v, "reading") and on(?v, shelf_1))'),
        ("exists ?v: book (on(?v, shelf_1))", ""),
        ("exists ?v: cup (on(?v, shelf_1))", ""),
        (
            'exists ?v: item (serves_as(?v, "that") and on(?v, shelf_1))',
            'exists ?v: item (serves_as(?v, "reading") and on(?v, shelf_1))',
        ),
        ('exists ?v: item (serves_as(?v, "writing") and on(?v, shelf_1))', ""),
        ("not exists ?v: item (on(?v, shelf_1))", ""),
    ],
)
def test_something_is_for_the_purpose_that_was_said(goal, meant):
    found = complete("I want to read, bring me something", goal)
    assert found.purpose == "reading"
    assert found.goal == (meant or goal)
    assert complete("Yes please, bring me something", goal).goal == goal


def test_what_is_left_out_says_why():
    items = {**ITEMS, "mug_1": ("cup", "broken mug")}
    domain = parse_domain(DOMAIN)
    state = build(domain, items=items)
    goal = 'exists ?v: item (is_a(?v, "mug") and on(?v, shelf_1))'
    meant = complete_goal("put a mug on the shelf", Reading(goal, 1.0, ""), domain, state)
    assert "not same(?v, mug_1)" in meant.goal
    degrees = {("cup_1", "mug"): 0.9}
    result = plan_goal(
        PlanningRequest(domain, state, meant.goal, PlanningOptions(), Words(degrees))
    )
    (change,) = result.relaxations
    assert change.reason.startswith("There is no mug here but mug_1, and it is broken; cup_1 is")
    assert complete_goal("throw the mug away", Reading(goal, 1.0, ""), domain, state).goal == goal
