# SPDX-License-Identifier: Apache-2.0
"""Rewriting by double pushouts: delete ``L - K`` at a match, then glue in ``R``.

Both squares of the diagram are pushouts::

    L <----- K -----> R
    |        |        |
    G <----- D -----> H

The context D is the pushout complement (`dpo`); the result H is the pushout of ``D <- K -> R``,
taken of elements and tuples alike, and then reflected into relations, which are sets: a tuple that
is added a second time becomes one with the first. Attributes that R assigns replace the old ones.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.builder import InstanceBuilder, find_unused_name
from fcp_ros.cset.constraints import Violation, ViolationKind
from fcp_ros.cset.dpo import Context, examine
from fcp_ros.cset.draft import Change
from fcp_ros.cset.instance import Instance, InstanceError
from fcp_ros.cset.morphisms import Morphism
from fcp_ros.cset.rule import Rule, RulePlan
from fcp_ros.cset.schema import AttributeValue
from fcp_ros.cset.state_facts import Delta, delta_of


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The result of applying a rule at a match; with violations, there is no new state."""

    instance: Instance | None
    comatch: Morphism | None
    before: Instance | None = None
    violations: tuple[Violation, ...] = ()
    change: Change = field(default_factory=Change)

    @property
    def delta(self) -> Delta:
        """The change, by names; computed at each access, as few ask for it."""
        if self.before is None or self.instance is None:
            return Delta()
        return delta_of(self.before, self.instance, self.change)


def rewrite(rule: Rule, match: Morphism) -> Rewrite:
    """Apply a rule at a match of its left side.

    The result's functional legs are checked where the rule changed something; conflicts that were
    there before are not the rule's.
    """
    examined = examine(rule, match)
    if examined.violations or examined.context is None:
        return _refuse(examined.violations)
    return _Application(rule.plan, match, examined.context).run()


def _refuse(violations: tuple[Violation, ...]) -> Rewrite:
    return Rewrite(None, None, violations=violations)


class _Application:
    """One rewrite while it is carried out; `image` maps R into the result."""

    def __init__(self, plan: RulePlan, match: Morphism, context: Context) -> None:
        self.plan = plan
        self.match = match
        self.context = context
        self.builder = InstanceBuilder.of(context.state)
        self.image = {result: context.glue[id_] for id_, _, result in plan.glue}

    def run(self) -> Rewrite:
        self.delete()  # first, so that what is created may take the names that become free
        self.create()
        violations = self.assign() if self.plan.assigned else []
        if violations:
            return _refuse(tuple(violations))
        change = self.builder.change()
        try:
            result = self.builder.build()
        except InstanceError:
            return _refuse(self.builder.violations())
        comatch = Morphism(self.plan.right.target, result, self.image)
        return Rewrite(result, comatch, self.match.target, change=change)

    def delete(self) -> None:
        """Take from the state everything that is not in the context."""
        state, builder = self.context.state, self.builder
        for relation, row in self.context.tuples:
            legs = state.relation_table(relation).rows.get(row)
            if legs is not None:
                builder.unrelate(relation, *legs)
        for attribute, id_ in self.context.forgotten:
            builder.set_attribute(id_, attribute, None)
        for element in self.context.elements:
            builder.remove(element)

    def create(self) -> None:
        """Add the elements and tuples of R that are not from K."""
        image, builder, new = self.image, self.builder, self.plan.new_elements
        for element in new:
            image[element.id] = builder.add(element.type, find_unused_name(builder, element.name))
        for element in new:
            for function, value in element.functions:
                builder.set_function(function, image[element.id], image[value])
        for relation, row, legs in self.plan.new_tuples:
            image[row] = builder.relate(relation, *[image[leg] for leg in legs])

    def assign(self) -> list[Violation]:
        """Set the attributes that R assigns; return violations where that is impossible."""
        violations = []
        assigned: dict[tuple[str, int], AttributeValue] = {}
        for attribute, id_, value in self.plan.assigned:
            self.builder.set_attribute(self.image[id_], attribute, value)
            if assigned.setdefault((attribute, self.image[id_]), value) != value:
                violations.append(
                    self.describe_contradiction(attribute, id_, "assigns two values to")
                )
        # Only where a match makes elements one can an assignment meet a kept value.
        if len(set(self.image.values())) < len(self.image):
            violations.extend(self.find_overwritten(assigned))
        return violations

    def find_overwritten(
        self, assigned: Mapping[tuple[str, int], AttributeValue]
    ) -> Iterator[Violation]:
        """Find attributes that R both assigns and keeps, as elements of R have become one."""
        for attribute, id_ in self.plan.values_kept:
            result = self.plan.right.mapping[id_]
            kept = self.context.state.attribute(self.context.glue[id_], attribute)
            if assigned.get((attribute, self.image[result]), kept) != kept:
                yield self.describe_contradiction(attribute, result, "both keeps and assigns")

    def describe_contradiction(self, attribute: str, id_: int, what: str) -> Violation:
        names = [
            self.plan.right.target.name_of(other)
            for other, image in self.image.items()
            if image == self.image[id_]
        ]
        text = f"the rule {what} {attribute!r} of {', '.join(names)}, which are one in the state"
        return Violation(ViolationKind.CONTRADICTION, text, tuple(names), attribute)
