# SPDX-License-Identifier: Apache-2.0
"""Plans for a vague goal and shows what was considered. Needs running nodes: `fcp up`."""

import sys

from fcp_ros.client import FcpClient, is_solved

GOAL = 'on(?x, couch_1) and serves_as(?x, "reading")'


def main() -> int:
    """Plan, print the plan or why there is none."""
    goal = sys.argv[1] if len(sys.argv) > 1 else GOAL
    with FcpClient() as fcp:
        result = fcp.plan(goal, alpha=0.3, time_limit=20.0)
    print(result.status.message)
    for candidate in result.candidates:
        binding = ", ".join(f"{b.variable} = {b.element}" for b in candidate.binding)
        print(f"  {candidate.membership:.2f}  {binding}  {candidate.reason}")
    for step in result.plan.steps:
        arguments = ", ".join(argument.value for argument in step.arguments)
        print(f"{step.membership_after:.2f}  {step.rule}({arguments})")
    return 0 if is_solved(result) else 1


if __name__ == "__main__":
    sys.exit(main())
