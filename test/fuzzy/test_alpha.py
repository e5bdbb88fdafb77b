# SPDX-License-Identifier: Apache-2.0
"""Alpha policies."""

import pytest

from fcp_ros.fuzzy import AlphaPolicy, AlphaPreset, alpha_policy


def test_presets_are_ordered() -> None:
    alphas = [AlphaPolicy(preset).alpha() for preset in AlphaPreset]
    assert alphas == sorted(set(alphas))
    assert [preset.value for preset in AlphaPreset] == [
        "casual",
        "typical",
        "important",
        "critical",
    ]


def test_criticality_lifts_towards_one() -> None:
    assert AlphaPolicy(0.6, criticality=0.5).alpha() == pytest.approx(0.8)
    assert AlphaPolicy(0.6, criticality=1.0).alpha() == 1.0
    assert AlphaPolicy(0.6).alpha() == 0.6


def test_only_an_adaptive_policy_depends_on_the_length() -> None:
    fixed = AlphaPolicy(0.6, length_factor=0.5, free_length=2)
    adaptive = AlphaPolicy(0.6, length_factor=0.5, free_length=2, adaptive=True)
    assert [fixed.alpha(n) for n in (0, 2, 4)] == [0.6, 0.6, 0.6]
    assert [adaptive.alpha(n) for n in (0, 2, 4)] == pytest.approx([0.6, 0.6, 0.15])


def test_a_policy_reports_itself() -> None:
    policy = AlphaPolicy(AlphaPreset.IMPORTANT, criticality=0.2)
    assert policy.describe() == "alpha 0.88 (preset important, criticality 0.2; fixed)"
    assert "adaptive" in AlphaPolicy(0.5, adaptive=True).describe()
    assert AlphaPolicy(0.5).describe() == "alpha 0.5 (given; fixed)"


def test_what_a_user_gives() -> None:
    assert alpha_policy("Critical").base is AlphaPreset.CRITICAL
    assert alpha_policy("0.25").alpha() == 0.25
    assert alpha_policy(1, adaptive=True).adaptive
    with pytest.raises(ValueError, match="alpha is 'high'; give a number from 0 to 1, or casual"):
        alpha_policy("high")
    with pytest.raises(ValueError, match=r"alpha is 1\.5; give a number from 0 to 1"):
        alpha_policy("1.5")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base": -0.1}, "alpha is"),
        ({"criticality": 2.0}, "criticality is"),
        ({"length_factor": 0.0}, "length_factor is"),
        ({"free_length": -1}, "free_length is"),
    ],
)
def test_values_out_of_range_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AlphaPolicy(**settings)  # type: ignore[arg-type]


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ValueError, match="length is -1"):
        AlphaPolicy(0.5).alpha(-1)
