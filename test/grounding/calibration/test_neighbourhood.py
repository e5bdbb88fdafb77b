# SPDX-License-Identifier: Apache-2.0
"""Similar contexts: a little trust at once, more where it is earned, none where it is not."""

from dataclasses import replace

import numpy as np
import pytest

from fcp_ros.grounding import (
    ArgumentContext,
    CalibrationOptions,
    CalibrationStore,
    Calibrator,
    Evidence,
    JudgementRequest,
    Question,
)
from fcp_ros.grounding.calibration.posterior import ContextGroups, read_labels


def key(item: str, purpose: str = "drinking", name: str = "") -> str:
    attributes = (("name", name),) if name else ()
    element = ArgumentContext("item", name or item, item, attributes)
    return JudgementRequest("serves_as", (element, ArgumentContext("purpose", purpose))).context_key


def outcome(context: str, quality: float, prior: float = 0.9) -> Evidence:
    return Evidence("serves_as", context, quality, 1.0, prior=prior, degree=prior, model="m")


def degree(calibrator: Calibrator, context: str, prior: float = 0.9, model: str = "m") -> float:
    return calibrator.calibrate([Question("serves_as", context, prior, model)])[0].degree


@pytest.fixture
def calibrator() -> Calibrator:
    return Calibrator(CalibrationStore(":memory:"))


def test_labels() -> None:
    assert read_labels(key("mug", name="mug_1")) == (("item", "mug"), ("purpose", "drinking"))
    for text in ("", "{}", '{"arguments":3}', '{"arguments":[{}]}', "[]", "7", '{"arguments":[1]}'):
        assert read_labels(text) == ()


def test_contexts_are_grouped_by_what_they_share() -> None:
    groups = ContextGroups()
    numbers = [
        groups.add(context)
        for context in (key("mug", name="a"), "no key", key("mug", name="b"), key("mug", "pens"))
    ]
    assert numbers == [0, 1, 2, 3]
    assert groups.twins[0] == groups.twins[2]
    assert len({groups.twins[n] for n in (0, 1, 3)}) == 3
    items, purposes = groups.sharers
    assert items[0] == items[2] == items[3] != 0
    assert purposes[0] == purposes[2] != purposes[3]
    assert items[1] == purposes[1] == 0
    assert groups.find(key("mug", name="c"))[:2] == (-1, groups.twins[0])
    assert groups.find("unheard of") == (-1, -1, ())


def test_a_twin_is_believed_a_little(calibrator: Calibrator) -> None:
    for _ in range(3):
        calibrator.store.record(outcome(key("mug", name="mug_1"), 0.0))
    own = degree(calibrator, key("mug", name="mug_1"))
    twin = degree(calibrator, key("mug", name="mug_2"))
    assert own < 0.6 < 0.72 < twin < degree(calibrator, key("bowl"))
    (answer,) = calibrator.calibrate([Question("serves_as", key("mug", name="mug_2"), 0.9, "m")])
    assert (answer.outcomes, answer.pooled) == (0, 3)


def test_others_are_doubted_as_the_model_is(calibrator: Calibrator) -> None:
    """A broken mug is hardly a reason to doubt bowls, and no better one to doubt other uses."""
    others = (key("bowl"), key("mug", "storing pens"), key("bowl", "eating"), "no key")
    for least in (0.83, 0.81, 0.8):
        calibrator.store.record(outcome(key("mug", name="mug_1"), 0.0))
        found = {degree(calibrator, context) for context in others}
        assert len(found) == 1
        assert least < found.pop() < 0.9


def test_what_another_model_said_moves_nothing_but_the_context(calibrator: Calibrator) -> None:
    for _ in range(3):
        calibrator.store.record(outcome(key("mug", name="mug_1"), 0.0))
    assert degree(calibrator, key("mug", name="mug_1"), model="new") < 0.6  # the world is the same
    assert degree(calibrator, key("mug", name="mug_2"), model="new") == 0.9


def test_it_can_be_switched_off() -> None:
    calibrator = Calibrator(CalibrationStore(":memory:"), CalibrationOptions(neighbours=0.0))
    calibrator.store.record(outcome(key("mug", name="mug_1"), 0.0))
    twin, other = (degree(calibrator, key(item, name="2")) for item in ("mug", "bowl"))
    assert twin == other


def error_on_unseen(alike: float, neighbours: float, seed: int, by: str) -> float:
    """Squared error on contexts without outcomes, where similar ones have a hundred each.

    Args:
        alike: correlation of the oracle's errors within a group.
        neighbours: the option.
        seed: of everything.
        by: what makes a group: "name" (twins) or "item" (they share an argument).
    """
    random = np.random.default_rng(seed)
    calibrator = Calibrator(CalibrationStore(":memory:"), CalibrationOptions(neighbours=neighbours))
    unseen = []
    for group in range(12):
        common = random.normal()
        for member in range(5):
            context = key(f"item {group}", name=f"n{member}")
            if by == "item":
                context = key(f"item {group}", purpose=f"purpose {member}")
            prior = float(random.uniform(0.2, 0.8))
            wrong = np.sqrt(alike) * common + np.sqrt(1.0 - alike) * random.normal()
            rate = float(np.clip(prior + 0.2 * wrong, 0.02, 0.98))
            if member == 0:
                unseen.append((context, prior, rate))
                continue
            for quality in random.random(15) < rate:
                # Without the degree at the time: this is not about drift.
                calibrator.store.record(
                    replace(outcome(context, float(quality), prior), degree=None)
                )
    errors = [(degree(calibrator, c, prior) - rate) ** 2 for c, prior, rate in unseen]
    return float(np.mean(errors))


@pytest.mark.parametrize("by", ["name", "item"])
def test_it_helps_where_contexts_are_alike_and_does_no_harm_where_they_are_not(by: str) -> None:
    def ratio(alike: float) -> float:
        with_, without = (
            sum(error_on_unseen(alike, neighbours, seed, by) for seed in range(8))
            for neighbours in (0.25, 0.0)
        )
        return with_ / without

    assert ratio(0.9) < 0.65
    assert ratio(0.0) < 1.05


def test_weights_count(calibrator: Calibrator) -> None:
    context = key("mug", name="mug_1")
    calibrator.store.record(replace(outcome(context, 0.0), weight=0.5))
    (answer,) = calibrator.calibrate([Question("serves_as", context, 0.9, "m")])
    assert 0.85 < answer.centre < 0.9
    assert answer.degree == pytest.approx(4 * answer.centre / 4.5, abs=0.04)
