# SPDX-License-Identifier: Apache-2.0
"""The slow obvious meaning of ground steps with effects: states are sets of facts.

Every binding of every effect is tried on every element; nothing is indexed.
"""

import itertools

from fcp_ros.cset import Fact, facts
from fcp_ros.domain import Variable


class FactTwin:
    """Steps of a domain on sets of facts over the elements of a state."""

    def __init__(self, domain, instance):
        self.domain = domain
        self.instance = instance
        self.elements = {
            instance.name_of(e): instance.schema.ancestors(instance.type_of(e))
            for e in instance.all_elements()
            if instance.schema.has_type(instance.type_of(e))
        }

    def initial(self):
        return facts(self.instance)

    def bindings(self, parameters, *, monic):
        """Every way to bind parameters by their types."""
        kinds = [[n for n, above in self.elements.items() if p.type in above] for p in parameters]
        for names in itertools.product(*kinds):
            if not monic or len(set(names)) == len(names):
                yield dict(zip((p.name for p in parameters), names, strict=True))

    def holds(self, literal, state, binding):
        """Whether a literal holds; variables that are not bound are existential."""
        names = [t.name for t in literal.atom.arguments if isinstance(t, Variable)]
        found = any(
            fact.relation == literal.atom.predicate and self.fits(names, fact, binding)
            for fact in state
        )
        return found != literal.negated

    @staticmethod
    def fits(names, fact, binding):
        bound = dict(binding)
        return all(bound.setdefault(n, e) == e for n, e in zip(names, fact.arguments, strict=True))

    def after(self, rule, arguments, state):
        """The state after a step; None where it can't be done."""
        binding = dict(zip(rule.parameter_names, arguments, strict=True))
        if not all(self.holds(literal, state, binding) for literal in rule.when):
            return None
        add = {self.ground(a, binding) for a in rule.add}
        delete = {self.ground(a, binding) for a in rule.delete}
        for effect in rule.effects:
            for extra in self.bindings(effect.variables, monic=False):
                whole = {**binding, **extra}
                if all(self.holds(literal, state, whole) for literal in effect.when):
                    add |= {self.ground(a, whole) for a in effect.add}
                    delete |= {self.ground(a, whole) for a in effect.delete}
        result = frozenset(state - delete | add)
        return None if self.conflicts(result) - self.conflicts(state) else result

    @staticmethod
    def ground(atom, binding):
        return Fact(atom.predicate, tuple(binding[t.name] for t in atom.arguments))

    def conflicts(self, state):
        """Pairs of facts that share a functional leg."""
        found = set()
        for one, other in itertools.combinations(sorted(state), 2):
            if one.relation == other.relation:
                relation = self.domain.schema.relation(one.relation)
                for position, (leg, _) in enumerate(relation.legs):
                    same = one.arguments[position] == other.arguments[position]
                    if same and leg in relation.functional:
                        found.add((one, other))
        return found

    def breaks(self, before, after):
        """Whether a constraint's pattern newly holds."""
        for constraint in self.domain.constraints:
            for binding in self.bindings(constraint.variables, monic=True):
                pattern = {self.ground(atom, binding) for atom in constraint.never}
                if pattern <= after and not pattern <= before:
                    return True
        return False
