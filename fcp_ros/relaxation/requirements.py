# SPDX-License-Identifier: Apache-2.0
"""The requirements of a goal, and the choices for them: what may take their place."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain

from fcp_ros.cset import Instance, Schema
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.structure import (
    ACHIEVEMENTS,
    has_preferences,
    has_requirements,
    is_settled,
)
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    Weighted,
    atoms,
    conjoin,
    free_variables,
    list_conjuncts,
    list_variables,
    rebuild,
    rename_free,
    substitute,
    to_text,
    walk,
)
from fcp_ros.domain.model import BUILT_IN, IS_A, SAME, Domain
from fcp_ros.fuzzy import TNorm, tnorm_by_name
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.relaxation.acceptance import only_locates_agents


def merge_nested(expression: Expression, schema: Schema) -> Expression:
    """Make one `exists` of several, each of which says no more than a kind before the next one.

    Such as `exists ?x: can (exists ?b: bin (in(?x, ?b) and ..))`: each conjunct can then be given
    up by itself. The meaning stays.
    """
    if isinstance(expression, (And, Or, TrajectoryConstraint)):
        return rebuild(expression, lambda part: merge_nested(part, schema))
    if not isinstance(expression, Exists):
        return expression
    body = merge_nested(expression.body, schema)
    parts = tuple(list_conjuncts(body))
    inner = [part for part in parts if isinstance(part, Exists)]
    outside = [part for part in parts if not isinstance(part, Exists)]
    if len(inner) != 1 or not all(is_settled(part, schema) for part in outside):
        return replace(expression, body=body)
    said = {name for part in outside for name in list_names(part)}
    if any(variable.name in said for variable in inner[0].variables):
        return replace(expression, body=body)
    variables = (*expression.variables, *inner[0].variables)
    return Exists(variables, conjoin([*outside, *list_conjuncts(inner[0].body)]))


@dataclass(frozen=True)
class OpenedExists:
    """An `exists` whose conditions are relaxed one by one; `names`: its variables -> free ones."""

    original: Exists
    names: Mapping[str, str]

    @property
    def body(self) -> Expression:
        """The conditions about the free variables, with a kind for each that has no label."""
        parts = tuple(list_conjuncts(self.original.body))
        labelled = {p.arguments[0] for p in parts if isinstance(p, Atom) and p.predicate == IS_A}
        kinds = [
            Atom(IS_A, (Variable(self.names[v.name]), Text(v.type.replace("_", " "))))
            for v in self.original.variables
            if Variable(v.name) not in labelled
        ]
        return conjoin([*kinds, rename_free(conjoin(parts), self.names)])


def open_exists(part: Exists, taken: Iterable[str]) -> OpenedExists:
    """Choose free variables for those of an `exists`; `taken`: names that others have."""
    own = {variable.name for variable in part.variables}
    used = {*taken, *(set(list_names(part.body)) - own)}
    names: dict[str, str] = {}
    for variable in part.variables:
        numbered = (f"{variable.name}_{number}" for number in itertools.count(2))
        free = (name for name in itertools.chain([variable.name], numbered) if name not in used)
        names[variable.name] = next(free)
        used.add(names[variable.name])
    return OpenedExists(part, names)


def list_names(expression: Expression) -> Iterator[str]:
    """Yield the names of all variables, free or bound."""
    for part in walk(expression):
        if isinstance(part, Atom):
            yield from list_variables(part)
        elif isinstance(part, (Exists, Forall, Count)):
            yield from (variable.name for variable in part.variables)


# --- requirements and choices
#
# A requirement is a conjunct; conjuncts that speak of the same chosen element are one requirement,
# and each instance of a `forall` is one. Some are hard: negations, `never` and `always`, what is
# preferred anyway.


MOST_INSTANCES = 2_000
"""A `forall` over more bindings is one requirement, which is not relaxed."""


class Form(Enum):
    """The form of a requirement."""

    HARD = "hard"
    """Never relaxed."""
    PLAIN = "plain"
    """A condition on elements that the goal names."""
    SOME = "some"
    """A condition on elements that are chosen: free variables, or `exists`."""
    COUNT = "count"
    """`at least` or `exactly` so many elements."""


@dataclass(frozen=True)
class Requirement:
    """One requirement."""

    form: Form
    parts: tuple[Expression, ...]  # the conjuncts; of a count those of its body
    variables: tuple[TypedVariable, ...] = ()  # those that are chosen or counted over
    count: Count | None = None
    every: int = -1  # number of the `forall` of which it is an instance; -1 for none
    # of that instance, in the order of the variables of the `forall`
    elements: tuple[str, ...] = ()
    is_free: bool = False  # True if the goal has its variables without a quantifier
    # those of its free variables of which other requirements speak, too
    shared: frozenset[str] = frozenset()
    weight: float = 1.0  # in the whole goal, in [0, 1]
    # the conjuncts about chosen elements that actions can change
    units: tuple[Expression, ...] = ()

    @property
    def unit(self) -> float:
        """The weight of one element of a count, or of one conjunct about chosen elements."""
        number = len(self.units) if self.count is None else self.count.number
        return self.weight / max(1, number)

    @property
    def closed(self) -> Expression:
        """The requirement as one condition; only variables that are shared are free in it."""
        if self.count is not None:
            return self.count
        body = conjoin(self.parts)
        own = tuple(one for one in self.variables if one.name not in self.shared)
        return Exists(own, body) if own else body

    @property
    def wanted(self) -> Expression:
        return conjoin(self.parts) if self.is_free else self.closed

    @property
    def text(self) -> str:
        return to_text(self.wanted)


@dataclass(frozen=True, slots=True)
class GoalChange:
    """One change to a requirement."""

    kind: RelaxationKind
    original: str  # what was asked for: a label, a name, or a condition in the goal language
    replacement: str  # what takes its place, likewise; empty if it is given up
    degree: float
    because: str = ""  # a clause for the person who asked; may be empty
    weight: float = 1.0  # of what is changed in the whole goal, in [0, 1]

    @property
    def share(self) -> float:
        """The degree of the whole goal with this change alone, in [0, 1]."""
        return 1.0 - self.weight * (1.0 - self.degree)


@dataclass(frozen=True, slots=True)
class RequirementChoice:
    """One way to meet a requirement."""

    expression: Expression | None  # the condition; None for the requirement as it is wanted
    changes: tuple[GoalChange, ...] = ()
    degree: float = 1.0  # of the changes, composed, in [0, 1]
    uses: frozenset[str] = frozenset()  # the elements that take the place of others
    is_dropped: bool = False  # True if nothing is left of the requirement

    @property
    def is_split(self) -> bool:
        """True if the requirement holds on the way, and is left again in the end."""
        return any(change.kind is RelaxationKind.SPLIT for change in self.changes)


AS_WANTED = RequirementChoice(None)
"""The choice of changing nothing."""


def make_choice(
    expression: Expression, changes: Iterable[GoalChange], tnorm: TNorm, uses: Iterable[str] = ()
) -> RequirementChoice:
    changes = tuple(changes)
    degree = tnorm.compose_all(change.share for change in changes)
    is_dropped = any(change.kind is RelaxationKind.DROP for change in changes)
    return RequirementChoice(expression, changes, degree, frozenset(uses), is_dropped)


@dataclass(frozen=True)
class GoalRequirements:
    """A goal taken apart; `every`, `opened`: what some items are instances or parts of."""

    items: tuple[Requirement, ...]
    every: tuple[Forall, ...]
    opened: tuple[OpenedExists, ...]
    types: Mapping[str, str]

    def assemble(self, replaced: Mapping[int, Expression | None]) -> Expression:
        """Put the goal together again, with other expressions, or none, for some requirements."""
        parts: list[Expression] = []
        excepted: dict[int, list[tuple[str, ...]]] = {}
        done: set[int] = set()
        for number in replaced:
            item = self.items[number]
            if item.every >= 0:
                excepted.setdefault(item.every, []).append(item.elements)
        for number, item in enumerate(self.items):
            if item.every >= 0 and item.every not in done:
                done.add(item.every)
                parts.append(except_instances(self.every[item.every], excepted.get(item.every, ())))
            if number in replaced:
                other = replaced[number]
                parts += [] if other is None else [other]
            elif item.every < 0:
                parts.append(item.wanted)
        return conjoin(tuple(chain.from_iterable(map(list_conjuncts, parts))))


def list_requirements(
    goal: Expression, types: Mapping[str, str], instance: Instance, domain: Domain
) -> GoalRequirements:
    """Take a goal apart; `instance`: the initial state, of whose elements a `forall` speaks."""
    found: list[Requirement] = []
    every: list[Forall] = []
    opened: list[OpenedExists] = []
    free: list[Expression] = []
    types = dict(types)
    parts = list(list_conjuncts(merge_nested(goal, instance.schema)))
    for number, part in enumerate(parts):
        if free_variables(part):
            free.append(part)
        elif isinstance(part, Exists) and any(map(_stands_apart, list_conjuncts(part.body))):
            others = (
                name for n, one in enumerate(parts) if n != number for name in list_names(one)
            )
            one = open_exists(part, frozenset({*types, *others}))
            opened.append(one)
            types.update((one.names[v.name], v.type) for v in part.variables)
            free.extend(list_conjuncts(one.body))
        elif isinstance(part, Forall) and not has_requirements(part):
            instances = _list_instances(part, len(every), instance)
            if instances is None:
                found.append(Requirement(Form.HARD, (part,)))
            else:
                every.append(part)
                found.extend(instances)
        else:
            found.append(_classify(part))
    found.extend(_group(free, types))
    found = [_find_units(item, instance.schema) for item in found]
    sizes = [_count_parts(item, types, instance, domain) for item in found]
    weighed = tuple(_weigh_parts(found, sizes))
    return GoalRequirements(weighed, tuple(every), tuple(opened), types)


def _find_units(item: Requirement, schema: Schema) -> Requirement:
    if item.form is not Form.SOME:
        return item
    units = (part for part in item.parts if not is_settled(part, schema))
    return replace(item, units=tuple(part for part in units if not isinstance(part, Not)))


def _is_part(item: Requirement) -> bool:
    """Return True if a requirement has a weight: it is not hard, and says more than a kind."""
    speaks = (atom.predicate for part in item.parts for atom in atoms(part))
    return item.form is not Form.HARD and any(name not in BUILT_IN for name in speaks)


def _count_parts(
    item: Requirement, types: Mapping[str, str], instance: Instance, domain: Domain
) -> int:
    """Count the parts of a goal that a requirement is; what only says where an agent is goes along.

    Args:
        types: of the goal's free variables.
    """
    if not _is_part(item):
        return 0
    known = {**types, **{variable.name: variable.type for variable in item.variables}}
    return max(
        1, sum(not only_locates_agents(unit, known, instance, domain) for unit in item.units)
    )


def _weigh_parts(items: Sequence[Requirement], sizes: Sequence[int]) -> Iterator[Requirement]:
    """Give each requirement its weight: all parts of the goal weigh the same.

    A count is one part, a `forall`, whose instances share its weight, and each conjunct about
    elements that are chosen. What only says of which kind a shared element is weighs as much as
    the parts that speak of it.

    Args:
        sizes: the number of parts that each requirement is.
    """
    instances = Counter(item.every for item in items if item.every >= 0)
    alone = (size for size, item in zip(sizes, items, strict=True) if item.every < 0)
    whole = sum(alone) + len(instances)
    for size, item in zip(sizes, items, strict=True):
        weight = max(1, size if item.every < 0 else 1) / max(1, whole)
        if item.every >= 0:
            weight /= instances[item.every]
        elif not size and item.shared:
            weight *= sum(_is_part(one) and bool(one.shared & item.shared) for one in items)
        yield replace(item, weight=min(1.0, weight))


def _classify(part: Expression) -> Requirement:
    if isinstance(part, Count):
        hard = part.bound in (Bound.AT_MOST, Bound.MOST) or part.number == 0
        body = tuple(list_conjuncts(part.body))
        form = Form.HARD if hard else Form.COUNT
        return Requirement(form, body, part.variables, part)
    if isinstance(part, Exists):
        return Requirement(Form.SOME, tuple(list_conjuncts(part.body)), part.variables)
    achieves = isinstance(part, TrajectoryConstraint) and part.operator in ACHIEVEMENTS
    hard = isinstance(part, (Not, Weighted, Initially)) or has_preferences(part)
    hard = hard or (has_requirements(part) and not achieves)
    return Requirement(Form.HARD if hard else Form.PLAIN, (part,))


def _group(parts: Sequence[Expression], types: Mapping[str, str]) -> Iterator[Requirement]:
    """Yield a requirement for all conjuncts that share free variables."""
    groups: list[tuple[set[str], list[Expression]]] = []
    for part in parts:
        names, members = set(free_variables(part)), [part]
        for group in [group for group in groups if names & group[0]]:
            names |= group[0]
            members = [*group[1], *members]
            groups.remove(group)
        groups.append((names, members))
    for _, members in groups:
        apart = [_classify(part) for part in members if _stands_apart(part)]
        spoken = {name for one in apart for name in free_variables(one.closed)}
        yield from (replace(one, shared=frozenset(free_variables(one.closed))) for one in apart)
        plain = [part for part in members if not _stands_apart(part)]
        if not plain:
            continue
        used = {name for part in plain for name in free_variables(part)}
        variables = tuple(TypedVariable(name, types[name]) for name in types if name in used)
        hard = any(has_preferences(part) for part in plain)
        form = Form.HARD if hard else Form.SOME
        shared = frozenset(spoken & used)
        yield Requirement(form, tuple(plain), variables, is_free=True, shared=shared)


def _stands_apart(part: Expression) -> bool:
    """Return True if a conjunct with free variables chooses or counts elements of its own."""
    return isinstance(part, (Count, Exists)) and not has_preferences(part)


def _list_instances(every: Forall, number: int, instance: Instance) -> list[Requirement] | None:
    """List the instances of a `forall` that demand something; None if there are too many."""
    ranges = [tuple(map(instance.name_of, instance.elements(v.type))) for v in every.variables]
    found = []
    for count, elements in enumerate(itertools.product(*ranges)):
        if count == MOST_INSTANCES:
            return None
        names = (variable.name for variable in every.variables)
        terms = dict(zip(names, map(Constant, elements), strict=True))
        demanded = _simplify(substitute(every.body, terms), instance)
        # An element that a relation cannot hold of stays in the `forall`, which says so of it.
        if demanded is not None and _fits_legs(demanded, instance):
            one = _classify(demanded)
            found.append(replace(one, every=number, elements=elements))
    return found


def _fits_legs(condition: Expression, instance: Instance) -> bool:
    schema = instance.schema
    return all(
        schema.is_subtype(instance.type_of(instance.id_of(term.name)), type_)
        for atom in atoms(condition)
        if schema.has_relation(atom.predicate)
        for (_, type_), term in zip(
            schema.relation(atom.predicate).legs, atom.arguments, strict=True
        )
        if isinstance(term, Constant)
    )


def _simplify(condition: Expression, instance: Instance) -> Expression | None:
    """Evaluate the disjuncts that no action changes; None for a condition that is always true."""
    if not isinstance(condition, Or):
        return condition
    left = []
    for part in condition.parts:
        if not is_settled(part, instance.schema):
            left.append(part)
        elif evaluate(part, instance, lambda *_: None, tnorm_by_name("goedel")) >= 1.0:
            return None
    return left[0] if len(left) == 1 else Or(tuple(left)) if left else condition


def except_instances(every: Forall, elements: Sequence[tuple[str, ...]]) -> Expression:
    """Except some instances from a `forall`."""
    if not elements:
        return every
    excepted = []
    for instance in elements:
        pairs = zip(every.variables, instance, strict=True)
        same = [Atom(SAME, (Variable(v.name), Constant(element))) for v, element in pairs]
        excepted.append(conjoin(same))
    return replace(every, body=Or((*excepted, every.body)))
