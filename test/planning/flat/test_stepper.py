# SPDX-License-Identifier: Apache-2.0
"""Steps from one situation to the next, against the meaning of a flat task."""

from hypothesis import given, settings
from random_flat_tasks import flat_tasks

from fcp_ros.planning.flat import semantics
from fcp_ros.planning.flat.builder import Stepper


@settings(max_examples=150)
@given(task=flat_tasks() | flat_tasks(axioms=True))
def test_steps_mean_what_the_task_means(task):
    stepper = Stepper(task)
    waiting, seen = [stepper.start], {stepper.start}
    for now in waiting:
        state, amounts = now
        for operator in range(len(task.loss)):
            left = semantics.amounts_after(task, amounts, operator)
            possible = semantics.is_applicable(task, state, operator) and left is not None
            assert stepper.is_applicable(now, operator) == possible
            after = stepper.apply(now, operator)
            assert (after is not None) == possible
            if after is not None:
                assert after == (semantics.successor(task, state, operator), left)
                if after not in seen and len(seen) < 20:
                    seen.add(after)
                    waiting.append(after)
