# SPDX-License-Identifier: Apache-2.0
"""Each degree says who judged, how sure, and what moved it since."""

from fcp_ros.grounding import ArgumentContext, JudgementRequest, Membership
from fcp_ros.planning import Judged
from fcp_ros.report.console import describe_origin, to_sparkline

REQUEST = JudgementRequest("can_grasp", (ArgumentContext("item", "mug_1", "mug"),))


def words(**changes: object) -> str:
    fields: dict[str, object] = {"degree": 0.54, "prior": 0.97, "source": "table", "model": "t"}
    return str(describe_origin(Judged(REQUEST, Membership(**{**fields, **changes}))))


def test_a_plain_judgement() -> None:
    assert words(note="entry 2 of the table") == "can_grasp 0.54 (table; entry 2 of the table)"


def test_outcomes_that_moved_it() -> None:
    assert words(evidence_count=1) == "can_grasp 0.54 (table 0.97, then 1 outcome)"
    assert words(evidence_count=3) == "can_grasp 0.54 (table 0.97, then 3 outcomes)"


def test_how_sure_a_model_was() -> None:
    distribution = tuple(0.5 if score in (0, 100) else 0.0 for score in range(101))
    said = words(source="causal_lm", spread=0.25, distribution=distribution)
    assert said == "can_grasp 0.54 (causal_lm; 0 █▁▁▁▁▁▁▁▁█ 1; spread 0.25)"


def test_a_fallback_is_not_to_be_missed() -> None:
    assert words(fallback="the server is down").endswith("FALLBACK: the server is down")


def test_a_sparkline_of_one_score() -> None:
    for score, block in ((0, 0), (9, 0), (10, 1), (55, 5), (99, 9), (100, 9)):
        line = to_sparkline(tuple(float(s == score) for s in range(101)))
        assert line.index("█") == block
        assert line.count("▁") == 9
