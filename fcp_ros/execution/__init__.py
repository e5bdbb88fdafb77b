# SPDX-License-Identifier: Apache-2.0
"""Execution without ROS: dispatch a plan, watch the world, decide what follows, assign credit.

    dispatch.py           the state machine that gives the steps of one plan to their executors
    dispatch_model.py     its phases, settings, results, sentences, and the world that it asks
    events.py             the events that it is told of, and the commands that it answers with
    ledger.py             the executors that may still be acting: outlives a single plan
    monitoring.py         the check that the world fits the present step and the rest of the plan,
                          its deadline, and things that make a relaxed goal strict again
    outcome.py            the outcome of a step
    policy.py             the follow-up of a plan that has ended: achieved, replan, give up
    credit.py             the judgements that an outcome is evidence for
    simulated_world       a world in which steps can be done

A node feeds events to the dispatcher and carries out its commands. The dispatcher asks the monitor
about the world, and the monitor asks `planning.stepping` what a step does. When the plan has ended,
the policy decides what follows, and the outcomes of the steps become credits of their judgements.
"""
