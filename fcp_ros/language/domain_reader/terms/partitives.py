# SPDX-License-Identifier: Apache-2.0
"""Parts of what was named: one of the mug and the bowl, neither, each part of a set."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from fcp_ros.domain.expressions.syntax import (
    Atom,
    Bound,
    Constant,
    Expression,
    Or,
    Variable,
    substitute,
)
from fcp_ros.domain.model import SAME
from fcp_ros.language.domain_reader.terms.referents import (
    Quantifier,
    Referent,
    Term,
    TermGroup,
    join,
)
from fcp_ros.language.domain_reader.terms.remainders import RemainderResolver
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
    list_heads,
)
from fcp_ros.language.reading import Refusal


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
        known = referent.listed or self._list_known(phrase, referent.noun, referent)
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
