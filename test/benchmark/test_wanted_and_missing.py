# SPDX-License-Identifier: Apache-2.0
"""What is wanted and isn't there: cases of the benchmark, whose answers were written before."""

import pytest

import benchmark.context_matters.wanted_and_missing as wanted_and_missing
from benchmark.context_matters.wanted_and_missing import (
    answer_case,
    judge_case,
    open_grounder,
    read_cases,
)
from fcp_ros.language.cascade import ReaderOptions, make_reader

CASES = {case.name: case for case in read_cases()}
CHECKED = [
    "bring me a tissue",
    "bring me a remote control +keyboard_1",
    "I have to call a doctor, bring me a phone +toy_phone_1 -laptop_1",
    "bring me a bowl for soup +dog_bowl_1 -bowl_1",
    "bring me a knife +toy_knife_1",
    "bring me something to drink",
    "put the tray on the table +tray_1 +cup_1",
    "bring me a clean mug +dirty_mug_1",
    "bring me something to drink +empty_bottle_1 -mug_1 -drinking_glass_1 -milk_1 -bowl_1",
    "bring me something to drink from +dirty_mug_1 -mug_1 -drinking_glass_1",
    "bring me something to drink from +empty_glass_1 -mug_1 -drinking_glass_1 -bowl_1",
    "bring me three apples",
    "bring me an apple and an orange +orange_1 -apple_1",
    "put a plate, a fork and a spoon on the table +plate_1 +fork_1",
    "bring me medicine +perfect_substitute_for_medicine",
    "bring me a mug +mug_holder_1 -mug_1 -drinking_glass_1 -bowl_1",
    "bring me milk +expired_milk_1 -milk_1",
    "put the book on a desk",
    "bring me a newspaper",
]
"""The rest are counted by the benchmark, which takes longer."""


@pytest.fixture(scope="module")
def judges():
    grounder = open_grounder()
    yield grounder
    grounder.close()


@pytest.mark.parametrize("name", CHECKED)
def test_the_answer_is_one_that_a_person_accepts(name, judges):
    case = CASES[name]
    result = answer_case(case, make_reader(ReaderOptions()), judges)
    assert judge_case(case, result) == "", result.message


def test_every_case_has_a_name_of_its_own():
    assert len(CASES) == len(read_cases()) >= 40
    assert wanted_and_missing.CASES.is_file()
