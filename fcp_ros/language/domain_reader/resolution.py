# SPDX-License-Identifier: Apache-2.0
"""Terms for noun phrases: looked up in the state, in what was said before, or left variable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Initially,
    Not,
    Variable,
    atoms,
    substitute,
)
from fcp_ros.domain.model import SAME, TEXT
from fcp_ros.language.domain_reader.places import PlaceChooser, PresentState
from fcp_ros.language.domain_reader.referents import (
    Ambiguity,
    Quantifier,
    Referent,
    Term,
    TermGroup,
    Value,
    VariableMaker,
    join,
)
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Coordination,
    Determiner,
    ElementName,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    Words,
)
from fcp_ros.language.reader import ReadingContext

MOST_PLACES = 8
"""Places spoken of last that tell which thing is meant."""
MOST_LISTED = 40
"""Most elements that are named one by one in a goal."""


class Unresolved(Exception):
    """Something that was said and can't be expressed; the message says what."""


@dataclass(frozen=True)
class Mention:
    """Something that was spoken of, for pronouns."""

    term: Term
    phrase: NounPhrase
    plural: bool
    place: bool


Describe = Callable[[Predication, str, Term], Expression]
"""Makes the condition that a quality says of the thing in a slot."""


class TermResolver:
    """A resolver of the noun phrases of one reading; it remembers what was spoken of.

    Args:
        context: domain, state, speaker.
        lexicon: its nouns.
        places: chooses place relations.
        choices: the element that is meant by a phrase that could be several, by its place.
    """

    def __init__(
        self,
        context: ReadingContext,
        lexicon: Lexicon,
        places: PlaceChooser,
        choices: Mapping[tuple[int, int], str],
    ) -> None:
        self.context = context
        self.instance = context.instance
        self.lexicon = lexicon
        self.places = places
        self.state = PresentState(context.instance)
        self.maker = VariableMaker(context.domain, context.instance, context.check)
        self.choices = choices
        self.mentions: list[Mention] = []
        self.ambiguities: list[Ambiguity] = []
        self.degree = 1.0
        self.describe: Describe | None = None
        self.matrices: dict[str, Expression] = {}
        """What was asked of a variable so far, for "the rest"."""

    # --- persons

    def find_robot(self) -> str:
        """Return the robot that is spoken to; empty if there are several."""
        return self.context.robot or self._find_single(("robot", "agent"))

    def find_speaker(self) -> str:
        """Return the person who speaks; empty if that is not known."""
        return self.context.speaker or self._find_single(("person", "human", "user"))

    def _find_single(self, types: Sequence[str]) -> str:
        for type_ in types:
            if self.context.domain.schema.has_type(type_):
                found = self.lexicon.list_members(type_)
                if len(found) == 1:
                    return found[0]
        return ""

    # --- phrases

    def resolve(self, phrase: Phrase, slot_type: str, *, place: bool = False) -> Term:
        """Return what a noun phrase stands for, and remember it.

        Raises:
            Unresolved: it refers to nothing.
        """
        if isinstance(phrase, Coordination):
            terms = tuple(self.resolve(part, slot_type, place=place) for part in phrase.parts)
            group = TermGroup(terms, phrase.alternative)
            self.remember(group, phrase.parts[0], True, place)
            return group
        term = self._resolve_simple(phrase, slot_type)
        plural = phrase.plural or isinstance(term, TermGroup)
        if place and phrase.determiner is Determiner.REST and phrase.head is Reference.ONE:
            self.degree *= 0.5
        if phrase.head not in (Reference.SPEAKER, Reference.ADDRESSEE):
            self.remember(term, phrase, plural, place)
        return term

    def remember(self, term: Term, phrase: NounPhrase, plural: bool, place: bool) -> None:
        """Remember what was spoken of."""
        self.mentions.append(Mention(term, phrase, plural, place))

    def _resolve_simple(self, phrase: NounPhrase, slot_type: str) -> Term:
        head = phrase.head
        if isinstance(head, Words):
            return Value(head.text)
        if isinstance(head, ElementName):
            return Constant(head.name)
        if head is Reference.ADDRESSEE or head is Reference.SPEAKER:
            name = self.find_robot() if head is Reference.ADDRESSEE else self.find_speaker()
            if not name:
                raise Unresolved(f'who "{head.value}" is')
            return Constant(name)
        if head in (Reference.IT, Reference.THEM, Reference.THERE, Reference.HERE):
            return self._resolve_pronoun(phrase, slot_type)
        noun = head if isinstance(head, Noun) else None
        if head is Reference.ONE:
            noun = self._find_earlier_noun()
            if noun is None and phrase.determiner is not Determiner.REST:
                raise Unresolved("which kind of thing is meant")
        if noun is None and slot_type == TEXT:
            raise Unresolved("words")
        if noun is not None:
            earlier = self._find_same(phrase, noun)
            if earlier is not None:
                return earlier
        return self._quantify(phrase, noun, slot_type)

    # --- what was said before

    def _resolve_pronoun(self, phrase: NounPhrase, slot_type: str) -> Term:
        head = phrase.head
        if head is Reference.HERE:
            speaker = self.find_speaker() or self.find_robot()
            room = self.find_place_of(speaker)
            if room:
                return Constant(room)
            raise Unresolved('where "here" is')
        if head is Reference.THERE:
            found = next((m.term for m in reversed(self.mentions) if m.place), None)
            if found is None:
                raise Unresolved('where "there" is')
            return found
        plural = head is Reference.THEM
        fitting = [
            mention
            for mention in self.mentions
            if self.rate(mention.term, slot_type) > 0.0 and mention.plural == plural
        ]
        themes = [mention for mention in fitting if not mention.place] or fitting
        if not themes:
            themes = [m for m in self.mentions if self.rate(m.term, slot_type) > 0.0]
            self.degree *= 0.8 if themes else 1.0
        if not themes:
            raise Unresolved(f'what "{head.value if isinstance(head, Reference) else ""}" means')
        return themes[-1].term

    def find_there(self, theme: Term, preposition: str) -> Term:
        """Find the last place that was spoken of where a thing can be.

        Raises:
            Unresolved: there is none.
        """
        types = self.list_types(theme)
        ranked = [m for m in reversed(self.mentions) if m.place]
        ranked += [m for m in reversed(self.mentions) if not m.place and m.term is not theme]
        for mention in ranked:
            if self.places.choose(preposition, types, self.list_types(mention.term)) is not None:
                return mention.term
        raise Unresolved('where "there" is')

    def find_place_of(self, name: str) -> str:
        """Return where an element is now; empty if that is not known."""
        if not name:
            return ""
        for relation, legs in self._list_places(name):
            return f"{legs[1]}" if relation else ""
        return ""

    def _list_places(self, name: str) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield the relations that say where an element is: relation, theme and place."""
        instance = self.instance
        id_ = instance.id_of(name)
        for place in self.places.list_theme_relations():
            relation = place.meaning.name
            declared = instance.schema.relation(relation)
            legs = [leg for leg, _ in declared.legs]
            if not instance.schema.is_subtype(
                instance.type_of(id_), dict(declared.legs)[place.theme]
            ):
                continue
            for row in instance.tuples_at(relation, place.theme, id_):
                names = [instance.name_of(e) for e in instance.tuples(relation)[row]]
                if len(legs) == 2:
                    yield (
                        relation,
                        (
                            names[legs.index(place.theme)],
                            names[legs.index(place.place)],
                        ),
                    )

    def _find_earlier_noun(self) -> Noun | None:
        for mention in reversed(self.mentions):
            if isinstance(mention.phrase.head, Noun) and not mention.place:
                return mention.phrase.head
        for mention in reversed(self.mentions):
            if isinstance(mention.phrase.head, Noun):
                return mention.phrase.head
        return None

    def _find_same(self, phrase: NounPhrase, noun: Noun) -> Term | None:
        """Find what "the mug" means if a mug was spoken of."""
        if phrase.determiner is not Determiner.THE or phrase.other or phrase.qualities:
            return None
        for mention in reversed(self.mentions):
            head = mention.phrase.head
            same = isinstance(head, Noun) and head.labels == noun.labels
            if same and mention.plural == phrase.plural and not isinstance(mention.term, TermGroup):
                term = mention.term
                if isinstance(term, Constant) or not phrase.plural:
                    return term
        return None

    # --- quantifiers

    def _quantify(self, phrase: NounPhrase, noun: Noun | None, slot_type: str) -> Term:
        determiner = phrase.determiner
        if determiner is Determiner.REST or (phrase.other and determiner is Determiner.THE):
            return self._resolve_rest(phrase, noun, slot_type)
        if determiner is Determiner.THE and noun is not None:
            if not phrase.plural and phrase.number is None:
                return self._resolve_definite(phrase, noun)
            if phrase.number is not None and phrase.number.share is None:
                return self._resolve_numbered(phrase, noun)
        thing = phrase.head is Reference.THING and determiner is Determiner.THE
        if thing and not phrase.plural and phrase.number is None and phrase.qualities:
            anything = Noun("thing", (), "", self.lexicon.list_members(slot_type))
            return self._resolve_definite(phrase, anything)
        quantifier = self._choose_quantifier(phrase, noun)
        return self._make_variable(phrase, noun, quantifier, slot_type)

    def _choose_quantifier(self, phrase: NounPhrase, noun: Noun | None) -> Quantifier:
        determiner = phrase.determiner
        if phrase.number is not None and determiner in (Determiner.A, Determiner.BARE):
            only_one = phrase.number.value == 1 and phrase.number.share is None
            plain = phrase.number.bound.value == "at least"
            return Quantifier.EXISTS if only_one and plain else Quantifier.COUNT
        universal = (Determiner.ALL, Determiner.EACH, Determiner.BOTH)
        if determiner in universal or (determiner is Determiner.THE and phrase.plural):
            nothing = noun is not None and not noun.members
            return Quantifier.EXISTS if nothing else Quantifier.FORALL
        if determiner is Determiner.NO:
            return Quantifier.NONE
        if determiner is Determiner.BARE and phrase.plural:
            if noun is not None and not noun.members:
                return Quantifier.EXISTS
            self.degree *= 0.95
            return Quantifier.FORALL
        return Quantifier.EXISTS

    def _make_variable(
        self, phrase: NounPhrase, noun: Noun | None, quantifier: Quantifier, slot_type: str
    ) -> Term:
        referent = self.maker.make(phrase, noun, quantifier)
        referent.plural = phrase.plural or quantifier is Quantifier.FORALL
        if not referent.type:
            referent.type = slot_type
        if noun is None and slot_type:
            referent.types = frozenset((slot_type,))
        if phrase.attributes:
            members = self._list_with_attributes(phrase, noun)
            if len(members) > MOST_LISTED:
                raise Unresolved(f"the {len(members)} things that are {phrase.attributes[0]}")
            if quantifier is Quantifier.FORALL or len(members) == 1:
                kept = [m for m in members if self._fits_qualities(phrase, m)]
                return _group(kept)
            if quantifier is Quantifier.EXISTS and members:
                return TermGroup(tuple(map(Constant, members)), alternative=True)
            raise Unresolved(f'how many are "{phrase.attributes[0]}"')
        fixed = quantifier is Quantifier.FORALL or phrase.number is not None
        for quality in phrase.qualities:
            referent.restrictions.append(self._restrict(referent, quality, fixed))
        if phrase.other:
            self._leave_out_mentioned(referent)
        self._rate_restrictions(referent, noun)
        if phrase.excluded:
            return self._exclude(phrase, noun, referent)
        return referent

    def _rate_restrictions(self, referent: Referent, noun: Noun | None) -> None:
        """Rate a reading lower if nothing is so: "an apple in the bin", and there is none."""
        placed = [r for r in referent.restrictions if isinstance(r, Initially)]
        if noun is None or not placed:
            return
        if not noun.members:
            self.degree *= 0.5
            return
        for name in noun.members:
            if all(self.state.holds(r, {referent.name: name}) for r in placed):
                return
        self.degree *= 0.3

    def _leave_out_mentioned(self, referent: Referent) -> None:
        """State that something is none of the elements that were spoken of."""
        names = {m.term.name for m in self.mentions if isinstance(m.term, Constant)}
        for name in sorted(names):
            if referent.noun is None or name in referent.noun.members:
                same = Atom(SAME, (Variable(referent.name), Constant(name)))
                referent.restrictions.append(Not(same))

    def _list_with_attributes(self, phrase: NounPhrase, noun: Noun | None) -> list[str]:
        members = list(noun.members if noun is not None else self.instance.names())
        for attribute in phrase.attributes:
            having = self.lexicon.find_attribute(attribute)
            members = [name for name in members if name in having]
        return members

    def _restrict(self, referent: Referent, quality: Predication, fixed: bool) -> Expression:
        """State what is said of a variable: as it is initially, unless it can't change.

        A state of something that is chosen ("a clean mug") has to hold when it is there.
        """
        assert self.describe is not None
        condition = self.describe(quality, referent.name, referent)
        if quality.attributive and not fixed:
            return condition
        return self._hold_initially(condition)

    def _hold_initially(self, condition: Expression) -> Expression:
        schema = self.context.domain.schema
        changeable = any(
            schema.has_relation(atom.predicate) and not schema.relation(atom.predicate).static
            for atom in atoms(condition)
        )
        if not changeable:
            return condition
        if isinstance(condition, Not):
            return Not(Initially(condition.body))
        return Initially(condition)

    # --- definite things

    def _resolve_definite(self, phrase: NounPhrase, noun: Noun) -> Term:
        candidates = self._filter(phrase, noun)
        if not candidates:
            if noun.members:
                self.degree *= 0.4
            known = noun if noun.labels else None
            return self._make_variable(phrase, known, Quantifier.EXISTS, "")
        if len(candidates) == 1:
            return Constant(candidates[0])
        place = (phrase.start, phrase.end)
        if place in self.choices:
            return Constant(self.choices[place])
        salient = self._find_salient(candidates)
        if salient:
            self.degree *= 0.95
            return Constant(salient)
        self.ambiguities.append(Ambiguity(place, noun.said, tuple(candidates)))
        return Constant(candidates[0])

    def _filter(self, phrase: NounPhrase, noun: Noun) -> list[str]:
        """List the elements that a definite phrase may mean."""
        members = self._list_with_attributes(phrase, noun)
        if phrase.other:
            said = {m.term.name for m in self.mentions if isinstance(m.term, Constant)}
            members = [name for name in members if name not in said]
        if not phrase.qualities:
            return members
        return [name for name in members if self._fits_qualities(phrase, name)]

    def _fits_qualities(self, phrase: NounPhrase, name: str) -> bool:
        assert self.describe is not None
        self.context.check()
        for quality in phrase.qualities:
            try:
                condition = self.describe(quality, "", Constant(name))
            except Unresolved:
                return False
            if not self.state.holds(condition, {}):
                return False
        return True

    def _find_salient(self, candidates: Sequence[str]) -> str:
        """Find the only candidate that is in a place that was spoken of."""
        spoken = [m.term.name for m in self.mentions if isinstance(m.term, Constant)]
        rivals = frozenset(candidates)
        named = [name for name in dict.fromkeys(reversed(spoken)) if name not in rivals]
        for where in named[:MOST_PLACES]:
            self.context.check()
            near = [name for name in candidates if self._is_at(name, where)]
            if len(near) == 1:
                return near[0]
        return ""

    def _is_at(self, name: str, where: str) -> bool:
        types = [frozenset((self.type_of(n),)) for n in (name, where)]
        chosen = self.places.choose("in", *types) or self.places.choose("on", *types)
        if chosen is None or chosen.meaning.goal is None:
            return False
        goal = substitute(chosen.meaning.goal, {THEME: Constant(name), PLACE: Constant(where)})
        return self.state.holds(goal, {})

    def type_of(self, name: str) -> str:
        """Return the type of an element."""
        return self.instance.type_of(self.instance.id_of(name))

    def _resolve_numbered(self, phrase: NounPhrase, noun: Noun) -> Term:
        """Resolve "the two mugs": all of them if there are two, else at least two."""
        number = phrase.number
        assert number is not None
        candidates = self._filter(phrase, noun)
        if number.value == 1 and len(candidates) != 1:
            return self._resolve_definite(replace(phrase, number=None, plural=False), noun)
        if len(candidates) == number.value:
            whole = replace(phrase, number=None)
            return self._make_variable(whole, noun, Quantifier.FORALL, "")
        self.degree *= 0.85
        return self._make_variable(phrase, noun, Quantifier.COUNT, "")

    # --- exceptions and the rest

    def _exclude(self, phrase: NounPhrase, noun: Noun | None, referent: Referent) -> Term:
        names: set[str] = set()
        for excluded in phrase.excluded:
            parts = excluded.parts if isinstance(excluded, Coordination) else (excluded,)
            for part in parts:
                kind = part.head if isinstance(part.head, Noun) else None
                several = part.plural or (kind is not None and len(kind.members) <= 1)
                if kind is not None and several and not part.attributes:
                    condition = join(
                        [
                            self.maker.state_kind(referent.name, kind),
                            *(self._restrict(referent, q, True) for q in part.qualities),
                        ]
                    )
                    referent.restrictions.append(Not(condition))
                    continue
                term = self._resolve_simple(part, "")
                if not isinstance(term, Constant):
                    raise Unresolved("what is left out")
                names.add(term.name)
        if not names:
            return referent
        for name in sorted(names):
            same = Atom(SAME, (Variable(referent.name), Constant(name)))
            referent.restrictions.append(Not(same))
        return referent

    def _list_known(self, phrase: NounPhrase, noun: Noun | None, referent: Referent) -> list[str]:
        """List the elements that a variable may be now."""
        schema = self.context.domain.schema
        type_ = referent.type if schema.has_type(referent.type) else ""
        names = noun.members if noun is not None else self.lexicon.list_members(type_)
        found = [
            name
            for name in names
            if all(self.state.holds(r, {referent.name: name}) for r in referent.restrictions)
        ]
        if len(found) > MOST_LISTED:
            raise Unresolved(f"all of {len(found)} things but some")
        return found

    def _resolve_rest(self, phrase: NounPhrase, noun: Noun | None, slot_type: str) -> Term:
        """Resolve "the rest": those of the kind that was mentioned that were not spoken of."""
        if noun is None:
            earlier = self._find_earlier_noun() if phrase.head is Reference.ONE else None
            noun = earlier
        whole = replace(phrase, determiner=Determiner.ALL, other=False, number=None)
        singular = not phrase.plural and phrase.determiner is Determiner.THE
        referent = self.maker.make(whole, noun, Quantifier.FORALL)
        referent.plural = True
        referent.type = referent.type or slot_type
        for quality in phrase.qualities:
            referent.restrictions.append(self._restrict(referent, quality, True))
        names: set[str] = set()
        for mention in self.mentions:
            head = mention.phrase.head
            related = noun is None or (isinstance(head, Noun) and head.labels == noun.labels)
            for term in (
                mention.term.parts if isinstance(mention.term, TermGroup) else (mention.term,)
            ):
                if isinstance(term, Constant):
                    if not mention.place or noun is not None:
                        names.add(term.name)
                elif isinstance(term, Referent) and related and not mention.place:
                    self._leave_out(referent, term)
        if singular:
            if not names:
                raise Unresolved('which one is not meant by "other"')
            left = [n for n in self._list_known(whole, noun, referent) if n not in names]
            if len(left) == 1:
                return Constant(left[0])
        left_out = {n for n in names if noun is None or n in noun.members}
        for name in sorted(left_out):
            referent.restrictions.append(Not(Atom(SAME, (Variable(referent.name), Constant(name)))))
        return referent

    def _leave_out(self, referent: Referent, earlier: Referent) -> None:
        """Leave out of a variable what another one may be, or what was asked of it."""
        renamed = {earlier.name: Variable(referent.name)}
        if earlier.quantifier is Quantifier.FORALL:
            if earlier.restrictions:
                own = join([substitute(part, renamed) for part in earlier.restrictions])
                referent.restrictions.append(Not(own))
            elif earlier.noun is not None:
                kind = self.maker.state_kind(referent.name, earlier.noun)
                referent.restrictions.append(Not(kind))
        elif earlier.name in self.matrices:
            asked = substitute(self.matrices[earlier.name], renamed)
            referent.restrictions.append(Not(asked))

    # --- types

    def rate(self, term: Term, type_: str) -> float:
        """Rate how well a term fits a slot of a type."""
        if isinstance(term, Value):
            return 1.0 if type_ in (TEXT, "number") else 0.0
        if isinstance(term, TermGroup):
            return min((self.rate(part, type_) for part in term.parts), default=0.0)
        return self.places.rate_types(self.list_types(term), type_)

    def list_types(self, term: Term) -> frozenset[str]:
        """List the types that a term may have; none: any."""
        if isinstance(term, Constant):
            return frozenset((self.type_of(term.name),))
        if isinstance(term, Referent):
            return term.types
        if isinstance(term, TermGroup) and term.parts:
            return frozenset().union(*(self.list_types(part) for part in term.parts))
        return frozenset()


def _group(names: Sequence[str]) -> Term:
    if not names:
        raise Unresolved("anything: nothing is left")
    return Constant(names[0]) if len(names) == 1 else TermGroup(tuple(map(Constant, names)))
