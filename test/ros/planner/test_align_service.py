# SPDX-License-Identifier: Apache-2.0
"""The service align: on the present scene, on files, within folders and limits, latched."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from fcp_ros.msg import Alignment, RequestError, Synonym
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.srv import Align

DOMAIN = "(define (domain courier) (:predicates (resting ?x ?y) (stowed ?y ?x)))"
PROBLEM = """(define (problem deliver) (:domain courier) (:objects mug_1 counter_1 table_1)
  (:init (resting mug_1 table_1)) (:goal (resting mug_1 counter_1)))"""
ROOMS = """{"format": "fcp_ros/scene", "version": 1, "frame_id": "map", "nodes": [
  {"id": "hall", "layer": "room", "category": "hall"},
  {"id": "den", "layer": "room", "category": "den"},
  {"id": "ball", "layer": "object", "category": "ball"},
  {"id": "robo", "layer": "agent", "category": "robot"}],
 "relations": [["on", "ball", "hall"], ["at", "robo", "den"]]}"""
WISH = """(define (problem w) (:domain courier) (:objects ball hall den)
  (:init (resting ball hall)) (:goal (resting ball den)))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("alignment")
    texts = {"own.pddl": DOMAIN, "deliver.pddl": PROBLEM, "rooms.json": ROOMS, "wish.pddl": WISH}
    texts["broken.pddl"] = "(define (domain courier"
    texts["small.yaml"] = find_domain("tiny").read_text()
    house = json.loads(find_scene("twin_house_furnished").read_text())
    house["relations"] = [
        ["supports", *ids[::-1]] if name == "on" else [name, *ids]
        for name, *ids in house["relations"]
    ]
    texts["perceived.json"] = json.dumps(house)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def aligner(live, folder, tmp_path_factory, ros_environment):
    """Scene graph and planner that may read one folder."""
    with live(
        tmp_path_factory.mktemp("planner"),
        {"task_planner": {"alignment_folders": [str(folder)]}},
        nodes=("scene_graph", "task_planner"),
        namespace="aligner",
        offers=("align",),
    ) as (stack, client):
        yield stack, client


def wait_until_idle(stack, until) -> None:
    """Wait for requests that a client gave up or sent twice on a busy machine."""
    worker = stack.nodes["task_planner"].workers["alignments"]
    until(lambda: worker.load == 0, "requests of earlier tests")


def test_a_goal_is_planned_in_the_present_scene(aligner, probe):
    _, client = aligner
    answer = client.align("own.pddl", "deliver.pddl", settle=0)
    assert answer.success, answer.message
    found = answer.alignment
    assert found.status == Alignment.ALIGNED
    assert (found.own, found.other) == ("courier", "household")
    assert found.goal == "on(mug_1, counter_1)"
    (pair,) = found.mapping
    assert (pair.source, pair.target, list(pair.places)) == ("on", "resting", [0, 1])
    assert pair.standing == Synonym.KEPT
    assert 0.0 < pair.confidence < 1.0
    assert (pair.succeeded, found.trials, found.failures) == (1, 1, 0)
    assert found.plan[-1] == "(place robot_1 mug_1 counter_1 kitchen_1)"
    late = probe.listen(Alignment, "/aligner/alignment", latched=True)
    assert late.wait().goal == found.goal, "who joins late gets it, too"
    late.close()


def test_files_of_a_domain_and_a_scene(aligner):
    _, client = aligner
    answer = client.align("own.pddl", "wish.pddl", other="small.yaml", world="rooms.json")
    assert answer.success, answer.message
    assert (answer.alignment.other, answer.alignment.goal) == ("tiny", "on(ball, den)")
    answer = client.align("own.pddl", "wish.pddl", other="own.pddl", world="wish.pddl")
    assert answer.success, "a domain beside itself"
    assert answer.alignment.status == Alignment.NO_PLAN


def test_names_of_a_scene_are_tried_in_the_present_one(aligner):
    _, client = aligner
    request = Align.Request(scene="perceived.json")
    answer = client.send_align(request).result(60.0)
    assert answer.success, answer.message
    found = answer.alignment
    assert (found.status, found.other) == (Alignment.ALIGNED, "household")
    assert found.trials
    assert "supports: 'on(2, 1)'" in found.overrides
    (pair,) = (one for one in found.mapping if one.source == "supports")
    assert (pair.target, list(pair.places), pair.standing) == ("on", [1, 0], Synonym.KEPT)
    assert pair.succeeded
    both = client.send_align(Align.Request(scene="perceived.json", domain="own.pddl")).result(60.0)
    assert both.error.code == RequestError.INVALID_REQUEST
    outside = client.send_align(Align.Request(scene="/etc/passwd")).result(60.0)
    assert "alignment_folders" in outside.message


@pytest.mark.parametrize(
    ("domain", "problem", "sentence"),
    [
        ("/etc/passwd", "deliver.pddl", "alignment_folders"),
        ("../own.pddl", "deliver.pddl", "alignment_folders"),
        ("", "deliver.pddl", "The path is empty"),
        ("own.pddl", "missing.pddl", "is no file"),
        ("broken.pddl", "deliver.pddl", "broken.pddl"),
        ("own.pddl", "wish.pddl", "lacks objects"),
    ],
)
def test_what_can_not_be_used_is_refused_with_a_sentence(aligner, domain, problem, sentence):
    _, client = aligner
    answer = client.align(domain, problem)
    assert not answer.success
    assert answer.error.code == RequestError.INVALID_REQUEST
    assert sentence in answer.message


def test_a_time_limit_ends_it_with_a_status(aligner):
    _, client = aligner
    answer = client.align("own.pddl", "deliver.pddl", time_limit=0.001)
    assert answer.success
    assert answer.alignment.status == Alignment.TIMEOUT


def test_beyond_the_queue_requests_are_busy(aligner, until):
    """All are answered; one runs, one waits, the others are told so."""
    stack, client = aligner
    wait_until_idle(stack, until)
    answers = [
        client.send_align(Align.Request(domain="own.pddl", problem="deliver.pddl", seed=seed))
        for seed in range(5)
    ]
    codes = sorted(one.result(60.0).error.code for one in answers)
    assert codes[:2] == [RequestError.NONE, RequestError.NONE]
    assert codes[-1] == RequestError.BUSY


def test_a_deactivation_ends_it(aligner, probe, until):
    stack, client = aligner
    planner = stack.nodes["task_planner"]
    wait_until_idle(stack, until)
    began = threading.Event()

    def hold(token):
        began.set()
        token.wait(30.0)

    planner.workers["alignments"].submit(hold)
    assert began.wait(10.0)
    request = Align.Request(domain="own.pddl", problem="deliver.pddl")
    waiting = client.send_align(request)
    until(lambda: planner.workers["alignments"].load == 2, "the request")
    assert probe.change_state("/aligner/task_planner", 4)
    answer = waiting.result(30.0)
    assert answer.error.code == RequestError.NODE_INACTIVE
    assert probe.change_state("/aligner/task_planner", 3)
