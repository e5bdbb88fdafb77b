# SPDX-License-Identifier: Apache-2.0
"""Quality of service: one profile for each kind of topic, for requests, and for signs of life."""

from __future__ import annotations

from rclpy.duration import Duration
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.qos_overriding_options import QoSOverridingOptions

REQUEST_DEPTH = 1000
"""Requests (and answers) of one service that may wait to be read. With ROS's default of 10 the
middleware silently overwrites the oldest: of 50 requests at once 40 never got an answer."""

DEAD_AFTER = 0.9
"""Lease (s) that watchers of action servers ask for. rmw_fastrtps asserts a lease every two thirds
of it: of one that is half as long, two assertions in a row may be late."""


def state_qos(depth: int = 1) -> QoSProfile:
    """Return the profile of a state: who joins late gets the last message (transient local).

    Args:
        depth: Number of messages that a receiver may be behind. A state that is sent as changes
            needs more than one: no change may be missed.
    """
    return _make_profile(depth, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def event_qos() -> QoSProfile:
    """Return the profile of events: none is lost while a receiver is at most 100 behind."""
    return _make_profile(100)


def newest_qos(*, reliable: bool) -> QoSProfile:
    """Return the profile of streams of which only the newest message matters (depth 1).

    Args:
        reliable: False receives from any sender, True only from reliable ones.
    """
    policy = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return _make_profile(1, reliability=policy)


def request_qos() -> QoSProfile:
    """Return the profile of services, and of the services within actions, on both sides."""
    return _make_profile(REQUEST_DEPTH)


def status_qos(lease: float) -> QoSProfile:
    """Return the profile of an action server's status topic, which can also show that it is alive.

    With a lease, the thread of Fast DDS 2.14 (Jazzy) that asserts it waits for the lock of
    discovery, while discovery, removing a publisher that has gone, waits for that thread: sooner or
    later a process that offers a lease blocks for ever when another node leaves (a debugger showed
    `WLP::automatic_liveliness_assertion` against `PDP::removeWriterProxyData`). So none is offered
    unless somebody asks for it.

    Args:
        lease: Lease that is offered [s]; 0: none.
    """
    return _make_alive_profile(lease) if lease else state_qos()


def watch_qos() -> QoSProfile:
    """Return the profile with which a status topic is watched for the death of its server.

    It matches only servers that offer a lease of at most `DEAD_AFTER`.
    """
    return _make_alive_profile(DEAD_AFTER)


def qos_overrides() -> QoSOverridingOptions:
    """Let the parameters ``qos_overrides.<topic>.*`` change history, depth and reliability."""
    return QoSOverridingOptions.with_default_policies()


def _make_alive_profile(lease: float) -> QoSProfile:
    profile = state_qos()
    profile.liveliness = LivelinessPolicy.AUTOMATIC
    profile.liveliness_lease_duration = Duration(seconds=lease)
    return profile


def _make_profile(
    depth: int,
    *,
    reliability: ReliabilityPolicy = ReliabilityPolicy.RELIABLE,
    durability: DurabilityPolicy = DurabilityPolicy.VOLATILE,
) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=reliability,
        durability=durability,
    )
