# SPDX-License-Identifier: Apache-2.0
"""Sentences with their logic over dependency trees: negation, conditions, order, times, wishes.

Each main clause of a tree is read by itself (`GeneralActs`, `DemandReader`); what depends on it by
a subordinator changes it. What isn't understood stays unread, so that it is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.demands.clause import OBJECT, SUBJECT, DemandClause, SpokenArgument
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.demands.parsed_clauses import SpokenParts, read_parts
from fcp_ros.language.domain_reader.reader import ParsedInstruction
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.polite_phrases import CLOSINGS, POLITE
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.verbs import KEEP_VERBS, SAME_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.demand_reader import DemandFound, DemandReader
from fcp_ros.language.learned_reader.general_acts import GeneralActs
from fcp_ros.language.learned_reader.marks import Mark, MarkKind, find_marks
from fcp_ros.language.learned_reader.nucleus import Nucleus, read_nucleus
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.subordinators import Relation, find_relation
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.sentences.awaited_states import wait_for_states
from fcp_ros.language.parsing.trees import (
    THEME,
    Act,
    Link,
    Noun,
    NounPhrase,
    Predication,
    Proviso,
    ProvisoKind,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.parsing.word_uses import collect_uses
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.clauses import Mood, ParsedClause, list_clauses
from fcp_ros.language.syntax.sentences import Segment
from fcp_ros.language.syntax.statements import tell
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word
from fcp_ros.language.syntax.units import split_units

_WRAPPING = gather_words(
    "want need like love prefer wish make see ensure let have expect get be check ought suppose "
    "keep try"
)
"""Verbs whose clause below is what is asked for: "I want the door closed", "make sure that ..."."""
_WISHING = gather_words("want need like love wish prefer expect")
_AGAIN = gather_words("already again still yet anymore currently too also somewhere")
_MODALS = gather_words("should must shall would could can will may might need have ought to 'd")
_PLACED = gather_words("go belong stay remain")
_MAKING = gather_words("keep leave have get make want need")
_LOGICAL = gather_words("or nor neither either but for with by at in on up down over")
"""Small words that aren't dropped."""
_PLAIN = (FILLERS - _LOGICAL) | gather_words("please then and you i we me us now so let")
_ASIDE = "aside"
_CERTAIN, _SURE, _KNOWN = 0.9, 0.6, 0.5
_REASON = 0.9
_LINKS = {MarkKind.THEN: Link.THEN, MarkKind.EARLIER: Link.EARLIER}
_PROVISOS = {
    Relation.UNTIL: ProvisoKind.UNTIL,
    Relation.BEFORE: ProvisoKind.UNTIL,
    Relation.WHILE: ProvisoKind.WHILE,
    Relation.WHENEVER: ProvisoKind.WHENEVER,
}


@dataclass(frozen=True, slots=True)
class _Subordinate:
    """A clause that depends on another one by a subordinator."""

    relation: Relation
    parsed: ParsedClause
    words: tuple[Word, ...]  # the subordinator
    ahead: bool


