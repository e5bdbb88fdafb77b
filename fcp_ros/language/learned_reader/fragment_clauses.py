# SPDX-License-Identifier: Apache-2.0
"""Clauses that fragments stand for: the one before again, about something else or without it."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.learned_reader.fragments import Fragment, FragmentKind
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.repetition import drop_uses, list_names
from fcp_ros.language.learned_reader.sentence_draft import SentenceDraft
from fcp_ros.language.parsing.trees import (
    THEME,
    Act,
    Argument,
    Coordination,
    Determiner,
    Link,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
)
from fcp_ros.language.parsing.word_uses import collect_phrase_uses

_ALL = (Determiner.ALL, Determiner.EACH, Determiner.REST)
_LINKS = {FragmentKind.THEN: Link.THEN, FragmentKind.EARLIER: Link.EARLIER}


class FragmentWriter:
    """A writer of the clauses of one instruction that leave out their verb."""

    def __init__(self, draft: SentenceDraft, phrases: LearnedPhrases) -> None:
        self._draft = draft
        self._phrases = phrases

    def write(self, fragment: Fragment) -> None:
        """Add what a fragment says; without a clause before it, its words stay unread."""
        place = self._find_clause()
        if place is None:
            return
        clause = self._draft.clauses[place]
        if fragment.kind is FragmentKind.WISH and not fragment.joined:
            if _is_elsewhere(clause.predications[0], fragment):
                return  # "on the table, ideally in the fridge": which of them is demanded?
            clause = self._draft.clauses[place] = self._allow(clause, fragment)
        left = fragment.kind is FragmentKind.LEFT_OUT
        if left or fragment.kind is FragmentKind.NOT:
            shorter = self._leave_out(clause, fragment)
            if shorter is not None:
                self._draft.clauses[place] = shorter
                return
        if fragment.kind is FragmentKind.INSTEAD:
            uses = (*clause.uses, *fragment.uses, *collect_phrase_uses(fragment.phrase))
            self._draft.clauses[place] = replace(clause, uses=uses)
        elif not left:
            self._repeat(clause, fragment)

    def _find_clause(self) -> int | None:
        """Find the last clause that asks for something."""
        clauses = self._draft.clauses
        for place in reversed(range(len(clauses))):
            clause = clauses[place]
            if clause.act not in (Act.REMARK, Act.TOPIC):
                single = len(clause.predications) == 1 and clause.predications[0].arguments
                return place if single else None
        return None

    # --- without it

    def _leave_out(self, clause: SpokenClause, fragment: Fragment) -> SpokenClause | None:
        """Leave things out of those that a clause is about; None if they aren't among them."""
        (said,) = clause.predications
        for slot, argument in said.arguments.items():
            if not isinstance(argument, NounPhrase) or not _is_of_many(argument):
                continue
            if fragment.kind is FragmentKind.LEFT_OUT or _has(argument, fragment.phrase):
                fewer = replace(
                    argument,
                    excluded=(*argument.excluded, fragment.phrase),
                    degree=argument.degree * fragment.phrase.degree,
                )
                one = replace(said, arguments={**said.arguments, slot: fewer})
                uses = (*clause.uses, *fragment.uses)
                return replace(clause, predications=(one,), uses=uses)
        return None

    # --- better so

    def _allow(self, clause: SpokenClause, fragment: Fragment) -> SpokenClause:
        """Allow what is better: "on the table, ideally | on the shelf" is on either of them."""
        (said,) = clause.predications
        slot = self._find_slot(said, fragment)
        named = said.arguments.get(slot or "")
        if not isinstance(named, NounPhrase) or not slot or isinstance(named.head, Reference):
            return clause
        if named.determiner is not Determiner.THE:
            return clause  # "a cup, preferably | the mug"
        either = Coordination((named, fragment.phrase), alternative=True)
        one = replace(said, arguments={**said.arguments, slot: either})
        return replace(clause, predications=(one,))

    # --- again

    def _repeat(self, clause: SpokenClause, fragment: Fragment) -> None:
        (said,) = clause.predications
        slot = self._find_slot(said, fragment)
        if slot is None:
            return
        kind = fragment.kind
        negated = kind is FragmentKind.NOT
        again = {s: drop_uses(a) for s, a in said.arguments.items()}
        same = replace(said, arguments={**again, slot: fragment.phrase}, uses=())
        if negated or kind is FragmentKind.NONE:
            same = replace(same, negated=False)  # "(off the table,) not | on the couch"
        if fragment.preposition and said.meaning is None:
            same = replace(same, preposition=fragment.preposition)
        one = replace(
            clause,
            predications=(same,),
            uses=fragment.uses,
            order=None,
            negated=negated or (clause.negated and kind is not FragmentKind.NONE),
            preferred=clause.preferred or kind is FragmentKind.WISH,
            degree=fragment.phrase.degree,
        )
        placing = negated and said.meaning is None  # where it shall not be in the end
        if (placing or kind is FragmentKind.NONE) and one.act is Act.ACHIEVE:
            one = replace(one, act=Act.STATE)
        if kind in _LINKS:
            self._draft.link = _LINKS[kind]
        self._draft.add(one)

    def _find_slot(self, said: Predication, fragment: Fragment) -> str | None:
        """Find the place that a phrase takes: of a thing of its types, else of the first thing."""
        types = self._list_types(fragment.phrase)
        slots = [s for s, a in said.arguments.items() if not _is_partner(a)]
        if fragment.preposition:
            slots = slots[1:]
        alike = [s for s in slots if types & self._list_types(said.arguments[s])]
        if len(alike) == 1:
            return alike[0]
        return THEME if THEME in slots else next(iter(slots), None)

    def _list_types(self, argument: Argument) -> frozenset[str]:
        if isinstance(argument, Coordination):
            return frozenset().union(*map(self._list_types, argument.parts))
        return (
            self._phrases.list_types(argument) if isinstance(argument, NounPhrase) else frozenset()
        )


def _is_elsewhere(said: Predication, fragment: Fragment) -> bool:
    return said.meaning is None and fragment.preposition not in ("", said.preposition)


def _is_partner(argument: Argument) -> bool:
    head = argument.head if isinstance(argument, NounPhrase) else None
    return head in (Reference.SPEAKER, Reference.ADDRESSEE)


def _is_of_many(phrase: NounPhrase) -> bool:
    return phrase.determiner in _ALL or (phrase.plural and phrase.number is None)


def _has(all_: NounPhrase, some: Phrase) -> bool:
    """Return True if things are among others: "(all cups,) not | the mug"."""
    if isinstance(some, Coordination):
        return all(_has(all_, part) for part in some.parts)
    if all_.head is Reference.THING or some.head is Reference.ONE:
        return True
    names = list_names(some)
    return bool(names) and names <= list_names(all_)
