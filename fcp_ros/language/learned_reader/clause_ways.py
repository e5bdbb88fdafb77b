# SPDX-License-Identifier: Apache-2.0
"""The ways to put one clause: people say the same as a state, as an act and by another verb."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.demands.clause import OBJECT, RECEIVER, SUBJECT, DemandClause, SpokenArgument
from fcp_ros.language.demands.parsed_clauses import SpokenParts, name_noun
from fcp_ros.language.english.verbs import BRING_VERBS, HOLD_VERBS, SAME_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.nucleus import Nucleus
from fcp_ros.language.syntax.tree import SUBJECTS, Word

MAKING = gather_words("keep leave have get make want need")
"""Verbs with a state behind their object."""

_WANTED = gather_words("want need have get like")
_HAVING = gather_words("have need want require get")
_LACKING = gather_words("need want require deserve lack")


def list_ways(parts: SpokenParts, nucleus: Nucleus) -> Iterator[SpokenParts]:
    """Yield a clause as it is, and as what people say as well.

    "keep | the door | closed" is a wish for a state, "the tv is | switched off" somebody's act,
    "give | the counter | a wipe" wipes it, and "get rid of" is another verb's synonym.
    """
    if nucleus.receiver is not None and nucleus.lemma in HOLD_VERBS & BRING_VERBS:
        parts = replace(parts, clause=replace(parts.clause, verb="bring"))  # "grab | me | the mug"
    clause, verb = parts.clause, nucleus.verb
    wanted = nucleus.speaker and nucleus.lemma in _WANTED
    wanted = wanted and not any(nucleus.tree.list_children(verb.place, "neg"))
    thing = nucleus.thing if wanted else None
    if thing is not None and not (nucleus.places or nucleus.states or nucleus.list_behind(thing)):
        yield _bring(nucleus, thing)
    if nucleus.lemma in MAKING:
        state = next((w for w in nucleus.states if w.text != clause.particle), None)
        word = clause.complement or clause.particle or (state.text if state is not None else "")
        if word:
            wished = replace(clause, verb="want", complement=word, particle="")
            yield replace(parts, clause=wished)
            return
    if nucleus.lemma in _HAVING and nucleus.subject is not None and nucleus.thing is not None:
        yield from _list_had(parts, nucleus)
    if nucleus.lemma in _LACKING and nucleus.subject is not None and nucleus.thing is not None:
        yield from _list_needs(parts, nucleus.subject, nucleus.thing)
    if not nucleus.lemma and nucleus.subject is verb and nucleus.particles:
        argument = SpokenArgument(SUBJECT, verb.lemma)
        state_ = DemandClause("be", "", (argument,), nucleus.particles[0].text)
        yield SpokenParts(state_, (verb.place,))
        return
    if _is_done(nucleus):
        yield from _list_done(parts, nucleus)
        return
    whole = _find_whole(nucleus)
    if whole is None:
        yield parts
    else:  # "get rid | of the can"
        text, noun = whole
        arguments = (SpokenArgument(OBJECT, name_noun(nucleus.tree, noun)),)
        others = [a for a in clause.arguments if a.preposition in ("in", "into", "on")]
        heads = [h for a, h in zip(clause.arguments, parts.heads, strict=True) if a in others]
        parts = SpokenParts(replace(clause, arguments=(*arguments, *others)), (noun.place, *heads))
        clause = replace(parts.clause, verb=text)
    if nucleus.thing is not None and nucleus.receiver is not None:
        yield from _list_given(parts, verb, nucleus.thing)
    for other in SAME_VERBS.get(clause.action, ()):
        meant, _, particle = other.partition(" ")
        yield replace(parts, clause=replace(clause, verb=meant, particle=particle))


def _is_done(nucleus: Nucleus) -> bool:
    """Return True for "the tv is | switched off", "the tv | switched off"."""
    verb = nucleus.verb
    helpers = [h.lemma for h in nucleus.tree.list_children(verb.place, "aux")]
    own = nucleus.subject is not None and nucleus.subject is not verb
    return own and verb.tag in ("VBN", "VBD") and (nucleus.passive or "have" not in helpers)


def _list_done(parts: SpokenParts, nucleus: Nucleus) -> Iterator[SpokenParts]:
    """Yield what is done to a subject as a state of it, and as somebody's act."""
    clause, verb = parts.clause, nucleus.verb
    particle = nucleus.particles[0].text if nucleus.particles else ""
    complement = f"{verb.text} {particle}".strip()
    yield replace(parts, clause=replace(clause, verb="be", complement=complement, particle=""))
    arguments = tuple(
        replace(a, marker=OBJECT) if a.marker == SUBJECT else a for a in clause.arguments
    )
    act = DemandClause(verb.lemma, particle, arguments, "", clause.negated)
    yield replace(parts, clause=act)


def _list_given(parts: SpokenParts, verb: Word, thing: Word) -> Iterator[SpokenParts]:
    """Yield "give the counter | a wipe" as an act whose verb is a noun."""
    if verb.lemma not in ("give", "have"):
        return
    pairs = [
        (replace(a, marker=OBJECT), head)
        for a, head in zip(parts.clause.arguments, parts.heads, strict=True)
        if head != thing.place
    ]
    light = DemandClause(thing.lemma, "", tuple(a for a, _ in pairs))
    yield SpokenParts(light, tuple(head for _, head in pairs))


def _bring(nucleus: Nucleus, thing: Word) -> SpokenParts:
    """Put "i need | the mug", "can i have | the mug" as "bring me | the mug"."""
    tree = nucleus.tree
    speaker = tree.find_child(nucleus.verb.place, *SUBJECTS) or nucleus.verb
    things = (SpokenArgument(RECEIVER, "me"), SpokenArgument(OBJECT, name_noun(tree, thing)))
    return SpokenParts(DemandClause("bring", "", things), (speaker.place, thing.place))


def _list_had(parts: SpokenParts, nucleus: Nucleus) -> Iterator[SpokenParts]:
    """Yield "the hall has | a clean floor" as what is said of the hall."""
    assert nucleus.thing is not None
    tree, thing = nucleus.tree, nucleus.thing
    before = [w.text for w in tree.list_children(thing.place, "amod", "compound")]
    kept = [i for i, head in enumerate(parts.heads) if head != thing.place]
    if before and kept:
        complement = " ".join([*before, thing.lemma])
        arguments = tuple(parts.clause.arguments[i] for i in kept)
        clause = DemandClause("have", "", arguments, complement)
        yield SpokenParts(clause, tuple(parts.heads[i] for i in kept))


def _list_needs(parts: SpokenParts, subject: Word, thing: Word) -> Iterator[SpokenParts]:
    """Yield "the hall needs | a clean floor" as what it has, "it needs | a wipe" as an act."""
    clause = parts.clause
    if not clause.arguments or parts.heads[0] != subject.place:
        return
    if len(clause.arguments) == 2:
        argument = replace(clause.arguments[0], marker=OBJECT)
        yield SpokenParts(DemandClause(thing.lemma, "", (argument,)), parts.heads[:1])


def _find_whole(nucleus: Nucleus) -> tuple[str, Word] | None:
    """Find a verb of several words and its object: "get rid of" and "the can"."""
    tree, verb = nucleus.tree, nucleus.verb
    for head in (nucleus.thing, verb):
        for child in tree.list_children(head.place, "prep") if head is not None else ():
            noun = tree.find_child(child.place, "pobj")
            inner = f"{head.text} " if head is not None and head is not verb else ""
            text = f"{verb.lemma} {inner}{child.text}"
            if text in SAME_VERBS and noun is not None:
                return text, noun
    return None
