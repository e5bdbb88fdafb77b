# SPDX-License-Identifier: Apache-2.0
"""The node ``executive``: executes plans, and achieves goals by planning, executing and replanning.

- `node`: the lifecycle node with its two actions and its topics.
- `parameters`: its parameters, the settings that they stand for, and the actions' error codes.
- `goal_context`: one goal on its way: its events, and what others see of it.
- `goal_threads`: a thread for each goal at work, of which one computes at a time; whose turn it is.
- `goal_parts`: what the courses of all goals have in common, such as the wait for room.
- `plan_execution`: the course of a goal of ``execute_task_plan``: check the plan, execute it.
- `goals`: the course of a goal of ``achieve_goal``: plan, execute, replan as the policy decides.
- `standing_wish`: the request behind a goal: the instruction's reading, questions to whoever sent
  it, what was confirmed; what is known of a goal between its turns, if it stays in force.
- `fleet`: what the goals at work share: executors, the plans that run, the world as it is seen.
- `plan_runner`: carries out the commands of `fcp_ros.execution.dispatch` for one plan.
- `plan_world`: the world as a plan takes it, and as it will be when others' steps have ended.
- `server_clients`: the servers that the executive asks: the planner, the executors of steps.
- `watches`: over the scene graph, and over names that effects arrive under.
- `outcome_delivery`: hands outcomes to the grounder until it confirms them, kept on disk till then.
- `reports`: outcomes, ``execution_state`` and feedback.

Concurrency in one paragraph: the executor calls the callbacks of actions, topics and timers.
Those callbacks only hand in goals and post events, and none of them waits; everything else - the
ledger of executors, the dispatchers, the plans at hand - belongs to the threads of goals, of which
one computes at a time: it gives its turn away only while it waits for an event. A goal is one job
of a `Worker` and takes its own events; events that arrive between goals are handled by a short job
of their own. So only the queues and the question which goals are at work need a lock.
"""
