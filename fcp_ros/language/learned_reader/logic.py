# SPDX-License-Identifier: Apache-2.0
"""Sentences with their logic over dependency trees: negation, conditions, order, times, wishes.

Each main clause of a tree is read by itself (`GeneralActs`, `DemandReader`); what depends on it by
a subordinator changes it. What isn't understood stays unread, so that it is asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.turning_words import CHART_LOGIC
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.learned_reader.clause_roles import (
    ClauseRoles,
    Subordinate,
    list_negations,
    list_wrapper,
)
from fcp_ros.language.learned_reader.cores import CoreReader
from fcp_ros.language.learned_reader.demand_reader import LiteralReader
from fcp_ros.language.learned_reader.dependents import DependentReader, add_provisos
from fcp_ros.language.learned_reader.fragments import (
    Fragment,
    FragmentFinder,
    FragmentWriter,
    cut_tokens,
)
from fcp_ros.language.learned_reader.marks import (
    Mark,
    MarkKind,
    apply_mark,
    find_marks,
    split_marks,
)
from fcp_ros.language.learned_reader.nucleus import list_uses, mend_clauses
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.repetition import drop_uses
from fcp_ros.language.learned_reader.sentence_draft import SentenceDraft, WordAccount
from fcp_ros.language.learned_reader.telling import PERSONS, is_told, list_tokens, names_topic
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.parsing.proviso_parser import wait_for_states
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Coordination,
    Link,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Sentence,
    SpokenClause,
    refer_to,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.attachments import mend_segment
from fcp_ros.language.syntax.clauses import ParsedClause, list_clauses
from fcp_ros.language.syntax.sentences import Segment
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word
from fcp_ros.language.syntax.units import split_units

_TOO = PhraseSet("too", "as well", "also", "likewise")
_REPEATING = gather_words("do should must will can be have would")
_LINKS = {MarkKind.THEN: Link.THEN, MarkKind.EARLIER: Link.EARLIER}


@dataclass(frozen=True, slots=True)
class _Unit:
    """A clause that stands by itself, and the fragments behind it."""

    unit: Segment
    tree: Tree | None  # without the fragments; None if nothing else is said
    fragments: Sequence[Fragment]


class LogicReader:
    """Reads one instruction."""

    def __init__(self, parsed: ParsedInstruction, model: DemandModel) -> None:
        self._tokens = parsed.nouns.tokens
        words = {w.token: w for s in parsed.segments for w in s.tree.words if not w.is_inserted}
        self._marks = find_marks(self._tokens, words)
        self._marked = {t for mark in self._marks for t in mark.tokens}
        self._units, parsed = _cut_fragments(parsed, model, self._marks)
        self._check = parsed.context.check
        self._phrases = phrases = LearnedPhrases(parsed, model)
        self._cores = CoreReader(parsed, model, phrases)
        self._draft = SentenceDraft()
        self._dependents = DependentReader(self._draft, self._cores, self._marks)
        self._literal = LiteralReader(parsed)
        self._fragments = FragmentWriter(self._draft, phrases)
        self._account = WordAccount(parsed)
        self._applied = [
            m
            for m in self._marks
            for one in self._units
            if any(m.start in f.tokens for f in one.fragments)
        ]
        self._waiting: list[Subordinate] = []  # of the next clause
        self._next: Segment | None = None  # what is said behind the tree that is being read

    def read(self) -> list[Sentence]:
        """Read all clauses; none if nothing is asked for."""
        for one, following in zip_longest(self._units, self._units[1:]):
            self._check()
            self._follow_links(one.unit)
            if following is not None and self._name_topic(one, following.unit):
                continue
            self._next = following.unit if following is not None else None
            if one.tree is not None:
                self._read_unit(replace(one.unit, tree=mend_clauses(one.tree)))
            for fragment in one.fragments:
                self._fragments.write(fragment)
            self._cores.acts.topic = None
        draft = self._draft
        draft.clauses = list(self._literal.add_remarks(draft.clauses))
        sentence = draft.finish()
        return [] if sentence is None else [self._account.settle(wait_for_states(sentence))]

    # --- the clauses of a tree

    def _read_unit(self, unit: Segment) -> None:
        tree = unit.tree
        span = list_tokens(tree, range(len(tree.words)))
        if not span:
            return
        clauses = [c for c in list_clauses(unit) if not self._is_marked(tree, c.verb)]
        roles = ClauseRoles(tree, clauses, self._marked)
        said = self._draft.clauses if unit.piece.links else []
        last = said[-1].act if said else Act.REMARK
        imperative = unit.piece.imperative or roles.wishes
        if not imperative and is_told(unit, max(span) + 1, self._marks, last):
            self._remark(tree)
            return
        for clause in roles.mains:
            below = [*self._waiting, *roles.below.get(clause.verb, [])]
            self._waiting = []
            self._read_main(clause, below, roles.mains)
        if not roles.mains:  # "whenever it is opened," before what is asked for
            self._waiting += [replace(b, ahead=True) for some in roles.below.values() for b in some]

    def _is_marked(self, tree: Tree, verb: int) -> bool:
        """Return True for a verb within a phrase, unless it has an object behind that.

        "It would be nice to have | the vase on the table" asks for something.
        """
        thing = tree.find_child(verb, "dobj")
        behind = thing is not None and thing.token not in self._marked
        return tree.words[verb].token in self._marked and not behind

    def _name_topic(self, one: _Unit, following: Segment) -> bool:
        """Read "the mug, | you put it on the table"; return False for what names nothing so."""
        if one.fragments or not names_topic(one.unit, following, self._tokens):
            return False
        tree = one.unit.tree
        phrase = self._phrases.read(tree, tree.root.place, "")
        if phrase is None:
            return False
        self._draft.add(SpokenClause(Act.TOPIC, (Predication(None, {THEME: phrase}),), degree=0.95))
        self._cores.has_said = True
        self._cores.acts.topic = refer_to(phrase)
        return True

    def _follow_links(self, unit: Segment) -> None:
        """Take the order from the words before a piece: "and then"."""
        for mark in self._marks:
            if mark.start in unit.piece.links:
                self._apply_link(mark)

    def _apply_link(self, mark: Mark) -> None:
        draft = self._draft
        self._applied.append(mark)
        if mark.kind is MarkKind.OTHERWISE and len(draft.last_condition) != 1:
            return  # other than what? it stays unread
        draft.uses.append(mark.use)
        if mark.kind in _LINKS and draft.clauses:
            draft.link = _LINKS[mark.kind]
        elif mark.kind is MarkKind.OTHERWISE:
            (met,) = draft.last_condition
            draft.condition = (replace(met, negated=not met.negated),)

    # --- main clauses

    def _read_main(
        self, parsed: ParsedClause, below: Sequence[Subordinate], mains: Sequence[ParsedClause]
    ) -> None:
        tree, draft = parsed.tree, self._draft
        own = set(list_tokens(tree, self._list_own(tree, parsed, mains)))
        if own <= self._account.polite:
            return  # "be so kind and"
        starts = [min(list_tokens(tree, self._list_own(tree, m, mains)), default=-1) for m in mains]
        later = [start for start in starts if start > min(own)]
        if self._next is not None:
            words = self._next.tree.words
            later.append(min(list_tokens(self._next.tree, range(len(words))), default=-1))
        marks = [m for m in self._list_marks(own, below) if not self._opens(m, later)]
        for mark in marks:
            if mark.kind in (MarkKind.OTHERWISE, MarkKind.EARLIER) or (
                mark.kind is MarkKind.THEN and mark.start <= min(own)
            ):
                self._apply_link(mark)
        if parsed.lemma == "wait" and self._dependents.wait(parsed, below):
            return
        provisos = self._dependents.read_ahead(below)
        clauses = self._repeat(parsed) or self._cores.read(parsed, marks, draft.link is Link.THEN)
        if clauses is None:
            self._remark(tree, parsed)
        if not clauses:
            return
        condition = draft.take_condition()
        first = len(draft.clauses)
        split = split_marks(clauses, marks)
        for number, clause in enumerate(clauses):
            clause = self._modify(clause, parsed, split[number])
            if condition:
                clause = replace(clause, condition=condition)
            draft.add(add_provisos(clause, provisos))
            self._cores.has_said = True
        self._dependents.apply_behind(below, first)

    def _list_marks(self, own: Collection[int], below: Sequence[Subordinate]) -> list[Mark]:
        """List the phrases around a clause, by its tokens, that weren't applied."""
        elsewhere = [*self._applied, *(self._dependents.find_wish(one) for one in below)]
        return [
            m
            for m in self._marks
            if m not in elsewhere and ({*own} & {*m.tokens} or self._leads(m, min(own)))
        ]

    def _repeat(self, parsed: ParsedClause) -> list[SpokenClause]:
        """Read "and so should | the apple", "the apple does too" as the last, of something else."""
        tree, verb = parsed.tree, parsed.tree.words[parsed.verb]
        subject = tree.find_child(parsed.verb, *SUBJECTS)
        place = min(list_tokens(tree, [parsed.verb]), default=0)
        before, behind = place - 1, place + 1
        so = before >= 0 and self._tokens[before].text == "so"
        too = 0 if so else _TOO.find_end(self._tokens, behind)
        if not (so or too > behind) or verb.lemma not in _REPEATING:
            return []
        if subject is None or not self._draft.clauses:
            return []
        phrase, last = self._phrases.read(tree, subject.place, ""), self._draft.clauses[-1]
        if phrase is None or len(last.predications) != 1:
            return []
        said = last.predications[0]
        slot = next(iter(said.arguments), "")
        if not slot:
            return []
        again = {s: drop_uses(a) for s, a in said.arguments.items()}
        same = replace(said, arguments={**again, slot: phrase}, uses=())
        first, end = (before, before + 1) if so else (behind, too)
        start, stop = self._tokens[first].start, self._tokens[end - 1].end
        words = (WordUse(start, stop, WordRole.ACTION, "the same"),)
        uses = (*words, *list_uses([verb], WordRole.ACTION, "the same"))
        return [replace(last, predications=(same,), uses=uses, order=None, preferred=False)]

    def _opens(self, mark: Mark, starts: Sequence[int]) -> bool:
        """Return True for "(turn it on,) and, if possible, | put it there": the next clause's."""
        joint = self._tokens[mark.start - 1] if mark.start else None
        joined = joint is not None and (
            joint.kind is TokenKind.MARK or joint.text in ("and", "but")
        )
        return joined and any(self._leads(mark, start) for start in starts)

    def _leads(self, mark: Mark, start: int) -> bool:
        """Return True for a phrase alone before a clause: "from two minutes on, ..."."""
        if mark.kind in (MarkKind.THEN, MarkKind.FIRST, MarkKind.EARLIER, MarkKind.OTHERWISE):
            return False
        between = range(mark.end, start)
        return mark.end <= start and all(
            t in self._marked or self._tokens[t].text in (",", ":") for t in between
        )

    def _modify(
        self, clause: SpokenClause, parsed: ParsedClause, marks: Sequence[Mark]
    ) -> SpokenClause:
        """Apply negation, times and wishes."""
        tree = parsed.tree
        negations = list(list_negations(tree, parsed))
        uses = [*clause.uses, *list_uses(negations, WordRole.LIMIT, "not")]
        if any(w.lemma == "try" for w in list_wrapper(tree, tree.words[parsed.verb])):
            clause = replace(clause, preferred=True)
        negated = clause.negated != (len(negations) % 2 == 1)
        act = clause.act
        if act is Act.STATE and any(word.text in ("never", "ever") for word in negations):
            act = Act.KEEP if not negated else Act.ACHIEVE
        clause = replace(clause, act=act, negated=negated)
        for mark in marks:
            if mark in self._applied:
                continue
            self._applied.append(mark)
            clause = apply_mark(clause, mark, bool(self._draft.clauses))
            uses.append(mark.use)
        return replace(clause, uses=tuple(uses))

    # --- remarks

    def _remark(self, tree: Tree, parsed: ParsedClause | None = None) -> None:
        """Note what is told, so that "it" may mean what it is about."""
        root = tree.words[parsed.verb] if parsed is not None else tree.root
        words = [tree.words[p] for p in tree.list_subtree(root.place)] if parsed else tree.words
        own = {w.token for w in words}
        self._applied += [m for m in self._marks if {*m.tokens} <= own]
        uses = list_uses(words, WordRole.FILLER, ASIDE)
        said = [
            Predication(None, {slot: phrase})
            for slot, phrase in self._list_told(tree, root, words)
            if _is_here(phrase)
        ]
        if not said:
            self._draft.uses += uses
            return
        self._draft.add(SpokenClause(Act.REMARK, tuple(said), uses=uses, degree=0.95))
        self._cores.has_said = True

    def _list_told(
        self, tree: Tree, root: Word, words: Sequence[Word]
    ) -> Iterator[tuple[str, Phrase]]:
        """Yield what a remark is about: its places, where "there" is, and last what "it" is."""
        for word in words:
            phrase = self._phrases.read(tree, word.place, "") if word.role == "pobj" else None
            if isinstance(phrase, NounPhrase):
                yield PLACE, phrase
        own = tree.list_children(root.place, *SUBJECTS, "attr", "dobj")
        inner = (word for word in words if word.role == "dobj")  # "I want to wear | the shirt"
        for word in (*own, *inner):
            named = word.is_noun and word.text not in PERSONS
            phrase = self._phrases.read(tree, word.place, "") if named else None
            if phrase is not None and _is_here(phrase):
                yield THEME, phrase
                return

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


