# SPDX-License-Identifier: Apache-2.0
"""Transports of Fast DDS: no shared memory.

Whoever sends to a process that was killed while it took a message from shared memory hangs for good
in Fast DDS (2.14, 3: https://github.com/eProsima/Fast-DDS/issues/6484), and keeps Python's lock:
one node that is killed would take others with it.
"""

from __future__ import annotations

import os

from fcp_ros.package_files import config_folder

TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"
"""The environment variable that tells Fast DDS (2.13 and later) what it may send through."""


def avoid_shared_memory() -> None:
    """Let the nodes of this process exchange messages through UDP only, unless the user chose.

    To be called before ROS is initialised.
    """
    os.environ.setdefault(TRANSPORTS, "UDPv4")


def list_loopback_variables() -> dict[str, str]:
    """List the environment variables with which nodes meet on this machine only."""
    profile = str(config_folder() / "loopback.xml")
    return {
        "FASTRTPS_DEFAULT_PROFILES_FILE": profile,  # Fast DDS 2
        "FASTDDS_DEFAULT_PROFILES_FILE": profile,  # Fast DDS 3
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",  # LOCALHOST would add shared memory
    }
