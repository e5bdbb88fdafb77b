# SPDX-License-Identifier: Apache-2.0
"""Learning in a process of its own: the same outcome, and an end in every case."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest
import walking_policy
from carried_parcels import ABSTRACTION
from stubborn_processes import fail, wait_for_ever

from fcp_ros.abstraction.debugging import learning_process
from fcp_ros.abstraction.debugging.learning_process import LearningRequest, generalize_apart
from fcp_ros.abstraction.debugging.loop import (
    GeneralizationOptions,
    GeneralizationProgress,
    generalize,
)
from fcp_ros.abstraction.policy.policy_file import parse_policy, save_policy, write_policy
from fcp_ros.abstraction.proposers.abstraction_text import FileProposer
from fcp_ros.abstraction.proposers.faults import AbstractionFault
from fcp_ros.abstraction.proposers.proposer import TrainingTask, read_training_task
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.foundation.input_error import InputError
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

Training = tuple[TrainingTask, ...]


@pytest.fixture
def abstraction(tmp_path: Path) -> str:
    file = tmp_path / "abstraction.yaml"
    file.write_text(ABSTRACTION)
    return str(file)


def test_the_outcome_is_that_of_generalize(training: Training, abstraction: str) -> None:
    told: list[GeneralizationProgress] = []
    apart = generalize_apart(LearningRequest(training, abstraction), told.append)
    here = generalize(training, FileProposer(abstraction))
    assert (apart.status, apart.sentence) == (here.status, here.sentence)
    assert apart.policy is not None
    assert here.policy is not None
    assert apart.policy.policy == here.policy.policy
    assert (
        write_policy(apart.policy).partition("provenance")[0]
        == (write_policy(here.policy).partition("provenance")[0])
    )
    assert told[0].doing == "file abstraction.yaml proposes an abstraction"
    assert {one.round for one in told} == {1}
    assert multiprocessing.active_children() == []


def test_a_policy_is_learned_and_saved_in_one_go(tmp_path: Path) -> None:
    domain, problem, out = tmp_path / "lamps.pddl", tmp_path / "p.pddl", tmp_path / "out"
    domain.write_text(walking_policy.DOMAIN)
    problem.write_text(walking_policy.PROBLEM)
    out.mkdir()
    told: list[GeneralizationProgress] = []
    request = LearningRequest((read_training_task(domain, problem),))
    found = generalize_apart(request, told.append)
    assert found.status is GeneralizationStatus.FOUND, found.sentence
    assert any("features of complexity" in one.doing for one in told)
    assert found.policy is not None
    for _ in range(2):
        save_policy(found.policy, out / "lamps.yaml")
    assert [file.name for file in out.iterdir()] == ["lamps.yaml"]
    assert parse_policy((out / "lamps.yaml").read_text()).policy == found.policy.policy


def test_faults_come_back(training: Training, abstraction: str) -> None:
    Path(abstraction).write_text(ABSTRACTION.replace("left decreases", "left increases"))
    found = generalize_apart(LearningRequest(training, abstraction))
    assert found.status is GeneralizationStatus.UNREPAIRED
    assert found.errors[0].kind is AbstractionFault.UNSOLVABLE_QNP
    Path(abstraction).unlink()
    with pytest.raises(InputError, match=r"abstraction\.yaml"):
        generalize_apart(LearningRequest(training, abstraction))


def test_training_that_can_not_be_used_is_said_to_be() -> None:
    with pytest.raises(InputError, match="no training task"):
        generalize_apart(LearningRequest(()))


def test_it_ends_where_nobody_wants_it(training: Training, abstraction: str) -> None:
    def cancel() -> None:
        raise Interrupted(PlanStatus.CANCELLED, "enough")

    found = generalize_apart(LearningRequest(training, abstraction), check=cancel)
    assert (found.status, found.sentence) == (GeneralizationStatus.CANCELLED, "enough")
    assert found.policy is None
    assert multiprocessing.active_children() == []


def test_a_process_that_does_not_listen_is_killed(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_process, "_answer", wait_for_ever)
    monkeypatch.setattr(learning_process, "GRACE", 0.2)

    def stop() -> None:
        raise Interrupted(PlanStatus.TIMEOUT, "too late")

    found = generalize_apart(LearningRequest(training), check=stop)
    assert (found.status, found.sentence) == (GeneralizationStatus.TIMEOUT, "too late")
    assert multiprocessing.active_children() == []


def test_the_time_limit_is_kept_though_the_process_looks_at_no_clock(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_process, "_answer", wait_for_ever)
    monkeypatch.setattr(learning_process, "GRACE", 0.2)
    options = GeneralizationOptions(time_limit=0.5)
    found = generalize_apart(LearningRequest(training, options=options))
    assert found.status is GeneralizationStatus.TIMEOUT
    assert "0.5 s" in found.sentence
    assert multiprocessing.active_children() == []


def test_a_process_that_is_killed_is_an_outcome(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_process, "_answer", wait_for_ever)

    def kill() -> None:
        for child in multiprocessing.active_children():
            child.kill()

    found = generalize_apart(LearningRequest(training), check=kill)
    assert found.status is GeneralizationStatus.LIMIT
    assert "signal 9" in found.sentence


def test_a_process_that_fails_is_a_fault_of_ours(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_process, "_answer", fail)
    with pytest.raises(learning_process.LearningProcessDied, match="exit code 3"):
        generalize_apart(LearningRequest(training))


_PARENT = """
import pickle, sys
from fcp_ros.abstraction.debugging import learning_process
if __name__ == "__main__":
    request = pickle.load(open(sys.argv[1], "rb"))
    learning_process.generalize_apart(request, lambda said: print(said.doing, flush=True))
"""


def test_it_ends_with_the_program_that_started_it(training: Training, tmp_path: Path) -> None:
    file, pipe, program = (tmp_path / name for name in ("request", "abstraction.yaml", "main.py"))
    program.write_text(_PARENT)
    os.mkfifo(pipe)  # whoever reads it waits for ever
    file.write_bytes(pickle.dumps(LearningRequest(training, str(pipe))))
    parent = subprocess.Popen(
        [sys.executable, str(program), str(file)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    with parent.stdout:
        assert "proposes" in parent.stdout.readline()
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    parent.kill()
    parent.wait()
    while any(Path(f"/proc/{child}").exists() for child in children):  # the test's limit ends it
        time.sleep(0.02)
