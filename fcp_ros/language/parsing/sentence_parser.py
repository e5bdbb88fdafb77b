# SPDX-License-Identifier: Apache-2.0
"""Sentences as clauses in an order: a beam over the tokens, with words skipped at a price."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.function_words import (
    EARLIER,
    FILLERS,
    IF,
    LONGEST_LINK,
    OTHERWISE,
    PREPOSITIONS,
    SEQUENCE,
    UNLESS,
)
from fcp_ros.language.english.remark_words import POLITE
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.verbs import BEING, BRING_VERBS, PUT_VERBS
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.clause_parser import ClauseParser
from fcp_ros.language.parsing.clauses.remarks import (
    RemarkParser,
    asks,
    names_pronoun,
    rate_following,
)
from fcp_ros.language.parsing.meanings import PatternTable, SpokenPattern
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import PartsMatch
from fcp_ros.language.parsing.noun_phrases.quantities import match_words
from fcp_ros.language.parsing.partial_sentences import (
    PartialSentence,
    Steps,
    add_clause,
    begins_sentence,
    carry_along,
    close_link,
    keep_best,
)
from fcp_ros.language.parsing.proviso_parser import WAITING, ProvisoParser, wait_for_states
from fcp_ros.language.parsing.trees import (
    Act,
    Determiner,
    Link,
    NounPhrase,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.normalisation import SENTENCE_ENDS

SKIPPED = Confidence.NOT.degree
"""Degree of a reading for each content word that is skipped."""
SKIPPED_FILLER = 0.75
"""The same for a word without a meaning of its own."""
JUXTAPOSED = 0.9
"""Degree of a clause that follows another one without a word or mark between them."""
_ASKING = BEING | gather_words("does do did has have which that what how why")
"""Words that begin a question, which no goal answers."""
_APART = 0.9
"""Degree of a condition on the way behind a comma."""
_NEVER_IN_ORDER = 0.6
"""Degree of "before the door is open, don't ..." as two clauses in an order."""
_WISHING = gather_words("nice good great better best lovely preferable bonus plus fine prefer it")
"""Words before "if" that say that what follows is wished."""
_AGAIN = frozenset(["already", "still", "yet"])
"""Adverbs behind a condition, which say nothing more."""
_NOTHING_ELSE = PhraseSet(
    "[just] [do] nothing",
    "[just] leave (it|them|everything) [alone|there|be]",
    "[just] leave (it|them|everything) (as|the way|where|like) (it is|they are|that)",
)
"""What is asked behind "otherwise" where nothing is."""
_LATER_BEHIND = PhraseSet("(before|prior to)")
_LINKS = {"and": Link.AND, "then": Link.THEN, "earlier": Link.EARLIER, "first": Link.FIRST}


class SentenceParser:
    """A parser of whole instructions."""

    def __init__(
        self,
        nouns: NounParser,  # the chart of noun phrases
        clauses: ClauseParser,
        patterns: PatternTable,  # of the domain, for remarks beside tasks
        ignorable: frozenset[str],  # words without a meaning in this domain
        check: Callable[[], None],
    ) -> None:
        self._nouns = nouns
        self._clauses = clauses
        self._patterns = patterns
        self._provisos = ProvisoParser(nouns, clauses)
        self._tokens = nouns.tokens
        self._ignorable = [tuple(words.split()) for words in ignorable]
        self._check = check
        self._remarks = RemarkParser(nouns)
        self._beside_tasks: dict[tuple[str, int], list[tuple[SpokenPattern, PartsMatch]]] = {}

    def parse(self) -> list[Sentence]:
        """Return the best readings of all tokens, best first."""
        count = len(self._tokens)
        beams: list[list[PartialSentence]] = [[] for _ in range(count + 1)]
        beams[0].append(PartialSentence(Sentence()))
        for place in range(count):
            self._check()
            beams[place] = keep_best(beams[place])
            for partial in beams[place]:
                for end, following in self._advance(place, partial):
                    beams[end].append(following)
        whole = [close_link(p) for p in beams[count] if p.proviso is None]
        kept = [p.sentence for p in keep_best(whole) if _asks_something(p.sentence)]
        return [wait_for_states(carry_along(sentence)) for sentence in kept]

    def _advance(self, place: int, partial: PartialSentence) -> Steps:
        token = self._tokens[place]
        if token.kind is TokenKind.MARK:
            ended = token.text in SENTENCE_ENDS
            closed = close_link(partial) if ended else partial
            yield place + 1, replace(closed, separated=True)
            return
        yield from self._read_ignorable(place, partial)
        yield from self._read_link(place, partial)
        yield from self._read_subordinate(place, partial)
        yield from self._read_otherwise(place, partial)
        yield from self._read_proviso(place, partial)
        yield from self._read_addition(place, partial)
        first = self._nouns.get_text(place + (token.text in ("and", "but")))
        if first not in ("once", "after"):
            for remark in self._remarks.parse_remarks(place):
                sentence = add_clause(partial.sentence, remark.clause, Link.AND)
                yield remark.end, replace(partial, sentence=sentence, separated=False)
            yield from self._read_companion(place, partial)
        yield from self._read_clause(place, partial)
        yield place + 1, self._skip(place, partial)

    def _read_companion(self, place: int, partial: PartialSentence) -> Steps:
        """Read "with the door closed", "(come to me) with it"."""
        sentence = partial.sentence
        if not sentence.clauses or not asks(sentence.clauses[-1]):
            return
        for companion in self._clauses.parse_companions(place, sentence.clauses[-1]):
            if not companion.ahead:
                added = add_clause(sentence, companion.clause, Link.AND)
            else:
                *clauses, last = sentence.clauses
                *links, link = sentence.links
                added = replace(
                    sentence,
                    clauses=(*clauses, companion.clause, last),
                    links=(*links, link, Link.AND),
                    degree=sentence.degree * companion.clause.degree,
                )
            yield companion.end, replace(partial, sentence=added, separated=False)

    def _skip(self, place: int, partial: PartialSentence) -> PartialSentence:
        token = self._tokens[place]
        meaningless = token.text in FILLERS and (token.text,) not in PREPOSITIONS
        asking = token.text in _ASKING and begins_sentence(self._tokens, place)
        filler = (meaningless and not asking) or token.kind is TokenKind.SYMBOL
        degree = partial.sentence.degree * (SKIPPED_FILLER if filler else SKIPPED)
        unread = partial.sentence.unread if filler else (*partial.sentence.unread, place)
        return replace(partial, sentence=replace(partial.sentence, degree=degree, unread=unread))

    def _add_uses(self, partial: PartialSentence, *uses: WordUse) -> Sentence:
        return replace(partial.sentence, uses=(*partial.sentence.uses, *uses))

    def _read_ignorable(self, place: int, partial: PartialSentence) -> Steps:
        polite = POLITE.find_end(self._tokens, place)
        wish = self._nouns.get_text(place) == "if"
        if polite > place and not wish and self._nouns.get_text(polite) in (",", "and", ".", "!"):
            use = self._nouns.describe_use(place, polite, WordRole.FILLER)
            yield polite, replace(partial, sentence=self._add_uses(partial, use))
        for words in self._ignorable:
            if match_words(self._tokens, place, words):
                end = place + len(words)
                use = self._nouns.describe_use(place, end, WordRole.FILLER)
                sentence = self._add_uses(partial, use)
                if words[-1] in ("me", "us"):  # it may be brought there
                    sentence = replace(sentence, degree=sentence.degree * JUXTAPOSED)
                yield end, replace(partial, sentence=sentence)

    def _read_link(self, place: int, partial: PartialSentence) -> Steps:
        for length in range(LONGEST_LINK, 0, -1):
            words = tuple(t.text for t in self._tokens[place : place + length])
            if len(words) < length or words not in SEQUENCE:
                continue
            link = _LINKS[SEQUENCE[words]]
            role = WordRole.FILLER if link is Link.AND else WordRole.ORDER
            use = self._nouns.describe_use(place, place + length, role, link.value)
            keep = link is Link.AND and partial.pending is Link.THEN
            pending = partial.pending if keep or link is Link.FIRST else link
            yield (
                place + length,
                replace(
                    partial,
                    sentence=self._add_uses(partial, use),
                    pending=pending,
                    separated=True,
                    dangling=link is not Link.AND,
                ),
            )
            return

    def _read_subordinate(self, place: int, partial: PartialSentence) -> Steps:
        """Read clauses with "after", "once", "before" and "if"."""
        for earlier, options in ((True, EARLIER), (False, _LATER_BEHIND)):
            start = options.find_end(self._tokens, place)
            if start == place:
                continue
            said = self._nouns.get_text(start - 1)
            use = self._nouns.describe_use(place, start, WordRole.ORDER, said)
            found = self._list_clauses(start)
            asked = list(filter(asks, partial.sentence.clauses))
            for before in asked[-1:]:  # "the mug before the bowl"
                alike = self._clauses.parse_alike(start, before)
                found = chain(found, ((e, c) for e, c in alike if self._nouns.ends_clause(e)))
            if WAITING.find_end(self._tokens, place) == start:
                found = self._wait(start, found)
            for end, clause in found:
                yield from self._place_subordinate(end, partial, clause, use, earlier, place)
        yield from self._read_condition(place, partial)

    def _place_subordinate(
        self,
        end: int,
        partial: PartialSentence,
        clause: SpokenClause,
        use: WordUse,
        earlier: bool,
        start: int,
    ) -> Steps:
        sentence = self._add_uses(partial, use)
        behind = bool(sentence.clauses) and not begins_sentence(self._tokens, start)
        if behind and earlier and _speaks_of_each(clause):
            last = replace(
                sentence.clauses[-1],
                after_each=True,
                uses=(*sentence.clauses[-1].uses, *_list_said(clause)),
            )
            again = replace(
                sentence,
                clauses=(*sentence.clauses[:-1], last),
                degree=sentence.degree * clause.degree,
            )
            yield end, PartialSentence(again, Link.AND, False)
            return
        before = sentence.clauses[-1] if behind else None
        joined = self._nouns.get_text(start - 1) in ("and", "but", "then", "so")
        ahead = joined and self._nouns.get_text(end) == ","  # "..., and once it is there, ..."
        if before is not None and not (before.negated or before.permitted or ahead):
            link = Link.EARLIER if earlier else Link.THEN
            added = add_clause(sentence, clause, link)
            if before.time is not None and earlier:  # "within a minute after ..."
                added = replace(added, degree=added.degree * _APART)
            yield end, PartialSentence(added, Link.AND, False)
        comma = self._nouns.get_text(end) == ","
        if comma or not behind:
            added = add_clause(sentence, clause, partial.pending)
            following = Link.THEN if earlier else Link.EARLIER
            degree = added.degree * (0.85 if behind else 1.0)
            opened = PartialSentence(replace(added, degree=degree), following, True)
            if earlier and self._nouns.get_text(end) == "and":  # "after wiping A and B, ..."
                yield end, replace(opened, pending=Link.AND, after_next=following)
                opened = replace(opened, sentence=replace(added, degree=degree * _APART))
            yield end, opened

    def _read_condition(self, place: int, partial: PartialSentence) -> Steps:
        negated = UNLESS.find_end(self._tokens, place) > place
        start = max(IF.find_end(self._tokens, place), UNLESS.find_end(self._tokens, place))
        if start == place or self._nouns.get_text(place - 1) in _WISHING:
            return
        for end, clause in self._clauses.parse_statements(start):
            again = end + (self._nouns.get_text(end) in _AGAIN)
            use = self._nouns.describe_use(place, start, WordRole.LIMIT, "if initially")
            more = self._nouns.list_uses(range(end, again), WordRole.LIMIT)
            end = again
            said = tuple(
                replace(
                    p,
                    negated=p.negated != (negated != clause.negated),
                    uses=(*p.uses, *clause.uses),
                )
                for p in clause.predications
            )
            sentence = self._add_uses(partial, use, *more)
            marked = self._nouns.get_text(end) in (",", "then")
            if marked or self._clauses.parse_clauses(end):
                degree = sentence.degree * clause.degree * (1.0 if marked else _APART)
                yield (
                    end + marked,
                    replace(
                        partial,
                        sentence=replace(sentence, degree=degree),
                        condition=said,
                        separated=True,
                    ),
                )
            asking = [i for i, known in enumerate(sentence.clauses) if asks(known)]
            if asking:
                clauses = list(sentence.clauses)
                clauses[asking[-1]] = replace(clauses[asking[-1]], condition=said)
                yield (
                    end,
                    replace(
                        partial,
                        sentence=replace(
                            sentence, clauses=tuple(clauses), degree=sentence.degree * clause.degree
                        ),
                    ),
                )

    def _read_otherwise(self, place: int, partial: PartialSentence) -> Steps:
        """Read "(if it is there, bring it,) otherwise (bring the mug)"."""
        end = OTHERWISE.find_end(self._tokens, place)
        asked = list(filter(asks, partial.sentence.clauses))
        if end == place or not asked:
            return
        if len(asked[-1].condition) != 1:
            return
        (met,) = asked[-1].condition
        use = self._nouns.describe_use(place, end, WordRole.LIMIT, "if not initially")
        sentence = self._add_uses(partial, use)
        after = end + (self._nouns.get_text(end) in (",", "then"))
        idle = _NOTHING_ELSE.find_end(self._tokens, after)
        if idle > after and self._nouns.ends_clause(idle):
            none = self._nouns.describe_use(after, idle, WordRole.LIMIT, "nothing")
            yield idle, replace(partial, sentence=replace(sentence, uses=(*sentence.uses, none)))
        unmet = replace(met, negated=not met.negated)
        yield after, replace(partial, sentence=sentence, condition=(unmet,), separated=True)

    def _read_proviso(self, place: int, partial: PartialSentence) -> Steps:
        """Read "while the door is open", "until ...", behind a clause or before one."""
        sentence = partial.sentence
        linked = partial.separated and self._nouns.get_text(place - 1) != ","
        if sentence.clauses and not linked and asks(sentence.clauses[-1]):
            *others, last = sentence.clauses
            apart = _APART if partial.separated else 1.0
            for end, clause in self._provisos.read_behind(place, last):
                degree = sentence.degree * apart * clause.degree / last.degree
                longer = replace(sentence, clauses=(*others, clause), degree=degree)
                yield end, replace(partial, sentence=longer, separated=False)
        if partial.proviso is None:
            for end, proviso, limit in self._provisos.read_before(place):
                after = end + (self._nouns.get_text(end) in (",", "then"))
                degree = sentence.degree * proviso.clause.degree
                waiting = replace(partial, sentence=replace(sentence, degree=degree))
                yield after, replace(waiting, proviso=proviso, limit=limit, separated=True)

    def _read_addition(self, place: int, partial: PartialSentence) -> Steps:
        """Read what is said beside a task: "we'll have soup"."""
        clauses = partial.sentence.clauses
        for number, clause in enumerate(clauses):
            for which, said in enumerate(clause.predications):
                meaning = said.meaning
                if meaning is None or meaning.source is not MeaningSource.TASK:
                    continue
                for pattern, match in self._list_remarks(meaning.name, place):
                    longer = replace(
                        said,
                        arguments={**said.arguments, **match.arguments},
                        additions=(*said.additions, pattern.meaning),
                        uses=(*said.uses, *match.uses),
                    )
                    predications = list(clause.predications)
                    predications[which] = longer
                    changed = list(clauses)
                    changed[number] = replace(clause, predications=tuple(predications))
                    sentence = replace(
                        partial.sentence,
                        clauses=tuple(changed),
                        degree=partial.sentence.degree * match.degree,
                    )
                    yield match.end, replace(partial, sentence=sentence, separated=False)

    def _list_remarks(self, task: str, place: int) -> list[tuple[SpokenPattern, PartsMatch]]:
        """List the remarks beside a task that begin at a token."""
        if (task, place) not in self._beside_tasks:
            phrases = self._patterns.find_remarks(task)
            self._beside_tasks[task, place] = list(self._nouns.match_phrases(phrases, place, 0))
        return self._beside_tasks[task, place]

    def _read_clause(self, place: int, partial: PartialSentence) -> Steps:
        found = list(self._clauses.parse_clauses(place))
        if partial.pending is Link.THEN:  # "then the door is closed"
            found += self._clauses.parse_statements(place)
        if partial.sentence.clauses:
            found += self._clauses.parse_fragment(place, partial.sentence.clauses, partial.pending)
        for end, clause in found:
            if partial.condition:
                clause = replace(clause, condition=partial.condition)
            if partial.proviso is not None:
                if not self._provisos.is_fit(clause, partial.proviso):
                    continue
                provisos = (partial.proviso, *clause.provisos)
                clause = replace(clause, provisos=provisos, time=clause.time or partial.limit)
            sentence = add_clause(partial.sentence, clause, partial.pending)
            said = partial.sentence.clauses[-1:]
            if said:
                degree = sentence.degree * rate_following(said[0], clause)
                # "we'll have soup, so": the reason, or asked for as well
                linked = (self._nouns.get_text(place - 1), self._nouns.get_text(place))
                reason = "so" in linked and said[0].verb == "want" and not names_pronoun(clause)
                if reason or self._may_describe(place, said[0], clause):
                    degree *= Confidence.LIKELY.degree
                sentence = replace(sentence, degree=degree)
            if not partial.separated and self._nouns.get_text(place) != "without":
                said_beside = self._nouns.get_text(place).endswith(
                    "ing"
                )  # "stand there holding it"
                apart = Confidence.LIKELY.degree if said_beside else JUXTAPOSED
                sentence = replace(sentence, degree=sentence.degree * apart)
            if clause.negated and partial.pending is Link.EARLIER:
                sentence = replace(sentence, degree=sentence.degree * _NEVER_IN_ORDER)
            yield end, PartialSentence(sentence, partial.after_next or Link.AND, False)

    def _may_describe(self, place: int, before: SpokenClause, clause: SpokenClause) -> bool:
        """Return True for "(bring me a shirt and) clean pants", which may be brought as well."""
        themes = [theme for said in clause.predications for theme in said.arguments.values()]
        last = themes[-1] if themes else None
        bare = isinstance(last, NounPhrase) and last.determiner is Determiner.BARE
        fetched = before.act in (Act.BRING, Act.HOLD) or before.verb in BRING_VERBS | PUT_VERBS
        joined = self._nouns.get_text(place - 1) in ("and", "or")
        states = self._patterns.modifiers.get(self._nouns.get_text(place), ())
        return fetched and joined and bare and any(state.is_adjective for state in states)

    def _wait(
        self, start: int, others: Iterator[tuple[int, SpokenClause]]
    ) -> Iterator[tuple[int, SpokenClause]]:
        """List the states behind "when", or what is done there if there is none."""
        states = self._clauses.parse_statements(start)
        if not states:
            yield from others
        for end, clause in states:
            yield end, replace(clause, awaited=True)

    def _list_clauses(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """List clauses, and statements as they stand behind "after"."""
        place = start
        if self._nouns.get_text(place) in ("you", "we", "having"):
            place += 1
            while self._nouns.get_text(place) in ("have", "are", "were", "had", "done"):
                place += 1
        skipped: list[WordUse] = []
        if place > start:
            skipped.append(self._nouns.describe_use(start, place, WordRole.FILLER))
        for end, clause in self._clauses.parse_clauses(place):
            if clause.act is not Act.REMARK:
                yield end, replace(clause, uses=(*skipped, *clause.uses))
        for end, clause in self._clauses.parse_statements(start):
            yield end, replace(clause, degree=clause.degree * 0.97)


def _speaks_of_each(clause: SpokenClause) -> bool:
    """Return True for "after cleaning each room": something is done again and again."""
    return any(
        isinstance(argument, NounPhrase) and argument.determiner is Determiner.EACH
        for said in clause.predications
        for argument in said.arguments.values()
    )


def _asks_something(sentence: Sentence) -> bool:
    """Return True if a clause is no mere remark."""
    return any(map(asks, sentence.clauses))


def _list_said(clause: SpokenClause) -> Iterator[WordUse]:
    yield from clause.uses
    for said in clause.predications:
        yield from said.uses
        for argument in said.arguments.values():
            if isinstance(argument, NounPhrase):
                yield from argument.uses
