# SPDX-License-Identifier: Apache-2.0
"""Quantifiers that depend on the clause around a noun phrase: "only", "any" as all, plurals."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.parsing.trees import (
    Act,
    Argument,
    Coordination,
    Determiner,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    SpokenClause,
)

_WIDE_ACTS = (Act.STATE, Act.KEEP, Act.STAY, Act.ACHIEVE)
"""Acts of which "any" may say all."""


def is_limited(argument: Argument) -> bool:
    """Return True for "only the mug"."""
    return isinstance(argument, NounPhrase) and argument.only


def widen_any(clause: SpokenClause) -> SpokenClause:
    """Return a clause with "all" for "any" where it asks for something: "any cup must be clean".

    So it is in "don't touch anything [else]", by which all, or all the rest, stays; not where "any"
    may be one, whichever: "put any cup on the table".
    """
    if clause.negated or clause.act not in _WIDE_ACTS:
        return clause
    state = clause.act is not Act.ACHIEVE
    every = Determiner.REST if clause.act is Act.STAY else Determiner.ALL
    said = tuple(_widen(one, state, every) for one in clause.predications)
    return clause if said == clause.predications else replace(clause, predications=said)


def ban_any(clause: SpokenClause) -> SpokenClause:
    """Return a ban with "any" for its plurals: "never put apples on the couch" bans each one."""
    if not clause.negated:
        return clause
    said = tuple(_ban(one) for one in clause.predications)
    return clause if said == clause.predications else replace(clause, predications=said)


def _ban(said: Predication) -> Predication:
    if said.negated:
        return said
    arguments = {
        slot: argument if isinstance(argument, int) else _mean_any_each(argument)
        for slot, argument in said.arguments.items()
    }
    return replace(said, arguments=arguments)


def _mean_any_each(phrase: Phrase) -> Phrase:
    if isinstance(phrase, Coordination):
        return replace(phrase, parts=tuple(map(_mean_any_each, phrase.parts)))
    return mean_any(phrase)


def mean_any(phrase: Phrase) -> Phrase:
    """Take the plural of a ban or description ("doors of the bathrooms") for any of the things."""
    if not isinstance(phrase, NounPhrase) or not isinstance(phrase.head, Noun):
        return phrase
    bare = phrase.determiner is Determiner.BARE
    several = bare or (phrase.determiner is Determiner.THE and phrase.plural)
    if not several or phrase.number is not None:
        return phrase
    return replace(phrase, determiner=Determiner.ANY)


def _widen(said: Predication, state: bool, others: Determiner) -> Predication:
    if said.negated or not said.arguments:
        return said
    slot, theme = next(iter(said.arguments.items()))
    if not isinstance(theme, NounPhrase) or theme.determiner is not Determiner.ANY:
        return said
    if theme.number is not None or not (state or (theme.plural and theme.qualities)):
        return said
    wide = replace(theme, determiner=others if theme.other else Determiner.ALL)
    return replace(said, arguments={**said.arguments, slot: wide})
