# SPDX-License-Identifier: Apache-2.0
"""Cores of clauses: their demands without the words of logic around them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from fcp_ros.language.demands.clause import OBJECT, DemandClause, SpokenArgument
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.demands.parsed_clauses import SpokenParts, read_parts
from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.verbs import KEEP_VERBS
from fcp_ros.language.learned_reader.clause_roles import list_wrapper
from fcp_ros.language.learned_reader.clause_ways import list_ways
from fcp_ros.language.learned_reader.demand_reader import DemandFound, DemandReader
from fcp_ros.language.learned_reader.general_acts import GeneralActs
from fcp_ros.language.learned_reader.literal_phrases import LiteralReader
from fcp_ros.language.learned_reader.marks import Mark
from fcp_ros.language.learned_reader.nucleus import Nucleus, list_uses, read_nucleus
from fcp_ros.language.learned_reader.own_tasks import OwnTasks
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.placing_parts import WANTING
from fcp_ros.language.learned_reader.telling import is_remark
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.trees import Act, SpokenClause
from fcp_ros.language.reading import WordRole
from fcp_ros.language.syntax.clauses import ParsedClause
from fcp_ros.language.syntax.tree import SUBJECTS

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
