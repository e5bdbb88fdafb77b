# SPDX-License-Identifier: Apache-2.0
"""Sesqui-pushout (SqPO) contexts: the final pullback complement of ``K -> L`` and the match.

Corradini, Heindel, Hermann, Koenig, *Sesqui-pushout rewriting* (2006). D has, over every element
of G outside the image of L, all ways of choosing a copy of what it refers to; over the image of an
element of L, its preimages in K (Dyckhoff, Tholen, *Exponentiable morphisms, partial products and
pullback complements*, 1987). Where the left leg is monic there is at most one copy, and D is the
state without everything that refers, directly or not, to something deleted.

Where it is not, cloning takes along everything that refers to a clone. The first copy of anything
is the original, with its id and name. D -> G keeps types, and D is final among those complements
that do.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.free_names import find_free_name
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.context import Context, Deletion, find_undermined
from fcp_ros.cset.rewriting.copies import Copies, copy_outside, find_equations, find_touched
from fcp_ros.cset.rewriting.dpo import check_identification, value_conflicts
from fcp_ros.cset.rewriting.fibres import Fibres
from fcp_ros.cset.rewriting.rule_plan import RulePlan

Legs = tuple[int, ...]


def make_sqpo_context(plan: RulePlan, match: Morphism, *, monic: bool) -> Context:
    """Make the final pullback complement at a natural match, or report why there is none.

    Args:
        plan: of a span.
        match: L -> G.
        monic: whether the match is.
    """
    if not plan.left_is_monic:
        return clone(plan, match)
    glue = {id_: match.mapping[original] for id_, original, _ in plan.glue}
    deletion = Deletion.of_match(plan, match)
    violations: list[Violation] = []
    if not monic:
        violations.extend(check_identification(plan, match, together=True))
        violations.extend(value_conflicts(plan, match.target, glue))
    if deletion.elements and not violations:
        violations.extend(find_undermined(match.target, glue, deletion))
    return Context(
        match.target,
        glue,
        list(deletion.elements),
        deletion.list_tuples(),
        [(attribute, glue[id_]) for attribute, id_ in plan.forgotten],
        violations=tuple(violations),
    )


def clone(plan: RulePlan, match: Morphism) -> Context:
    """Make the final pullback complement for a left leg that clones, or report the obstacles."""
    fibres = Fibres(plan, match)
    violations = fibres.violations()
    if violations:
        return Context(match.target, violations=tuple(violations))
    return _Cloning(plan, match, fibres).run()


class _Cloning:
    """The making of a context with clones, step by step."""

    def __init__(self, plan: RulePlan, match: Morphism, fibres: Fibres) -> None:
        self.plan = plan
        self.state = match.target
        self.fibres = fibres
        self.copies = Copies(match.target)
        self.glue: dict[int, int] = {}
        self.origins: dict[int, int] = {}

    def run(self) -> Context:
        deletion = self.copy_image()
        kept = {id_: self.find_original(copy) for id_, copy in self.glue.items()}
        touched = find_touched(self.plan, self.state, self.list_cloned())
        outside = [e for e in touched if e not in self.fibres.elements and e not in deletion]
        violations = [
            *find_undermined(self.state, kept, deletion),
            *self.fibres.find_value_conflicts(),
            *self.fibres.find_disagreements(self.glue),
            *self.find_undetermined(set(outside)),
        ]
        if not violations:
            self.set_image_functions()
            violations = copy_outside(self.state, self.copies, outside)
        if violations:
            return Context(self.state, violations=tuple(violations))
        return self.build(deletion, touched)

    def list_cloned(self) -> list[int]:
        """List the elements of the image of L that have several copies."""
        return [e for e, classes in self.fibres.elements.items() if len(classes) > 1]

    def find_original(self, copy: int) -> int:
        """Return the element of G below an element of D."""
        return self.copies.original.get(copy, copy)

    def copy_image(self) -> Deletion:
        """Copy elements of the image of L, once for each class of K over them; find deletions."""
        for image, classes in self.fibres.elements.items():
            for copy, class_ in zip(self.copies.make(image, len(classes)), classes, strict=True):
                self.glue.update(dict.fromkeys(class_, copy))
        deletion = Deletion(self.plan, self.state)
        rows = ((r, row) for row, (r, classes) in self.fibres.tuples.items() if not classes)
        deletion.add(list(self.copies.list_deleted()), rows)
        for element in deletion.elements:
            self.copies.make(element, 0)
        return deletion

    def find_undetermined(self, outside: set[int]) -> Iterator[Violation]:
        """Find functions that the rule does not know, and whose values are copied.

        This happens where an element is of a subtype with more functions than its type in the rule.
        """
        for image, classes in self.fibres.elements.items():
            known = {symbol for class_ in classes for symbol in self.fibres.values(class_)}
            for function in self.state.schema.functions_of(self.state.type_of(image)):
                value = self.state.apply(function.name, image)
                several = len(self.copies.of(value)) > 1 or value in outside
                if classes and function.name not in known and several:
                    names = (self.state.name_of(value), self.state.name_of(image))
                    text = (
                        f"the rule preserves {names[1]!r}, but its {function.name!r} {names[0]!r} "
                        "would be cloned: it cannot be told which copy it keeps"
                    )
                    yield Violation(ViolationKind.DANGLING, text, names, function.name)

    def set_image_functions(self) -> None:
        """Set the function values over the image of L, which are those of K."""
        for image, classes in self.fibres.elements.items():
            functions = self.state.schema.functions_of(self.state.type_of(image))
            for class_ in classes:
                known = self.fibres.values(class_)
                for function in functions:
                    if function.name in known:
                        value = self.glue[known[function.name]]
                    else:
                        value = self.state.apply(function.name, image)
                    self.copies.set(function.name, self.glue[class_[0]], value)

    # --- the result

    def build(self, deletion: Deletion, touched: Collection[int]) -> Context:
        """Build D from G."""
        builder = InstanceBuilder.of(self.state)
        for copy, original in self.copies.original.items():
            name = find_free_name(builder, self.state.name_of(original))
            made = builder.add(self.state.type_of(original), name, self.state.attributes(original))
            assert made == copy, "new ids follow those of the state"
            self.origins[copy] = original
        for (function, copy), value in self.copies.changed.items():
            builder.set_function(function, copy, value)
        for relation, row in deletion.list_tuples():
            builder.unrelate(relation, *self.state.tuples(relation)[row])
        ways = [*self.choose_image_tuples(), *self.choose_outside_tuples(deletion, touched)]
        for way in ways:
            if way.original not in way.legs:
                builder.unrelate(way.relation, *way.original)
        for way in ways:
            self.relate(builder, way)
        for element in self.copies.list_deleted():
            builder.remove(element)
        change = builder.change()
        context = builder.build(allow_conflicts=True)
        forgotten = [(attribute, self.glue[id_]) for attribute, id_ in self.plan.forgotten]
        return Context(
            context, self.glue, forgotten=forgotten, cloning=change, origins=self.origins
        )

    def choose_image_tuples(self) -> Iterator["_Ways"]:
        """Yield the tuples over the image of L, which are those of K."""
        for row, (relation, classes) in self.fibres.tuples.items():
            legs: dict[Legs, tuple[int, ...]] = {}
            for class_ in classes:
                values = self.fibres.values(class_).values()
                legs[tuple([self.glue[value] for value in values])] = class_
            if classes:
                yield _Ways(relation, row, self.state.tuples(relation)[row], legs)

    def choose_outside_tuples(
        self, deletion: Deletion, touched: Collection[int]
    ) -> Iterator["_Ways"]:
        """Yield the tuples that refer to something cloned, with all choices of copies."""
        rows: dict[int, str] = {}
        for element in touched:
            for relation, position, _ in self.plan.incidence(self.state.type_of(element)).legs:
                found = self.state.relation_table(relation).index(position).get(element, ())
                rows.update(dict.fromkeys(found, relation))
        for row, relation in rows.items():
            if row not in deletion and row not in self.fibres.tuples:
                original = self.state.tuples(relation)[row]
                declared = self.state.schema.relation(relation)
                refers = {leg: e for (leg, _), e in zip(declared.legs, original, strict=True)}
                ways = self.copies.list_choices(refers, find_equations(self.state.schema, relation))
                yield _Ways(relation, row, original, {tuple(way.values()): () for way in ways})

    def relate(self, builder: InstanceBuilder, way: "_Ways") -> None:
        """Add the tuples of D over one of G."""
        attributes = self.state.attributes(way.row)
        for legs, class_ in way.legs.items():
            row = way.row if legs == way.original else builder.relate(way.relation, *legs)
            self.glue.update(dict.fromkeys(class_, row))
            if row != way.row:
                self.origins[row] = way.row
                for attribute, value in attributes.items():
                    builder.set_attribute(row, attribute, value)


@dataclass(frozen=True)
class _Ways:
    """The tuples of D over one of G.

    Attributes:
        relation: of all of them.
        row: the tuple of G.
        original: its legs.
        legs: those of each tuple of D, with the class of K that it stands for, if any.
    """

    relation: str
    row: int
    original: Legs
    legs: Mapping[Legs, tuple[int, ...]]
