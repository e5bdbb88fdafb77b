# SPDX-License-Identifier: Apache-2.0
"""Draft rules as values: PDDL's own names, predicates without arguments still possible."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.model import Cost
from fcp_ros.domain.pddl.syntax.tree import Formula, subformulas

SAME = "="
"""The static predicate of equal objects, for effects that compare their variables."""


@dataclass(frozen=True)
class DraftParameter:
    """A parameter of a rule: of some types, or one object (`constant`)."""

    name: str
    types: tuple[str, ...]
    constant: str | None = None


@dataclass(frozen=True)
class DraftEffect:
    """A further effect for all values of the variables; `delete` is part of `positive`."""

    variables: tuple[DraftParameter, ...]
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]
    add: tuple[Atom, ...] = ()
    delete: tuple[Atom, ...] = ()
    formulas: tuple[Formula, ...] = ()

    @property
    def is_unconditional(self) -> bool:
        """Return True if the effect always happens, once."""
        return not (self.variables or self.positive or self.negative or self.formulas)


@dataclass(frozen=True)
class DraftRule:
    """An action under one identification of its parameters; parameters are distinct objects."""

    action: str
    arguments: tuple[str, ...]
    # of the rule: the action's, objects that it names, existential variables
    parameters: tuple[DraftParameter, ...]
    positive: tuple[Atom, ...]
    # atoms that must not; variables that are not parameters fit anything
    negative: tuple[Atom, ...]
    add: tuple[Atom, ...]  # atoms that hold afterwards, none of them in `positive`
    delete: tuple[Atom, ...]  # atoms that don't, all of them in `positive`
    effects: tuple[DraftEffect, ...]
    cost: Cost
    formulas: tuple[Formula, ...] = ()  # further conditions, over the parameters and objects

    @property
    def is_idle(self) -> bool:
        """Return True if it changes nothing, such as driving from here to here."""
        return not (self.add or self.delete or self.effects)

    def atoms(self) -> tuple[Atom, ...]:
        """List all its atoms, as often as they occur."""
        found = [*self.positive, *self.negative, *self.add, *self.delete]
        formulas = [*self.formulas]
        for effect in self.effects:
            found += (*effect.positive, *effect.negative, *effect.add, *effect.delete)
            formulas += effect.formulas
        inside = (part for formula in formulas for part in subformulas(formula))
        return (*found, *(part for part in inside if isinstance(part, Atom)))
