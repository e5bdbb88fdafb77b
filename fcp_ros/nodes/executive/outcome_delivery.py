# SPDX-License-Identifier: Apache-2.0
"""Delivery of outcomes to the grounder: none is lost while it is away, and none counts twice.

Each outcome is published once, as an event for everybody. The grounder may be starting, or be
killed before it has stored what it heard: so each outcome is also handed to its service
``record_outcomes``, again until the service has answered. The grounder tells by stream and number
what it knows already. Until it has confirmed an outcome, the outcome is in the journal: the next
start of the executive hands over what this one could not.
"""

from __future__ import annotations

import importlib
import re
import sqlite3
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.publisher import Publisher
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from fcp_ros.foundation.sqlite_file import open_database
from fcp_ros.msg import ActionOutcome, RequestError
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.qos import request_qos
from fcp_ros.nodes.runtime.server_life import GROUNDER_TOPIC, ServerLife
from fcp_ros.nodes.runtime.worker import PausableTimer
from fcp_ros.srv import RecordOutcomes

# --- the file of outcomes that no grounder has confirmed yet ---
#
# An outcome is on disk before it is published, and is removed once the grounder has confirmed that
# it is recorded. What is left when the executive dies, its next start hands over; the grounder
# knows by stream and number what it has recorded already.

TABLES = (
    """CREATE TABLE IF NOT EXISTS outcomes (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stream BLOB NOT NULL, number INTEGER NOT NULL,
        layout TEXT NOT NULL, message BLOB NOT NULL, UNIQUE (stream, number))""",
)

_NESTED = re.compile(r"(\w+)/(\w+)")
"""A message type in the type of a field: ``sequence<fcp_ros/Judgement>``."""


class OutcomeKey(NamedTuple):
    """The identity of an outcome: its sender's stream, and its number there (from 1)."""

    stream: bytes
    number: int


def read_key(outcome: ActionOutcome) -> OutcomeKey:
    return OutcomeKey(bytes(outcome.stream_id.uuid), int(outcome.number))


