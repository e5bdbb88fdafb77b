# SPDX-License-Identifier: Apache-2.0
"""Clauses that depend on what is asked for: conditions, times, order, what must not happen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fcp_ros.language.learned_reader.clause_roles import Subordinate, Subordination, list_negations
from fcp_ros.language.learned_reader.cores import CoreReader
from fcp_ros.language.learned_reader.marks import Mark, MarkKind
from fcp_ros.language.learned_reader.nucleus import list_uses
from fcp_ros.language.learned_reader.sentence_draft import SentenceDraft
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.parsing.trees import (
    Act,
    Link,
    Predication,
    Proviso,
    ProvisoKind,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole
from fcp_ros.language.syntax.clauses import ParsedClause

_REASON = 0.9
_PROVISOS = {
    Subordination.UNTIL: ProvisoKind.UNTIL,
    Subordination.BEFORE: ProvisoKind.UNTIL,
    Subordination.WHILE: ProvisoKind.WHILE,
    Subordination.WHENEVER: ProvisoKind.WHENEVER,
}
_CONDITIONS = (Subordination.IF, Subordination.UNLESS)
_STEPS = (Subordination.WHEN, Subordination.AFTER, Subordination.BEFORE)


class DependentReader:
    """A reader of the clauses below those that ask for something."""

    def __init__(self, draft: SentenceDraft, cores: CoreReader, marks: Sequence[Mark]) -> None:
        self._draft = draft
        self._cores = cores
        self._marks = marks

    def read_ahead(self, below: Sequence[Subordinate]) -> list[Proviso]:
        """Read what stands before the clause that it depends on; return its provisos."""
        draft, provisos = self._draft, list[Proviso]()
        following = Link.AND
        for one in below:
            if not one.ahead:
                continue
            if one.relation in _CONDITIONS:
                draft.condition = (*draft.condition, *self._read_condition(one))
                self._cores.has_said = self._cores.has_said or bool(draft.condition)
            elif one.relation in _STEPS:
                for clause in self._read_step(one):
                    draft.add(clause)
                    following = Link.EARLIER if one.relation is Subordination.BEFORE else Link.THEN
            elif one.relation in _PROVISOS:
                provisos += self._read_proviso(one)
        if following is not Link.AND:
            draft.link = following
        return provisos

    def apply_behind(self, below: Sequence[Subordinate], first: int) -> None:
        """Change the clauses from one on by what depends on them and wasn't read ahead."""
        for one in below:
            if one.ahead and one.relation not in (Subordination.WITHOUT, Subordination.REASON):
                continue
            self._apply(one, first)

    def wait(self, parsed: ParsedClause, below: Sequence[Subordinate]) -> bool:
        """Read "wait until | the door is closed"; False if nothing is waited for."""
        found = False
        for one in below:
            if one.relation not in (Subordination.UNTIL, Subordination.WHEN):
                continue
            verb = list_uses([parsed.tree.words[parsed.verb]], WordRole.ORDER, "")
            for clause in self._read_step(one):
                self._draft.add(replace(clause, awaited=True, uses=(*clause.uses, *verb)))
                self._draft.link, found = Link.THEN, True
        return found

    def find_wish(self, one: Subordinate) -> Mark | None:
        """Find the wish of "preferably | without entering the hall"."""
        starts = {word.token for word in one.words}
        return next((m for m in self._marks if m.kind is MarkKind.WISH and m.end in starts), None)

    def _apply(self, one: Subordinate, first: int) -> None:
        draft = self._draft
        main = draft.clauses[first]
        if one.relation in _CONDITIONS:
            condition = draft.last_condition = self._read_condition(one)
            draft.clauses[first:] = [
                replace(c, condition=(*c.condition, *condition)) for c in draft.clauses[first:]
            ]
        elif one.relation is Subordination.WITHOUT:
            self._forbid(one)
        elif one.relation is Subordination.REASON:
            tree = one.parsed.tree
            words = (*(tree.words[p] for p in tree.list_subtree(one.parsed.verb)), *one.words)
            draft.uses += list_uses(words, WordRole.FILLER, ASIDE)
            draft.degree *= _REASON
        elif one.relation in _PROVISOS and _may_have_proviso(main, one.relation):
            provisos = tuple(self._read_proviso(one))
            draft.clauses[first:] = [
                replace(c, provisos=(*c.provisos, *provisos)) for c in draft.clauses[first:]
            ]
        elif one.relation is Subordination.WHILE and _is_participle(one.parsed):
            for clause in self._read_step(one):  # "while holding the mug": both at once
                draft.add(clause)
        elif one.relation in _STEPS:
            link = Link.THEN if one.relation is Subordination.BEFORE else Link.EARLIER
            for clause in self._read_step(one):
                draft.link = link
                draft.add(clause)

    def _forbid(self, one: Subordinate) -> None:
        """Read "without | opening the fridge"."""
        wish = self.find_wish(one)
        for clause in self._read_step(one):
            uses = clause.uses if wish is None else (*clause.uses, wish.use)
            # What is not to happen is banned throughout, not only at the end.
            act = Act.ACHIEVE if clause.act is Act.STATE else clause.act
            wished = wish is not None
            never = replace(clause, act=act, negated=True, preferred=wished, uses=uses)
            self._draft.add(never)

    def _read_condition(self, one: Subordinate) -> tuple[Predication, ...]:
        """Read "if | the door is open" as what was so initially."""
        negations = list(list_negations(one.parsed.tree, one.parsed))
        uses = list_uses(one.words, WordRole.LIMIT, "if initially")
        uses = (*uses, *list_uses(negations, WordRole.LIMIT, "not"))
        odd = (len(negations) + (one.relation is Subordination.UNLESS)) % 2 == 1
        found: list[Predication] = []
        for clause in self._cores.read_state(one.parsed):
            for said in clause.predications:
                own = (*said.uses, *clause.uses, *uses)
                negated = said.negated != (odd != clause.negated)
                found.append(replace(said, negated=negated, uses=own))
                uses = ()
            self._draft.degree *= clause.degree
        return tuple(found)

    def _read_step(self, one: Subordinate) -> list[SpokenClause]:
        """Read what is done or so earlier or later."""
        negations = [
            word
            for word in one.parsed.tree.list_children(one.parsed.verb, "neg")
            if word not in one.words  # "not before | it is there"
        ]
        uses = list_uses(one.words, WordRole.ORDER, one.relation.value)
        uses = (*uses, *list_uses(negations, WordRole.LIMIT, "not"))
        found = []
        for clause in self._cores.read_step(one.parsed):
            awaited = one.relation is Subordination.WHEN and clause.act in (Act.STATE, Act.KEEP)
            negated = clause.negated != (len(negations) % 2 == 1)
            found.append(
                replace(clause, awaited=awaited, negated=negated, uses=(*clause.uses, *uses))
            )
            uses = ()
        return found

    def _read_proviso(self, one: Subordinate) -> Iterator[Proviso]:
        for clause in self._read_step(one):
            self._draft.degree *= clause.degree
            state = replace(clause, awaited=False)
            yield Proviso(_PROVISOS[one.relation], state, ahead=one.ahead)


def add_provisos(clause: SpokenClause, provisos: Sequence[Proviso]) -> SpokenClause:
    """Put a clause under what was said ahead, if it is about all times."""
    if not provisos:
        return clause
    whenever = provisos[0].kind is ProvisoKind.WHENEVER
    if not (clause.negated or whenever or clause.act in (Act.KEEP, Act.STATE)):
        return clause
    return replace(clause, provisos=(*clause.provisos, *provisos))


def _may_have_proviso(main: SpokenClause, relation: Subordination) -> bool:
    return (
        relation is Subordination.WHENEVER
        or main.negated
        or main.act is Act.KEEP
        or (main.act is Act.STATE and relation is Subordination.WHILE)
    )


def _is_participle(parsed: ParsedClause) -> bool:
    return parsed.subject is None and parsed.tree.words[parsed.verb].tag == "VBG"
