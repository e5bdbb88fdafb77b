# SPDX-License-Identifier: Apache-2.0
"""Execution without ROS: dispatch a plan, watch the world, decide what follows, assign credit.

    dispatch.py           the state machine that gives the steps of one plan to their executors
    step_machine.py       the part of it that leads one step through its executor
    run_order.py          which steps wait for which others, and who is busy with each
    setbacks.py           what has failed in a plan, and how it ends for that
    side_by_side.py       where the plans of several goals meet
    plan_register.py      which of them run, and whose steps wait for those of others
    dispatch_model.py     phases, settings and results, and what follows from a result
    events.py             its events and commands, and the executors that may still be acting
    monitoring.py         the check that the world fits the present steps and the rest of the plan,
                          its deadline, and things that make a relaxed goal strict again
    outcome.py            the outcome of a step, and the judgements that it is evidence for
    simulated_world.py    a world in which steps can be done, with injected faults

A node feeds events to the dispatcher and carries out its commands. The dispatcher asks the monitor
about the world, and the monitor asks `StepRules` what a step does. When the plan has ended, the
policy decides what follows, and the outcomes of the steps become credits of their judgements.
"""
