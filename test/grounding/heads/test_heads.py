# SPDX-License-Identifier: Apache-2.0
"""Heads: trained the same twice, monotone, kept whole in a file, refused where they don't fit."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.heads.feature_maker import SentenceMaker
from fcp_ros.grounding.heads.head import DegreeMap, Head, Kernel, fit_monotone_map, shift_by_rubric
from fcp_ros.grounding.heads.head_file import Heads, hash_file, load_heads, save_heads
from fcp_ros.grounding.heads.head_training import TrainingOptions, train_heads
from fcp_ros.grounding.heads.ridge_regression import RegressionOptions
from fcp_ros.grounding.judgement_set import (
    JudgementSet,
    measure_agreement,
    read_judgements,
    split,
)

OPTIONS = TrainingOptions(RegressionOptions(supports=150, sharpenings=(1.0,), ridges=(0.3,)))
COLOURS = ("red", "green", "blue", "yellow")
THINGS = tuple(f"thing{letter}" for letter in "abcdefghijklmnopqrstuvwx")


class WordEncoder:
    """Unit vectors: the mean of a fixed random vector for each word."""

    model = "tiny@0123456789ab"
    weights = "fedcba"
    folder = Path("/models/tiny")
    is_loaded = True

    def encode(self, phrases: Sequence[str]) -> np.ndarray:
        rows = []
        for phrase in phrases:
            words = phrase.strip(".?").split()
            seeds = [int.from_bytes(hashlib.sha256(w.encode()).digest()[:4], "big") for w in words]
            row = np.mean([np.random.default_rng(seed).normal(size=64) for seed in seeds], axis=0)
            rows.append(row / np.linalg.norm(row))
        return np.asarray(rows, np.float32)


def train(kind: JudgementSet, folder: Path) -> tuple[Heads, Head]:
    """Trains on a set, and returns its head."""
    maker = SentenceMaker(WordEncoder(), folder, lambda *_: None)
    heads, _ = train_heads({kind.name: kind}, maker, OPTIONS)
    return heads, heads.by_name[kind.name]


@pytest.fixture
def colours(write_set: Callable[..., Path]) -> JudgementSet:
    """Things are good for their own colour and no other: learnable from the words."""
    lines = [
        f"{colour} {thing},being {other},{1.0 if colour == other else 0.0}"
        for thing in THINGS
        for colour in COLOURS
        for other in COLOURS
    ]
    return read_judgements([write_set("colour", *lines)])["colour"]


@pytest.fixture
def trained(colours: JudgementSet, tmp_path: Path) -> tuple[Heads, Head]:
    return train(colours, tmp_path / "features")


@pytest.fixture
def head(trained: tuple[Heads, Head]) -> Head:
    return trained[1]


@pytest.fixture
def file(trained: tuple[Heads, Head], tmp_path: Path) -> Path:
    path = tmp_path / "heads.safetensors"
    save_heads(trained[0], path)
    return path


def test_it_learns_what_new_things_are_good_for(colours: JudgementSet, head: Head) -> None:
    held_out = split(colours.judgements).held_out
    measured = measure_agreement(
        head.judge([j.pair for j in held_out]), [j.degree for j in held_out]
    )
    assert measured.area > 0.95
    assert measured.mean_error < 0.2


def test_it_expects_about_the_errors_that_it_makes(colours: JudgementSet, head: Head) -> None:
    held_out = split(colours.judgements).held_out
    scores = head.score([j.pair for j in held_out])
    made = head.degree_map.apply_all(scores.values) - [j.degree for j in held_out]
    assert np.sqrt((made**2).mean()) == pytest.approx(np.sqrt((scores.errors**2).mean()), abs=0.08)


def test_training_twice_gives_the_same_head(
    colours: JudgementSet, head: Head, tmp_path: Path
) -> None:
    _, again = train(colours, tmp_path / "features")  # with the features from the disk
    _, afresh = train(colours, tmp_path / "other")
    for other in (again, afresh):
        assert np.array_equal(other.weights, head.weights)
        assert other.degree_map == head.degree_map


def test_changed_judgements_move_degrees_their_way(
    colours: JudgementSet, head: Head, tmp_path: Path
) -> None:
    def hated(judgement):
        bad = judgement.item.startswith("red") and judgement.other == "being red"
        return replace(judgement, degree=0.2) if bad else judgement

    changed = replace(colours, judgements=tuple(map(hated, colours.judgements)))
    _, other = train(changed, tmp_path / "features")
    asked = [("red newthing", "being red"), ("blue newthing", "being blue")]
    before, after = (h.judge(asked) for h in (head, other))
    assert after[0] < before[0] - 0.3
    assert after[1] > 0.6


def test_too_little_to_train_on_is_said(colours: JudgementSet, tmp_path: Path) -> None:
    few = replace(colours, judgements=colours.judgements[:5])
    with pytest.raises(GroundingError, match="needs 20 or more") as caught:
        train(few, tmp_path)
    assert caught.value.code is GroundingCode.NO_ANCHORS


def test_a_file_gives_the_same_degrees(colours: JudgementSet, head: Head, file: Path) -> None:
    loaded = load_heads(file, WordEncoder()).by_name["colour"]
    pairs = [j.pair for j in colours.judgements[:64]]
    for ours, theirs in zip(
        (loaded.score(pairs).values, loaded.score(pairs).errors),
        (head.score(pairs).values, head.score(pairs).errors),
        strict=True,
    ):
        assert ours == pytest.approx(theirs, abs=1e-4)
    assert loaded.columns == ("item", "purpose")
    assert loaded.evidence.training.shape == (len(split(colours.judgements).training), 3)


def test_a_batch_changes_nothing(head: Head) -> None:
    pairs = [(f"{c} thing{n}", f"being {c}") for c in ("red", "blue") for n in range(400)]
    together = head.score(pairs).values
    fresh = replace(head, memory=type(head.memory)())
    assert fresh.score(pairs[500:501]).values == pytest.approx(together[500:501], abs=1e-5)
    assert head.score([]).values.shape == (0,)
    again = head.score([pairs[3], pairs[3], ("new", "being new"), pairs[500]]).values
    assert again[[0, 1, 3]].tolist() == together[[3, 3, 500]].tolist()


def test_a_missing_file_says_retrain(tmp_path: Path) -> None:
    for use in (hash_file, lambda path: load_heads(path, WordEncoder())):
        with pytest.raises(GroundingError, match="fcp grounding train") as caught:
            use(tmp_path / "none.safetensors")
        assert caught.value.code is GroundingCode.MODEL_NOT_FOUND


def test_another_encoder_is_refused(file: Path) -> None:
    class Other(WordEncoder):
        weights = "other"
        model = "other@1"

    with pytest.raises(
        GroundingError, match=r"trained on tiny@.*but the model is other@1; .*--model /models/tiny"
    ):
        load_heads(file, Other())


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "header": lambda data: data[:8] + b"{" * 50 + data[58:],
    "pickle": lambda data: b"\x80\x04\x95" + data,
    "other": lambda data: data.replace(b"colour.weights", b"colour.weighty"),
    "version": lambda data: data.replace(b"fcp_ros heads", b"fcp_ros tails"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_refused(file: Path, damage: Callable[[bytes], bytes]) -> None:
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(GroundingError, match=r"can't be used.*fcp grounding train") as caught:
        load_heads(file, WordEncoder())
    assert caught.value.code is GroundingCode.NOT_A_MODEL


def test_arrays_that_dont_fit_each_other_are_refused(
    trained: tuple[Heads, Head], tmp_path: Path
) -> None:
    heads, head = trained
    path = tmp_path / "heads.safetensors"
    for wrong in (
        replace(head, weights=head.weights[:-1]),
        replace(head, weights=head.weights * np.nan),
        replace(head, supports=head.supports[:, :-1]),
        replace(head, kernel=Kernel(head.kernel.widths, (1.0, -1.0))),
        replace(head, degree_map=DegreeMap((0.0, 1.0), (1.0, 0.0))),
        replace(head, error_map=DegreeMap((1.0, 0.0), (0.0, 1.0))),
    ):
        save_heads(replace(heads, by_name={"colour": wrong}), path)
        with pytest.raises(GroundingError, match="damaged"):
            load_heads(path, WordEncoder())


def test_an_unwritable_place_is_said(trained: tuple[Heads, Head], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GroundingError, match="can't be written"):
        save_heads(trained[0], tmp_path / "file" / "x")


degrees = st.floats(0, 1)
examples = st.lists(st.tuples(st.floats(-1, 2), st.sampled_from([0.0, 0.5, 1.0])), max_size=30)
maps = st.lists(st.tuples(st.floats(-1, 1), degrees), min_size=4, max_size=12)


@given(maps, examples, st.floats(-2, 3), st.floats(-2, 3))
def test_a_rubric_keeps_the_map_monotone_and_in_range(
    knots: list, given_examples: list, a: float, b: float
) -> None:
    try:
        plain_map = fit_monotone_map([(x, y, 1.0) for x, y in sorted(knots)])
    except GroundingError:
        return
    moved = shift_by_rubric(plain_map, given_examples)
    low, high = sorted((a, b))
    assert 0.0 <= moved.apply(low) <= moved.apply(high) <= 1.0


def test_a_rubric_moves_the_map_by_its_evidence_and_only_to_the_better() -> None:
    plain_map = DegreeMap((0.0, 1.0), (0.2, 0.6))
    few = [(0.95, 1.0)] * 4 + [(0.05, 0.0)] * 4
    some, more = (shift_by_rubric(plain_map, few * times) for times in (1, 4))
    assert 0.6 < some.apply(0.95) < more.apply(0.95) <= 1.0
    assert 0.2 > some.apply(0.05) > more.apply(0.05) >= 0.0
    assert shift_by_rubric(plain_map, few[:2]) is plain_map
    fitting = [(1.0, 0.6)] * 5 + [(0.0, 0.2)] * 5
    assert shift_by_rubric(plain_map, fitting) is plain_map