class LogicReader:
    """Reads one instruction."""

    def __init__(self, parsed: ParsedInstruction, model: DemandModel) -> None:
        self._parsed = parsed
        self._tokens = parsed.nouns.tokens
        phrases = LearnedPhrases(parsed, model)
        self._phrases = phrases
        self._demands = DemandReader(parsed, model, phrases)
        self._acts = GeneralActs(parsed, phrases)
        words = {w.token: w for s in parsed.segments for w in s.tree.words if not w.is_inserted}
        self._marks = find_marks(self._tokens, words)
        self._marked = {t for mark in self._marks for t in mark.tokens}
        self._clauses: list[SpokenClause] = []
        self._links: list[Link] = []
        self._uses: list[WordUse] = []
        self._link = Link.AND
        self._condition: tuple[Predication, ...] = ()  # of the next clause
        self._last_condition: tuple[Predication, ...] = ()
        self._degree = 1.0
        self._left = 0
        self._applied: list[Mark] = []

    def read(self) -> list[Sentence]:
        """Read all clauses; none if nothing is asked for."""
        for segment in self._parsed.segments:
            for unit in split_units(segment):
                self._parsed.context.check()
                self._read_unit(unit)
        if not any(clause.act not in (Act.REMARK, Act.TOPIC) for clause in self._clauses):
            return []
        sentence = Sentence(
            tuple(self._clauses), tuple(self._links), tuple(self._uses), self._degree
        )
        return self._account(wait_for_states(sentence))

    # --- the clauses of a tree

    def _read_unit(self, unit: Segment) -> None:
        tree = unit.tree
        span = _list_tokens(tree, range(len(tree.words)))
        if not span:
            return
        self._follow_links(unit)
        clauses = [c for c in list_clauses(unit) if tree.words[c.verb].token not in self._marked]
        by_verb = {c.verb: c for c in clauses}
        wished = any(self._wraps(tree, clause, by_verb) for clause in clauses)
        told = not unit.piece.imperative and not wished and self._is_told(unit, max(span) + 1)
        if told:
            self._remark(tree)
            return
        mains, subordinates = list[ParsedClause](), dict[int, list[_Subordinate]]()
        for clause in clauses:
            kind = self._classify(tree, clause, by_verb)
            if kind == "main":
                mains.append(clause)
            elif isinstance(kind, _Subordinate):
                main = self._find_main(tree, clause, by_verb, kind)
                subordinates.setdefault(main, []).append(kind)
        for clause in mains:
            self._read_main(clause, subordinates.pop(clause.verb, []), mains)

    def _is_told(self, unit: Segment, end: int) -> bool:
        """Return True for a statement that demands nothing.

        What goes on from a demand without a verb of its own, or has no articles, is none: "(the
        counter shall be clean) and the door closed", "door shut".
        """
        tree, root = unit.tree, unit.tree.root
        helpers = list(tree.list_children(root.place, "aux", "auxpass"))
        subject = tree.find_child(root.place, *SUBJECTS)
        if helpers and subject is not None and helpers[0].place < subject.place:
            return False
        if not helpers and subject is not None and root.tag in ("VBN", "VBD", "JJ"):
            bare = subject.tag == "NN" and not tree.children[subject.place]
            last = self._clauses[-1].act if self._clauses and unit.piece.links else Act.REMARK
            if bare or last is not Act.REMARK:
                return False
        if any(w.text == "better" for w in tree.list_children(root.place, "advmod")) and helpers:
            return False
        ordered = any(
            m.kind in (MarkKind.THEN, MarkKind.FIRST)
            and (
                m.start in unit.piece.links
                or any(t in m.tokens for t in _list_tokens(tree, range(len(tree.words))))
            )
            for m in self._marks
        )
        present = any(h.tag in ("VBZ", "VBP") and h.role == "auxpass" for h in helpers)
        if ordered and (present or root.lemma in _PLACED):
            return False
        return tell(tree, end) is not None

    def _classify(
        self, tree: Tree, clause: ParsedClause, by_verb: dict[int, ParsedClause]
    ) -> str | _Subordinate:
        verb = tree.words[clause.verb]
        if clause.relation in ("relcl", "acl", "csubj"):
            return "inner"
        found = find_relation(tree, clause)
        if found is not None and all(word.token in self._marked for word in found[1]):
            found = None  # "after two minutes"
        if found is not None and found[0] is Relation.WHILE and clause.lemma in ("go", "belong"):
            return "main"  # "the mug goes there, while the bowl goes here"
        if found is not None:
            relation, words = found
            head = tree.words[verb.head]
            while head.head != head.place and head.place not in by_verb:
                head = tree.words[head.head]
            return _Subordinate(relation, clause, words, clause.start < _start(tree, head))
        if clause.relation == "ROOT":
            return "main" if not self._wraps(tree, clause, by_verb) else "inner"
        if clause.relation in ("ccomp", "xcomp") and self._is_wrapped(tree, verb, by_verb):
            return "main"
        above = tree.words[verb.head]
        if clause.relation == "conj" and above.place in by_verb:
            kind = self._classify(tree, by_verb[above.place], by_verb)
            if isinstance(kind, _Subordinate):
                return replace(kind, parsed=clause, words=())
            return "main" if kind == "main" else "inner"
        if clause.relation in ("parataxis", "dep", "conj") or (
            clause.relation in ("ccomp", "advcl") and verb.place < verb.head
        ):
            return "main"
        if clause.relation == "advcl" and any(
            w.text == "where" for w in tree.list_children(verb.place, "advmod")
        ):
            return "inner"
        return "inner"

    def _wraps(self, tree: Tree, clause: ParsedClause, by_verb: dict[int, ParsedClause]) -> bool:
        return any(
            self._is_wrapped(tree, tree.words[other], by_verb)
            and _find_wrapper(tree, tree.words[other]).place == clause.verb
            for other in by_verb
            if other != clause.verb and by_verb[other].relation in ("ccomp", "xcomp")
        )

    def _is_wrapped(self, tree: Tree, verb: Word, by_verb: dict[int, ParsedClause]) -> bool:
        """Return True for "I want | the door to be closed", "make sure | that it is closed"."""
        above = _find_wrapper(tree, verb)
        if above.lemma not in _WRAPPING or above.place == verb.place:
            return False
        to = any(w.text == "to" for w in tree.list_children(verb.place, "aux"))
        subject = tree.find_child(verb.place, *SUBJECTS)
        if above.lemma == "keep":
            return verb.tag == "VBG"
        if above.lemma == "try":
            return to
        if above.lemma in _WISHING:
            speaker = tree.find_child(above.place, "nsubj")
            needy = speaker is not None and speaker.text not in ("i", "we", "you")
            having = verb.lemma in ("have", "see", "get", "find")
            return needy or having or subject is not None or verb.role == "ccomp"
        return subject is not None or to or verb.tag in ("VBN", "VB")

    def _find_main(
        self,
        tree: Tree,
        clause: ParsedClause,
        by_verb: dict[int, ParsedClause],
        found: _Subordinate,
    ) -> int:
        word = tree.words[clause.verb]
        while word.head != word.place:
            word = tree.words[word.head]
            if (
                word.place in by_verb
                and self._classify(tree, by_verb[word.place], by_verb) == "main"
            ):
                return word.place
        inner = [
            v
            for v, c in by_verb.items()
            if v != clause.verb and self._classify(tree, c, by_verb) == "main"
        ]
        return inner[0] if inner else word.place

    def _follow_links(self, unit: Segment) -> None:
        """Take the order from the words before a piece: "and then"."""
        for mark in self._marks:
            if mark.start in unit.piece.links:
                self._apply_link(mark)

    def _apply_link(self, mark: Mark) -> None:
        self._uses.append(mark.use)
        self._applied.append(mark)
        if mark.kind in _LINKS and self._clauses:
            self._link = _LINKS[mark.kind]
        elif mark.kind is MarkKind.OTHERWISE and len(self._last_condition) == 1:
            (met,) = self._last_condition
            self._condition = (replace(met, negated=not met.negated),)

    # --- main clauses

    def _read_main(
        self, parsed: ParsedClause, below: Sequence[_Subordinate], mains: Sequence[ParsedClause]
    ) -> None:
        tree = parsed.tree
        own = set(_list_tokens(tree, self._list_own(tree, parsed, mains)))
        marks = [
            m
            for m in self._marks
            if (own & set(m.tokens) or self._leads(m, min(own)))
            and m not in self._applied
            and not any(self._stands_before(m, one) for one in below)
        ]
        for mark in marks:
            if mark.kind in (MarkKind.OTHERWISE, MarkKind.EARLIER) or (
                mark.kind is MarkKind.THEN and mark.start <= min(own)
            ):
                self._apply_link(mark)
        provisos = list[Proviso]()
        following = Link.AND
        for one in below:
            if not one.ahead:
                continue
            if one.relation in (Relation.IF, Relation.UNLESS):
                self._condition = (*self._condition, *self._read_condition(one))
            elif one.relation in (Relation.UNTIL, Relation.WHILE, Relation.WHENEVER):
                provisos += self._read_proviso(one, _PROVISOS[one.relation])
            elif one.relation in (Relation.WHEN, Relation.AFTER, Relation.BEFORE):
                for clause in self._read_step(one):
                    self._add(clause)
                    following = Link.EARLIER if one.relation is Relation.BEFORE else Link.THEN
        if following is not Link.AND:
            self._link = following
        clauses = self._read_core(parsed, marks)
        if not clauses:
            return
        condition, self._condition = self._condition, ()
        if condition:
            self._last_condition = condition
        first = len(self._clauses)
        split = _split_marks(clauses, marks)
        for number, clause in enumerate(clauses):
            clause = self._modify(clause, parsed, split[number], whole=not number)
            if condition:
                clause = replace(clause, condition=condition)
            if provisos and (
                clause.negated
                or clause.act in (Act.KEEP, Act.STAY, Act.STATE)
                or provisos[0].kind is ProvisoKind.WHENEVER
            ):
                clause = replace(clause, provisos=(*clause.provisos, *provisos))
            self._add(clause)
        for one in below:
            if one.ahead and one.relation not in (Relation.WITHOUT, Relation.REASON):
                continue
            self._apply_behind(one, first)

    def _apply_behind(self, one: _Subordinate, first: int) -> None:
        """Change the clauses from one on by a clause that depends on them."""
        main = self._clauses[first]
        changed: list[SpokenClause] = []
        if one.relation in (Relation.IF, Relation.UNLESS):
            condition = self._read_condition(one)
            self._last_condition = condition
            changed = [
                replace(c, condition=(*c.condition, *condition)) for c in self._clauses[first:]
            ]
        elif one.relation is Relation.WITHOUT:
            never = tuple(self._read_step(one))
            wish = next((m for m in self._marks if self._stands_before(m, one)), None)
            if wish is not None:  # "preferably without entering the hall"
                for clause in never:
                    uses = (*clause.uses, wish.use)
                    self._add(replace(clause, negated=True, preferred=True, uses=uses))
                return
            changed = [replace(main, never=(*main.never, *never)), *self._clauses[first + 1 :]]
        elif one.relation is Relation.REASON:
            self._uses += self._use_all(one.parsed.tree, one.parsed, one.words)
            self._degree *= _REASON
        elif one.relation in _PROVISOS and (
            one.relation is Relation.WHENEVER
            or main.negated
            or main.act in (Act.KEEP, Act.STAY)
            or (main.act is Act.STATE and one.relation is Relation.WHILE)
        ):
            provisos = tuple(self._read_proviso(one, _PROVISOS[one.relation]))
            changed = [replace(c, provisos=(*c.provisos, *provisos)) for c in self._clauses[first:]]
        elif one.relation in (Relation.WHEN, Relation.AFTER, Relation.BEFORE):
            link = Link.THEN if one.relation is Relation.BEFORE else Link.EARLIER
            for clause in self._read_step(one):
                self._link = link
                self._add(clause)
        if changed:
            self._clauses[first:] = changed

    def _leads(self, mark: Mark, start: int) -> bool:
        """Return True for a phrase that stands alone before a clause: "from two minutes on, ..."."""
        if mark.kind in (MarkKind.THEN, MarkKind.FIRST, MarkKind.EARLIER, MarkKind.OTHERWISE):
            return False
        between = range(mark.end, start)
        return mark.end <= start and all(
            t in self._marked or self._tokens[t].text in (",", ":") for t in between
        )

    def _stands_before(self, mark: Mark, one: _Subordinate) -> bool:
        return mark.kind is MarkKind.WISH and any(mark.end == word.token for word in one.words)

    def _add(self, clause: SpokenClause) -> None:
        link, self._link = self._link, Link.AND
        if clause.order is not None and self._clauses:
            link = clause.order
        self._clauses.append(clause)
        self._links.append(link)
        self._degree *= clause.degree

    def _modify(
        self, clause: SpokenClause, parsed: ParsedClause, marks: Sequence[Mark], whole: bool
    ) -> SpokenClause:
        """Apply negation, times and wishes; `whole` for the clause that has the verb."""
        tree = parsed.tree
        uses = list(clause.uses)
        negations = list(self._list_negations(tree, parsed))
        tried = [w for w in self._list_wrapper(tree, tree.words[parsed.verb]) if w.lemma == "try"]
        if tried:
            clause = replace(clause, preferred=True)
        negated = clause.negated != (len(negations) % 2 == 1)
        for word in negations:
            uses.append(WordUse(word.start, word.end, WordRole.LIMIT, "not"))
        act = clause.act
        never = any(word.text in ("never", "ever") for word in negations)
        if never and act is Act.STATE:
            act = Act.KEEP if not negated else Act.ACHIEVE
        clause = replace(clause, act=act, negated=negated)
        for mark in marks:
            if mark in self._applied:
                continue
            self._applied.append(mark)
            clause = _apply_mark(clause, mark, bool(self._clauses))
            uses.append(mark.use)
        return replace(clause, uses=tuple(uses))

    def _list_negations(self, tree: Tree, parsed: ParsedClause) -> Iterator[Word]:
        """Yield the words that negate a clause, also those of what is around it."""
        verb = tree.words[parsed.verb]
        while True:
            yield from tree.list_children(verb.place, "neg")
            above = _find_wrapper(tree, verb)
            if verb.role not in ("ccomp", "xcomp") or above.place == verb.place:
                return
            if above.lemma not in _WRAPPING:
                return
            verb = above

    # --- the core of a clause

    def _read_core(self, parsed: ParsedClause, marks: Sequence[Mark] = ()) -> list[SpokenClause]:
        """Read what a clause asks for without the words of logic around it."""
        tree = parsed.tree
        verb = tree.words[parsed.verb]
        marked = {t for mark in marks for t in mark.tokens}
        nucleus = self._take_names(read_nucleus(parsed), marked)
        wrapper = list(self._list_wrapper(tree, verb))
        statement = nucleus.subject is not None
        if statement and not wrapper and self._is_remark(parsed, nucleus, marks):
            self._remark(tree, parsed)
            return []
        general = self._acts.read(nucleus, True)
        found = self._read_demand(parsed, nucleus)
        chosen = found if found and (not general or self._is_better(found, nucleus)) else general
        if not chosen:
            return []
        uses = _use(wrapper, WordRole.FILLER, "")
        if statement:
            chosen = [
                replace(c, act=Act.STATE) if c.act is Act.ACHIEVE and c is not None else c
                for c in chosen
            ]
        return [replace(chosen[0], uses=(*chosen[0].uses, *uses)), *chosen[1:]]

    def _take_names(self, nucleus: Nucleus, marked: set[int]) -> Nucleus:
        """Take what only looks like a verb for the thing that it names: "mug on the table"."""
        places = tuple(p for p in nucleus.places if p.noun.token not in marked)
        nucleus = replace(nucleus, places=places)
        verb = nucleus.verb
        inserted = any(
            w.is_inserted for w in nucleus.tree.list_children(verb.place, "nsubj", "nsubjpass")
        )
        if nucleus.lemma == "" and nucleus.subject is None and self._clauses and nucleus.places:
            return nucleus
        if not inserted or nucleus.thing is not None or not (places or nucleus.particles):
            return nucleus
        if verb.token < 0 or not self._parsed.nouns.lexicon.find_nouns(self._tokens, verb.token):
            return nucleus
        return replace(nucleus, lemma="", subject=verb)

    def _read_demand(self, parsed: ParsedClause, nucleus: Nucleus) -> list[SpokenClause]:
        """Read a clause by the demand model, in the ways in which it may be put."""
        best, parts = DemandFound(), read_parts(parsed)
        for one in _list_ways(parts, nucleus):
            found = self._demands.read(parsed, one, bool(self._clauses))
            if found.clauses and (not best.clauses or found.degree > best.degree):
                best, parts = found, one
        demand = best.demand
        if demand is None or not best.clauses:
            return []
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
            if parts.clause.verb != parsed.lemma and nucleus.thing is not None:
                if nucleus.thing.lemma == parts.clause.verb:  # "give it a wipe"
                    words += [nucleus.thing, *nucleus.tree.list_children(nucleus.thing.place)]
            uses += _use(words, WordRole.ACTION, demand.meaning.name)
        first = replace(
            first, act=act, verb=parsed.lemma, uses=tuple(uses), degree=first.degree * best.degree
        )
        self._last_demand, self._left = demand, best.left
        return [first, *(replace(o, act=act) for o in others)]

    def _is_better(self, found: Sequence[SpokenClause], nucleus: Nucleus) -> bool:
        """Return True for a phrase of the domain that says just this."""
        demand = self._last_demand
        said = len(nucleus.places) + (nucleus.thing is not None) + (nucleus.subject is not None)
        filled = len(demand.slots) + sum(bool(role.word) for role in demand.frame.roles)
        same = demand.frame.verb == nucleus.lemma and not self._left and filled >= said
        words = any(role.word for role in demand.frame.roles)
        return (
            same
            and demand.degree >= _SURE
            and (
                words
                or demand.meaning.source in (MeaningSource.TASK, MeaningSource.GRADED)
                or (
                    demand.meaning.source is MeaningSource.RULE
                    and demand.degree >= _CERTAIN
                    and len(demand.slots) == 1
                    and not nucleus.places
                )
            )
        )

    def _list_wrapper(self, tree: Tree, verb: Word) -> Iterator[Word]:
        """Yield the words around a clause: "make sure that", "I want"."""
        while verb.role in ("ccomp", "xcomp"):
            yield from tree.list_children(verb.place, "mark", "aux")
            above = _find_wrapper(tree, verb)
            if above.place == verb.place or above.lemma not in _WRAPPING:
                return
            yield above
            for child in tree.list_children(
                above.place, "nsubj", "aux", "acomp", "prt", "expl", "dobj", "prep", "ccomp", "oprd"
            ):
                if child.role == "ccomp" and not child.tag.startswith("JJ"):
                    continue
                below = tree.list_subtree(child.place)
                if child.role in ("dobj", "prep") and (
                    child.text not in ("it", "to") or len(below) > 2
                ):
                    continue
                if child.role in ("nsubj",) and child.text not in ("i", "we", "you", "it"):
                    continue
                yield child
            verb = above

    # --- clauses below

    def _read_condition(self, one: _Subordinate) -> tuple[Predication, ...]:
        """Read "if | the door is open" as what was so initially."""
        clauses = self._read_core_state(one.parsed)
        uses = _use(one.words, WordRole.LIMIT, "if initially")
        found: list[Predication] = []
        negations = list(self._list_negations(one.parsed.tree, one.parsed))
        uses = (*uses, *_use(negations, WordRole.LIMIT, "not"))
        odd = (len(negations) + (one.relation is Relation.UNLESS)) % 2 == 1
        for clause in clauses:
            for said in clause.predications:
                own = (*said.uses, *clause.uses, *uses)
                negated = said.negated != (odd != clause.negated)
                found.append(replace(said, negated=negated, uses=own))
                uses = ()
            self._degree *= clause.degree
        return tuple(found)

    def _read_core_state(self, parsed: ParsedClause) -> list[SpokenClause]:
        nucleus = self._take_names(read_nucleus(parsed), set())
        general = self._acts.read(nucleus, True)
        if general and general[0].act in (Act.STATE, Act.KEEP, Act.GO):
            return general
        return self._read_demand(parsed, nucleus)

    def _read_step(self, one: _Subordinate) -> list[SpokenClause]:
        """Read what is done or so earlier or later."""
        nucleus = self._take_names(read_nucleus(one.parsed), set())
        general = self._acts.read(nucleus, True)
        clauses = general or self._read_demand(one.parsed, nucleus)
        uses = _use(one.words, WordRole.ORDER, one.relation.value)
        negations = list(one.parsed.tree.list_children(one.parsed.verb, "neg"))
        uses = (*uses, *_use(negations, WordRole.LIMIT, "not"))
        found = []
        for clause in clauses:
            waiting = one.relation is Relation.WHEN and clause.act in (Act.STATE, Act.KEEP)
            negated = clause.negated != (len(negations) % 2 == 1)
            found.append(
                replace(clause, awaited=waiting, negated=negated, uses=(*clause.uses, *uses))
            )
            uses = ()
        return found

    def _read_proviso(self, one: _Subordinate, kind: ProvisoKind) -> Iterator[Proviso]:
        for clause in self._read_step(one):
            self._degree *= clause.degree
            yield Proviso(kind, replace(clause, awaited=False), ahead=one.ahead)

    # --- remarks

    def _is_remark(self, parsed: ParsedClause, nucleus: Nucleus, marks: Sequence[Mark]) -> bool:
        """Return True for what is so already: "the door is shut"."""
        if not parsed.lemma or parsed.mood is not Mood.STATEMENT or parsed.lemma in _PLACED:
            return False
        helpers = list(parsed.tree.list_children(parsed.verb, "aux", "auxpass"))
        above = parsed.tree.words[nucleus.verb.head]
        if nucleus.passive and any(m.kind in (MarkKind.THEN, MarkKind.FIRST) for m in marks):
            return False
        if (
            nucleus.verb.role in ("conj", "ROOT")
            and not helpers
            and nucleus.verb.tag in ("VBN", "VBD")
        ):
            asked = any(parsed.tree.list_children(above.place, "aux"))
            return not asked and above is not nucleus.verb  # "and the door shut"
        finite = [w for w in (*helpers, nucleus.verb) if w.tag in ("VBZ", "VBP", "VBD", "MD")]
        return (
            bool(finite)
            and not any(w.text in _MODALS for w in helpers)
            and (parsed.lemma not in _WRAPPING | {"go"} or parsed.lemma == "be")
        )

    def _remark(self, tree: Tree, parsed: ParsedClause | None = None) -> None:
        """Note what is told, so that "it" may mean what it is about."""
        uses = tuple(_use(tree.words, WordRole.FILLER, _ASIDE))
        root = tree.words[parsed.verb] if parsed is not None else tree.root
        if parsed is not None:
            places = tree.list_subtree(parsed.verb)
            uses = tuple(_use([tree.words[p] for p in places], WordRole.FILLER, _ASIDE))
        said: list[Predication] = []
        for word in tree.list_children(root.place, *SUBJECTS, "attr", "dobj"):
            phrase = self._phrases.read(tree, word.place, "") if word.is_noun else None
            if (
                isinstance(phrase, NounPhrase)
                and isinstance(phrase.head, Noun)
                and phrase.head.members
            ):
                said.append(Predication(None, {THEME: phrase}))
        if said:
            self._add(SpokenClause(Act.REMARK, tuple(said[:1]), uses=uses, degree=0.95))
        else:
            self._uses += uses

    # --- words

    def _list_own(
        self, tree: Tree, parsed: ParsedClause, mains: Sequence[ParsedClause]
    ) -> list[int]:
        others = frozenset(m.verb for m in mains if m.verb != parsed.verb)
        top = parsed.verb
        word = tree.words[top]
        while (
            word.role in ("ccomp", "xcomp") and word.head not in others and word.head != word.place
        ):
            word = tree.words[word.head]
        return tree.list_subtree(word.place, others)

    def _use_all(
        self, tree: Tree, parsed: ParsedClause, words: Sequence[Word]
    ) -> tuple[WordUse, ...]:
        places = tree.list_subtree(parsed.verb)
        return _use([*(tree.words[p] for p in places), *words], WordRole.FILLER, _ASIDE)

    def _joins_clauses(self, place: int) -> bool:
        """Return True for "but" between clauses, not for "all but the mug"."""
        if any(place in segment.piece.links for segment in self._parsed.segments):
            return True
        word = self._parsed.nouns.spans.words.get(place)
        if word is None:
            return False
        return self._parsed.nouns.spans.tree.words[word.head].is_verb

    def _account(self, sentence: Sentence) -> list[Sentence]:
        """Say which words have no part in a reading."""
        uses = collect_uses(sentence)
        covered = {
            place
            for place, token in enumerate(self._tokens)
            if token.kind is TokenKind.MARK
            or any(u.start <= token.start and token.end <= u.end for u in uses)
        }
        unread, fillers = list[int](), list[WordUse]()
        polite = {
            p
            for place in range(len(self._tokens))
            for table in (POLITE, CLOSINGS)
            for p in range(place, table.find_end(self._tokens, place))
        }
        for place, token in enumerate(self._tokens):
            if place in covered:
                continue
            joint = token.text == "but" and self._joins_clauses(place)
            if token.text in _PLAIN | _AGAIN or place in polite or joint:
                fillers.append(WordUse(token.start, token.end, WordRole.FILLER))
            else:
                unread.append(place)
        degree = sentence.degree * Confidence.NOT.degree ** len(unread)
        used = (*sentence.uses, *fillers)
        return [replace(sentence, degree=degree, unread=tuple(unread), uses=used)]


