# SPDX-License-Identifier: Apache-2.0
"""A planning task that was read from PDDL, and the form of its rules in PDDL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.model import ActionRule, Domain


@dataclass(frozen=True)
class ActionForm:
    """The form of a rule in PDDL.

    Attributes:
        action: name of the action, as the file spells it.
        parameters: for each parameter of the action the rule's parameter that it is; the same one
            twice where the rule is about one thing in both places.
    """

    action: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Replaced:
    """The meaning of a predicate that the domain does without (`hand-empty`: nothing is held).

    Attributes:
        relation: the relation that says it, too.
        positions: the positions of the relation at which the predicate's arguments stand.
        complement: whether the predicate holds where *no* tuple is there.
    """

    relation: str
    positions: tuple[int, ...]
    complement: bool


@dataclass(frozen=True)
class PddlTask:
    """A domain and a problem.

    Attributes:
        name: of the problem.
        domain: rules and schema. Several rules may stand for one action (see `forms`).
        instance: the initial state.
        goal: checked.
        forms: rule name -> what it is in PDDL; of `idle` rules, too.
        idle: actions that may be done but do nothing (driving from here to here), as rules. They
            are no part of the domain: a plan is better without them.
        replaced: predicates that only repeat what a relation says, and are no relations here.
        minimises_cost: whether the problem has action costs; else each action counts 1.
    """

    name: str
    domain: Domain
    instance: Instance
    goal: Expression
    forms: Mapping[str, ActionForm]
    minimises_cost: bool
    idle: Mapping[str, ActionRule] = field(default_factory=dict)
    replaced: Mapping[str, Replaced] = field(default_factory=dict)

    @cached_property
    def _rules(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for rule, form in self.forms.items():
            found.setdefault(form.action.lower(), []).append(rule)
        return {action: tuple(rules) for action, rules in found.items()}

    def rules_of(self, action: str) -> tuple[str, ...]:
        """The rules that stand for an action, idle ones last; case does not matter."""
        return self._rules.get(action.lower(), ())

    def rule(self, name: str) -> ActionRule:
        """A rule of the domain, or an idle one."""
        return self.domain.rules[name] if name in self.domain.rules else self.idle[name]
