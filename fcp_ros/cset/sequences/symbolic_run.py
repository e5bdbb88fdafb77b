# SPDX-License-Identifier: Apache-2.0
"""Running rules one after the other on a state that is known only as far as they ask for it.

So a run finds, step by step, the least state at which all its rules can be applied, and what they
make of it: the left and the right side of the E-concurrent rule (Ehrig, Ehrig, Prange, Taentzer,
*Fundamentals of Algebraic Graph Transformation*, 2006, definition 5.21, with E the state between
two steps). Values of attributes are expressions over the variables of the start.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.cset.instance.expressions import (
    Comparator,
    Comparison,
    Expression,
    Operation,
    Operator,
    Variable,
)
from fcp_ros.cset.limits.unification import substitute
from fcp_ros.cset.rewriting.rule import Rule
from fcp_ros.cset.schema.schema import AttributeKind, Schema
from fcp_ros.cset.sequences.known_state import CompositionError, KnownState
from fcp_ros.cset.sequences.pattern_draft import Key, Legs, PatternDraft, Place


@dataclass(frozen=True)
class RunStep:
    """One rule of a run, and what was known right before it.

    Attributes:
        rule: the rule.
        match: the key of each element and tuple of its left side.
        comatch: the key of each element and tuple of its right side.
        values: what its variables stand for.
        before: the state before it, without what later steps turn out to need.
        created: keys in that state that were not there at the start.
        deleted: keys of the start that are not in that state.
        removed: tuples that were removed until then, whether they were there at the start or not.
        written: values that were assigned until then; None where they were unset.
    """

    rule: Rule
    match: Mapping[int, Key]
    comatch: Mapping[int, Key]
    values: Mapping[str, Expression]
    before: PatternDraft
    created: frozenset[Key]
    deleted: frozenset[Key]
    removed: frozenset[tuple[str, Legs]]
    written: Mapping[Place, Expression | None]


class SymbolicRun:
    """A run so far.

    Attributes:
        known: the state.
        steps: the rules that were applied.
        passing: tuples that a step added and a later one removed, or that must be new for their
            attributes' sake; the state that they are added to must not have had them.
    """

    def __init__(self, schema: Schema) -> None:
        """Start from a state that nothing is known of."""
        self.known = KnownState(schema)
        self.steps: list[RunStep] = []
        self.passing: list[tuple[str, Legs]] = []

    def apply(self, rule: Rule, elements: Mapping[int, Key]) -> RunStep:
        """Apply a rule where its left side's elements have these keys.

        Keys that the run does not know are elements that it has not met.

        Raises:
            CompositionError: it cannot be applied there; the message says why.
        """
        match = self._require(rule, elements)
        values: dict[str, Expression] = {}
        for id_, key in match.items():
            for attribute, wanted in rule.L.attributes(id_).items():
                self.known.require_value((key, attribute), wanted, values)
        self.known.where.extend(substituted(comparison, values) for comparison in rule.where)
        known = self.known
        moment = (
            known.now.copy(),
            frozenset(known.created),
            frozenset(known.deleted),
            frozenset(known.removed),
            dict(known.written),
        )
        self._forget(rule, match)
        self._delete(rule, match)
        comatch = self._create(rule, match)
        self._assign(rule, comatch, values)
        step = RunStep(rule, match, comatch, values, *moment)
        self.steps.append(step)
        return step

    def _require(self, rule: Rule, elements: Mapping[int, Key]) -> dict[int, Key]:
        left = rule.L
        match = dict(elements)
        for element in left.all_elements():
            self.known.require_element(match[element], left.type_of(element), left.name_of(element))
        for function in self.known.schema.functions:
            for element, value in left.function_table(function.name).values.items():
                self.known.require_function(function.name, match[element], match[value])
        for relation in self.known.schema.relations:
            for row, legs in left.tuples(relation.name).items():
                images = tuple([match[leg] for leg in legs])
                match[row] = self.known.require_tuple(relation.name, images)
        return match

    def _forget(self, rule: Rule, match: Mapping[int, Key]) -> None:
        for id_, original in rule.left.mapping.items():
            for attribute in rule.L.attributes(original).keys() - rule.K.attributes(id_).keys():
                self._lose((match[original], attribute))
                self.known.written[match[original], attribute] = None

    def _lose(self, place: Place) -> None:
        """Forget a value that some step assigned; that step must have been able to."""
        value = self.known.written.get(place)
        if isinstance(value, Operation):
            if self.known.kind(place) is AttributeKind.INT and self._may_be_fraction(value):
                raise CompositionError(
                    f"{self.known.shown_place(place)} is assigned {value}, which may be no whole "
                    "number, and then lost: a composite rule cannot say that it must be one"
                )
            self.known.where.append(Comparison(value, Comparator.EQUAL, value))

    def _may_be_fraction(self, value: Expression) -> bool:
        if isinstance(value, Operation):
            divides = value.operator is Operator.DIVIDE
            return divides or any(map(self._may_be_fraction, value.arguments))
        if isinstance(value, Variable):
            return self.known.kinds.get(value.name) is not AttributeKind.INT
        return not isinstance(value, int)

    def _delete(self, rule: Rule, match: Mapping[int, Key]) -> None:
        lost = {match[id_] for id_ in rule.deleted}
        kept = {key for id_, key in match.items() if id_ not in rule.deleted}
        if len(lost) < len(rule.deleted) or lost & kept:
            raise CompositionError("what is deleted is identified with something else")
        gone = lost - self._brought_back(rule, match)
        for key in gone:
            if key in self.known.now.types:
                self._check_dangling(key, lost)
        for key in sorted(gone, key=lambda key: key in self.known.now.types):
            for place in [place for place in self.known.written if place[0] == key]:
                self._lose(place)
                del self.known.written[place]
            self._note_removal(key)
            self.known.now.remove(key)

    def _brought_back(self, rule: Rule, match: Mapping[int, Key]) -> set[Key]:
        """The tuples that the rule removes and adds again, so that nothing is lost."""
        elements = {image: match[rule.left.mapping[k]] for k, image in rule.right.mapping.items()}
        schema, found = self.known.schema, set()
        for id_ in rule.created:
            relation = rule.R.type_of(id_)
            if schema.has_relation(relation) and not schema.attributes_of(relation):
                legs = tuple([elements.get(leg, -1) for leg in rule.R.tuples(relation)[id_]])
                key = self.known.now.find(relation, legs)
                if key is not None:
                    found.add(key)
        return found

    def _note_removal(self, key: Key) -> None:
        known = self.known
        if key in known.now.types:
            known.gone[key] = known.now.names[key]
        else:
            known.removed.add(known.now.tuples[key])
            if key in known.created:
                self.passing.append(known.now.tuples[key])
        if key in known.created:
            known.created.discard(key)
        else:
            known.deleted.add(key)

    def _check_dangling(self, key: Key, lost: set[Key]) -> None:
        now = self.known.now
        for row, (relation, legs) in now.tuples.items():
            if key in legs and row not in lost:
                shown = self.known.shown(relation, legs)
                raise CompositionError(
                    f"{shown} stays, but its {now.names[key]!r} is deleted (dangling)"
                )
        for (function, element), value in now.functions.items():
            if value == key and element not in lost:
                names = (now.names[element], now.names[key])
                raise CompositionError(
                    f"{names[0]!r} stays, but its {function!r} {names[1]!r} is deleted (dangling)"
                )

    def _create(self, rule: Rule, match: Mapping[int, Key]) -> dict[int, Key]:
        right = rule.R
        comatch = {image: match[rule.left.mapping[k]] for k, image in rule.right.mapping.items()}
        for element in right.all_elements():
            if element in rule.created:
                key = comatch[element] = self.known.names.key()
                self.known.now.types[key] = right.type_of(element)
                self.known.now.names[key] = self.known.names.element(right.name_of(element))
                self.known.created.add(key)
        for function in self.known.schema.functions:
            for element, value in right.function_table(function.name).values.items():
                self.known.now.functions[function.name, comatch[element]] = comatch[value]
        for relation in self.known.schema.relations:
            for row, legs in right.tuples(relation.name).items():
                if row in rule.created:
                    images = tuple([comatch[leg] for leg in legs])
                    comatch[row] = self._add_tuple(relation.name, images)
        return comatch

    def _add_tuple(self, relation: str, legs: Legs) -> Key:
        found = self.known.now.find(relation, legs)
        if found is not None:
            return found
        # A tuple that is removed and added again has lost its attributes; else it is as it was.
        has_attributes = bool(self.known.schema.attributes_of(relation))
        again = self.known.start.find(relation, legs)
        if again is not None and not has_attributes:
            self.known.deleted.discard(again)
            self.known.now.tuples[again] = (relation, legs)
            return again
        key = self.known.names.key()
        self.known.now.tuples[key] = (relation, legs)
        self.known.created.add(key)
        if has_attributes:
            self.passing.append((relation, legs))
        return key

    def _assign(
        self, rule: Rule, comatch: Mapping[int, Key], values: Mapping[str, Expression]
    ) -> None:
        kept = {
            (image, attribute)
            for k, image in rule.right.mapping.items()
            for attribute in rule.K.attributes(k)
        }
        assigned: dict[Place, Expression] = {}
        for id_, key in comatch.items():
            for attribute, expression in rule.R.attributes(id_).items():
                if (id_, attribute) not in kept:
                    place, value = (key, attribute), substitute(expression, values)
                    self.known.equate(place, assigned.setdefault(place, value), value)
        for place, value in assigned.items():
            self._lose(place)
            self.known.written[place] = value


def substituted(comparison: Comparison, values: Mapping[str, Expression]) -> Comparison:
    """A comparison with variables replaced."""
    return Comparison(
        substitute(comparison.left, values),
        comparison.comparator,
        substitute(comparison.right, values),
    )
