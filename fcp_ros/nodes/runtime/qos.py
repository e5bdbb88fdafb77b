# SPDX-License-Identifier: Apache-2.0
"""Quality of service: one profile for each kind of topic, and for requests."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

REQUEST_DEPTH = 1000
"""Requests (and answers) of one service that may wait to be read. With ROS's default of 10 the
middleware silently overwrites the oldest: of 50 requests at once 40 never got an answer. The
answers to all clients go over one topic, so that a client reads those of others, too, and single
requests are lost as well: of 20 clients with one request each 8 to 10 (docs/interface.md)."""


def state_qos(depth: int = 1) -> QoSProfile:
    """Return the profile of a state: who joins late gets the last message (transient local).

    `depth`: number of messages that a receiver may be behind. A state that is sent as changes needs
    more than one: no change may be missed.
    """
    return _make_profile(depth, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def event_qos() -> QoSProfile:
    """Return the profile of events: none is lost while a receiver is at most 100 behind."""
    return _make_profile(100)


def newest_qos(*, reliable: bool) -> QoSProfile:
    """Return the profile of streams of which only the newest message matters (depth 1).

    `reliable`: False receives from any sender, True only from reliable ones.
    """
    policy = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return _make_profile(1, reliability=policy)


def request_qos() -> QoSProfile:
    """Return the profile of services and actions: a client reads the feedback of all goals."""
    return _make_profile(REQUEST_DEPTH)


def qos_overrides() -> QoSOverridingOptions:
    """Let the parameters ``qos_overrides.<topic>.*`` change history, depth and reliability."""
    return QoSOverridingOptions.with_default_policies()


def _make_profile(
    depth: int,
    *,
    reliability: ReliabilityPolicy = ReliabilityPolicy.RELIABLE,
    durability: DurabilityPolicy = DurabilityPolicy.VOLATILE,
) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=depth, reliability=reliability, durability=durability
    )
