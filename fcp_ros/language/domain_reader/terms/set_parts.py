# SPDX-License-Identifier: Apache-2.0
"""Sets as their parts: one of each kind that is not left out."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.parsing.trees import (
    Coordination,
    Determiner,
    ElementName,
    Head,
    Noun,
    NounPhrase,
    list_heads,
)
from fcp_ros.language.reading import Refusal


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
