# SPDX-License-Identifier: Apache-2.0
"""Atoms as English statements, through the phrases of the domain or else the predicates' names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.syntax import Atom, Term, Text
from fcp_ros.domain.model import IS_A, SAME, Domain
from fcp_ros.domain.phrases import FlatPart, Phrase, PhraseSlot, PhraseWord, Variant, list_slots
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.wording import join_words
from fcp_ros.language.nouns import add_article, quote_words, write_label
from fcp_ros.language.task_statements import list_task_statements

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
