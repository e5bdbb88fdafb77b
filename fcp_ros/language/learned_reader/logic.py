# SPDX-License-Identifier: Apache-2.0
"""Sentences with their logic over dependency trees: negation, conditions, order, times, wishes.

Each main clause of a tree is read by itself (`GeneralActs`, `DemandReader`); what depends on it by
a subordinator changes it. What isn't understood stays unread, so that it is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.domain_reader.reader import ParsedInstruction
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.polite_phrases import CLOSINGS, POLITE
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.clause_roles import (
    ClauseRoles,
    Subordinate,
    list_negations,
    list_wrapper,
)
from fcp_ros.language.learned_reader.cores import CoreReader
from fcp_ros.language.learned_reader.marks import Mark, MarkKind, find_marks
from fcp_ros.language.learned_reader.nucleus import list_uses, mend_clauses
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.subordinators import Subordination
from fcp_ros.language.learned_reader.telling import is_told, list_tokens
from fcp_ros.language.parsing.sentences.awaited_states import wait_for_states
from fcp_ros.language.parsing.trees import (
    THEME,
    Act,
    Argument,
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
from fcp_ros.language.syntax.clauses import ParsedClause, list_clauses
from fcp_ros.language.syntax.sentences import Segment
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word
from fcp_ros.language.syntax.units import split_units

_AGAIN = gather_words("already again still yet anymore currently too also somewhere")
_LOGICAL = gather_words("or nor neither either but for with by at in on up down over")
"""Small words that aren't dropped."""
_PLAIN = (FILLERS - _LOGICAL) | gather_words("please then and you i we me us now so let")
_ASIDE = "aside"
_REPEATING = gather_words("do should must will can be have would")
_REASON = 0.9
_LINKS = {MarkKind.THEN: Link.THEN, MarkKind.EARLIER: Link.EARLIER}
_PROVISOS = {
    Subordination.UNTIL: ProvisoKind.UNTIL,
    Subordination.BEFORE: ProvisoKind.UNTIL,
    Subordination.WHILE: ProvisoKind.WHILE,
    Subordination.WHENEVER: ProvisoKind.WHENEVER,
}


