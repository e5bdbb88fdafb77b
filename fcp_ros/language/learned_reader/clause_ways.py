# SPDX-License-Identifier: Apache-2.0
"""The ways to put one clause: people say the same as a state, as an act and by another verb."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.demands.clause import OBJECT, SUBJECT, DemandClause, SpokenArgument
from fcp_ros.language.demands.parsed_clauses import SpokenParts
from fcp_ros.language.english.verbs import SAME_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.nucleus import Nucleus

MAKING = gather_words("keep leave have get make want need")
"""Verbs with a state behind their object."""


def list_ways(parts: SpokenParts, nucleus: Nucleus) -> Iterator[SpokenParts]:
    """Yield a clause as it is, and as what people say as well.

    "keep | the door | closed" is a wish for a state, "the tv is | switched off" somebody's act,
    "give | the counter | a wipe" wipes it, and "get rid of" is another verb's synonym.
    """
    clause, verb = parts.clause, nucleus.verb
    if nucleus.lemma in MAKING:
        state = next((w for w in nucleus.states if w.text != clause.particle), None)
        word = clause.complement or clause.particle or (state.text if state is not None else "")
        if word:
            wished = replace(clause, verb="want", complement=word, particle="")
            yield replace(parts, clause=wished)
            return
    if not nucleus.lemma and nucleus.subject is verb and nucleus.particles:
        argument = SpokenArgument(SUBJECT, verb.lemma)
        state_ = DemandClause("be", "", (argument,), nucleus.particles[0].text)
        yield SpokenParts(state_, (verb.place,))
        return
    helpers = [h.lemma for h in nucleus.tree.list_children(verb.place, "aux")]
    own = nucleus.subject is not None and nucleus.subject is not verb
    if own and verb.tag in ("VBN", "VBD") and (nucleus.passive or "have" not in helpers):
        particle = nucleus.particles[0].text if nucleus.particles else ""
        complement = f"{verb.text} {particle}".strip()
        yield replace(parts, clause=replace(clause, verb="be", complement=complement, particle=""))
        arguments = tuple(
            replace(a, marker=OBJECT) if a.marker == SUBJECT else a for a in clause.arguments
        )
        yield replace(
            parts,
            clause=DemandClause(verb.lemma, particle, arguments, "", clause.negated),
        )
        return
    yield parts
    if (
        nucleus.thing is not None
        and nucleus.receiver is not None
        and verb.lemma in ("give", "have")
    ):
        pairs = [
            (replace(a, marker=OBJECT), head)
            for a, head in zip(clause.arguments, parts.heads, strict=True)
            if head != nucleus.thing.place
        ]
        light = DemandClause(nucleus.thing.lemma, "", tuple(a for a, _ in pairs))
        yield SpokenParts(light, tuple(head for _, head in pairs))
    said = [clause.action]
    for argument, head in zip(clause.arguments, parts.heads, strict=True):
        if argument.preposition == "of":
            thing = nucleus.thing.text if nucleus.thing is not None else ""
            said.append(f"{clause.verb} {thing} of" if thing else f"{clause.verb} of")
            one = (replace(argument, marker=OBJECT),)
            parts = SpokenParts(replace(clause, arguments=one), (head,))
    for other in (o for text in reversed(said) for o in SAME_VERBS.get(text, ())):
        meant, _, particle = other.partition(" ")
        yield replace(parts, clause=replace(parts.clause, verb=meant, particle=particle))
