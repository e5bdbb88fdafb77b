# SPDX-License-Identifier: Apache-2.0
"""An executor: the action server that performs the domain's `navigate` steps on your robot.

Where perception does not report what a step changed, set the executive's parameter trust_executors.
"""

import time
from contextlib import suppress

import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor

from fcp_ros.action import ExecuteStep
from fcp_ros.msg import OutcomeCode
from fcp_ros.nodes.runtime.server_life import LifeSign


def navigate(goal):
    """Perform one step; the goal succeeds only if the step did."""
    arguments = {argument.parameter: argument.value for argument in goal.request.step.arguments}
    for tenth in range(10):
        if goal.is_cancel_requested:
            goal.canceled()
            return ExecuteStep.Result(outcome=OutcomeCode(code=OutcomeCode.CANCELLED))
        message = f"on the way to {arguments['to']}"
        goal.publish_feedback(ExecuteStep.Feedback(progress=tenth / 10, message=message))
        time.sleep(0.05)  # your robot drives here
    goal.succeed()
    outcome = OutcomeCode(code=OutcomeCode.SUCCEEDED, message=f"arrived in {arguments['to']}")
    return ExecuteStep.Result(outcome=outcome, quality_measured=True, quality=0.9)


def main():
    """Serve until Ctrl-C."""
    rclpy.init()
    node = rclpy.create_node("my_navigate")
    ActionServer(
        node,
        ExecuteStep,
        "navigate",
        navigate,
        callback_group=ReentrantCallbackGroup(),
        cancel_callback=lambda _goal: CancelResponse.ACCEPT,
    )
    LifeSign(node)  # others notice within a second if this process dies
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node, MultiThreadedExecutor(2))


if __name__ == "__main__":
    main()
