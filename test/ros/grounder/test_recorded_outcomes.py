# SPDX-License-Identifier: Apache-2.0
"""Outcomes go to the disk in a thread of their own, many in one transaction (issue 28)."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager

import pytest
from grasping import GRASP, pick_outcome
from unique_identifier_msgs.msg import UUID

from fcp_ros.client import PendingReply
from fcp_ros.grounding import CalibrationStore
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.grounder.learner import OutcomeRecorder
from fcp_ros.srv import GetCalibration, RecordOutcomes


def outcome(number: int = 0) -> ActionOutcome:
    """A pick that went well; with a number, of a stream."""
    message = pick_outcome()
    message.stream_id, message.number = UUID(uuid=[5 if number else 0] * 16), number
    return message


@pytest.fixture
def grounder(live, tmp_path, monkeypatch):
    """A grounder of its own, which waits long for others: (node, client, file of its store)."""
    monkeypatch.setattr("fcp_ros.foundation.sqlite_file.BUSY_TIMEOUT", 120.0)
    file = tmp_path / "store.sqlite"
    with live(
        tmp_path,
        {"grounder": {"calibration_path": str(file)}},
        nodes=("grounder",),
        namespace="recorder",
    ) as (stack, client):
        yield stack.nodes["grounder"], client, file


@contextmanager
def locked(file):
    """Another program writes to the store, for longer than one would wait."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.fixture
def transactions(monkeypatch):
    """The transactions of all stores."""
    begin, seen = CalibrationStore._begin_transaction, []

    def note(store):
        seen.append(store)
        return begin(store)

    monkeypatch.setattr(CalibrationStore, "_begin_transaction", note)
    return seen


def test_a_request_is_one_transaction(grounder, probe, transactions):
    request = RecordOutcomes.Request(outcomes=[outcome(number) for number in range(1, 101)])
    assert probe.ask(RecordOutcomes, "recorder/record_outcomes", request).recorded == 100
    assert len(transactions) == 1
    request.outcomes = [outcome(number) for number in range(51, 102)]
    assert probe.ask(RecordOutcomes, "recorder/record_outcomes", request).recorded == 1
    assert grounder[0].diagnose().values["evidence"] == 101
    assert grounder[0].diagnose().values["repeated_outcomes"] == 50


def test_who_waits_for_the_disk_holds_up_nobody(grounder, probe, until, transactions):
    node, client, file = grounder
    outcomes = probe.publisher(ActionOutcome, "recorder/outcomes")
    service = probe._client(RecordOutcomes, "recorder/record_outcomes")
    until(service.service_is_ready, "the service")
    # The middleware may lose the first answer of a server that was only just found.
    nothing = RecordOutcomes.Request(outcomes=[])
    PendingReply(service, nothing, "record_outcomes", repeatable=True).result(60.0)
    with locked(file):
        outcomes.publish(outcome())
        until(lambda: transactions, "the transaction that waits")
        request = RecordOutcomes.Request(outcomes=[outcome(1)])
        pending = PendingReply(service, request, "record_outcomes")
        assert client.judge(GRASP).success
        assert node.diagnose().values["evidence"] == 0
        assert not pending.poll()
        for _ in range(20):
            outcomes.publish(outcome())
    assert pending.result(60.0).recorded == 1
    until(lambda: node.diagnose().values["evidence"] == 22, "all of them")


def test_a_reset_waits_where_it_holds_up_nobody(grounder, probe, until, transactions):
    node, _, file = grounder
    request = RecordOutcomes.Request(outcomes=[outcome(1)])
    assert probe.ask(RecordOutcomes, "recorder/record_outcomes", request).success
    transactions.clear()
    service = probe._client(GetCalibration, "recorder/calibration")
    until(service.service_is_ready, "the service")
    with locked(file):
        reset = GetCalibration.Request(operation=GetCalibration.Request.RESET)
        pending = PendingReply(service, reset, "calibration")
        until(lambda: transactions, "the transaction that waits")
        assert node.diagnose().values["evidence"] == 1
        assert probe.state_of("recorder/grounder") == "active"
        assert not pending.poll()
    assert pending.result(60.0).message.startswith("Set 1 outcomes aside")


def test_what_one_outcome_breaks_is_not_lost_with_it(until):
    """Stored singly where they can't be stored together; none is forgotten, none comes twice."""
    stored, lost = [], []

    def learn(messages):
        if any(message.step.rule == "bad" for message in messages):
            raise OverflowError("too large")
        stored.extend(message.number for message in messages)
        return len(messages)

    recorder = OutcomeRecorder(learn, lost.append)
    bad = outcome(3)
    bad.step.rule = "bad"
    for message in (outcome(1), outcome(2), bad, outcome(4)):
        recorder.put(message)
    assert recorder.record([outcome(5)]).answer.result(60.0) == 1
    recorder.put(outcome(6))
    recorder.close()
    assert stored == [1, 2, 4, 5, 6]
    assert lost == ["an outcome of bad could not be kept: too large"]