class LogicReader:
    """Reads one instruction."""

    def __init__(self, parsed: ParsedInstruction, model: DemandModel) -> None:
        self._parsed = parsed
        self._tokens = parsed.nouns.tokens
        phrases = LearnedPhrases(parsed, model)
        self._phrases = phrases
        self._cores = CoreReader(parsed, model, phrases)
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
        self._applied: list[Mark] = []
        self._waiting: list[Subordinate] = []  # of the next clause
        self._polite = frozenset(
            p
            for place in range(len(self._tokens))
            for table in (POLITE, CLOSINGS)
            for p in range(place, table.find_end(self._tokens, place))
        )

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
        tree = mend_clauses(unit.tree)
        unit = replace(unit, tree=tree)
        span = list_tokens(tree, range(len(tree.words)))
        if not span:
            return
        self._follow_links(unit)
        clauses = [c for c in list_clauses(unit) if tree.words[c.verb].token not in self._marked]
        roles = ClauseRoles(tree, clauses, self._marked)
        last = self._clauses[-1].act if self._clauses and unit.piece.links else Act.REMARK
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

    def _follow_links(self, unit: Segment) -> None:
        """Take the order from the words before a piece: "and then"."""
        for mark in self._marks:
            if mark.start in unit.piece.links:
                self._apply_link(mark)

    def _apply_link(self, mark: Mark) -> None:
        self._applied.append(mark)
        if mark.kind is MarkKind.OTHERWISE and len(self._last_condition) != 1:
            return  # other than what? it stays unread
        self._uses.append(mark.use)
        if mark.kind in _LINKS and self._clauses:
            self._link = _LINKS[mark.kind]
        elif mark.kind is MarkKind.OTHERWISE:
            (met,) = self._last_condition
            self._condition = (replace(met, negated=not met.negated),)

    # --- main clauses

    def _read_main(
        self, parsed: ParsedClause, below: Sequence[Subordinate], mains: Sequence[ParsedClause]
    ) -> None:
        tree = parsed.tree
        own = set(list_tokens(tree, self._list_own(tree, parsed, mains)))
        if own <= self._polite:
            return  # "be so kind and"
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
        if parsed.lemma == "wait" and self._wait(parsed, below):
            return
        provisos = self._read_ahead(below)
        clauses = self._repeat(parsed) or self._cores.read(parsed, marks, self._link is Link.THEN)
        if clauses is None:
            self._remark(tree, parsed)
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
            if one.ahead and one.relation not in (Subordination.WITHOUT, Subordination.REASON):
                continue
            self._apply_behind(one, first)

    def _read_ahead(self, below: Sequence[Subordinate]) -> list[Proviso]:
        """Read what stands before the clause that it depends on; return its provisos."""
        provisos = list[Proviso]()
        following = Link.AND
        for one in below:
            if not one.ahead:
                continue
            if one.relation in (Subordination.IF, Subordination.UNLESS):
                self._condition = (*self._condition, *self._read_condition(one))
            elif one.relation in (Subordination.UNTIL, Subordination.WHILE, Subordination.WHENEVER):
                provisos += self._read_proviso(one, _PROVISOS[one.relation])
            elif one.relation in (Subordination.WHEN, Subordination.AFTER, Subordination.BEFORE):
                for clause in self._read_step(one):
                    self._add(clause)
                    following = Link.EARLIER if one.relation is Subordination.BEFORE else Link.THEN
        if following is not Link.AND:
            self._link = following
        return provisos

    def _wait(self, parsed: ParsedClause, below: Sequence[Subordinate]) -> bool:
        """Read "wait until | the door is closed"; False if nothing is waited for."""
        found = False
        for one in below:
            if one.relation not in (Subordination.UNTIL, Subordination.WHEN):
                continue
            for clause in self._read_step(one):
                uses = (
                    *clause.uses,
                    *list_uses([parsed.tree.words[parsed.verb]], WordRole.ORDER, ""),
                )
                self._add(replace(clause, awaited=True, uses=uses))
                self._link, found = Link.THEN, True
        return found

    def _repeat(self, parsed: ParsedClause) -> list[SpokenClause]:
        """Read "and so should | the apple" as the last clause about something else."""
        tree, verb = parsed.tree, parsed.tree.words[parsed.verb]
        subject = tree.find_child(parsed.verb, *SUBJECTS)
        before = min(list_tokens(tree, [parsed.verb]), default=0) - 1
        so = before >= 0 and self._tokens[before].text == "so"
        if not so or subject is None or not self._clauses or verb.lemma not in _REPEATING:
            return []
        phrase, last = self._phrases.read(tree, subject.place, ""), self._clauses[-1]
        if phrase is None or len(last.predications) != 1:
            return []
        said = last.predications[0]
        slot = next(iter(said.arguments), "")
        if not slot:
            return []
        again = {s: _speak_again(a) for s, a in said.arguments.items()}
        same = replace(said, arguments={**again, slot: phrase}, uses=())
        token = self._tokens[before]
        words = (WordUse(token.start, token.end, WordRole.ACTION, "the same"),)
        uses = (*words, *list_uses([verb], WordRole.ACTION, "the same"))
        return [replace(last, predications=(same,), uses=uses, order=None, preferred=False)]

    def _apply_behind(self, one: Subordinate, first: int) -> None:
        """Change the clauses from one on by a clause that depends on them."""
        main = self._clauses[first]
        changed: list[SpokenClause] = []
        if one.relation in (Subordination.IF, Subordination.UNLESS):
            condition = self._read_condition(one)
            self._last_condition = condition
            changed = [
                replace(c, condition=(*c.condition, *condition)) for c in self._clauses[first:]
            ]
        elif one.relation is Subordination.WITHOUT:
            never = tuple(self._read_step(one))
            wish = next((m for m in self._marks if self._stands_before(m, one)), None)
            if wish is not None:  # "preferably without entering the hall"
                for clause in never:
                    uses = (*clause.uses, wish.use)
                    self._add(replace(clause, negated=True, preferred=True, uses=uses))
                return
            changed = [replace(main, never=(*main.never, *never)), *self._clauses[first + 1 :]]
        elif one.relation is Subordination.REASON:
            self._uses += self._use_all(one.parsed.tree, one.parsed, one.words)
            self._degree *= _REASON
        elif one.relation in _PROVISOS and (
            one.relation is Subordination.WHENEVER
            or main.negated
            or main.act in (Act.KEEP, Act.STAY)
            or (main.act is Act.STATE and one.relation is Subordination.WHILE)
        ):
            provisos = tuple(self._read_proviso(one, _PROVISOS[one.relation]))
            changed = [replace(c, provisos=(*c.provisos, *provisos)) for c in self._clauses[first:]]
        elif one.relation is Subordination.WHILE and _is_participle(one.parsed):
            for clause in self._read_step(one):  # "while holding the mug": both at once
                self._add(clause)
        elif one.relation in (Subordination.WHEN, Subordination.AFTER, Subordination.BEFORE):
            link = Link.THEN if one.relation is Subordination.BEFORE else Link.EARLIER
            for clause in self._read_step(one):
                self._link = link
                self._add(clause)
        if changed:
            self._clauses[first:] = changed

    def _leads(self, mark: Mark, start: int) -> bool:
        """Return True for a phrase alone before a clause: "from two minutes on, ..."."""
        if mark.kind in (MarkKind.THEN, MarkKind.FIRST, MarkKind.EARLIER, MarkKind.OTHERWISE):
            return False
        between = range(mark.end, start)
        return mark.end <= start and all(
            t in self._marked or self._tokens[t].text in (",", ":") for t in between
        )

    def _stands_before(self, mark: Mark, one: Subordinate) -> bool:
        return mark.kind is MarkKind.WISH and any(mark.end == word.token for word in one.words)

    def _add(self, clause: SpokenClause) -> None:
        link, self._link = self._link, Link.AND
        if clause.order is not None and self._clauses:
            link = clause.order
        self._clauses.append(clause)
        self._cores.has_said = True
        self._links.append(link)
        self._degree *= clause.degree

    def _modify(
        self, clause: SpokenClause, parsed: ParsedClause, marks: Sequence[Mark], whole: bool
    ) -> SpokenClause:
        """Apply negation, times and wishes; `whole` for the clause that has the verb."""
        tree = parsed.tree
        uses = list(clause.uses)
        negations = list(list_negations(tree, parsed))
        tried = [w for w in list_wrapper(tree, tree.words[parsed.verb]) if w.lemma == "try"]
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

    # --- clauses below

    def _read_condition(self, one: Subordinate) -> tuple[Predication, ...]:
        """Read "if | the door is open" as what was so initially."""
        clauses = self._cores.read_state(one.parsed)
        uses = list_uses(one.words, WordRole.LIMIT, "if initially")
        found: list[Predication] = []
        negations = list(list_negations(one.parsed.tree, one.parsed))
        uses = (*uses, *list_uses(negations, WordRole.LIMIT, "not"))
        odd = (len(negations) + (one.relation is Subordination.UNLESS)) % 2 == 1
        for clause in clauses:
            for said in clause.predications:
                own = (*said.uses, *clause.uses, *uses)
                negated = said.negated != (odd != clause.negated)
                found.append(replace(said, negated=negated, uses=own))
                uses = ()
            self._degree *= clause.degree
        return tuple(found)

    def _read_step(self, one: Subordinate) -> list[SpokenClause]:
        """Read what is done or so earlier or later."""
        clauses = self._cores.read_step(one.parsed)
        uses = list_uses(one.words, WordRole.ORDER, one.relation.value)
        negations = list(one.parsed.tree.list_children(one.parsed.verb, "neg"))
        uses = (*uses, *list_uses(negations, WordRole.LIMIT, "not"))
        found = []
        for clause in clauses:
            waiting = one.relation is Subordination.WHEN and clause.act in (Act.STATE, Act.KEEP)
            negated = clause.negated != (len(negations) % 2 == 1)
            found.append(
                replace(clause, awaited=waiting, negated=negated, uses=(*clause.uses, *uses))
            )
            uses = ()
        return found

    def _read_proviso(self, one: Subordinate, kind: ProvisoKind) -> Iterator[Proviso]:
        for clause in self._read_step(one):
            self._degree *= clause.degree
            yield Proviso(kind, replace(clause, awaited=False), ahead=one.ahead)

    # --- remarks

    def _remark(self, tree: Tree, parsed: ParsedClause | None = None) -> None:
        """Note what is told, so that "it" may mean what it is about."""
        uses = tuple(list_uses(tree.words, WordRole.FILLER, _ASIDE))
        root = tree.words[parsed.verb] if parsed is not None else tree.root
        if parsed is not None:
            places = tree.list_subtree(parsed.verb)
            uses = tuple(list_uses([tree.words[p] for p in places], WordRole.FILLER, _ASIDE))
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
        return list_uses([*(tree.words[p] for p in places), *words], WordRole.FILLER, _ASIDE)

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
        for place, token in enumerate(self._tokens):
            if place in covered:
                continue
            joint = token.text == "but" and self._joins_clauses(place)
            if token.text in _PLAIN | _AGAIN or place in self._polite or joint:
                fillers.append(WordUse(token.start, token.end, WordRole.FILLER))
            else:
                unread.append(place)
        degree = sentence.degree * Confidence.NOT.degree ** len(unread)
        used = (*sentence.uses, *fillers)
        return [replace(sentence, degree=degree, unread=tuple(unread), uses=used)]


def _is_participle(parsed: ParsedClause) -> bool:
    return parsed.subject is None and parsed.tree.words[parsed.verb].tag == "VBG"


def _speak_again(argument: Argument) -> Argument:
    """Speak again of the same thing, whose words were read already."""
    return replace(argument, uses=()) if isinstance(argument, NounPhrase) else argument


def _split_marks(clauses: Sequence[SpokenClause], marks: Sequence[Mark]) -> list[list[Mark]]:
    """Give each phrase to the clause in which it stands: "and, if possible, the book"."""
    found: list[list[Mark]] = [[] for _ in clauses]
    ends = [max((u.end for u in _collect(c)), default=0) for c in clauses]
    for mark in marks:
        number = 0
        while number + 1 < len(clauses) and mark.use.start >= ends[number]:
            number += 1
        found[number].append(mark)
    return found


def _collect(clause: SpokenClause) -> list[WordUse]:
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
