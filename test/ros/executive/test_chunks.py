# SPDX-License-Identifier: Apache-2.0
"""A chunk that is judged as a whole is judged by how the whole of it went, with live nodes."""

import pytest

from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode

SHIFT = """
chunks:
  shift:
    description: Move an item from one support to another in the same room.
    parameters: {robot: robot, item: item, support: surface, other: surface, room: room}
    steps:
      - pick(robot, item, support, room)
      - place(robot, item, other, room)
    graded: ['shifts_well(item)']

graded:
  shifts_well:
    description: How well an item can be shifted.
    parameters: {item: item}
    context: {item: [name]}
    oracle: table
    default_degree: 0.99
"""


@pytest.fixture
def shifting(repository, tmp_path):
    """The household domain with a chunk of its own, as parameters of all nodes that have one."""
    text = (repository / "config" / "domains" / "household.yaml").read_text(encoding="utf-8")
    file = tmp_path / "shifting.yaml"
    file.write_text(text.replace("\ngraded:\n", SHIFT, 1), encoding="utf-8")
    nodes = ("task_planner", "executive", "grounder", "scene_graph", "simulated_executor")
    return {node: {"domain": str(file)} for node in nodes}


def evidence(here):
    """Context, number of outcomes and their mean quality: what was learnt of the chunk."""
    entries = here.client.calibration("shifts_well").entries
    return [(entry.evidence_count, entry.mean_quality) for entry in entries]


def asked_of(message):
    return [judgement.query.predicate for judgement in message.step.judgements]


def test_a_chunk_has_succeeded_when_its_last_step_has(site, shifting):
    here = site(**shifting)
    state, result = here.achieve("on(book_1, table_1)")
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert [m.step.chunk for m in result.outcomes] == ["", "shift", "shift"]
    assert [asked_of(m) for m in result.outcomes] == [[], [], ["shifts_well"]]
    (kept,) = here.until(lambda: evidence(here), "what the grounder has learnt")
    assert kept == (1, pytest.approx(result.outcomes[-1].quality))


def test_a_chunk_has_failed_when_any_of_its_steps_has(site, shifting):
    faults = ["pick(item=book_1): EXECUTION_FAILED x1"]
    shifting["simulated_executor"]["faults"] = faults
    here = site(**shifting)
    state, result = here.achieve("on(book_1, table_1)")
    assert state is GoalState.SUCCEEDED, result.error_msg
    failed = next(m for m in result.outcomes if m.outcome.code != OutcomeCode.SUCCEEDED.value)
    assert (failed.step.rule, asked_of(failed)) == ("pick", ["shifts_well"])
    (kept,) = here.until(lambda: evidence(here), "what the grounder has learnt")
    assert kept[0] >= 1
    assert kept[1] < 1.0
