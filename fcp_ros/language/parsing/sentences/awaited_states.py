# SPDX-License-Identifier: Apache-2.0
"""States that are waited for: "when the door is closed, ..." asks nobody to close the door."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.trees import Link, Proviso, ProvisoKind, Sentence

WAITING = PhraseSet("(when|as soon as|the moment)")
"""Words before a state that is waited for."""


def wait_for_states(sentence: Sentence) -> Sentence:
    """Return a sentence in which what is waited for has to be so before, and isn't asked for."""
    clauses, links = list(sentence.clauses), list(sentence.links)
    for place, awaited in enumerate(sentence.clauses):
        if not awaited.awaited:
            continue
        behind = links[place] is Link.EARLIER
        main = place - 1 if behind else place + 1
        if not 0 <= main < len(clauses) or clauses[main].negated or clauses[main].provisos:
            continue
        state = replace(awaited, awaited=False)
        waiting = Proviso(ProvisoKind.UNTIL, state, ahead=not behind)
        clauses[place] = replace(clauses[main], negated=True, provisos=(waiting,), uses=())
        links[place] = Link.AND
        if not behind:
            links[main] = Link.AND
    return replace(sentence, clauses=tuple(clauses), links=tuple(links))
