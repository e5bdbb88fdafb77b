# SPDX-License-Identifier: Apache-2.0
"""Exceptions and remainders: all but something, the rest, the others."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from fcp_ros.domain.expressions.syntax import Atom, Constant, Not, Variable, substitute
from fcp_ros.domain.model import SAME
from fcp_ros.language.domain_reader.terms.descriptions import DescriptionMatcher
from fcp_ros.language.domain_reader.terms.referents import (
    Quantifier,
    Referent,
    Term,
    TermGroup,
    join,
)
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.parsing.trees import Coordination, Determiner, Noun, NounPhrase, Reference


class RemainderResolver(DescriptionMatcher):
    """A resolver of what is left out, and of what is left."""

    def exclude(self, phrase: NounPhrase, referent: Referent) -> None:
        """Leave out of a variable what is excepted."""
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
                term = self.resolve_simple(part, "")
                if not isinstance(term, Constant):
                    raise Unresolved("what is left out")
                names.add(term.name)
        for name in sorted(names):
            same = Atom(SAME, (Variable(referent.name), Constant(name)))
            referent.restrictions.append(Not(same))

    def resolve_rest(self, phrase: NounPhrase, noun: Noun | None, slot_type: str) -> Term:
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

    @abstractmethod
    def resolve_simple(self, phrase: NounPhrase, slot_type: str) -> Term:
        """Return what a noun phrase with one head stands for."""
