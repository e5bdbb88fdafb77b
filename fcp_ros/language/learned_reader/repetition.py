# SPDX-License-Identifier: Apache-2.0
"""Speaking again of what was said already: its words are read once."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.parsing.trees import (
    Argument,
    Determiner,
    ElementName,
    Noun,
    NounPhrase,
    Phrase,
    Reference,
    is_several,
    refer_to,
)


def drop_uses(argument: Argument) -> Argument:
    """Return what fills a place as it is, without the uses of its words."""
    return replace(argument, uses=()) if isinstance(argument, NounPhrase) else argument


def take_for_known(phrase: NounPhrase) -> NounPhrase:
    """Return "the mug" for "a red mug"."""
    return replace(phrase, determiner=Determiner.THE, number=None, qualities=(), uses=())


def repeat_phrase(phrase: Phrase) -> NounPhrase:
    """Return the same thing by its noun, where that names one; else a pronoun."""
    named = isinstance(phrase, NounPhrase) and not isinstance(phrase.head, Reference)
    if isinstance(phrase, NounPhrase) and named and not is_several(phrase):
        return take_for_known(phrase)
    return refer_to(phrase)


def list_names(phrase: NounPhrase) -> set[str]:
    """List the elements that a phrase may name."""
    head = phrase.head
    if isinstance(head, ElementName):
        return {head.name}
    return {*head.members} if isinstance(head, Noun) else set()