class OutcomeJournal:
    """Outcomes on the disk; may be used from several threads.

    `path`: the SQLite file, created if it does not exist. One that is damaged is set aside. Raises
    DatabaseFileError if the file can't be used.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._layout = digest_layout(ActionOutcome)
        self._connection, _ = open_database(path, TABLES, synchronous="FULL")

    def add(self, outcome: ActionOutcome) -> None:
        """Store an outcome; it is on disk when this returns.

        Raises sqlite3.Error if the disk refuses.
        """
        row = (*read_key(outcome), self._layout, serialize_message(outcome))
        with self._lock:
            self._connection.execute(
                "INSERT INTO outcomes (stream, number, layout, message) VALUES (?, ?, ?, ?)", row
            )

    def remove(self, keys: Iterable[OutcomeKey]) -> None:
        """Remove outcomes that are confirmed or given up.

        Raises sqlite3.Error if the disk refuses.
        """
        with self._lock, self._connection:  # one transaction, and one wait for the disk
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "DELETE FROM outcomes WHERE stream = ? AND number = ?", keys
            )

    def read(self) -> tuple[list[ActionOutcome], int]:
        """Read what earlier starts have left, oldest first.

        Returns the outcomes, and the number of those that are removed unread, because they were
        written with another definition of the message. Raises sqlite3.Error if the disk refuses.
        """
        with self._lock:
            unreadable = self._connection.execute(
                "DELETE FROM outcomes WHERE layout <> ?", (self._layout,)
            ).rowcount
            rows = self._connection.execute("SELECT message FROM outcomes ORDER BY id").fetchall()
        return [deserialize_message(row[0], ActionOutcome) for row in rows], unreadable

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def digest_layout(kind: Any) -> str:
    """Digest a message type with all types in it: serialised messages fit this layout only."""
    found: dict[str, str] = {}
    waiting = [kind]
    while waiting:
        kind = waiting.pop()
        fields = kind.get_fields_and_field_types()
        found[f"{kind.__module__}.{kind.__name__}"] = str(fields)
        for package, name in _NESTED.findall(" ".join(fields.values())):
            nested = getattr(importlib.import_module(f"{package}.msg"), name)
            if f"{nested.__module__}.{nested.__name__}" not in found:
                waiting.append(nested)
    return sha256(str(sorted(found.items())).encode()).hexdigest()


# --- delivery of outcomes to the grounder: none is lost while it is away ---

RETRY_PERIOD = 1.0
"""Seconds between two looks at outcomes that the grounder has not confirmed."""

ANSWER_WAIT = 3.0
"""Seconds without an answer after which a request is taken for lost."""


MOST = int(RecordOutcomes.Request.MOST)
"""Most outcomes in one request."""


class OutcomesRecorded:
    """Event: the grounder has confirmed outcomes."""


class OutcomeDelivery:
    """Numbers outcomes, publishes them, and hands them to the grounder until it confirms.

    Invariants, guarded by `_lock`: `_waiting` holds the outcomes that are not confirmed, oldest
    first, and the journal the same, but for `_unwritten`, which the disk has refused and is offered
    again; at most one request is open (`_asked` is the time when it was sent).
    """

    def __init__(
        self,
        node: ManagedNode,
        publisher: Publisher,  # Publisher of ``outcomes``
        threads: GoalThreads,  # Gets an event after each confirmation
        backlog: int,  # Most outcomes that wait; beyond it the oldest are given up, and counted
        # Keeps the outcomes that wait on disk; None: they end with the process
        journal: OutcomeJournal | None = None,
    ) -> None:
        self._node = node
        self._publisher = publisher
        self._threads = threads
        self._backlog = backlog
        self._stream = UUID(uuid=list(uuid.uuid4().bytes))
        self._number = 0
        self._waiting: OrderedDict[OutcomeKey, ActionOutcome] = OrderedDict()
        self._unwritten: OrderedDict[OutcomeKey, ActionOutcome] = OrderedDict()
        self._given_up = 0
        self._journal = journal
        self._journal_problem = ""
        self._asked: float | None = None
        self._most = MOST
        self._lock = threading.Lock()
        group = MutuallyExclusiveCallbackGroup()
        self._client = node.create_client(
            RecordOutcomes, "record_outcomes", qos_profile=request_qos(), callback_group=group
        )
        self._life = ServerLife(node, GROUNDER_TOPIC, is_topic=True)
        self._timer = PausableTimer(node, RETRY_PERIOD, self._look, group)
        self._read_journal()
        if self._waiting:
            self._timer.start()

    def send(self, outcome: ActionOutcome) -> None:
        """Number an outcome, publish it, and see to it that the grounder records it."""
        with self._lock:
            self._number += 1
            outcome.stream_id, outcome.number = self._stream, self._number
        is_written = self._write(partial(OutcomeJournal.add, outcome=outcome))
        with self._lock:
            self._waiting[read_key(outcome)] = outcome
            if not is_written:
                self._unwritten[read_key(outcome)] = outcome
            dropped = self._drop_beyond_backlog()
        self._timer.start()
        if dropped:
            self._write(lambda journal: journal.remove(dropped))
        self._publisher.publish(outcome)
        self._ask()

    def await_recording(self, context: GoalContext, outcome: ActionOutcome, seconds: float) -> None:
        """Wait until the grounder has confirmed an outcome, so that it judges with its evidence.

        `context`: the goal; the wait ends at once when it is cancelled. `seconds`: longest wait;
        without a grounder there is none.
        """

        def is_over() -> bool:
            with self._lock:
                known = read_key(outcome) not in self._waiting
            return known or context.is_cancelled or not self.is_served

        if is_over():
            return
        for _ in self._threads.wait_events(context, seconds):
            if is_over():
                return

    @property
    def is_served(self) -> bool:
        """True while a grounder answers; discovery lists one that was killed for 20 s more."""
        return bool(self._client.service_is_ready()) and not self._life.is_dead

    def values(self) -> dict[str, object]:
        with self._lock:
            return {"unconfirmed_outcomes": len(self._waiting), "lost_outcomes": self._given_up}

    def close(self) -> None:
        """Destroy client and timer; outcomes that are not confirmed are left to the journal."""
        self._timer.close()
        self._life.close()
        self._node.destroy_client(self._client)
        if self._journal is not None:
            self._write_again()
            self._journal.close()

    # --- the journal ----------------------------------------------------------------------------

    @property
    def journal_problem(self) -> str:
        return self._journal_problem

    def _read_journal(self) -> None:
        left: list[ActionOutcome] = []

        def read(journal: OutcomeJournal) -> None:
            nonlocal left
            left, unreadable = journal.read()
            self._given_up += unreadable

        self._write(read)
        with self._lock:
            self._waiting.update((read_key(outcome), outcome) for outcome in left)
            dropped = self._drop_beyond_backlog()
        if dropped:
            self._write(lambda journal: journal.remove(dropped))

    def _drop_beyond_backlog(self) -> list[OutcomeKey]:
        """Give up the oldest outcomes beyond the backlog; called under the lock."""
        dropped = []
        while len(self._waiting) > self._backlog:
            dropped.append(self._waiting.popitem(last=False)[0])
        self._given_up += len(dropped)
        return dropped

    def _write(self, write: Callable[[OutcomeJournal], None]) -> bool:
        """Use the journal; False if the disk refused: no reason to stop the robot, but reported."""
        if self._journal is None:
            return True
        try:
            write(self._journal)
        except sqlite3.Error as error:
            problem = f"outcomes do not survive a crash: the journal fails ({error})"
            if problem != self._journal_problem:  # not again with each retry
                self._node.get_logger().warning(problem)
            self._journal_problem = problem
            return False
        self._journal_problem = ""
        return True

    def _write_again(self) -> None:
        """Offer the disk what it has refused, until it refuses again."""
        with self._lock:
            refused = list(self._unwritten.items())
        for key, outcome in refused:
            with self._lock:
                is_needed = key in self._waiting
            if is_needed and not self._write(partial(OutcomeJournal.add, outcome=outcome)):
                return
            with self._lock:
                self._unwritten.pop(key)

    # --- the grounder ---------------------------------------------------------------------------

    def _look(self) -> bool:
        with self._lock:
            if not self._waiting:
                return False
            if self._asked is not None and time.monotonic() - self._asked > ANSWER_WAIT:
                self._asked = None
        self._write_again()
        self._ask()
        return True

    def _ask(self) -> None:
        """Hand over the oldest outcomes, unless an answer is awaited or nobody would give one."""
        if not self.is_served:
            return
        with self._lock:
            if self._asked is not None or not self._waiting:
                return
            self._asked = asked = time.monotonic()
            outcomes = [
                one for one, _ in zip(self._waiting.values(), range(self._most), strict=False)
            ]
        keys = [read_key(outcome) for outcome in outcomes]

        def on_answer(future: Future) -> None:
            self._confirm(asked, keys, future.result())

        request = RecordOutcomes.Request(outcomes=outcomes)
        self._client.call_async(request).add_done_callback(on_answer)

    def _confirm(self, asked: float, keys: list[OutcomeKey], response: Any) -> None:
        is_refused = response.error.code == RequestError.INVALID_REQUEST
        is_useless = is_refused and len(keys) == 1
        is_settled = response.success or is_useless
        with self._lock:
            if self._asked == asked:
                self._asked = None
            if is_settled:
                for key in keys:
                    self._waiting.pop(key, None)
            self._given_up += is_useless
            # One that can never be recorded must not hold up the others: find it, one by one.
            if is_useless or not self._waiting:
                self._most = MOST
            elif is_refused:
                self._most = 1
        if is_useless:
            self._node.get_logger().warning(f"an outcome is given up: {response.message}")
        if is_settled:  # otherwise the timer tries again
            self._write(lambda journal: journal.remove(keys))
            self._threads.post(OutcomesRecorded(), "outcomes recorded")
        if is_settled or is_refused:
            self._ask()
