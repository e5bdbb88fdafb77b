# SPDX-License-Identifier: Apache-2.0
"""Checks a general policy on the present scene, and lets the planner plan with it.

Needs running nodes whose planner has a folder for policies: `fcp up --params-file FILE`, with its
parameter `policies`. Usage: generalize.py [NAME [ABSTRACTION [GOAL]]]; "" as ABSTRACTION has one
learned from the scene, which only works for small scenes.
"""

import sys
import time

from fcp_ros.action import Generalize
from fcp_ros.client import FcpClient, policy_goal

DEFAULTS = ("cups", "policies/tidy.yaml", "forall ?c: cup (on(?c, counter_1))")


def main() -> int:
    """Look for the policy, show what comes of it, and plan with it."""
    given = tuple(sys.argv[1:])
    name, abstraction, goal = given + DEFAULTS[len(given) :]
    wish = policy_goal(
        name, goal=goal, present_scene=True, abstraction=abstraction, replace=True, time_limit=60.0
    )
    with FcpClient() as fcp:
        fcp.wait_for("generalize", "make_plan")
        pending = fcp.send_generalize(wish)
        told = None
        while not pending.poll().done:
            if pending.feedback is not told:
                told = pending.feedback
                print(f"round {told.round}: {told.doing}")
            time.sleep(0.05)
        found = pending.result(5.0)
        print(found.message)
        for fault in found.faults:
            print(f"  {fault.task}: {fault.message}")
        for feature in found.features:
            print(f"  {feature.name} = {feature.text}")
        if found.status != Generalize.Result.FOUND:
            return 1
        plan = fcp.plan(goal)
        for move in plan.policy_path.moves:
            steps = plan.plan.steps[move.first_step : move.first_step + move.steps]
            print(f"{move.action}: {', '.join(step.rule for step in steps)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
