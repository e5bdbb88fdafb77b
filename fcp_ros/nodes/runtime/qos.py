# SPDX-License-Identifier: Apache-2.0
"""Quality of service: state is latched, events are queued (DESIGN section 5)."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions


def state_qos(depth: int = 1) -> QoSProfile:
    """State: whoever joins late gets the last message (reliable, transient local).

    Of a state that is sent as changes, a receiver may miss none: `depth` is how many it may be
    behind.
    """
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


def event_qos() -> QoSProfile:
    """Events: none is lost while a receiver is at most 100 behind (reliable, volatile)."""
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=100,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.VOLATILE,
    )


def newest_qos(*, reliable: bool) -> QoSProfile:
    """Streams where only the newest message matters (volatile, depth 1).

    A receiver that is not reliable gets what any sender sends, one that is only what reliable
    senders send.
    """
    policy = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=1,
        reliability=policy,
        durability=DurabilityPolicy.VOLATILE,
    )


def overridable() -> QoSOverridingOptions:
    """Lets parameters ``qos_overrides.<topic>.*`` change history, depth and reliability."""
    return QoSOverridingOptions.with_default_policies()
