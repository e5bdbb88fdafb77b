# SPDX-License-Identifier: Apache-2.0
"""Quality of service: state is latched, events are queued (DESIGN section 5)."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions


def state_qos(depth: int = 1) -> QoSProfile:
    """Return the profile of a state: who joins late gets the last message (transient local).

    Args:
        depth: Number of messages that a receiver may be behind. A state that is sent as changes
            needs more than one: no change may be missed.
    """
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


def event_qos() -> QoSProfile:
    """Return the profile of events: none is lost while a receiver is at most 100 behind."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=100,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.VOLATILE,
    )


def newest_qos(*, reliable: bool) -> QoSProfile:
    """Return the profile of streams of which only the newest message matters (depth 1).

    Args:
        reliable: False receives from any sender, True only from reliable ones.
    """
    policy = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=1,
        reliability=policy,
        durability=DurabilityPolicy.VOLATILE,
    )


def qos_overrides() -> QoSOverridingOptions:
    """Let the parameters ``qos_overrides.<topic>.*`` change history, depth and reliability."""
    return QoSOverridingOptions.with_default_policies()
