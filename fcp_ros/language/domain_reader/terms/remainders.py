# SPDX-License-Identifier: Apache-2.0
"""Exceptions and remainders: all but something, the rest, the others; some of what was named."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from math import ceil

from fcp_ros.domain.expressions.syntax import (
    Atom,
    Bound,
    Constant,
    Expression,
    Not,
    Or,
    Variable,
    substitute,
)
from fcp_ros.domain.model import SAME
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.domain_reader.terms.descriptions import DescriptionMatcher
from fcp_ros.language.domain_reader.terms.referents import (
    Quantifier,
    Referent,
    Term,
    TermGroup,
    join,
)
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.parsing.trees import (
    Coordination,
    Determiner,
    ElementName,
    HalfOf,
    Head,
    Listed,
    Noun,
    NounPhrase,
    Reference,
    list_heads,
)
from fcp_ros.language.reading import Refusal

_OF_ALL_THINGS = 0.8
"""Degree of "the rest" as all other things, not those of the kind that was mentioned."""
_NO_OTHERS = 0.4
"""Degree of "the others" of a kind of which there are no others."""


class RemainderResolver(DescriptionMatcher):
    """A resolver of what is left out, and of what is left."""

    def exclude(self, phrase: NounPhrase, referent: Referent) -> None:
        """Leave out of a variable what is excepted."""
        names: set[str] = set()
        for excluded in phrase.excluded:
            for part in list_heads(excluded):
                if part.head is Reference.ONE and isinstance(phrase.head, Noun):
                    part = replace(part, head=phrase.head)
                kind = part.head if isinstance(part.head, Noun) else None
                several = part.plural or (kind is not None and len(kind.members) <= 1)
                if kind is not None and not several and not part.attributes:
                    among = self._list_known(kind, referent)
                    fitting = [name for name in among if self._fits_qualities(part, name)]
                    if len(fitting) == 1:  # the only one of those that are meant
                        names.add(fitting[0])
                        continue
                if kind is not None and several and not part.attributes:
                    condition = join(
                        [
                            self.maker.state_kind(referent.name, kind),
                            *(self._restrict(referent, q, True) for q in part.qualities),
                        ]
                    )
                    referent.restrictions.append(Not(condition))
                    continue
                term = self.resolve_simple(part, "")
                if not isinstance(term, Constant):
                    raise Unresolved("what is left out", Refusal.REMAINDER)
                names.add(term.name)
        for name in sorted(names):
            same = Atom(SAME, (Variable(referent.name), Constant(name)))
            referent.restrictions.append(Not(same))

    def _is_all_named(self, noun: Noun) -> bool:
        """Return True if each thing of a kind was spoken of by itself."""
        terms = [mention.term for mention in self.mentions]
        terms += [p for term in terms if isinstance(term, TermGroup) for p in term.parts]
        named = {term.name for term in terms if isinstance(term, Constant)}
        return bool(noun.members) and set(noun.members) <= named

    def resolve_rest(self, phrase: NounPhrase, noun: Noun | None, slot_type: str) -> Term:
        """Resolve "the rest": those of the kind that was mentioned that were not spoken of."""
        whole_term = self._find_whole(phrase)
        if whole_term is not None:
            return self._leave_rest(phrase, whole_term, slot_type)
        if noun is None:
            noun = self._find_earlier_noun() if phrase.head is Reference.ONE else None
        alone = phrase.head is Reference.ONE and phrase.plural
        if noun is not None and alone and self._is_all_named(noun):
            noun = None  # "put the milk in the fridge and leave the rest": no milk is left
            self.degree *= _OF_ALL_THINGS
        whole = replace(phrase, determiner=Determiner.ALL, other=False, number=None)
        if not phrase.plural and self._list_single(noun):  # one ... and the other one
            other = self.maker.make(replace(phrase, number=None), noun, Quantifier.EXISTS)
            other.restrictions += [self._restrict(other, q, False) for q in phrase.qualities]
            self._leave_out_mentioned(other)
            return other
        singular = not phrase.plural and phrase.other and phrase.head is not Reference.THING
        if isinstance(phrase.head, Noun) and len(phrase.head.members) == 1 and not self.mentions:
            raise Unresolved('which one is not meant by "other"', Refusal.REMAINDER)
        referent = self.maker.make(whole, noun, Quantifier.FORALL)
        referent.plural = referent.remainder = True
        referent.type = referent.type or slot_type
        for quality in phrase.qualities:
            referent.restrictions.append(self._restrict(referent, quality, True))
        names: set[str] = set()
        for mention in self.mentions:
            head = mention.phrase.head
            related = noun is None or (isinstance(head, Noun) and _is_kind_of(head, noun))
            for term in (
                mention.term.parts if isinstance(mention.term, TermGroup) else (mention.term,)
            ):
                if isinstance(term, Constant):
                    if not mention.place or noun is not None:
                        names.add(term.name)
                elif isinstance(term, Referent) and related and not mention.place:
                    self._leave_out(referent, term)
        left_out = {n for n in names if noun is None or n in noun.members}
        if singular:
            if not left_out:
                raise Unresolved('which one is not meant by "other"', Refusal.REMAINDER)
            left = [n for n in self._list_known(noun, referent) if n not in names]
            if len(left) == 1:
                return Constant(left[0])
            self.degree *= Confidence.LIKELY.degree  # one was said, and several are left
        if noun is not None and left_out >= set(noun.members):
            self.degree *= _NO_OTHERS
        if phrase.number is not None:
            known = [n for n in self._list_known(noun, referent) if n not in left_out]
            if len(known) - len(self._list_single(noun)) != phrase.number.value:
                self.degree *= Confidence.LIKELY.degree  # there are more others, or fewer
        for name in sorted(left_out):
            referent.restrictions.append(Not(Atom(SAME, (Variable(referent.name), Constant(name)))))
        return referent

    def _find_whole(self, phrase: NounPhrase) -> Referent | TermGroup | None:
        """Find the things of which some were spoken of after them, so that others are left."""
        if phrase.head is not Reference.ONE or not phrase.plural or phrase.qualities:
            return None
        for place, mention in reversed(list(enumerate(self.mentions))):
            term = mention.term
            if mention.place or not self._is_known_group(term):
                continue
            if isinstance(term, (Referent, TermGroup)) and self._list_parts(place, term):
                return term
        return None

    @staticmethod
    def _is_known_group(term: Term) -> bool:
        if isinstance(term, TermGroup):
            return all(isinstance(part, Constant) for part in term.parts)
        return isinstance(term, Referent) and term.quantifier is Quantifier.FORALL

    def _is_part(self, term: Term, whole: Referent | TermGroup) -> bool:
        """Return True if a term is one of the things of a group, or some of them."""
        if isinstance(term, Referent):
            return term.whole is whole
        if isinstance(whole, TermGroup):
            return term in whole.parts
        if not isinstance(term, Constant) or not self.rate(term, whole.type):
            return False
        return (whole.noun is None or term.name in whole.noun.members) and all(
            self.state.holds(part, {whole.name: term.name}) for part in whole.restrictions
        )

    def _list_parts(self, place: int, whole: Referent | TermGroup) -> list[Term]:
        """List what was spoken of after a group that is part of it."""
        later = [mention.term for mention in self.mentions[place + 1 :] if not mention.place]
        return [term for term in later if self._is_part(term, whole)]

    def _leave_rest(self, phrase: NounPhrase, whole: Referent | TermGroup, slot_type: str) -> Term:
        """Make the variable for the things of a group that were not spoken of after it."""
        place = next(i for i, m in enumerate(self.mentions) if m.term is whole)
        later = self._list_parts(place, whole)
        named = {term.name for term in later if isinstance(term, Constant)}
        if isinstance(whole, TermGroup):
            names = [part.name for part in whole.parts if isinstance(part, Constant)]
            left = tuple(Constant(name) for name in names if name not in named)
            if all(isinstance(term, Constant) for term in later) and left:
                return left[0] if len(left) == 1 else TermGroup(left)
        referent = self.maker.make(replace(phrase, number=None), None, Quantifier.FORALL)
        referent.plural = referent.remainder = True
        referent.type, referent.types = slot_type, self.list_types(whole)
        if isinstance(whole, TermGroup):
            known = [part for part in whole.parts if isinstance(part, Constant)]
            same = [Atom(SAME, (Variable(referent.name), part)) for part in known]
            referent.restrictions.append(Or(tuple(same)))
        else:
            renamed = {whole.name: Variable(referent.name)}
            referent.type, referent.noun = whole.type or slot_type, whole.noun
            referent.restrictions += [substitute(part, renamed) for part in whole.restrictions]
        for name in sorted(named):
            referent.restrictions.append(Not(Atom(SAME, (Variable(referent.name), Constant(name)))))
        for term in later:
            if isinstance(term, Referent):
                self._leave_out(referent, term)
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

    @abstractmethod
    def choose_quantifier(self, phrase: NounPhrase, noun: Noun | None) -> Quantifier:
        """Choose the quantifier for what a noun phrase says of the number of things."""

    @abstractmethod
    def resolve_simple(self, phrase: NounPhrase, slot_type: str) -> Term:
        """Return what a noun phrase with one head stands for."""


class PartitiveResolver(RemainderResolver):
    """A resolver of some of the things that were named."""

    def resolve_listed(self, phrase: NounPhrase, head: Listed, slot_type: str) -> Term:
        """Resolve "one of the mug and the bowl"."""
        terms = tuple(self.resolve_simple(part, slot_type) for part in head.parts)
        return self.take_some(phrase, TermGroup(terms), slot_type)

    def take_some(self, phrase: NounPhrase, whole: Term, slot_type: str) -> Term:
        """Make the variable for some of several things; return all of them if all are meant.

        Raises:
            Unresolved: they are not known.
        """
        quantifier = self.choose_quantifier(phrase, None)
        definite = phrase.determiner is Determiner.THE
        if quantifier is Quantifier.FORALL or (definite and phrase.number is None):
            return whole
        if definite and phrase.number is not None and phrase.number.share is None:
            return self._check_number(whole, phrase.number.value)
        parts = whole.parts if isinstance(whole, TermGroup) else (whole,)
        referent = self.maker.make(phrase, None, quantifier)
        referent.plural = phrase.plural
        if all(isinstance(part, Constant) for part in parts):
            referent.listed = tuple(part for part in parts if isinstance(part, Constant))
            referent.type = slot_type
        elif len(parts) == 1 and isinstance(parts[0], Referent):
            self._copy_kind(referent, parts[0])
        else:
            conditions = [self._state_one(referent, part) for part in parts]
            referent.restrictions.append(Or(tuple(conditions)))
            referent.type = slot_type
        referent.types = self.list_types(whole)
        referent.whole = whole
        for quality in phrase.qualities:
            self._unlist(referent)
            referent.restrictions.append(self._restrict(referent, quality, True))
        self.take_share(phrase, referent)
        return referent

    @staticmethod
    def _unlist(referent: Referent) -> None:
        """State which elements a variable may be, so that more can be said of it."""
        if referent.listed:
            same = [Atom(SAME, (Variable(referent.name), one)) for one in referent.listed]
            referent.restrictions.append(Or(tuple(same)) if len(same) > 1 else same[0])
            referent.listed = ()

    def _check_number(self, whole: Term, number: int) -> Term:
        """Return "the two of them" if there are two."""
        known = isinstance(whole, TermGroup) and len(whole.parts) == number
        if not known:
            self.degree *= 0.7
        return whole

    def _copy_kind(self, referent: Referent, whole: Referent) -> None:
        """Let a variable be one of those that another one is about."""
        if whole.quantifier is not Quantifier.FORALL:
            raise Unresolved("which of them is meant")
        referent.type, referent.noun = whole.type, whole.noun
        renamed = {whole.name: Variable(referent.name)}
        referent.restrictions += [substitute(part, renamed) for part in whole.restrictions]

    def _state_one(self, referent: Referent, part: Term) -> Expression:
        """State that a variable is one of the things of a part of a list."""
        if isinstance(part, Constant):
            return Atom(SAME, (Variable(referent.name), part))
        if not isinstance(part, Referent) or part.noun is None:
            raise Unresolved("which of them is meant")
        kind = self.maker.state_kind(referent.name, part.noun)
        renamed = {part.name: Variable(referent.name)}
        return join([kind, *(substitute(one, renamed) for one in part.restrictions)])

    def take_share(self, phrase: NounPhrase, referent: Referent) -> None:
        """Count half of the things that a variable may be, most of them, or all but some."""
        number = phrase.number
        if number is None or number.share is None or number.share is HalfOf.MANY:
            return
        known = referent.listed or self._list_known(referent.noun, referent)
        many = len(known)
        if number.share is HalfOf.ALL_BUT:
            if many <= number.value:
                raise Unresolved(f"all but {number.value} of {many}", Refusal.AMOUNT)
            referent.bound, referent.number = Bound.EXACTLY, many - number.value
        else:
            most = number.share is HalfOf.MOST
            referent.number = many // 2 + 1 if most else ceil(many / 2)


def list_parts(phrase: NounPhrase) -> Coordination:
    """Return the parts of a set as joined noun phrases.

    Raises:
        Unresolved: something is left out that is no part of it, or everything is.
    """
    left_out = [part.head for excluded in phrase.excluded for part in list_heads(excluded)]
    kept = [kind for kind in phrase.kinds if not any(_is_kind(head, kind) for head in left_out)]
    known = all(any(_is_kind(head, kind) for kind in phrase.kinds) for head in left_out)
    if not known or not kept:
        raise Unresolved("what is left out", Refusal.REMAINDER)
    blank = replace(phrase, kinds=(), determiner=Determiner.A, excluded=(), uses=())
    several = phrase.number is not None
    return Coordination(tuple(replace(blank, head=kind, plural=several) for kind in kept), False)


def _is_kind(head: Head, kind: Noun) -> bool:
    """Return True if a head names a kind of part, or one of its elements."""
    if isinstance(head, ElementName):
        return head.name in kind.members
    return isinstance(head, Noun) and bool({*head.labels} & {*kind.labels})


def _is_kind_of(kind: Noun, noun: Noun) -> bool:
    """Return True if all that one noun names is named by another one, too: "both corridors"."""
    return kind.labels == noun.labels or (
        bool(kind.members) and set(kind.members) <= set(noun.members)
    )
