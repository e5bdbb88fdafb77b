# SPDX-License-Identifier: Apache-2.0
"""Clauses to formulas: what is asked for, of which things, and in which scope."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.domain.expressions.syntax import Atom, Expression, Initially, Or
from fcp_ros.language.domain_reader.acts import ActComposer
from fcp_ros.language.domain_reader.graded_goals import drop_guides
from fcp_ros.language.domain_reader.quantified import is_limited, mean_any
from fcp_ros.language.domain_reader.slot_filling import SlotFiller
from fcp_ros.language.domain_reader.statements import ComposedClause, Statement
from fcp_ros.language.domain_reader.terms.places import EXACT
from fcp_ros.language.domain_reader.terms.referents import (
    Quantifier,
    Referent,
    Term,
    Value,
    join,
    negate,
)
from fcp_ros.language.domain_reader.terms.resolution import TermResolver
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.meanings import Meaning, MeaningSource
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Argument,
    Coordination,
    Determiner,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
)
from fcp_ros.language.reading import Refusal

_TASK_WITH_NOTHING = 0.3
"""Degree of "I want nothing left there" as the task to bring nothing."""

_LOOSE_PRONOUN = 0.8
"""Degree of "(the bowl on the table, the apple) in it" as on the table, where nothing can be in the
bowl."""
_LOOSENED = 0.65
"""Degree of "rinse a mug in the sink" as a mug that is clean and one that was in the sink."""
_FIXED = 0.35
"""Degree of asking that something is where nothing can bring it."""


class Unplaced(Unresolved):
    """A description by a place for which the domain has no relation."""

    def __init__(self, message: str, quality: Predication) -> None:
        super().__init__(message)
        self.quality = quality


class Composer:
    """A maker of formulas for the clauses of one reading.

    Args:
        resolver: looks noun phrases up.
    """

    def __init__(self, resolver: TermResolver) -> None:
        self.resolver = resolver
        resolver.describe = self._describe_quality
        self._filler = SlotFiller(resolver)
        self.acts = ActComposer(resolver, self._filler)

    @property
    def degree(self) -> float:
        """The degree to which what was looked up fits the words."""
        return self.resolver.degree

    def compose(self, clause: SpokenClause) -> ComposedClause:
        """Make the formulas of a clause.

        Raises:
            Unresolved: something can't be expressed.
        """
        composed = ComposedClause(clause)
        for said in clause.predications:
            if (
                clause.act in (Act.REMARK, Act.TOPIC)
                and said.meaning is None
                and len(said.arguments) == 1
            ):
                ((slot, phrase),) = said.arguments.items()
                assert not isinstance(phrase, int)
                self.resolver.resolve(phrase, "", place=slot == PLACE)
            elif clause.act in (Act.BRING, Act.HOLD, Act.GO, Act.STAY, Act.RETURN):
                stated = self.acts.compose(composed, said)
                composed.statements += self._negate_all(stated, said.negated)
            else:
                composed.statements += self._compose_predication(composed, said)
        if not composed.part_constraints():
            self.resolver.degree *= _LOOSENED
        return composed

    # --- predications

    def _compose_predication(self, composed: ComposedClause, said: Predication) -> list[Statement]:
        clause, acts = composed.clause, (Act.STATE, Act.ACHIEVE)
        if clause.act in acts and not (said.negated or clause.negated):
            shall_be = clause.act is Act.STATE
            arguments = {s: _limit(one, shall_be) for s, one in said.arguments.items()}
            said = replace(said, arguments=arguments)
        limited = next((s for s, a in said.arguments.items() if is_limited(a)), "")
        if limited:
            return self._compose_only(composed, said, limited)
        if said.meaning is None:
            return self._place(composed, said)
        meaning = said.meaning
        terms: dict[str, Term] = {}
        for slot, argument in said.arguments.items():
            if isinstance(argument, int):
                terms[slot] = Value(argument)
            else:
                terms[slot] = self._resolve_slot(meaning, slot, argument, place=bool(terms))
        composed.themes += list(terms.values())[:1]
        composed.terms += list(terms.values())
        if meaning.source is MeaningSource.TASK and any(map(_is_nothing, terms.values())):
            self.resolver.degree *= _TASK_WITH_NOTHING
        leaving = composed.clause.leaving
        statements = self._filler.fill(meaning, terms, said.additions, leaving=leaving)
        self._rate_fixed(composed, statements)
        return self._negate_all(statements, said.negated)

    def _rate_fixed(self, composed: ComposedClause, statements: list[Statement]) -> None:
        """Rate lower what asks for a fact that no action changes."""
        if composed.clause.act is not Act.REMARK and any(map(self._is_fixed, statements)):
            self.resolver.degree *= _FIXED

    def _compose_only(
        self, composed: ComposedClause, said: Predication, slot: str
    ) -> list[Statement]:
        """State that something is so for the things that are named, and for no others.

        What is so already for others does not count where something shall be done; where it shall
        be so, there are no others at the end.
        """
        phrase = said.arguments[slot]
        assert isinstance(phrase, NounPhrase)
        if composed.clause.negated or said.negated:
            raise Unresolved('not "only"', Refusal.REMAINDER)
        state = composed.clause.act in (Act.STATE, Act.KEEP)
        named = replace(phrase, only=False)
        found: list[Statement] = []
        if not (state and phrase.determiner is Determiner.BARE and phrase.plural):
            arguments = {**said.arguments, slot: named}
            found += self._compose_predication(composed, replace(said, arguments=arguments))
        every = Determiner.NO if state else Determiner.ALL
        others = NounPhrase(
            phrase.start, phrase.start, Reference.THING, every, excluded=(replace(named, uses=()),)
        )
        arguments = {**said.arguments, slot: others}
        beside = ComposedClause(composed.clause)
        rest = self._compose_predication(beside, replace(said, arguments=arguments))
        if state:
            return [*found, *rest]
        return [
            *found,
            *(Statement(s.prefix, Or((Initially(s.matrix), negate(s.matrix)))) for s in rest),
        ]

    def _resolve_slot(self, meaning: Meaning, slot: str, phrase: Phrase, *, place: bool) -> Term:
        """Resolve what fills a slot; "the table" of "set the table" is any that is meant so."""
        type_, asked = meaning.types.get(slot, ""), len(self.resolver.ambiguities)
        term = self.resolver.resolve(phrase, type_, place=place)
        default = meaning.task.defaults.get(slot, "") if meaning.task is not None else ""
        noun = self.resolver.lexicon.find_noun(default) if default else None
        if len(self.resolver.ambiguities) == asked or noun is None:
            return term
        if not isinstance(phrase, NounPhrase) or not isinstance(phrase.head, Noun):
            return term
        said, usual = {*phrase.head.members}, noun if noun.members else phrase.head
        if phrase.qualities or phrase.attributes or phrase.other or not said >= {*usual.members}:
            return term
        del self.resolver.ambiguities[asked:], self.resolver.mentions[-1]
        number = Determiner.THE if len(usual.members) == 1 else Determiner.A
        loose = replace(phrase, head=usual, determiner=number)
        return self.resolver.resolve(loose, type_, place=place)

    def _place(self, composed: ComposedClause, said: Predication) -> list[Statement]:
        theme_phrase, place_phrase = said.arguments.get(THEME), said.arguments.get(PLACE)
        if not isinstance(theme_phrase, (NounPhrase, Coordination)) or not isinstance(
            place_phrase, (NounPhrase, Coordination)
        ):
            raise Unresolved("a place")
        pronoun = isinstance(theme_phrase, NounPhrase) and theme_phrase.head in (
            Reference.IT,
            Reference.ONE,
        )
        asked = self.resolver.places.find_movable() if pronoun and self.resolver.asking else ""
        theme = self.resolver.resolve(theme_phrase, asked)
        there = isinstance(place_phrase, NounPhrase) and place_phrase.head is Reference.THERE
        place = (
            self.resolver.find_there(theme, said.preposition)
            if there
            else self._resolve_place(place_phrase, theme, said.preposition)
        )
        composed.themes.append(theme)
        beside = self.resolver.beside
        preposition = "near" if there and place in beside else said.preposition
        if preposition == "near":
            beside.append(place)
        statements = self._filler.relate(theme, place, preposition)
        self._rate_fixed(composed, statements)
        return self._negate_all(statements, said.negated)

    def _is_fixed(self, statement: Statement) -> bool:
        """Return True for a fact that no action changes: that a couch is in a room.

        So is one of several ways: that all devices, some of them fixtures, are in a room.
        """
        matrix = statement.matrix
        matrix = matrix.parts[0] if isinstance(matrix, Or) else matrix
        schema = self.resolver.context.domain.schema
        return (
            isinstance(matrix, Atom)
            and schema.has_relation(matrix.predicate)
            and schema.relation(matrix.predicate).static
        )

    def _resolve_place(self, phrase: Phrase, theme: Term, preposition: str) -> Term:
        """Resolve where something is: "it" is something else ("the mug with a spoon in it").

        So it is within a description of the place: "(it is) in the same room as it".
        """
        mentions = self.resolver.mentions
        known = list(mentions)
        pronoun = isinstance(phrase, NounPhrase) and phrase.head is Reference.IT
        if pronoun:
            others = [m for m in known if m.term != theme]
            types, choose = self.resolver.list_types(theme), self.resolver.places.choose
            ways = [choose(preposition, types, self.resolver.list_types(m.term)) for m in others]
            fitting = [m for m, way in zip(others, ways, strict=True) if way is not None]
            mentions[:] = fitting or others
            loose = all(way is None or way.degree < EXACT for way in ways)
            if loose and len(fitting) < len(others):
                self.resolver.degree *= _LOOSE_PRONOUN
        elif _speaks_of_it(phrase):
            mentions[:] = [m for m in known if m.term != theme]
        before = len(mentions)
        try:
            type_ = self._find_place_type(phrase, theme, preposition)
            return self.resolver.resolve(phrase, type_, place=True)
        finally:
            mentions[:] = [*known, *mentions[before:]]

    def _find_place_type(self, phrase: Phrase, theme: Term, preposition: str) -> str:
        """Find the type of "something in the kitchen" that something is on."""
        if not isinstance(phrase, NounPhrase) or phrase.head is not Reference.THING:
            return ""
        anything, types = frozenset[str](), self.resolver.list_types(theme)
        chosen = self.resolver.places.choose(preposition, types, anything)
        return chosen.meaning.types[PLACE] if chosen is not None and phrase.qualities else ""

    def _negate_all(self, statements: list[Statement], negated: bool) -> list[Statement]:
        if not negated:
            return statements
        for statement in statements:
            for referent in statement.prefix:
                self.resolver.matrices[referent.name] = negate(statement.matrix)
        return [replace(s, matrix=negate(s.matrix)) for s in statements]

    def _describe_quality(self, quality: Predication, thing: Term) -> Expression:
        """Make the condition that a quality says of a thing."""
        subject: Term = thing
        if quality.meaning is None:
            reversed_ = quality.subject == PLACE  # "the room where the desk is"
            phrase = quality.arguments[THEME if reversed_ else PLACE]
            assert not isinstance(phrase, int)
            other = self._resolve_inner(mean_any(phrase), "")
            theme, place = (other, subject) if reversed_ else (subject, other)
            try:
                statements = self._filler.relate(theme, place, quality.preposition)
            except Unresolved as error:
                if reversed_:  # what is in a thing may matter more than which thing it is
                    raise
                raise Unplaced(str(error), quality) from error
        else:
            terms: dict[str, Term] = {quality.subject: subject}
            if not self.resolver.rate(subject, quality.meaning.types.get(quality.subject, "")):
                raise Unresolved(
                    f"{self._filler.name_term(subject)} can't be {quality.meaning.name}"
                )
            self._filler.type_variable(subject, quality.meaning.types.get(quality.subject, ""))
            for slot, argument in quality.arguments.items():
                type_ = quality.meaning.types.get(slot, "")
                terms[slot] = (
                    Value(argument)
                    if isinstance(argument, int)
                    else self._resolve_inner(mean_any(argument), type_)
                )
            statements = self._filler.fill(quality.meaning, terms)
        closed = []
        for statement in statements:
            inner = tuple(r for r in statement.prefix if r is not thing)
            closed.append(Statement(inner, statement.matrix).close())
        condition = drop_guides(join(closed), self.resolver.context.domain)
        return negate(condition) if quality.negated else condition

    def _resolve_inner(self, phrase: NounPhrase | Coordination, type_: str) -> Term:
        """Resolve a phrase within a description: "the mug on the table" needs no single table."""
        loose = (Determiner.BARE, Determiner.ANY)
        if isinstance(phrase, NounPhrase) and phrase.plural and phrase.determiner in loose:
            phrase = replace(phrase, determiner=Determiner.A, plural=False)
        known = len(self.resolver.ambiguities)
        single = isinstance(phrase, NounPhrase) and phrase.determiner is Determiner.THE
        term = self.resolver.resolve(phrase, type_, place=True)
        if single and len(self.resolver.ambiguities) > known:
            del self.resolver.ambiguities[known:]
            assert isinstance(phrase, NounPhrase)
            term = self.resolver.resolve(
                replace(phrase, determiner=Determiner.A), type_, place=True
            )
        self.resolver.described.append(term)
        return term


def _limit(argument: Argument, bare: bool) -> Argument:
    """Read "nothing but the sponge" as "only the sponge"; with `bare` also "... but sponges"."""
    if not isinstance(argument, NounPhrase) or argument.head is not Reference.THING:
        return argument
    if argument.determiner is not Determiner.NO or argument.end == argument.start:
        return argument
    if len(argument.excluded) != 1 or argument.qualities:
        return argument
    (but,) = argument.excluded
    if not isinstance(but, NounPhrase) or (but.determiner is Determiner.BARE and not bare):
        return argument
    return replace(but, only=True)


def _is_nothing(term: Term) -> bool:
    return isinstance(term, Referent) and term.quantifier is Quantifier.NONE


def _speaks_of_it(phrase: Phrase) -> bool:
    """Return True for a place that is described by "it"."""
    qualities = phrase.qualities if isinstance(phrase, NounPhrase) else ()
    inner = (argument for quality in qualities for argument in quality.arguments.values())
    return any(isinstance(one, NounPhrase) and one.head is Reference.IT for one in inner)
