# SPDX-License-Identifier: Apache-2.0
"""A planning task that was read from PDDL, and the form of its rules in PDDL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from fcp_ros.cset import Instance
from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.model import ActionRule, Domain


@dataclass(frozen=True)
class ActionForm:
    """The action of PDDL that a rule stands for."""

    action: str  # name of the action, as the file spells it
    # the rule's parameter for each of the action's; the same one twice if the rule identifies two
    # of them
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class MetricValue:
    """The value of a problem's metric: `constant + factor * cost` of a plan."""

    constant: Fraction = Fraction(0)  # of the metric, with the initial values of its functions
    factor: int = 1  # 1 if it is minimised, -1 if it is maximised

    def compute(self, cost: Fraction) -> Fraction:
        """Compute the value for the cost of a plan: of its steps and of what it gives up."""
        return self.constant + self.factor * cost


@dataclass(frozen=True)
class Replaced:
    """A predicate that is replaced by a relation (`hand-empty`: nothing is held)."""

    relation: str
    positions: tuple[int, ...]  # the positions of the predicate's arguments in the relation
    complement: bool  # True if the predicate holds of arguments without a tuple


@dataclass(frozen=True)
class PddlTask:
    """A domain and a problem."""

    name: str
    domain: Domain  # rules and schema; several rules may stand for one action (see `forms`)
    instance: Instance  # the initial state
    goal: Expression  # checked
    forms: Mapping[str, ActionForm]  # rule name -> its action in PDDL; of `idle` rules, too
    minimises_cost: bool  # the problem minimises total-cost; otherwise each action counts 1
    # actions that change nothing (driving from here to here), as rules; a plan is better without
    # them, so they are not part of the domain
    idle: Mapping[str, ActionRule] = field(default_factory=dict)
    objects: tuple[str, ...] = ()  # names of the problem's objects, as its file spells them
    # relation -> its predicate, and True if it has a leg `world` more
    predicates: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    goal_text: str = ""
    # predicates that only repeat a relation, and have no relation of their own
    replaced: Mapping[str, Replaced] = field(default_factory=dict)
    # remarks on what was read, but may not be meant (an object declared twice)
    notes: tuple[Diagnostic, ...] = ()
    metric: MetricValue = MetricValue()  # the number of steps if the problem has none

    @cached_property
    def _rules(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for rule, form in self.forms.items():
            found.setdefault(form.action.lower(), []).append(rule)
        return {action: tuple(rules) for action, rules in found.items()}

    def rules_of(self, action: str) -> tuple[str, ...]:
        """Return the rules that stand for an action, idle ones last; case does not matter."""
        return self._rules.get(action.lower(), ())

    def rule(self, name: str) -> ActionRule:
        """Return a rule of the domain, or an idle one."""
        return self.domain.rules[name] if name in self.domain.rules else self.idle[name]
