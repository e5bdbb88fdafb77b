# SPDX-License-Identifier: Apache-2.0
"""States that are waited for: "when the door is closed, ..." asks nobody to close the door."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.trees import Link, Proviso, ProvisoKind, Sentence, SpokenClause

WAITING = PhraseSet("(when|as soon as|the moment)")
"""Words before a state that is waited for."""


def _asks_for(clause: SpokenClause, state: SpokenClause) -> bool:
    """Return True if a clause asks for a state: it isn't done when that is so."""
    asked, awaited = ([p.meaning for p in one.predications] for one in (clause, state))
    return asked == awaited


def wait_for_states(sentence: Sentence) -> Sentence:
    """Return a sentence in which what is waited for has to be so before, and isn't asked for."""
    clauses, links = list(sentence.clauses), list(sentence.links)
    for place, awaited in enumerate(sentence.clauses):
        if not awaited.awaited:
            continue
        behind = links[place] is Link.EARLIER
        if behind and place + 1 < len(clauses) and _asks_for(clauses[place - 1], awaited):
            behind = False  # "open it and when it is open close the door"
        main = place - 1 if behind else place + 1
        if not 0 <= main < len(clauses) or clauses[main].negated or clauses[main].provisos:
            continue
        state = replace(awaited, awaited=False)
        waiting = Proviso(ProvisoKind.UNTIL, state, ahead=not behind, awaited=True)
        clauses[place] = replace(clauses[main], negated=True, provisos=(waiting,), uses=())
        links[place] = Link.AND
        if not behind:
            links[main] = Link.AND
    return replace(sentence, clauses=tuple(clauses), links=tuple(links))
