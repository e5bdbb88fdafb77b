# SPDX-License-Identifier: Apache-2.0
"""Has a goal achieved and watches, without ever waiting: the way of a task manager's tick.

Needs running nodes: `fcp up`. Ctrl-C cancels the goal.
"""

import sys
import time

from fcp_ros.client import FcpClient, GoalState, plan_request

GOAL = "on(mug_1, counter_1)"


def main() -> int:
    """Send, poll until it is done, report."""
    goal = sys.argv[1] if len(sys.argv) > 1 else GOAL
    with FcpClient() as fcp:
        fcp.wait_for("achieve_goal", timeout=30.0)
        pending = fcp.send_achieve(plan_request(goal, alpha=0.3), max_replans=2)
        told = None
        while not pending.poll().done:
            try:
                feedback = pending.feedback
                if feedback is not None and feedback.message != told:
                    told = feedback.message
                    print(f"step {feedback.step_index}: {told}")
                time.sleep(0.05)
            except KeyboardInterrupt:
                pending.cancel()
        result = pending.result(timeout=5.0)
    for outcome in result.outcomes:
        print(f"{outcome.step.rule}: {'done' if outcome.outcome.code == 1 else 'failed'}")
    print(pending.poll().value, result.error_msg)
    return 0 if pending.poll() is GoalState.SUCCEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
