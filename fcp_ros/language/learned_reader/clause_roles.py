# SPDX-License-Identifier: Apache-2.0
"""The roles of the clauses of a tree: what is asked for, what depends on it, what is around it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.language.english.verbs import PUT_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.clauses import Mood, ParsedClause
from fcp_ros.language.syntax.requests import CHECKING, asks_whether
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word


class Subordination(Enum):
    """The relation of a clause to the one above it."""

    IF = "if"
    UNLESS = "unless"
    WHEN = "when"
    AFTER = "after"
    BEFORE = "before"
    UNTIL = "until"
    WHILE = "while"
    WHENEVER = "whenever"
    WITHOUT = "without"
    REASON = "because"


_PHRASES = {
    Subordination.IF: "if, if and only if, only if, in case, provided, provided that, assuming, "
    "assuming that",
    Subordination.UNLESS: "unless",
    Subordination.WHEN: "when, as soon as, the moment, only when",
    Subordination.AFTER: "after, once, only after, only once, right after, having, "
    "not before, not until, but not before, but not until",
    Subordination.BEFORE: "before, prior to",
    Subordination.UNTIL: "until, till, up until, unless and until",
    Subordination.WHILE: "while, whilst, as long as, so long as, for as long as",
    Subordination.WHENEVER: "whenever, each time, every time, any time, always when",
    Subordination.WITHOUT: "without, without ever, instead of",
    Subordination.REASON: "because, since, as, so that, although, though, even though",
}
_SAID = {
    tuple(said.split()): relation
    for relation, phrases in _PHRASES.items()
    for said in phrases.split(", ")
}
_LONGEST = max(map(len, _SAID))
_CLAUSAL = gather_words("advcl pcomp ccomp relcl acl ROOT conj dep parataxis")


def find_relation(
    tree: Tree, clause: ParsedClause
) -> tuple[Subordination, tuple[Word, ...]] | None:
    """Find the subordinator of a clause and its words; None for a clause without one."""
    verb = tree.words[clause.verb]
    relation = clause.relation
    if relation not in _CLAUSAL and not relation.startswith("prep:"):
        return None
    if _is_inverted(tree, verb):
        return Subordination.IF, tuple(tree.list_children(verb.place, "aux"))[:1]
    below = tree.list_subtree(verb.place)
    begin = min((p for p in below if not tree.words[p].is_inserted), default=verb.place)
    texts = [word.text for word in tree.words]
    for start in range(max(0, begin - 3), verb.place):
        for length in range(_LONGEST, 0, -1):
            found = _SAID.get(tuple(texts[start : start + length]))
            stop = start + length
            loose = relation not in ("advcl", "ccomp") and found is Subordination.REASON
            if found is None or loose or stop > verb.place or stop < begin:
                continue
            words = tree.words[start:stop]
            if not _introduces(verb, words, begin):
                continue
            return found, words
    return None


def _is_inverted(tree: Tree, verb: Word) -> bool:
    """Return True for "should the door be open, ..."."""
    first = [tree.words[p] for p in tree.children[verb.place] if tree.words[p].role != "cc"]
    if not first or first[0].text != "should" or first[0].is_inserted:
        return False
    subject = tree.find_child(verb.place, *SUBJECTS)
    asked = subject is None or subject.text in ("i", "we", "you")
    return not asked and subject is not None and first[0].place < subject.place


def _introduces(verb: Word, words: tuple[Word, ...], begin: int) -> bool:
    """Return True if the last word of a subordinator depends on the verb, or stands before it."""
    last = words[-1]
    if verb.role in ("ROOT", "conj", "dep", "parataxis"):
        own = last.role in ("mark", "advmod") and last.head == verb.place
        own |= len(words) > 1 and words[0].place == begin  # "in case"
        return own and (verb.role != "ROOT" or words[0].place == begin)
    if last.head == verb.place or verb.head == last.place:
        return last.role in ("mark", "advmod", "dep", "npadvmod", "aux") or (
            verb.role == "pcomp" and verb.head == last.place
        )
    if last.role == "mark" and last.head == verb.head:
        return last.place + 1 == begin
    return last.place + 1 == begin and verb.role != "ROOT" and len(words) > 1


WRAPPING = gather_words(
    "want need like love prefer wish make see ensure let have expect get be check ought suppose "
    "keep try dare help"
)
"""Verbs whose clause below is what is asked for: "I want the door closed", "make sure that ..."."""
_CARRYING = ("hold", "carry")
_WISHING = gather_words("want need like love wish prefer expect")
_ASKING = gather_words("wonder ask know")
_FEELING = gather_words("appreciate love like please thank help suit prefer be")
_WOULD = gather_words("would 'd might could")
_PARTNERS = gather_words("i we it you that")
_AROUND = (
    *("nsubj", "nsubjpass", "aux", "auxpass", "acomp", "prt", "expl", "dobj", "prep", "ccomp"),
    "oprd",
)
"""Roles of what may stand around a clause without a meaning of its own."""


@dataclass(frozen=True, slots=True)
class Subordinate:
    """A clause that depends on another one by a subordinator."""

    relation: Subordination
    parsed: ParsedClause
    words: tuple[Word, ...]  # the subordinator
    ahead: bool


class ClauseRoles:
    """The roles of the clauses of one tree.

    Args:
        marked: tokens of phrases that are read by themselves.
    """

    def __init__(
        self, tree: Tree, clauses: Sequence[ParsedClause], marked: Collection[int]
    ) -> None:
        self._tree = tree
        self._marked = marked
        self._by_verb = {clause.verb: clause for clause in clauses}
        self.mains: list[ParsedClause] = []
        self.below: dict[int, list[Subordinate]] = {}
        for clause in clauses:
            kind = self._classify(clause)
            if isinstance(kind, Subordinate):
                self.below.setdefault(self._find_main(clause), []).append(kind)
            elif kind:
                self.mains.append(clause)

    @property
    def wishes(self) -> bool:
        """True if a clause says that what another one says is wanted."""
        return any(self._wraps(clause) for clause in self._by_verb.values())

    def _classify(self, clause: ParsedClause) -> bool | Subordinate:
        """Return True for what is asked for, False for what is a part of something else."""
        tree, by_verb = self._tree, self._by_verb
        verb = tree.words[clause.verb]
        if clause.relation in ("relcl", "acl", "csubj"):
            return False
        if is_wished(tree, verb):
            return True
        found = find_relation(tree, clause)
        if found is not None and all(word.token in self._marked for word in found[1]):
            if clause.relation == "advcl":
                return True  # "after that | put a plate there"
            found = None  # "after two minutes"
        if (
            found is not None
            and found[0] is Subordination.WHILE
            and clause.lemma in ("go", "belong")
        ):
            return True  # "the mug goes there, while the bowl goes here"
        if found is not None and (clause.relation != "ROOT" or len(self._by_verb) == 1):
            relation, words = found
            head = tree.words[verb.head]
            while head.head != head.place and head.place not in by_verb:
                head = tree.words[head.head]
            return Subordinate(relation, clause, words, clause.start < head.start)
        if clause.relation == "ROOT":
            return not self._wraps(clause)
        if clause.relation in ("ccomp", "xcomp") and self._is_wrapped(verb):
            return True
        above = tree.words[verb.head]
        if clause.relation == "conj" and above.place in by_verb:
            kind = self._classify(by_verb[above.place])
            if isinstance(kind, Subordinate):
                return replace(kind, parsed=clause, words=())
            return kind
        if clause.relation in ("parataxis", "dep", "conj") or (
            clause.relation in ("ccomp", "advcl") and verb.place < verb.head
        ):
            return True
        if clause.relation == "advcl" and verb.tag == "VBG" and clause.lemma in _CARRYING:
            return clause.subject is None  # "(stand there) | holding the apple"
        return clause.relation in ("advcl", "xcomp") and self._is_purpose(verb)

    def _is_purpose(self, verb: Word) -> bool:
        """Return True for "(take the towel) | to put it in the tub": both are asked for."""
        tree = self._tree
        to = any(w.text == "to" for w in tree.list_children(verb.place, "aux"))
        thing = tree.find_child(verb.place, "dobj")
        moved = verb.lemma in PUT_VERBS and thing is not None and thing.text in ("it", "them")
        above = self._by_verb.get(verb.head)
        return to and moved and above is not None and above.mood is Mood.IMPERATIVE

    def _wraps(self, clause: ParsedClause) -> bool:
        tree, by_verb = self._tree, self._by_verb
        return any(
            (is_wished(tree, tree.words[other]) or self._is_wrapped(tree.words[other]))
            and find_wrapper(tree, tree.words[other]).place == clause.verb
            for other in by_verb
            if other != clause.verb and by_verb[other].relation in ("ccomp", "xcomp", "advcl")
        )

    def _is_wrapped(self, verb: Word) -> bool:
        """Return True for "I want | the door to be closed", "make sure | that it is closed"."""
        tree = self._tree
        above = find_wrapper(tree, verb)
        if above.lemma not in WRAPPING or above.place == verb.place or verb.role == "advcl":
            return False
        if above.lemma in CHECKING and asks_whether(tree, verb):
            return False
        to = any(w.text == "to" for w in tree.list_children(verb.place, "aux"))
        subject = tree.find_child(verb.place, *SUBJECTS)
        who = tree.find_child(above.place, "nsubj")
        if above.lemma == "be" and who is not None and who.text in ("i", "we"):
            return to  # "I am afraid | the table is dirty" tells something
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

    def _find_main(self, clause: ParsedClause) -> int:
        """Find the verb of the clause that another one depends on."""
        tree, word = self._tree, self._tree.words[clause.verb]
        while word.head != word.place:
            word = tree.words[word.head]
            if word.place in self._by_verb and self._classify(self._by_verb[word.place]) is True:
                return word.place
        others = (v for v, c in self._by_verb.items() if v != clause.verb)
        mains = (v for v in others if self._classify(self._by_verb[v]) is True)
        return next(mains, word.place)


def list_negations(tree: Tree, parsed: ParsedClause) -> Iterator[Word]:
    """Yield the words that negate a clause, also those of what is around it."""
    verb = tree.words[parsed.verb]
    while True:
        yield from tree.list_children(verb.place, "neg")
        above = find_wrapper(tree, verb)
        if verb.role not in ("ccomp", "xcomp") or above.place == verb.place:
            return
        if above.lemma not in WRAPPING:
            return
        verb = above


def list_wrapper(tree: Tree, verb: Word) -> Iterator[Word]:
    """Yield the words around a clause: "make sure that", "I want"."""
    while verb.role in ("ccomp", "xcomp") or is_wished(tree, verb):
        yield from tree.list_children(verb.place, "mark", "aux")
        above = find_wrapper(tree, verb)
        wished = is_wished(tree, verb)
        if above.place == verb.place or not (wished or above.lemma in WRAPPING):
            return
        yield above
        for child in tree.list_children(above.place, *_AROUND):
            if child.role == "ccomp" and not child.tag.startswith("JJ"):
                continue
            below = tree.list_subtree(child.place)
            if child.role in ("dobj", "prep") and (
                child.text not in ("it", "to") or len(below) > 2
            ):
                continue
            if child.role in ("nsubj", "nsubjpass") and child.text not in _PARTNERS:
                continue
            yield child
        verb = above


def is_wished(tree: Tree, verb: Word) -> bool:
    """Return True for "I would be glad if | ...", "I ask that | it be ..." and the like.

    It is a wish, no condition: nothing but how somebody would feel depends on it.
    """
    mark = tree.find_child(verb.place, "mark")
    above = find_wrapper(tree, verb)
    who = tree.find_child(above.place, "nsubj", "nsubjpass")
    own = any(tree.list_children(verb.place, *SUBJECTS))
    if mark is None or who is None or not own or who.text not in ("i", "we", "it", "that"):
        return False
    if mark.text == "that":  # "may I request that | it be closed"
        helpers = list(tree.list_children(verb.place, "aux", "auxpass"))
        finite = next(iter(helpers), verb)
        return verb.role == "ccomp" and finite.tag == "VB"
    if mark.text not in ("if", "whether"):
        return False
    would, could = (
        any(w.text in _WOULD for w in tree.list_children(place, "aux"))
        for place in (above.place, verb.place)
    )
    if above.lemma in _ASKING:
        return could and verb.role == "ccomp" and who.text in ("i", "we")
    roles = ("acomp",) if above.lemma == "be" else ("dobj",)
    said = [w.text for w in tree.list_children(above.place, *roles)]
    felt = bool(said) if above.lemma == "be" else set(said) <= {"it", "you"}
    felt = felt and above.lemma in _FEELING
    return would and felt and verb.role in ("advcl", "ccomp")


def find_wrapper(tree: Tree, verb: Word) -> Word:
    """Return the verb above a clause, through "sure": "make sure that ..."."""
    above = tree.words[verb.head]
    if not above.is_verb and above.role in ("acomp", "ccomp", "oprd", "attr", "dobj", "prep"):
        above = tree.words[above.head]
    return above
