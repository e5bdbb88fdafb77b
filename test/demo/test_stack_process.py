# SPDX-License-Identifier: Apache-2.0
"""Nodes that can't start are reported with the end of their log."""

from importlib.util import find_spec

import pytest
from ros_domains import claim_domain

from fcp_ros.demo.run import StackError, StackProcess

pytestmark = pytest.mark.skipif(find_spec("rclpy") is None, reason="needs ROS 2")


def test_a_wrong_parameter_ends_the_start_with_the_nodes_own_words(tmp_path):
    with claim_domain() as domain:
        process = StackProcess({"task_planner": {"domain": "no_such_domain"}}, tmp_path, domain)
        with pytest.raises(StackError, match="no_such_domain"), process:
            pass
    assert process.log.is_file()
