# SPDX-License-Identifier: Apache-2.0
"""The calibrator: what follows from the evidence, kept up, shared by processes, and fast."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.grounding import (
    CalibrationOptions,
    CalibrationStore,
    Calibrator,
    Evidence,
    GroundingError,
    Question,
)

ITEMS = ("mug", "bowl", "jar")


def key(item: str, number: int) -> str:
    """A context of one element."""
    return (
        f'{{"arguments":[{{"attributes":{{"name":"{item}_{number}"}},"category":"{item}",'
        f'"parameter":"item"}}],"predicate":"p"}}'
    )


MUG = key("mug", 1)


def evidence(quality: float, context: str = MUG, predicate: str = "p", **more: object) -> Evidence:
    return replace(Evidence(predicate, context, quality, 12.5), **more)  # type: ignore[arg-type]


def ask(
    calibrator: Calibrator, prior: float, context: str = MUG, predicate: str = "p"
) -> tuple[Any, int]:
    answer = calibrator.calibrate([Question(predicate, context, prior, "m")])[0]
    return answer.degree, answer.outcomes


@pytest.fixture
def calibrator(tmp_path: Path) -> Calibrator:
    return Calibrator(CalibrationStore(tmp_path / "calibration.sqlite"))


def test_the_prior_is_worth_its_strength(calibrator: Calibrator) -> None:
    calibrator.store.record(evidence(0.0))
    assert ask(calibrator, 0.8) == (pytest.approx(4 * 0.8 / 5, abs=0.02), 1)
    calibrator.store.record(evidence(0.5))
    assert ask(calibrator, 0.8) == (pytest.approx((4 * 0.8 + 0.5) / 6, abs=0.02), 2)


def test_evidence_without_a_model_counts_for_its_own_context(calibrator: Calibrator) -> None:
    for _ in range(100):
        calibrator.store.record(evidence(0.0))
    assert ask(calibrator, 0.9, predicate="q") == (0.9, 0)
    assert ask(calibrator, 0.9, key("mug", 2)) == (0.9, 0)
    assert not calibrator.fits()
    assert not calibrator.drifts()


def test_other_things_move_a_degree_by_the_cap_at_most(tmp_path: Path) -> None:
    calibrator = Calibrator(CalibrationStore(tmp_path / "c.sqlite"), CalibrationOptions(cap=0.3))
    for number in range(100):
        other = key("bowl", number)
        calibrator.store.record(evidence(0.0, other, prior=0.9, model="m"))
    assert ask(calibrator, 0.9) == (pytest.approx(0.6), 0)


@pytest.mark.parametrize("prior", [0.0, 0.05, 0.3, 0.5, 0.7, 0.95, 1.0])
@pytest.mark.parametrize("model", ["m", ""])
def test_thirty_outcomes_of_one_kind_are_believed(
    calibrator: Calibrator, prior: float, model: str
) -> None:
    for number in range(30):
        stamp = float(number)
        for quality, context in ((0.0, MUG), (1.0, key("jar", 1))):
            calibrator.store.record(
                evidence(quality, context, stamp=stamp, prior=prior, degree=prior, model=model)
            )
    assert ask(calibrator, prior) < (0.1, 31)
    assert ask(calibrator, prior, key("jar", 1)) > (0.9, 30)


def test_a_changed_gripper_is_learnt(calibrator: Calibrator) -> None:
    for quality in [1.0] * 300 + [0.0] * 200:
        calibrator.store.record(evidence(quality))
    degree, count = ask(calibrator, 0.9)
    assert count == 500
    assert degree == pytest.approx(0.24, abs=0.01)  # without forgetting it would stay above 0.6
    never = Calibrator(calibrator.store, CalibrationOptions(half_life=0.0))
    assert ask(never, 0.9)[0] == pytest.approx((4 * 0.9 + 300) / 504, abs=1e-3)


def test_resets_and_their_undoing_count_at_once(calibrator: Calibrator) -> None:
    other = CalibrationStore(calibrator.store.path)
    for context in (MUG, key("mug", 2)):
        calibrator.store.record(evidence(0.0, context))
    before = ask(calibrator, 0.9)
    reset = other.reset("p", MUG)  # another process would do the same
    assert ask(calibrator, 0.9) == (0.9, 0)
    assert ask(calibrator, 0.9, key("mug", 2)) == before
    calibrator.store.undo_reset(reset.id)
    assert ask(calibrator, 0.9) == before


def test_what_another_process_records_is_seen(calibrator: Calibrator) -> None:
    other = Calibrator(CalibrationStore(calibrator.store.path))
    for number in range(1, 7):
        (calibrator if number % 2 else other).store.record(evidence(0.0, prior=0.9, model="m"))
        assert ask(calibrator, 0.9) == ask(other, 0.9)
        assert ask(other, 0.9)[1] == number


def test_priors_out_of_range_are_refused(calibrator: Calibrator) -> None:
    for _ in range(2):
        with pytest.raises(GroundingError, match="the prior of p"):
            ask(calibrator, 1.5)
        calibrator.store.record(evidence(0.0))


ROW = st.builds(
    Evidence,
    st.sampled_from(["p", "q"]),
    st.builds(key, st.sampled_from(ITEMS), st.integers(1, 3)),
    st.floats(0, 1),
    st.floats(0, 1e6),
    prior=st.one_of(st.none(), st.floats(0, 1)),
    degree=st.one_of(st.none(), st.floats(0, 1)),
    model=st.sampled_from(["", "m", "n"]),
    weight=st.floats(0, 1),
)
STEP = st.one_of(ROW, st.sampled_from(["ask", "reset p", "reset all", "undo"]))


@settings(deadline=None, max_examples=40)
@given(st.lists(STEP, max_size=40), st.floats(0, 1))
def test_what_is_kept_up_is_what_follows_from_all_evidence(
    steps: list[object], prior: float
) -> None:
    """The slow twin: a calibrator that reads everything anew."""
    store = CalibrationStore(":memory:")
    options = CalibrationOptions(half_life=5.0, half_life_days=3.0, drift_threshold=0.5)
    calibrator = Calibrator(store, options)
    questions = [
        Question(predicate, key(item, number), prior, model)
        for predicate in ("p", "q")
        for item in ITEMS
        for number in (1, 2, 4)
        for model in ("m", "n", "other")
    ]
    for step in [*steps, "ask"]:
        if isinstance(step, Evidence):
            store.record(step)
        elif step == "ask":
            found = calibrator.calibrate(questions)
            anew = Calibrator(store, options).calibrate(questions)
            for one, other in zip(found, anew, strict=True):
                assert one == pytest.approx(other, abs=1e-9)
        elif step == "undo":
            for reset in store.resets():
                if not reset.undone:
                    store.undo_reset(reset.id)
                    break
        else:
            store.reset("p" if step == "reset p" else None)


def test_a_file_that_cannot_be_read_keeps_nobody_from_judging(calibrator: Calibrator) -> None:
    calibrator.store.record(evidence(0.0))
    known = ask(calibrator, 0.9)
    assert calibrator.trouble == ""
    calibrator.store.close()
    assert ask(calibrator, 0.9) == known
    assert "recent outcomes don't count yet: the calibration store" in calibrator.trouble


def test_several_threads(calibrator: Calibrator) -> None:
    def work(number: int) -> None:
        for _ in range(20):
            calibrator.store.record(evidence(1.0, key("mug", number), prior=0.5, model="m"))
            ask(calibrator, 0.5)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sum(ask(calibrator, 0.5, key("mug", n))[1] for n in range(3)) == 60


def test_a_batch_does_not_read_the_file_for_each_judgement(
    calibrator: Calibrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        calibrator.store.record(evidence(0.0, key("mug", number), prior=0.9, model="m"))
    questions = [Question("p", key("mug", number), 0.9, "m") for number in range(1000)]
    calibrator.calibrate(questions)
    monkeypatch.setattr(calibrator.store, "read_after", None)  # must not be needed
    calibrator.calibrate(questions)


def test_a_change_fades_what_was_before_it(calibrator: Calibrator) -> None:
    """Of two mugs only one was tried since the gripper changed, yet the other is doubted, too."""
    for number in range(150):
        calibrator.store.record(
            evidence(
                float(number < 110),
                key("mug", 1 if number >= 110 else number % 2),
                stamp=float(number),
                prior=0.8,
                degree=0.9,
                model="m",
            )
        )
    other = key("mug", 0)
    assert calibrator.drifts()
    never = Calibrator(calibrator.store, CalibrationOptions(kept_after_change=1.0))
    assert ask(calibrator, 0.8)[0] < ask(never, 0.8)[0] - 0.05
    assert ask(calibrator, 0.8, other)[0] < ask(never, 0.8, other)[0] - 0.05
    again = Calibrator(calibrator.store)  # a restart comes to the same
    assert ask(again, 0.8, other) == ask(calibrator, 0.8, other)


def test_drift_and_reliability_are_told(calibrator: Calibrator) -> None:
    for number in range(60):
        calibrator.store.record(
            evidence(float(number < 30), stamp=float(number), prior=0.9, degree=0.9, model="m")
        )
    (drift,) = calibrator.drifts()
    assert (drift.predicate, drift.model, drift.direction) == ("p", "m", "worse")
    assert 25.0 <= drift.since <= 31.0
    (found,) = calibrator.reliabilities()
    assert found.outcomes == 60
    assert found.before == found.after
    assert found.is_poor
    assert "miss what happens by 0.40" in str(found)


@settings(deadline=None, max_examples=40)
@given(st.lists(ROW, max_size=60), st.floats(0, 1), st.floats(0, 1))
def test_a_higher_prior_never_gets_a_lower_degree(
    rows: list[Evidence], one: float, other: float
) -> None:
    store = CalibrationStore(":memory:")
    for row in rows:
        store.record(replace(row, predicate="p", model="m", weight=1.0))
    calibrator = Calibrator(store)
    for context in (MUG, key("jar", 9)):
        low, high = (ask(calibrator, prior, context)[0] for prior in sorted((one, other)))
        assert low <= high + 1e-12
