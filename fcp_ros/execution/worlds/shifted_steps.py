# SPDX-License-Identifier: Apache-2.0
"""Steps that take elements for other types than their own, as a domain allows it.

A relaxed plan may take a bowl for a plate (`relaxing: shift`). Its steps are sent one by one, and
none of them says so; whoever does them finds it out from the types.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.cset import Delta, Instance, InstanceBuilder, InstanceError
from fcp_ros.domain.model import Domain
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.stepping.rules import Application, StepRules


def apply_shifted(domain: Domain, step: PlanStep, instance: Instance) -> Application:
    """Do a step in a state where some of its elements are taken for the types that it needs.

    Args:
        domain: says which elements may be taken for which type.
        step: a step of the domain that can't be done as the elements are.
        instance: the state.

    Returns:
        The state that the step leads to, in which each element is of its own type again, or why it
        can't be done; no problem is named if nothing can be taken for another type.
    """
    shifts = tuple(_list_shifts(domain, step, instance))
    if not shifts:
        return Application(None)
    shifted, state = shift_elements(domain, instance, shifts)
    done = StepRules(shifted).apply(step, state)
    if done.instance is None:
        return done
    try:
        return Application(_change(instance, done.delta), (), done.rewrite)
    except InstanceError as error:
        taken = ", ".join(f"{element} for a {wanted}" for element, wanted in shifts)
        return Application(None, (f"this world can't hold what comes of taking {taken}: {error}",))


def _list_shifts(domain: Domain, step: PlanStep, instance: Instance) -> Iterator[tuple[str, str]]:
    """Yield the elements of a step that are of other types than it needs, with those types."""
    types = {one.name: one.type for one in domain.rules[step.rule].parameters}
    schema = domain.schema
    for name, element in step.arguments:
        if not instance.has(element):
            continue
        above = schema.ancestors(instance.type_of(instance.id_of(element)))
        if types[name] in above:
            continue
        for rule in domain.relaxing.shifts:
            if rule.of in above and types[name] in schema.ancestors(rule.to):
                yield element, rule.to
                break


def _change(instance: Instance, delta: Delta) -> Instance:
    """Change the facts of a state."""
    builder = InstanceBuilder.of(instance)
    for fact in delta.removed:
        builder.unrelate(fact.relation, *map(builder.id_of, fact.arguments))
    for fact in delta.added:
        builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
    return builder.build()
