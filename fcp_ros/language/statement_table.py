# SPDX-License-Identifier: Apache-2.0
"""Atoms as English statements, by the phrases of the domain or the predicates' names.

Tasks of the domain are found in goals, and told by their name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.resolution import expand_kinds
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Term,
    Text,
    Variable,
    conjoin,
    list_conjuncts,
    rebuild,
)
from fcp_ros.domain.model import IS_A, SAME, Domain
from fcp_ros.domain.phrases import (
    ADDRESSEE,
    FlatPart,
    Phrase,
    PhraseSlot,
    PhraseWord,
    TaskTemplate,
    Variant,
    list_slots,
)
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.wording import join_words
from fcp_ros.language.meanings import make_task_meaning
from fcp_ros.language.nouns import add_article, quote_words, write_label


@dataclass(frozen=True, slots=True)
class TaskStatement:
    """A task as a statement."""

    name: str  # as which it stands in an atom; no predicate has it
    slots: tuple[str, ...]  # what its phrases say
    unsaid: Mapping[str, str]  # slots that they leave out, with their types
    phrases: tuple[Phrase, ...]
    parts: tuple[Expression, ...]  # the conjuncts of its goal, over the slots


def list_task_statements(domain: Domain) -> Iterator[TaskStatement]:
    """Yield each task with each of its goals, also as they are where no place is chosen."""
    guides = frozenset(name for name, one in domain.graded.items() if one.guides)
    for task in domain.words.tasks.values():
        for text in dict.fromkeys((task.goal, task.several or task.goal, task.left or task.goal)):
            goal = make_task_meaning(task.with_goal(text)).goal
            if goal is None:
                continue
            goal = expand_kinds(goal, domain.words.kinds)
            plain = _drop_atoms(goal, guides)
            for one in (goal,) if plain == goal else (goal, plain):
                yield _make_statement(task, one)


def _make_statement(task: TaskTemplate, goal: Expression) -> TaskStatement:
    unsaid = {s: t for s, t in task.parameters.items() if task.defaults.get(s) == ADDRESSEE}
    slots = tuple(slot for slot in task.parameters if slot not in unsaid)
    parts = tuple(list_conjuncts(goal))
    return TaskStatement(f"task {task.name}", slots, unsaid, task.phrases, parts)


def _drop_atoms(expression: Expression, names: frozenset[str]) -> Expression:
    """Leave atoms of some predicates out of the conjunctions of a condition."""
    if isinstance(expression, And):
        kept = [part for part in expression.parts if not _is_of(part, names)]
        return conjoin([_drop_atoms(part, names) for part in kept or expression.parts])
    return rebuild(expression, lambda part: _drop_atoms(part, names))


def _is_of(expression: Expression, names: frozenset[str]) -> bool:
    return isinstance(expression, Atom) and expression.predicate in names


class TaskFolder:
    """Puts tasks in the place of the conditions that they stand for.

    Args:
        statements: of the tasks that can be stated.
        instance: a slot that isn't said is clear where the state has one such element.
    """

    def __init__(self, statements: Sequence[TaskStatement], instance: Instance) -> None:
        types = instance.schema.types
        self._statements = [
            one
            for one in statements
            if all(t in types and len(instance.elements(t)) == 1 for t in one.unsaid.values())
        ]

    def fold(self, parts: Sequence[Expression]) -> list[Expression]:
        """Fold the conjuncts of a goal."""
        left = list(parts)
        for statement in self._statements:
            while len(left) >= len(statement.parts):
                match = next(_match_parts(statement.parts, left, {}), None)
                if match is None:
                    break
                used, bound = match
                atom = Atom(statement.name, tuple(bound[slot] for slot in statement.slots))
                left[min(used)] = atom
                left = [part for n, part in enumerate(left) if n == min(used) or n not in used]
        return [rebuild(part, self._fold_whole) for part in left]

    def _fold_whole(self, expression: Expression) -> Expression:
        return conjoin(self.fold(list(list_conjuncts(expression))))


_Bindings = dict[str, Term]


def _match_parts(
    wanted: Sequence[Expression], parts: Sequence[Expression], bound: _Bindings
) -> Iterator[tuple[frozenset[int], _Bindings]]:
    """Yield the parts, by number, that conjuncts stand for, with what stands in the slots."""
    if not wanted:
        yield frozenset(), bound
        return
    for number, part in enumerate(parts):
        mine = _match(wanted[0], part, bound, {})
        if mine is None:
            continue
        for used, all_bound in _match_parts(wanted[1:], parts, mine):
            if number not in used:
                yield used | {number}, all_bound


def _match(
    wanted: Expression, given: Expression, bound: _Bindings, names: Mapping[str, str]
) -> _Bindings | None:
    """Match a condition over slots with another one; None if it is another condition.

    Args:
        names: bound variables of the first -> those of the other.
    """
    if isinstance(wanted, Atom) and isinstance(given, Atom):
        return _match_atom(wanted, given, bound, names)
    if type(wanted) is not type(given):
        return None
    if isinstance(wanted, (And, Or)) and isinstance(given, (And, Or)):
        inner, others = _list_parts(wanted), _list_parts(given)
        if len(inner) != len(others):
            return None
        for one, other in zip(inner, others, strict=True):
            matched = _match(one, other, bound, names)
            if matched is None:
                return None
            bound = matched
        return bound
    if isinstance(wanted, (Not, Initially)) and isinstance(given, (Not, Initially)):
        return _match(wanted.body, given.body, bound, names)
    if isinstance(wanted, (Exists, Forall)) and isinstance(given, (Exists, Forall)):
        if [v.type for v in wanted.variables] != [v.type for v in given.variables]:
            return None
        pairs = zip(wanted.variables, given.variables, strict=True)
        inner_names = {**names, **{one.name: other.name for one, other in pairs}}
        return _match(wanted.body, given.body, bound, inner_names)
    return bound if wanted == given else None


def _list_parts(expression: And | Or) -> Sequence[Expression]:
    return list(list_conjuncts(expression)) if isinstance(expression, And) else expression.parts


def _match_atom(
    wanted: Atom, given: Atom, bound: _Bindings, names: Mapping[str, str]
) -> _Bindings | None:
    if wanted.predicate != given.predicate or len(wanted.arguments) != len(given.arguments):
        return None
    found = dict(bound)
    for one, other in zip(wanted.arguments, given.arguments, strict=True):
        if isinstance(one, Variable) and one.name in names:
            if other != Variable(names[one.name]):
                return None
        elif isinstance(one, Variable):
            inner = isinstance(other, Variable) and other.name in names.values()
            if inner or found.setdefault(one.name, other) != other:
                return None
        elif one != other:
            return None
    return found


_BE = frozenset(["is", "are"])
_PREPOSITIONS = frozenset(
    [
        *("in", "on", "at", "to", "of", "from", "by", "with", "for", "near", "under", "over"),
        *("above", "below", "inside", "into", "onto", "behind", "beside", "between", "against"),
    ]
)
_EVERYTHING = PhraseWord("everything")  # of a task without slots: "everything is tidy"
_FIRST_WORDS = frozenset(["is", "are", "has"])


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement: subject, verb, and the rest."""

    subject: str
    verb: str  # as after "it": "is", "has", "belongs", "can"
    rest: str  # what follows the verb; may be empty
    plural: bool = False
    negated: bool = False
    past: bool = False  # it is said of the initial state

    @property
    def predicate(self) -> tuple[str, str, bool, bool]:
        """Everything but the subject."""
        return self.verb, self.rest, self.negated, self.past

    def write(self) -> str:
        """Write the statement."""
        return f"{self.subject} {self.write_predicate()}"

    def write_predicate(self) -> str:
        """Write the statement without its subject."""
        return f"{_conjugate(self)} {self.rest}".rstrip()


