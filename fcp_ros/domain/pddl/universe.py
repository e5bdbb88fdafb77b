# SPDX-License-Identifier: Apache-2.0
"""The universe of a PDDL task: types, objects, and what can be said of facts without a state.

Columns are the objects that may ever be at each position of a predicate: delete relaxation, one
position at a time. A term is limited by the positions of all atoms that its action surely requires.
So the least fixed point over single positions contains all that is reachable, in time linear in the
size of the domain for each round (monadic relaxation; facts of several positions are not combined).
It says which parameters can be the same object where types don't: in files that declare everything
an `object`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from fcp_ros.cset.schema import closure, map_children
from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.syntax_tree import (
    ROOT,
    ActionEffect,
    Conjunction,
    DomainText,
    Formula,
    PddlAction,
    PddlTerm,
    ProblemText,
    Typed,
    is_below,
    list_ancestors,
    list_types,
    terms_of,
)

Column = tuple[str, int]
"""A predicate and a position."""
Objects = frozenset[str]


def find_columns(
    actions: Iterable[PddlAction],
    facts: Mapping[str, Iterable[tuple[str, ...]]],  # the initial facts by predicate
    # returns the objects that a variable may be by its types
    list_candidates: Callable[[Typed], Objects],
) -> dict[Column, Objects]:
    """Find the objects that may come to be at each position; none where a column is missing."""
    found: dict[Column, set[str]] = {}
    for predicate, tuples in facts.items():
        for row in tuples:
            for position, name in enumerate(row):
                found.setdefault((predicate, position), set()).add(name)
    readers: dict[Column, list[_Addition]] = {}
    waiting: deque[_Addition] = deque()
    for action in actions:
        for addition in _list_additions(action, list_candidates):
            waiting.append(addition)
            for column in addition.reads:
                readers.setdefault(column, []).append(addition)
    queued = set(waiting)
    while waiting:
        addition = waiting.popleft()
        queued.discard(addition)
        for column, objects in addition.find_new(found):
            found.setdefault(column, set()).update(objects)
            for reader in readers.get(column, ()):
                if reader not in queued:
                    queued.add(reader)
                    waiting.append(reader)
    return {column: frozenset(objects) for column, objects in found.items()}


def list_required(formula: Formula) -> Iterator[Atom]:
    if isinstance(formula, Atom):
        yield formula
    elif isinstance(formula, Conjunction):
        for part in formula.parts:
            yield from list_required(part)


@dataclass(frozen=True, eq=False, slots=True)
class _Addition:
    """The atoms that an effect of an action adds, and what limits their terms."""

    # term -> its objects by type, and the columns in which it is required
    limits: Mapping[Variable, tuple[Objects, tuple[Column, ...]]]
    # the columns that grow -> the term that is put there
    added: tuple[tuple[Column, PddlTerm], ...]

    @property
    def reads(self) -> set[Column]:
        """The columns that limit a term."""
        return {column for _, columns in self.limits.values() for column in columns}

    def find_new(self, found: Mapping[Column, set[str]]) -> list[tuple[Column, set[str]]]:
        """Find the objects that are new in a column, given what the columns have so far."""
        objects: dict[PddlTerm, set[str] | Objects] = {}
        for term, (typed, columns) in self.limits.items():
            # The smallest set first: the intersection takes time of its size.
            sets = sorted((typed, *(found.get(c, frozenset()) for c in columns)), key=len)
            objects[term] = left = sets[0].intersection(*sets[1:])
            if not left:
                return []
        new = []
        for column, argument in self.added:
            here = {argument.name} if isinstance(argument, Constant) else objects[argument]
            fresh = here - found.get(column, frozenset())
            if fresh:
                new.append((column, set(fresh)))
        return new


def _list_additions(
    action: PddlAction, list_candidates: Callable[[Typed], Objects]
) -> Iterator[_Addition]:
    required = tuple(list_required(action.precondition))
    for effect in action.effects:
        added = tuple(
            ((atom.predicate, position), term)
            for atom in effect.add
            for position, term in enumerate(terms_of(atom))
        )
        if not added:
            continue
        variables = (*action.parameters, *effect.variables)
        columns: dict[PddlTerm, list[Column]] = {Variable(v.name): [] for v in variables}
        # In the effect, its own variable hides a parameter of the same name.
        hidden = {Variable(v.name) for v in effect.variables}
        for atoms, outside in ((required, True), (list_required(effect.condition), False)):
            for atom in atoms:
                for position, term in enumerate(terms_of(atom)):
                    if term in columns and not (outside and term in hidden):
                        columns[term].append((atom.predicate, position))
        yield _Addition(
            {
                Variable(v.name): (list_candidates(v), tuple(columns[Variable(v.name)]))
                for v in variables
            },
            added,
        )


Positions = tuple[int, ...]


def list_derivations(domain: DomainText) -> tuple[PddlAction, ...]:
    """Write the axioms of each derived predicate as an action that adds all that follows."""
    effects: dict[str, list[ActionEffect]] = {}
    for axiom in domain.axioms:
        effect = ActionEffect(axiom.parameters, axiom.body, (axiom.head,))
        effects.setdefault(axiom.head.predicate, []).append(effect)
    return tuple(PddlAction(name, effects=tuple(found)) for name, found in effects.items())


class Universe:
    """Types with their objects, static facts, and the predicates that actions change."""

    def __init__(
        self, domain: DomainText, problem: ProblemText, keys: Mapping[str, Positions] | None = None
    ) -> None:
        """Index a domain and a problem that have been checked.

        `keys`: predicate -> positions whose values determine the fact: at most one holds at a time.
        """
        self.keys = dict(keys or {})
        self.domain = domain
        self.problem = problem
        self.parents = {
            type_: domain.types.get(type_, (ROOT,)) for type_ in list_types(domain.types)[1:]
        }
        self.changed = frozenset(
            atom.predicate
            for action in domain.actions
            for effect in action.effects
            for atom in (*effect.add, *effect.delete)
        )
        self.fluents = self.changed | domain.derived  # these and the derived ones
        self.type_of = {typed.name: typed.types[0] for typed in problem.objects}
        self._children = map_children(self.parents)
        self.subtypes = cache(self._subtypes)
        self.objects_of = cache(self._objects_of)
        self.is_key = cache(self._is_key)
        self.has_pattern = cache(self._has_pattern)

    # --- types

    def ancestors(self, type_: str) -> tuple[str, ...]:
        """Return the type and all above it, ROOT last."""
        return list_ancestors(type_, self.parents)

    def _subtypes(self, types: tuple[str, ...]) -> frozenset[str]:
        """The types and all below them."""
        return closure(types, self._children)

    def is_below(self, types: Iterable[str], others: Iterable[str]) -> bool:
        """Return True if each of `types` is one of `others`, or below one."""
        return is_below(types, others, self.parents)

    def _objects_of(self, types: tuple[str, ...]) -> frozenset[str]:
        below = self.subtypes(types)
        return frozenset(name for name, type_ in self.type_of.items() if type_ in below)

    # --- facts

    @cached_property
    def _columns(self) -> Mapping[Column, frozenset[str]]:
        actions = (*self.domain.actions, *list_derivations(self.domain))
        return find_columns(actions, self.problem.facts, self.candidates)

    def column(self, predicate: str, position: int) -> frozenset[str]:
        """Return the objects that may ever be at a position of the facts of a predicate."""
        return self._columns.get((predicate, position), frozenset())

    def is_static(self, predicate: str) -> bool:
        """Return True if no action changes the predicate, nor a fact that it follows from."""
        return predicate not in self.fluents

    def facts(self, predicate: str) -> frozenset[tuple[str, ...]]:
        return self.problem.facts.get(predicate, frozenset())

    def truth(self, atom: Atom) -> bool | None:
        """Decide a static atom without variables; None for any other atom."""
        if not self.is_static(atom.predicate):
            return None
        arguments = tuple(t.name for t in atom.arguments if isinstance(t, Constant))
        if len(arguments) < len(atom.arguments):
            return None
        return arguments in self.facts(atom.predicate)

    def _is_key(self, predicate: str, position: int) -> bool:
        """Return True if no two initial facts of a predicate share the object at a position."""
        count = Counter(arguments[position] for arguments in self.facts(predicate))
        return all(number < 2 for number in count.values())

    def _has_pattern(self, predicate: str, pattern: tuple[str, ...]) -> bool:
        """Return True if some initial fact has the same pattern of equal arguments."""
        shape = tuple(pattern.index(name) for name in pattern)
        return any(
            tuple(map(arguments.index, arguments)) == shape for arguments in self.facts(predicate)
        )

    def candidates(self, typed: Typed) -> frozenset[str]:
        """Return the objects of a variable's types."""
        return self.objects_of(typed.types)

    def meet(self, several: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the largest types that lie below one type of each alternative, sorted."""
        below = frozenset.intersection(*map(self.subtypes, several))
        # What is between two types that are below is below, too.
        return tuple(sorted(t for t in below if below.isdisjoint(self.parents.get(t, ()))))
