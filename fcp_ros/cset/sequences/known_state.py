# SPDX-License-Identifier: Apache-2.0
"""A state that is known only as far as rules have asked for it.

What a rule needs and the ones before it did not bring about must have been there at the start. So
what is known of the start grows with every rule that is applied.
"""

from fcp_ros.cset.instance.expressions import (
    Comparator,
    Comparison,
    Expression,
    Operation,
    Variable,
    variables_of,
)
from fcp_ros.cset.schema.schema import AttributeKind, Schema
from fcp_ros.cset.sequences.pattern_draft import Key, Legs, PatternDraft, Place
from fcp_ros.cset.sequences.run_names import RunNames


class CompositionError(ValueError):
    """Rules that cannot be composed in this way, or not exactly; the message says why."""


class KnownState:
    """What is known of a state at the start, and what has come of it.

    Attributes:
        schema: of the state.
        start: what must have been there.
        now: what has come of it; without attributes, which are in `written`, or as at the start.
        created: keys that are in `now` but not in `start`.
        deleted: keys that are in `start` but not in `now`.
        written: values that were assigned; None where they were unset.
        where: what the values at the start must satisfy.
        gone: names of elements that were there at some time and are no more, by keys.
        removed: tuples that were.
        kinds: of the attributes that the variables of the start stand for.
        names: for all that is new.
    """

    def __init__(self, schema: Schema) -> None:
        """Nothing is known."""
        self.schema = schema
        self.start = PatternDraft(schema)
        self.now = PatternDraft(schema)
        self.created: set[Key] = set()
        self.deleted: set[Key] = set()
        self.written: dict[Place, Expression | None] = {}
        self.where: list[Comparison] = []
        self.gone: dict[Key, str] = {}
        self.removed: set[tuple[str, Legs]] = set()
        self.kinds: dict[str, AttributeKind] = {}
        self.names = RunNames()

    # --- what must have been there

    def require_element(self, key: Key, type_: str, name: str) -> None:
        """Let there be an element of a type, at the start unless a step created it."""
        if key in self.gone:
            raise CompositionError(f"{self.gone[key]!r} is deleted by a step before")
        if key not in self.now.types:
            taken = self.names.element(name)
            for draft in (self.start, self.now):
                draft.types[key], draft.names[key] = type_, taken
            return
        known = self.now.types[key]
        if self.schema.is_subtype(known, type_):
            return
        shown = self.now.names[key]
        if key in self.created:
            raise CompositionError(f"{shown!r} is created as a {known!r}, but must be a {type_!r}")
        if not self.schema.is_subtype(type_, known):
            raise CompositionError(
                f"{shown!r} must be a {known!r} and a {type_!r}, of which none is a subtype of the "
                "other"
            )
        self.start.types[key] = self.now.types[key] = type_

    def require_function(self, function: str, key: Key, value: Key) -> None:
        """Let a function have a value."""
        known = self.now.functions.get((function, key))
        if known is None:
            if value in self.created:
                names = (self.now.names[key], self.now.names[value])
                raise CompositionError(
                    f"{function!r} of {names[0]!r}, which was there before, cannot be "
                    f"{names[1]!r}, which is created"
                )
            self.start.functions[function, key] = self.now.functions[function, key] = value
        elif known != value:
            found = (self.now.names[known], self.now.names[value])
            raise CompositionError(
                f"{function!r} of {self.now.names[key]!r} is {found[0]!r}, not {found[1]!r}; let "
                "the overlap identify them"
            )

    def require_tuple(self, relation: str, legs: Legs) -> Key:
        """Let there be a tuple; its key."""
        found = self.now.find(relation, legs)
        if found is not None:
            return found
        shown = self.shown(relation, legs)
        if (relation, legs) in self.removed:
            raise CompositionError(f"{shown} is removed by a step before")
        new = [self.now.names[leg] for leg in legs if leg in self.created]
        if new:
            raise CompositionError(
                f"{shown} is not there after the steps before, which create {', '.join(new)}: it "
                "could not have been there without (the pushout complement does not exist)"
            )
        key = self.names.key()
        self.start.tuples[key] = self.now.tuples[key] = (relation, legs)
        return key

    def require_value(
        self, place: Place, wanted: Expression, values: dict[str, Expression]
    ) -> None:
        """Let an attribute be set, and equal to what a pattern asks for.

        Args:
            place: the attribute.
            wanted: a value, or a variable of the pattern.
            values: what the pattern's variables stand for; a new one is added.
        """
        bound = values.get(wanted.name) if isinstance(wanted, Variable) else wanted
        known = self.value(place)
        if known is None:
            if not self.is_open(place):
                raise CompositionError(
                    f"{self.shown_place(place)} is not set after the steps before"
                )
            writable = bound is not None and not isinstance(bound, Operation)
            known = bound if writable else self._new_variable(place, wanted)
            assert known is not None
            self.start.values[place] = known
        if bound is not None:
            self.equate(place, known, bound)
        elif isinstance(wanted, Variable):
            values[wanted.name] = known

    def _new_variable(self, place: Place, wanted: Expression) -> Variable:
        wish = wanted.name if isinstance(wanted, Variable) else place[1]
        variable = Variable(self.names.variable(wish))
        self.kinds[variable.name] = self.kind(place)
        return variable

    def equate(self, place: Place, known: Expression, wanted: Expression) -> None:
        """Let two values of an attribute be equal."""
        if known == wanted:
            return
        if not variables_of(known) and not variables_of(wanted):
            what = self.shown_place(place)
            raise CompositionError(f"{what} is {known!r} after the steps before, not {wanted!r}")
        self.where.append(Comparison(known, Comparator.EQUAL, wanted))

    # --- what is known

    def value(self, place: Place) -> Expression | None:
        """The value of an attribute now; None where it is not set, or not known."""
        if place in self.written:
            return self.written[place]
        return self.start.values.get(place)

    def is_open(self, place: Place) -> bool:
        """Whether nothing is known of an attribute: it may be set, or not."""
        settled = place in self.written or place in self.start.values
        return not settled and place[0] not in self.created

    def shown(self, relation: str, legs: Legs) -> str:
        """A tuple, for messages."""
        names = {**self.start.names, **self.gone, **self.now.names}
        return f"{relation}({', '.join(names[leg] for leg in legs)})"

    def shown_place(self, place: Place) -> str:
        """An attribute, for messages."""
        key, attribute = place
        if key in self.now.tuples:
            return f"{attribute!r} of {self.shown(*self.now.tuples[key])}"
        return f"{attribute!r} of {self.now.names[key]!r}"

    def kind(self, place: Place) -> AttributeKind:
        """The kind of an attribute."""
        key, attribute = place
        type_ = self.now.types.get(key) or self.now.tuples[key][0]
        return self.schema.attribute(type_, attribute).kind