def _is_here(phrase: Phrase) -> bool:
    """Return True for what is called by its name, and is in the scene."""
    if isinstance(phrase, Coordination):
        return all(map(_is_here, phrase.parts))
    return isinstance(phrase.head, Noun) and bool(phrase.head.members)


def _cut_fragments(
    parsed: ParsedInstruction, model: DemandModel, marks: Sequence[Mark]
) -> tuple[list[_Unit], ParsedInstruction]:
    """Cut the fragments out of an instruction; they are read by its whole trees."""
    finder = FragmentFinder(parsed, LearnedPhrases(parsed, model), marks)
    units, segments = list[_Unit](), list[Segment]()
    for segment in parsed.segments:
        gone: set[int] = set()
        for unit in split_units(segment):
            fragments = finder.find(unit, bool(units))
            own = {token for one in fragments for token in one.tokens}
            units.append(_Unit(unit, cut_tokens(unit.tree, own) if own else unit.tree, fragments))
            gone |= own
        tree = cut_tokens(segment.tree, gone) if gone else segment.tree
        if tree is not None:
            segments.append(replace(segment, tree=tree))
    return units, replace(parsed, segments=tuple(segments))


class LearnedSyntax:
    """Finds what the clauses of an instruction ask for, and of which things.

    Args:
        logic: reads words of logic, too ("not", "if", "only"); else a sentence with one is unread.
    """

    def __init__(self, logic: bool = False) -> None:
        self._logic = logic

    def __call__(self, parsed: ParsedInstruction) -> list[Sentence]:
        """Return the sentence that is most probably meant; none if it can't be known."""
        model = parsed.model
        if model is None:
            return []
        if not self._logic and any(token.text in CHART_LOGIC for token in parsed.nouns.tokens):
            return []
        parsed = replace(parsed, segments=tuple(map(mend_segment, parsed.segments)))
        return LogicReader(parsed, model).read()