def _split_marks(clauses: Sequence[SpokenClause], marks: Sequence[Mark]) -> list[list[Mark]]:
    """Give each phrase to the clause in which it stands: "and, if possible, the book"."""
    found: list[list[Mark]] = [[] for _ in clauses]
    ends = [max((u.end for u in _list_uses(c)), default=0) for c in clauses]
    for mark in marks:
        number = 0
        while number + 1 < len(clauses) and mark.use.start >= ends[number]:
            number += 1
        found[number].append(mark)
    return found


def _list_uses(clause: SpokenClause) -> list[WordUse]:
    return collect_uses(Sentence((clause,)))


def _apply_mark(clause: SpokenClause, mark: Mark, behind: bool) -> SpokenClause:
    """Change a clause by a phrase around it."""
    if mark.kind is MarkKind.WISH:
        return replace(clause, preferred=True)
    if mark.kind is MarkKind.TIME:
        return replace(clause, time=mark.time)
    if mark.kind is MarkKind.SOMETIME:
        return replace(clause, sometime=True)
    if mark.kind is MarkKind.ONCE:
        return replace(clause, once=True)
    if mark.kind is MarkKind.IN_ORDER:
        return replace(clause, in_order=True)
    if mark.kind is MarkKind.ALWAYS and clause.act is Act.STATE:
        return replace(clause, act=Act.KEEP)
    if mark.kind is MarkKind.FIRST and behind:
        return replace(clause, order=Link.EARLIER)
    if mark.kind is MarkKind.THEN and behind:
        return replace(clause, order=Link.THEN)
    return clause


def _list_ways(parts: SpokenParts, nucleus: Nucleus) -> Iterator[SpokenParts]:
    """Yield a clause as it is, and as what people say as well.

    "keep | the door | closed" is a wish for a state, "the tv must be | switched off" somebody's act,
    "give | the counter | a wipe" wipes it, and "get rid of" is another verb's synonym.
    """
    clause, verb = parts.clause, nucleus.verb
    if nucleus.lemma in _MAKING:
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


def _find_wrapper(tree: Tree, verb: Word) -> Word:
    """Return the verb above a clause, through "sure": "make sure that ..."."""
    above = tree.words[verb.head]
    if not above.is_verb and above.role in ("acomp", "ccomp", "oprd", "attr", "dobj", "prep"):
        above = tree.words[above.head]
    return above


def _start(tree: Tree, word: Word) -> int:
    return word.start


def _list_tokens(tree: Tree, places: Sequence[int]) -> list[int]:
    return [tree.words[p].token for p in places if not tree.words[p].is_inserted]


def _use(words: Sequence[Word], role: WordRole, meaning: str) -> tuple[WordUse, ...]:
    return tuple(
        WordUse(word.start, word.end, role, meaning) for word in words if not word.is_inserted
    )