def _conjugate(clause: Clause) -> str:
    verb, plural, negated = clause.verb, clause.plural, clause.negated
    if verb in _BE:
        if clause.past:
            form = "were" if plural else "was"
            return f"{form} {'not ' if negated else ''}initially"
        form = "are" if plural else "is"
        return f"{form} not" if negated else form
    base = "have" if verb == "has" else _strip_ending(verb)
    if clause.past:
        # "initially stands" would be the wrong tense; "did" saves the past forms of all verbs.
        return f"initially did {'not ' if negated else ''}{base}"
    if verb == "can":
        return "cannot" if negated else "can"
    if negated:
        return f"{'do' if plural else 'does'} not {base}"
    return base if plural else verb


def _strip_ending(verb: str) -> str:
    if verb.endswith(("ches", "shes", "sses", "oes", "xes")):
        return verb[:-2]
    if verb.endswith("s") and not verb.endswith("ss"):
        return verb[:-1]
    return verb


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A statement about parameters: that of the subject, a verb, words and parameters."""

    subject: str  # "" where it has none: `opening` stands there
    verb: str
    rest: Variant
    negated: bool = False
    opening: str = ""  # "everything (is tidy)"


class StatementTable:
    """The best statement for each predicate of a domain, for its absence, and for each task.

    Attributes:
        tasks: those that have a statement.
    """

    def __init__(self, domain: Domain) -> None:
        self._vocabulary = Vocabulary.of(domain)
        self._words = domain.words
        self.tasks = tuple(
            one
            for one in list_task_statements(domain)
            if _choose_pattern(one.phrases, {*one.slots}) is not None
        )
        self._tasks = {one.name: one for one in self.tasks}
        # A sentence needs a few of them, so each is chosen when it is first written.
        self._chosen: dict[tuple[str, bool], _Pattern | None] = {}

    def _find(self, predicate: str, absent: bool) -> _Pattern | None:
        """Find the statement of a predicate, or the one for its absence."""
        key = (predicate, absent)
        if key not in self._chosen:
            words = self._words
            phrases = words.negated.get(predicate, ()) if absent else ()
            if predicate in self._tasks:
                task = self._tasks[predicate]
                self._chosen[key] = _choose_pattern(task.phrases, {*task.slots})
                return self._chosen[key]
            if not absent:
                phrases = words.relations.get(predicate) or words.graded.get(predicate, ())
            signature = self._vocabulary.signature(predicate) or ()
            self._chosen[key] = _choose_pattern(phrases, {p.name for p in signature})
        return self._chosen[key]

    def write(
        self, atom: Atom, refer: Callable[[Term], str], *, negated: bool = False
    ) -> tuple[Clause, Term | None]:
        """Write an atom as a clause.

        Args:
            atom: a relation, graded predicate, `is_a` or `same`.
            refer: writes an argument in the sentence.
            negated: write that it does not hold.

        Returns:
            The clause, and the argument that is its subject, if one is.
        """
        if atom.predicate == IS_A and len(atom.arguments) == 2:
            element, label = atom.arguments
            said = label.value if isinstance(label, Text) else label.name
            return Clause(
                refer(element), "is", add_article(write_label(said)), False, negated
            ), element
        if atom.predicate == SAME and len(atom.arguments) == 2:
            first, second = atom.arguments
            return Clause(refer(first), "is", refer(second), False, negated), first
        task = self._tasks.get(atom.predicate)
        known = self._vocabulary.signature(atom.predicate) or ()
        parameters = [*task.slots] if task is not None else [p.name for p in known]
        if len(parameters) != len(atom.arguments):
            parameters = [str(i) for i in range(len(atom.arguments))]
        terms = dict(zip(parameters, atom.arguments, strict=True))
        pattern = self._find(atom.predicate, absent=False)
        opposite = self._find(atom.predicate, absent=True) if negated and task is None else None
        if opposite is not None:
            pattern, negated = opposite, False
        if pattern is None or (pattern.subject not in terms and not pattern.opening):
            pattern = _make_pattern(atom.predicate, parameters)
        rest = " ".join(_write_part(part, terms, refer) for part in pattern.rest)
        subject = terms.get(pattern.subject)
        if pattern.opening:
            return Clause(pattern.opening, pattern.verb, rest, False, negated), None
        if subject is None:
            clause = Clause(f"the relation {quote_words(atom.predicate)}", pattern.verb, rest)
            return replace(clause, negated=negated), atom.arguments[0]
        clause = Clause(refer(subject), pattern.verb, rest, False, negated != pattern.negated)
        return clause, subject


def _write_part(part: FlatPart, terms: dict[str, Term], refer: Callable[[Term], str]) -> str:
    return refer(terms[part.name]) if isinstance(part, PhraseSlot) else part.text


def _choose_pattern(phrases: Iterable[Phrase], parameters: set[str]) -> _Pattern | None:
    """Choose the first phrase that states all parameters, said in the shortest way with "is"."""
    for phrase in phrases:
        statements = [v for v in phrase.variants if _is_statement(v, parameters)]
        if statements:
            best = min(statements, key=lambda v: (_read_verb(v) != "is", len(v)))
            opening, verb = best[0], best[1]
            assert isinstance(verb, PhraseWord)
            negated = len(best) > 2 and best[2] == PhraseWord("not") and verb.text in _BE
            rest = best[3:] if negated else best[2:]
            if isinstance(opening, PhraseWord):
                return _Pattern("", verb.text, rest, negated, opening.text)
            return _Pattern(opening.name, verb.text, rest, negated)
    return None


def _is_statement(variant: Variant, parameters: set[str]) -> bool:
    verb = _read_verb(variant)
    known = verb in {*_BE, "can"} or (verb.endswith("s") and not verb.endswith("ss"))
    return known and set(list_slots(variant)) == parameters


def _read_verb(variant: Variant) -> str:
    """Return the word after a slot, or "everything", at the beginning; empty if there is none."""
    if len(variant) < 2 or not (isinstance(variant[0], PhraseSlot) or variant[0] == _EVERYTHING):
        return ""
    return variant[1].text if isinstance(variant[1], PhraseWord) else ""


def _make_pattern(predicate: str, parameters: list[str]) -> _Pattern:
    """Make a statement from the name of a predicate."""
    words = [word for word in predicate.lower().replace("-", "_").split("_") if word]
    slots = [PhraseSlot(name) for name in parameters]
    if not words or not slots or len(slots) > 2:
        listed = _list_slots(slots)
        return _Pattern("", "holds", (PhraseWord("for"), *listed))
    first, *more = words
    if first in _FIRST_WORDS and more:
        verb = "has" if first == "has" else "is"
        return _Pattern(parameters[0], verb, (*map(PhraseWord, more), *slots[1:]))
    if len(slots) == 1 or (words[-1] in _PREPOSITIONS and len(words) == 1):
        return _Pattern(parameters[0], "is", (*map(PhraseWord, words), *slots[1:]))
    if words[-1] in _PREPOSITIONS and first.endswith("s"):
        return _Pattern(parameters[0], first, (*map(PhraseWord, more), *slots[1:]))
    if first.endswith(("ing", "ed")) or words[-1] in _PREPOSITIONS:
        return _Pattern(parameters[0], "is", (*map(PhraseWord, words), *slots[1:]))
    listed = _list_slots(slots)
    return _Pattern("", "holds", (PhraseWord("for"), *listed))


def _list_slots(slots: list[PhraseSlot]) -> tuple[FlatPart, ...]:
    parts: list[FlatPart] = []
    for position, slot in enumerate(slots):
        parts += [PhraseWord("and")] if position else []
        parts.append(slot)
    return tuple(parts)


def join_clauses(clauses: list[Clause]) -> list[Clause]:
    """Join neighbours that say the same of different subjects: "a and b are on c"."""
    joined: list[list[Clause]] = []
    for clause in clauses:
        alike = joined and joined[-1][0].predicate == clause.predicate
        if alike and not clause.negated and not _is_negative(clause, joined[-1]):
            joined[-1].append(clause)
        else:
            joined.append([clause])
    return [
        some[0]
        if len(some) == 1
        else replace(some[0], subject=join_words([c.subject for c in some]), plural=True)
        for some in joined
    ]


def _is_negative(clause: Clause, others: list[Clause]) -> bool:
    quantified = ("no ", "every ", "all ", "there ")
    return any(one.subject.startswith(quantified) for one in (clause, *others))
