# SPDX-License-Identifier: Apache-2.0
"""Plans as the person who asked would have them: what has changed when they are done.

Nothing else is touched, opened or left open; nothing is put into the fridge, or kept in the hand,
that was not meant to be there.
"""

from contextlib import closing

import pytest

from fcp_ros.cset import facts
from fcp_ros.grounding import make_grounder
from fcp_ros.language.domain_reader import DomainReader
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.planning.verification.stepping import Replay, StepRules
from fcp_ros.relaxation.plan_instruction import plan_instruction

PLANS = {
    "put the mug and the book in the kitchen": {"on(mug_1, counter_1)", "on(book_1, counter_1)"},
    "take the mug to the kitchen": {"on(mug_1, counter_1)"},
    "take the laptop to the kitchen": {"on(laptop_1, counter_1)"},
    "the mug belongs in the kitchen": {"on(mug_1, counter_1)"},
    "the mug should not be in the living room": {"on(mug_1, counter_1)"},
    "bring me the mug": {"holding(robot_1, mug_1)"},
    "bring me the milk": {"holding(robot_1, milk_1)"},
    "bring me the mug and the book": set(),  # both are in the person's room
    "bring me the milk and the mug": {"holding(robot_1, milk_1)"},
    "bring me the book, then wipe the counter": {"on(book_1, tv_stand_1)"},
    "bring me the milk and then bring me the bowl": {
        "on(milk_1, table_1)",
        "holding(robot_1, bowl_1)",
    },
    "bring me the milk and then go back to the kitchen": {"on(milk_1, table_1)"},
    "put the milk on the table": {"on(milk_1, table_1)"},
    "put the apple in the fridge": {"inside(apple_1, fridge_1)"},
    "put the mug in the fridge": {"inside(mug_1, fridge_1)"},
    "get the milk out of the fridge": {"on(milk_1, counter_1)"},
    "unload the fridge": {"on(milk_1, counter_1)"},
    "take the mug off the table": {"on(mug_1, tv_stand_1)"},
    "the book should not be on the couch": {"on(book_1, tv_stand_1)"},
    "clear the table": {"on(mug_1, tv_stand_1)", "on(laptop_1, tv_stand_1)"},
    "put away the book": {"on(book_1, tv_stand_1)"},
    "don't put the mug in the kitchen": set(),
    "open the fridge": {"not closed(fridge_1)"},
    "open the door of the fridge": {"not closed(fridge_1)"},
    "open the fridge's door": {"not closed(fridge_1)"},
    "tidy up": {"on(book_1, tv_stand_1)"},
    "tidy up the living room": {"on(book_1, tv_stand_1)"},
    "tidy the kitchen": set(),
    "bring me the milk and close the fridge": {"holding(robot_1, milk_1)"},
    "put the bowl in the fridge, but wipe the counter first": {"inside(bowl_1, fridge_1)"},
    "first wipe the counter, and only then put the milk on it": {"on(milk_1, counter_1)"},
    "wipe the counter": set(),  # the sponge is back in its place
    "bring me the glass that is in the kitchen": {"holding(robot_1, drinking_glass_1)"},
    "grab me the apple": {"holding(robot_1, apple_1)"},  # in the living room, not where it was
    "bring the apple over, and the book as well": {"holding(robot_1, apple_1)"},
    "put the mug next to the bowl": {"on(mug_1, counter_1)"},  # the bowl stays
    "put the book on the counter and the mug next to it": {
        "on(book_1, counter_1)",
        "on(mug_1, counter_1)",
    },
    "put the electronics on the counter": {"on(laptop_1, counter_1)"},  # not the fridge
}
SEVERAL = {
    # the first is set down beside the person, the last one is handed over
    "bring me the milk and the bowl": ("milk_1", "bowl_1"),
    "bring me the mug, the bowl and the milk": ("milk_1", "bowl_1"),
}


@pytest.fixture(scope="module")
def obey(house):
    """What has changed of where things are, and of what is open, when an instruction is done."""
    with closing(make_grounder(house.domain)) as grounder:

        def run(sentence):
            options = PlanningOptions(time_limit=120.0)
            request = PlanningRequest(house.domain, house.instance, "", options, grounder)
            answer = plan_instruction(request, sentence, DomainReader(), house)
            result = answer.result
            assert result.plan is not None, answer.interpretation.message + result.message
            replay = Replay(house.domain, StepRules(house.domain))
            amounts = {name: one.initial for name, one in house.domain.resources.items()}
            steps = [("", step) for step in result.plan.steps]
            states = replay.run(house.instance, steps, amounts).states
            before, after = states[0], states[-1]
            gained = {str(one) for one in facts(after) - facts(before) if one.relation != "at"}
            lost = facts(before) - facts(after)
            return gained | {f"not {one}" for one in lost if one.relation == "closed"}

        yield run


@pytest.mark.parametrize("sentence", PLANS)
def test_a_plan_changes_what_was_meant(sentence, obey):
    assert obey(sentence) == PLANS[sentence]


@pytest.mark.parametrize("sentence", SEVERAL)
def test_several_things_are_set_down_beside_the_person(sentence, obey):
    things = SEVERAL[sentence]
    changed = obey(sentence)
    assert len(changed) == len(things)
    for thing in things:
        places = {f"holding(robot_1, {thing})", f"on({thing}, table_1)", f"on({thing}, tv_stand_1)"}
        assert len(changed & places) == 1


def test_too_many_things_are_not_hidden_in_the_fridge(house):
    sentence = "leave at most four things on the counter"
    best = DomainReader().read(sentence, house).best
    assert best.goal.startswith("at most 4 ?x1: item (on(?x1, counter_1)) and forall ?x1: item (")
    assert "usual_place(?x1, ?place)" in best.goal


def test_everything_that_serves_is_the_set_at_alpha(obey):
    """The sponge stays where it is, and so does what is in its place already."""
    assert obey("put everything that I could drink from on the counter") == {"on(mug_1, counter_1)"}


@pytest.mark.parametrize("absent", ["knife", "fork", "plate", "pillow", "statue"])
def test_what_is_not_here_is_nothing_else(home, absent):
    """ "Bring me the knife" brought the apple, as the best plan, with nothing asked."""
    reading = DomainReader().read(f"bring me the {absent}", home)
    assert f"{absent} is brought to" in reading.message
    assert not any(f"{label}_1" in reading.message for label in ("apple", "bowl", "mug", "vase"))


@pytest.mark.parametrize(
    ("sentence", "keeps"),
    [
        ("keep the fridge closed", True),
        ("the fridge must always stay closed", True),
        ("don't open the fridge", False),
        ("don't touch the vase", False),
        ("keep the fridge closed and bring me the mug", False),
        ("close the fridge", False),
    ],
)
def test_only_what_is_to_be_kept_is_restored(sentence, keeps, house):
    best = DomainReader().read(sentence, house).best
    assert best is not None
    assert best.keeps is keeps
