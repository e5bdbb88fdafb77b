# SPDX-License-Identifier: Apache-2.0
"""Fast DDS is kept out of shared memory."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from fcp_ros.nodes.runtime.transports import (
    TRANSPORTS,
    avoid_shared_memory,
    list_loopback_variables,
)

THREADS = """
import os
import rclpy
from fcp_ros.nodes.runtime.transports import avoid_shared_memory
avoid_shared_memory()
rclpy.init()
node = rclpy.create_node("threads")
for thread in os.listdir("/proc/self/task"):
    print(open(f"/proc/self/task/{thread}/comm").read().strip())
os._exit(0)
"""


@pytest.mark.parametrize("is_local", [True, False])
def test_a_node_keeps_out_of_shared_memory(monkeypatch, is_local):
    monkeypatch.delenv(TRANSPORTS, raising=False)
    for name in () if is_local else list_loopback_variables():
        monkeypatch.delenv(name)
    ran = subprocess.run(
        [sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=60, check=True
    )
    assert "dds.udp" in ran.stdout
    assert "dds.shm" not in ran.stdout


def test_transports_that_the_user_chose_are_kept(monkeypatch):
    monkeypatch.setenv(TRANSPORTS, "LARGE_DATA")
    avoid_shared_memory()
    assert os.environ[TRANSPORTS] == "LARGE_DATA"
