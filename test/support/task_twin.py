# SPDX-License-Identifier: Apache-2.0
"""Steps on the facts of a compiled task, by definition: plain sets, with conditional effects."""

from fcp_ros.fuzzy import EPSILON


class TaskTwin:
    """Steps of a task on sets of its facts.

    Arguments:
        task: the task.
        conditions: its negative conditions.
    """

    def __init__(self, task, conditions):
        self.task = task
        self.conditions = conditions

    def successor(self, index, state, left):
        """Facts and resources after an operator; None where it can't be applied."""
        operator = self.task.operators[index]
        absences = self.conditions.find_absences(index)
        if absences is None or not state.issuperset(operator.pre):
            return None
        if not all(absence.holds(state) for absence in absences):
            return None
        for block in self.conditions.find_blocks(index):
            bites = state.issuperset(block.rest) and state.isdisjoint(block.absent)
            if bites and not state.issuperset(block.completes):
                return None
        after = []
        for amount, resource in zip(left, self.task.resources, strict=True):
            use = operator.rule.uses.get(resource.name, 0.0)
            amount -= use
            low, high = resource.minimum - EPSILON, resource.maximum + EPSILON
            if use != 0.0 and not low <= amount <= high:
                return None
            after.append(amount)
        add, delete = set(operator.add), set(operator.delete)
        for effect in operator.effects:
            if state.issuperset(effect.pre) and state.isdisjoint(effect.absent):
                add |= set(effect.add)
                delete |= set(effect.delete)
        return (state - delete) | add, tuple(after)
