# SPDX-License-Identifier: Apache-2.0
"""Things under new ids: recognised by category, place and size, and never guessed."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneNode
from fcp_ros.scene.live_matching import AssociationOptions, associate


def thing(id_: str, x: float, category: str = "mug", size: float | None = None) -> SceneNode:
    extents = None if size is None else (size, size, size)
    return SceneNode(id_, Layer.OBJECT, category, pose=Pose.at(x, 0, 0), size=extents)


def pairs(went: list[SceneNode], came: list[SceneNode], **options: float) -> dict[str, str]:
    return dict(associate(went, came, AssociationOptions(**options)).pairs)


def test_by_place_and_category() -> None:
    went = [thing("a", 0), thing("b", 2), thing("t", 0, "table")]
    came = [thing("x", 2.1), thing("y", 0.1), thing("z", 0.2, "Table_7"), thing("w", 9)]
    assert pairs(went, came) == {"x": "b", "y": "a", "z": "t"}


@pytest.mark.parametrize("x", [0.49, 0.5])
def test_within_the_gate(x: float) -> None:
    assert pairs([thing("a", 0)], [thing("x", x)]) == {"x": "a"}
    assert pairs([thing("a", 0)], [thing("x", x + 0.02)]) == {}
    assert pairs([thing("a", 0)], [thing("x", x)], gate=0.3) == {}


def test_another_size_is_another_thing() -> None:
    assert pairs([thing("a", 0, size=0.1)], [thing("x", 0, size=0.14)]) == {"x": "a"}
    assert pairs([thing("a", 0, size=0.1)], [thing("x", 0, size=0.3)]) == {}
    assert pairs([thing("a", 0)], [thing("x", 0, size=0.3)]) == {"x": "a"}


def test_what_has_no_place_is_not_recognised() -> None:
    lost = SceneNode("a", Layer.OBJECT, "mug")
    assert pairs([lost], [SceneNode("x", Layer.OBJECT, "mug")]) == {}


def test_a_row_of_mugs_in_which_everything_moves_a_little() -> None:
    """Each nearest mug is another one; only the sum of all tells."""
    went = [thing("a", 0.0), thing("b", 0.08)]
    came = [thing("x", 0.05), thing("y", 0.13)]
    assert pairs(went, came, margin=0.05) == {"x": "a", "y": "b"}


def test_what_could_be_one_of_two_is_not_guessed() -> None:
    went = [thing("a", 0.0), thing("b", 0.2)]
    found = associate(went, [thing("x", 0.1)])
    assert (dict(found.pairs), found.ambiguous) == ({}, ("x",))
    assert pairs(went, [thing("x", 0.05)]) == {"x": "a"}
    found = associate([thing("a", 0.0)], [thing("x", 0.1), thing("y", -0.12)])
    assert (dict(found.pairs), found.ambiguous) == ({}, ("x",))


def test_too_many_alike_things_are_not_told_apart() -> None:
    crowd = [thing(f"a{n}", n / 100) for n in range(100)]
    found = associate(crowd, [thing(f"x{n}", n / 100) for n in range(100)])
    assert not found.pairs
    assert len(found.ambiguous) == 100


PLACES = st.lists(st.integers(0, 30), max_size=4, unique=True)


@given(PLACES, PLACES)
def test_the_pairs_are_those_of_the_best_way_to_pair_all(
    ours: list[int], theirs: list[int]
) -> None:
    """Twin: try all ways to pair, and keep a pair if every way without it is worse."""
    options = AssociationOptions(gate=0.5, margin=0.05)
    went = [thing(f"a{n}", n / 10) for n in ours]
    came = [thing(f"x{n}", n / 10) for n in theirs]
    ways = []
    for chosen in itertools.product([*range(len(came)), None], repeat=len(went)):
        used = [column for column in chosen if column is not None]
        if len(used) != len(set(used)):
            continue
        cost, fits = 0.0, True
        for row, column in enumerate(chosen):
            distance = options.gate
            if column is not None:
                distance = abs(ours[row] - theirs[column]) / 10
                fits = fits and distance <= options.gate + 1e-9
            cost += distance
        if fits:
            ways.append((cost, {(r, c) for r, c in enumerate(chosen) if c is not None}))
    best = min(cost for cost, _ in ways)
    sure = {}
    for _, way in (w for w in ways if w[0] <= best + 1e-9):
        for row, column in way:
            second = min((c for c, other in ways if (row, column) not in other), default=math.inf)
            left = options.gate - abs(ours[row] - theirs[column]) / 10
            if second - best >= min(options.margin, left) - 1e-9 and second > best + 1e-9:
                sure[came[column].id] = went[row].id
    found = pairs(went, came)
    assert sure.items() <= found.items()
    for id_ in found.keys() - sure.keys():  # nothing is lost where to stay alone costs as much
        distance = abs(int(id_[1:]) - int(found[id_][1:])) / 10
        assert distance == pytest.approx(options.gate)
