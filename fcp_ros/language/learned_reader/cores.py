# SPDX-License-Identifier: Apache-2.0
"""Cores of clauses: their demands without the words of logic around them.

People put one clause in several ways; and what they say may come to a task of the domain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from fcp_ros.domain.model import Domain
from fcp_ros.language.demands.frames import OBJECT, RECEIVER, SUBJECT, DemandClause, SpokenArgument
from fcp_ros.language.demands.model import Demand, DemandModel
from fcp_ros.language.demands.parsed_clauses import SpokenParts, name_noun, read_parts
from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.verbs import BRING_VERBS, HOLD_VERBS, KEEP_VERBS, SAME_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.clause_roles import list_wrapper
from fcp_ros.language.learned_reader.demand_reader import DemandFound, DemandReader, LiteralReader
from fcp_ros.language.learned_reader.general_acts import GeneralActs
from fcp_ros.language.learned_reader.marks import Mark
from fcp_ros.language.learned_reader.nucleus import WANTING, Nucleus, list_uses, read_nucleus
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.telling import is_remark
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.trees import (
    PERSON,
    PLACE,
    THEME,
    Act,
    NounPhrase,
    Predication,
    Reference,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole
from fcp_ros.language.syntax.clauses import ParsedClause
from fcp_ros.language.syntax.tree import SUBJECTS, Word

MAKING = gather_words("keep leave have get make want need")
"""Verbs with a state behind their object."""

_WANTED = gather_words("want need have get like")
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


_BRINGING = DemandClause(
    "bring", arguments=(SpokenArgument(RECEIVER, "person"), SpokenArgument(OBJECT, "thing"))
)
_COMING = DemandClause("come")


class OwnTasks:
    """The tasks of a domain for bringing something and for coming."""

    def __init__(self, model: DemandModel, domain: Domain) -> None:
        self._model = model
        self._domain = domain

    def name(self, clause: SpokenClause) -> SpokenClause | None:
        """Put a clause as the task of the domain; None if it has none for it."""
        (said,) = clause.predications
        filling: tuple[str, ...] = ()
        if clause.act is Act.BRING:
            demand, filling = self._find(_BRINGING), (PERSON, THEME)
        elif clause.act is Act.GO and not clause.negated and _is_here(said):
            demand = self._find(_COMING)
        else:
            return None
        if demand is None:
            return None
        arguments = {
            slot: said.arguments[filling[position]] for slot, position in demand.slots.items()
        }
        one = replace(said, meaning=demand.meaning, arguments=arguments)
        return replace(clause, act=Act.ACHIEVE, predications=(one,))

    def _find(self, asked: DemandClause) -> Demand | None:
        """Find a task with the same verb, and a slot for each argument."""
        for demand in self._model.rank(asked, self._domain):
            same = demand.frame.verb == asked.verb and len(demand.slots) == len(asked.arguments)
            if same and demand.meaning.source is MeaningSource.TASK:
                return demand
        return None


def _is_here(said: Predication) -> bool:
    place = said.arguments.get(PLACE)
    return isinstance(place, NounPhrase) and place.head is Reference.HERE


_CERTAIN, _SURE, _KNOWN = 0.9, 0.6, 0.5
"""Least degrees of a demand: before what English says in general, and with its verb understood."""
_FEW = 2
"""Arguments that a clause without a verb has at least."""


class CoreReader:
    """A reader of single clauses."""

    def __init__(
        self, parsed: ParsedInstruction, model: DemandModel, phrases: LearnedPhrases
    ) -> None:
        self._nouns = parsed.nouns
        self._demands = DemandReader(parsed, model, phrases)
        self.acts = GeneralActs(parsed, phrases)
        self._tasks = OwnTasks(model, parsed.context.domain)
        self._literal = LiteralReader(parsed)
        self.has_said = False
        """True if something was said before that "it" may mean."""

    def read(
        self, parsed: ParsedClause, marks: Sequence[Mark], ordered: bool
    ) -> list[SpokenClause] | None:
        """Read what a clause asks for without the words of logic around it; None for a remark."""
        tree = parsed.tree
        verb = tree.words[parsed.verb]
        marked = {t for mark in marks for t in mark.tokens}
        nucleus = self._take_names(read_nucleus(parsed), marked)
        if nucleus.subject is not None and nucleus.subject.token in marked:
            nucleus = replace(nucleus, subject=None)  # "after that put it there"
        wrapper = list(list_wrapper(tree, verb))
        statement = nucleus.subject is not None
        if statement and not wrapper and is_remark(parsed, nucleus, marks, ordered):
            return None
        if parsed.lemma == "be" and not statement and self._tells(parsed):
            return None
        literal = self._literal.read(parsed, marked)
        if literal is not None:
            return [literal]
        general = self.acts.read(nucleus)
        task = self._tasks.name(general[0]) if general else None
        if task is not None:
            general[0] = task
        found = self._read_demand(parsed, nucleus, marked)
        better = bool(found.clauses) and (
            not general or (task is None and _says_just_this(found, nucleus))
        )
        chosen = list(found.clauses) if better else general
        if better:
            chosen += self._read_gaps(parsed, nucleus)
        if not chosen:
            return []
        if nucleus.speaker and nucleus.lemma in WANTING:
            chosen[0] = replace(chosen[0], verb="want")  # "I need the mug. Put it on the table."
        uses = list_uses(wrapper, WordRole.FILLER, "")
        if statement:
            chosen = [replace(c, act=Act.STATE) if c.act is Act.ACHIEVE else c for c in chosen]
        return [replace(chosen[0], uses=(*chosen[0].uses, *uses)), *chosen[1:]]

    def _tells(self, parsed: ParsedClause) -> bool:
        """Return True for "(wipe the table), is dirty", which has no subject."""
        tree = parsed.tree
        verb = tree.words[parsed.verb]
        helped = any(tree.list_children(verb.place, "aux", *SUBJECTS))
        return verb.tag in ("VBZ", "VBP", "VBD") and not helped

    def _take_names(self, nucleus: Nucleus, marked: set[int]) -> Nucleus:
        """Take what only looks like a verb for the thing that it names: "mug on the table"."""
        places = tuple(p for p in nucleus.places if p.noun.token not in marked)
        nucleus = replace(nucleus, places=places)
        verb = nucleus.verb
        inserted = any(
            w.is_inserted for w in nucleus.tree.list_children(verb.place, "nsubj", "nsubjpass")
        )
        if verb.tag == "VBG" or verb.role == "xcomp":
            return nucleus
        if nucleus.lemma == "" and nucleus.subject is None and self.has_said and nucleus.places:
            return nucleus
        if not inserted or nucleus.thing is not None or not (places or nucleus.particles):
            return nucleus
        if verb.token < 0 or not self._nouns.lexicon.find_nouns(self._nouns.tokens, verb.token):
            return nucleus
        acts = verb.text in self._nouns.patterns.imperatives
        if acts and places and all(p.words[0].text in ("in", "at", "there") for p in places):
            return nucleus  # "mop | in there"
        return replace(nucleus, lemma="", subject=verb)

    def _read_demand(
        self, parsed: ParsedClause, nucleus: Nucleus, marked: Collection[int] = ()
    ) -> DemandFound:
        """Read a clause by the demand model, in the ways in which it may be put."""
        best, parts = DemandFound(), _drop(read_parts(parsed), parsed, marked)
        named = nucleus.subject is nucleus.verb and nucleus.verb.is_noun
        if parsed.lemma and named and not nucleus.particles:
            return best  # "mug, bowl and apple on the table" has no verb "mug"
        bare = not parsed.lemma and not (parts.clause.complement or nucleus.particles)
        if bare and len(parts.clause.arguments) < _FEW:
            return best  # "the mug" names a thing, and nothing to be done with it
        for one in list_ways(parts, nucleus):
            found = self._demands.read(parsed, one, self.has_said)
            if found.clauses and (not best.clauses or found.degree > best.degree):
                best, parts = found, one
        demand = best.demand
        if demand is None or not best.clauses:
            return DemandFound()
        act = Act.ACHIEVE
        if parsed.lemma in KEEP_VERBS and parts.clause.complement:
            act = Act.KEEP
        elif parts.clause.verb in ("be", "want"):
            act = Act.STATE
        first, *others = best.clauses
        uses = list(first.uses)
        if demand.degree >= _KNOWN:
            words = [nucleus.verb, *nucleus.particles]
            words += [w for w in nucleus.states if w.text in parts.clause.complement.split()]
            thing = nucleus.thing
            if thing is not None and thing.lemma == parts.clause.verb != parsed.lemma:
                words += [thing, *nucleus.tree.list_children(thing.place)]  # "give it a wipe"
            if thing is not None and thing.text == "rid":
                words += [thing, *nucleus.tree.list_children(thing.place, "prep")]
            uses += list_uses(words, WordRole.ACTION, demand.meaning.name)
        first = replace(
            first, act=act, verb=parsed.lemma, uses=tuple(uses), degree=first.degree * best.degree
        )
        return replace(best, clauses=(first, *(replace(o, act=act) for o in others)))

    def _read_gaps(self, parsed: ParsedClause, nucleus: Nucleus) -> list[SpokenClause]:
        """Read what goes on without its verb: "(switch the tv on) and | the laptop | off"."""
        tree, found = nucleus.tree, list[SpokenClause]()
        for noun in nucleus.joined:
            behind = tree.words[noun.place + 1 : noun.place + 2]
            particle = next((w for w in behind if w.text in ("on", "off")), None)
            if particle is None or tree.children[particle.place]:
                continue
            argument = SpokenArgument(OBJECT, noun.lemma)
            clause = DemandClause(parsed.lemma, particle.text, (argument,))
            one = self._demands.read(parsed, SpokenParts(clause, (noun.place,)), True)
            uses = list_uses([particle], WordRole.ACTION, "")
            found += [replace(c, uses=(*c.uses, *uses), verb=parsed.lemma) for c in one.clauses]
        return found

    def read_state(self, parsed: ParsedClause) -> list[SpokenClause]:
        """Read a clause as a condition: "the door is open"."""
        nucleus = self._take_names(read_nucleus(parsed), set())
        general = self.acts.read(nucleus)
        if general and general[0].act in (Act.STATE, Act.KEEP, Act.GO):
            return general
        return list(self._read_demand(parsed, nucleus).clauses)

    def read_step(self, parsed: ParsedClause) -> list[SpokenClause]:
        """Read a clause as what is done or so at another time."""
        nucleus = self._take_names(read_nucleus(parsed), set())
        return self.acts.read(nucleus) or list(self._read_demand(parsed, nucleus).clauses)


def _drop(parts: SpokenParts, parsed: ParsedClause, marked: Collection[int]) -> SpokenParts:
    """Drop arguments that are read by themselves: "(open it) | within ten seconds"."""
    pairs = zip(parts.clause.arguments, parts.heads, strict=True)
    kept = [(a, h) for a, h in pairs if parsed.tree.words[h].token not in marked]
    clause = replace(parts.clause, arguments=tuple(a for a, _ in kept))
    return replace(parts, clause=clause, heads=tuple(h for _, h in kept))


def _says_just_this(found: DemandFound, nucleus: Nucleus) -> bool:
    """Return True for a phrase of the domain with the same verb and a place for each thing."""
    demand = found.demand
    if demand is None or demand.frame.verb != nucleus.lemma or demand.degree < _SURE or found.left:
        return False
    said = len(nucleus.places) + (nucleus.thing is not None) + (nucleus.subject is not None)
    words = sum(bool(role.word) for role in demand.frame.roles)
    if len(demand.slots) + words < said:
        return False
    if words or demand.meaning.source in (MeaningSource.TASK, MeaningSource.GRADED):
        return True
    sure = demand.meaning.source is MeaningSource.RULE and demand.degree >= _CERTAIN
    return sure and len(demand.slots) == 1 and not nucleus.places
