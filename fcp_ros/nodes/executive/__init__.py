# SPDX-License-Identifier: Apache-2.0
"""The node ``executive``: executes plans, and achieves goals by planning, executing and replanning.

- `node`: the lifecycle node with its two actions and its topics.
- `parameters`: its parameters, the settings that they stand for, and the actions' error codes.
- `thread`: the executive's thread, its events, and the goal that it works on.
- `goals`: the course of a goal: check the plan, execute it, replan as the policy decides.
- `keeping`: what is known of a goal between its turns, if it stays in force when it is met.
- `standing_wish`: the request behind a goal: the instruction's reading, questions to whoever sent
  it, what was confirmed.
- `plan_runner`: carries out the commands of `fcp_ros.execution.dispatch` for one plan.
- `server_clients`: the servers that the executive asks: the planner, the executors of steps.
- `watches`: over the scene graph, and over names that effects arrive under.
- `outcome_delivery`: hands outcomes to the grounder until it confirms them, kept on disk till then.
- `refusals`: results of goals that are not worked on.
- `reports`: outcomes, ``execution_state`` and feedback.

Concurrency in one paragraph: the executor calls the callbacks of actions, topics and timers.
Those callbacks only hand in goals and post events, and none of them waits; everything else - the
ledger of executors, the dispatcher, the plan at hand - belongs to the executive's one thread, a
`Worker`. A goal is one job of it and takes its events from the queue; events that arrive between
goals are handled by a short job of their own. So only the queue and the question which goal is
current need a lock.
"""
