# SPDX-License-Identifier: Apache-2.0
"""The clause in which a request is made, within the polite frame around it.

"I was wondering whether you could put ...", "Your next job is to put ...", "How about putting ...":
a frame is known by its structure. Its verb says nothing of the domain, and below it is a clause
whose subject is who is spoken to. So no list of polite phrases is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from fcp_ros.language.english.number_words import UNITS
from fcp_ros.language.english.verbs import BEING
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.english.wordnet_nouns import names_person
from fcp_ros.language.syntax.clauses import Segment
from fcp_ros.language.syntax.statements import tell
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word
from fcp_ros.language.syntax.units import split_units

Concerns = Callable[[Sequence[int]], bool]
"""Returns True if some tokens speak of things or states of the domain."""

_EMBEDDED = (
    "ccomp",
    "xcomp",
    "advcl",
    "acl",
    "relcl",
    "pcomp",
    "csubj",
    "conj",
    "dep",
    "parataxis",
)
_HELPING = (*SUBJECTS, "aux", "mark", "intj", "punct", "cc", "preconj", "neg")
_LOOSE = ("ccomp", "parataxis", "dep")
"""Roles of statements beside a request: "it is drafty, can you ..."."""
_ASKING = gather_words("could can would will might")
_QUESTION_WORDS = gather_words("who what which where when why how whose whom")
_MODALS = _ASKING | gather_words("should must shall may to")
_ASSIGNED = gather_words("your our my")
_FAIR = gather_words("nice good better preferable")
"""Adjectives of what is only preferred: "it would be nice to have ..."."""
_FACTUAL = BEING | gather_words("do does did have has had should must")
_SPEECH = gather_words("be do let go come try remember listen look help")
"""Verbs of an imperative that only leads to another one: "be a dear and ..."."""
CHECKING = frozenset(["check", "see", "look", "verify", "find", "test", "determine"])
"""Verbs of finding out: what stands behind "whether" is asked, and isn't made so."""
_ATTENTION = gather_words("look listen hurry remember excuse pardon forgive")
"""Verbs of an imperative that only calls for attention."""
_LIMITING = gather_words("no not only except without but too also else instead")
_LEISURE = gather_words("get have be find feel like want wish care mind please prefer would insist")
"""Verbs of "when you have time"."""
_CONVENIENT = gather_words(
    "ok okay fine alright right possible convenient bother trouble problem hassle inconvenience "
    "imposition burden nuisance ask asking suit same matter help necessary"
)
"""Words of "if it's no bother". Any other "if it is ..." ("clean", "hot", "if it works") is a
condition, also where the domain doesn't know the word."""
_WILLING = gather_words("want like wish think suppose mind dare")
"""Verbs whose negation is one of what is wanted, or polite."""
_WISHING = gather_words("possible possibly can could manage able")
_HEDGES = gather_words("possibly kindly perhaps maybe why")
_MEANINGFUL = gather_words("no stop wait sorry yes well")
"""Interjections that may take something back, or say when."""
_POLITE = gather_words("please kindly thanks thank pls cheers")


class Force(Enum):
    """The effect that a piece of an instruction is meant to have."""

    REQUEST = "request"
    """Asks for something, or may do so: it is read by what it says."""
    REMARK = "remark"
    """Tells something that the domain doesn't know."""
    QUESTION = "question"
    """Asks how something is: nothing is done."""


@dataclass(frozen=True, slots=True)
class Framed:
    """A piece of an instruction, and which of its words make the request."""

    segment: Segment
    force: Force
    verb: int  # the place of the verb of the request in the tree; -1 where no frame was found
    aside: frozenset[int]  # tokens of the frame, which say nothing of what shall be done
    # token -> base form, of verbs that the frame inflects ("mind putting")
    base_forms: dict[int, str]
    forbidden: bool = False  # the frame negates the request ("I don't want you to ...")
    # those among them that stand beside the request ("if you don't mind")
    remarks: frozenset[int] = frozenset()


def find_requests(segments: Sequence[Segment], concerns: Concerns) -> list[Framed]:
    """Find the requests in the pieces of an instruction, and the frames around them."""
    found = []
    units = [unit for segment in segments for unit in split_units(segment)]
    for number, unit in enumerate(units):
        following = units[number + 1] if number + 1 < len(units) else None
        found.append(_find_request(unit, following, concerns))
    return found


def _find_request(segment: Segment, following: Segment | None, concerns: Concerns) -> Framed:
    tree = segment.tree
    tokens = _list_tokens(tree, range(len(tree.words)))
    joined = following is not None and following.piece.sentence == segment.piece.sentence
    is_check = _is_check(segment)
    verb = None if is_check else _find_verb(segment, concerns)
    if verb is None:
        force = Force.REQUEST
        if is_check or _is_question(segment):
            force = Force.QUESTION
        elif not concerns(_list_weighty(tree)) and _asks_nothing(segment, joined):
            force = Force.REMARK
        beside = tokens if force is Force.REMARK else _list_polite(segment, concerns)
        remarks = frozenset(beside)
        return Framed(segment, force, -1, remarks, {}, remarks=remarks)
    kept = set(_list_kept(tree, verb))
    outside = [t for t in tokens if t not in kept]
    frame = outside if not concerns(outside) else []
    aside = frozenset((*frame, *_list_polite(segment, concerns)))
    return Framed(
        segment,
        Force.REQUEST,
        verb.place,
        aside,
        _list_base_forms(tree, verb),
        _forbids(tree, verb),
    )


# --- the verb of the request


def _find_verb(segment: Segment, concerns: Concerns) -> Word | None:
    """Find the verb of a request below a frame; None if nothing frames it."""
    tree = segment.tree
    current = tree.root
    addressed = _is_addressed(tree, current) or _is_headline(tree, current)
    framed = addressed and not segment.piece.imperative
    while True:
        below = _find_below(tree, current, concerns)
        if below is None:
            break
        current, framed = below, True
    return current if framed and current.is_verb else None


def _find_below(tree: Tree, matrix: Word, concerns: Concerns) -> Word | None:
    """Find the clause below a frame whose subject is who is spoken to."""
    for word in tree.words:
        if word.place == matrix.place or word.role not in _EMBEDDED or not word.is_verb:
            continue
        if not _is_below(tree, word, matrix):
            continue
        if word.place < matrix.place and _is_addressed(tree, matrix):
            continue  # "I'm going to type, so could you ..."
        inner = set(_list_kept(tree, word))
        outer = [
            w.token
            for place in tree.list_subtree(matrix.place)
            if (w := tree.words[place]).token >= 0 and w.token not in inner
        ]
        if concerns(outer):
            continue
        if _is_asked(tree, matrix, word):
            return word
    return None


def _is_below(tree: Tree, word: Word, above: Word) -> bool:
    while word.head != word.place:
        word = tree.words[word.head]
        if word.place == above.place:
            return True
    return False


def _is_asked(tree: Tree, matrix: Word, word: Word) -> bool:
    """Return True if a clause asks who is spoken to for something, by its subject and form."""
    subject = tree.find_child(word.place, *SUBJECTS)
    helpers = {child.text for child in tree.list_children(word.place, "aux")}
    if word.tag in ("VBD", "VBN") and "have" not in helpers:
        return False
    if _is_told(tree, word):
        return False
    if subject is not None:
        mark = tree.find_child(word.place, "mark")
        conditional = mark is not None and mark.text == "if"
        if conditional and not helpers & _ASKING:
            return False
        subordinate = mark is not None and mark.text not in ("if", "whether", "that", "for")
        able = mark is not None and mark.text == "that" and "can" in helpers
        said = subject.text == "you" and not subject.is_inserted
        return said and not subordinate and not able and _is_open(tree, word)
    controlled = _mentions_addressee(tree, matrix)
    above = tree.words[word.head].text
    if above == "time" and "to" in helpers:
        return True  # "(it's) time to switch the tv off"
    if word.tag == "VBG":
        about = above in ("about", "mind")  # "how about putting ...", "mind putting ..."
        return about or (controlled and word.role in ("xcomp", "pcomp", "ccomp"))
    if "to" in helpers and word.role != "relcl":
        return controlled or _is_assigned(tree, matrix)
    return word.role == "conj" and controlled and word.tag == "VB"


def _is_told(tree: Tree, word: Word) -> bool:
    """Return True below "I told you to ..." and "you don't have to ..."."""
    above = tree.words[word.head]
    if any(tree.list_children(word.place, "aux")) and tree.find_child(word.place, "mark") is None:
        free = any(tree.list_children(above.place, "neg")) and above.lemma not in _WILLING
        return above.tag == "VBD" or free
    return False


def _is_open(tree: Tree, word: Word) -> bool:
    """Return True for "you could put", not for "you know", "you have"."""
    return any(child.text in _MODALS for child in tree.list_children(word.place, "aux")) or (
        word.tag in ("VB", "VBG")
    )


def _mentions_addressee(tree: Tree, matrix: Word) -> bool:
    clauses = {
        word.place for word in tree.words if word.role in _EMBEDDED and word.place != matrix.place
    }
    own = tree.list_subtree(matrix.place, frozenset(clauses))
    return any(tree.words[p].text == "you" for p in own if not tree.words[p].is_inserted)


def _is_assigned(tree: Tree, matrix: Word) -> bool:
    """Return True for "your next job is to ...", "is it possible to ..."."""
    subject = tree.find_child(matrix.place, "nsubj")
    if matrix.lemma != "be" or subject is None:
        return False
    if subject.text == "it":
        said = tree.find_child(matrix.place, "acomp")
        wished = any(tree.list_children(matrix.place, "aux"))
        return said is not None and (said.text == "possible" or (wished and said.text not in _FAIR))
    return any(child.text in _ASSIGNED for child in tree.list_children(subject.place))


def _is_addressed(tree: Tree, verb: Word) -> bool:
    """Return True for "could you put", "why don't you put", not for "did you put"."""
    subject = tree.find_child(verb.place, "nsubj")
    if subject is None or subject.text != "you" or subject.is_inserted:
        return False
    why = any(child.text == "why" for child in tree.list_children(verb.place, "advmod"))
    if why and any(tree.list_children(verb.place, "neg")):
        return True
    return any(child.text in _MODALS for child in tree.list_children(verb.place, "aux"))


def _is_headline(tree: Tree, verb: Word) -> bool:
    """Return True for "putting a mug on the table" and "to put a mug there" as a whole sentence."""
    if any(tree.list_children(verb.place, *SUBJECTS)):
        return False
    helpers = [word.text for word in tree.words[: verb.place]]
    return (verb.tag == "VBG" and not helpers) or (verb.tag == "VB" and helpers == ["to"])


# --- the words of the request


def _list_kept(tree: Tree, verb: Word) -> list[int]:
    """List the tokens of a request: its verb, what stands before it and belongs to it, the rest.

    What stands behind the verb is kept even where the parser attached it to the frame.
    """
    without = {
        child.place
        for child in tree.list_children(verb.place)
        if child.place < verb.place
        and (child.role in _HELPING or child.role in _LOOSE or child.text in _HEDGES)
    }
    tags = {
        place
        for word in tree.words[verb.place + 1 :]
        if word.role in (*_LOOSE, "aux") and _is_tag(tree, tree.list_subtree(word.place))
        for place in tree.list_subtree(word.place)
    }
    own = tree.list_subtree(verb.place, frozenset(without))
    before = [place for place in own if place < verb.place]
    behind = [place for place in range(verb.place, len(tree.words)) if place not in tags]
    return _list_tokens(tree, [*before, *behind])


def _is_tag(tree: Tree, places: Sequence[int]) -> bool:
    """Return True for "would you" behind a request."""
    words = [tree.words[p].text for p in places]
    plain = all(w in _ASKING or w in ("you", "please", "not", ",") for w in words)
    return plain and "you" in words


def _list_tokens(tree: Tree, places: Sequence[int]) -> list[int]:
    return [tree.words[place].token for place in places if tree.words[place].token >= 0]


def _list_base_forms(tree: Tree, verb: Word) -> dict[int, str]:
    """List the base forms of a verb and of those joined to it."""
    found, open_ = dict[int, str](), [verb]
    while open_:
        word = open_.pop()
        if word.tag in ("VBG", "VBP") and word.token >= 0:
            found[word.token] = word.lemma
        open_ += [w for w in tree.list_children(word.place, "conj") if w.tag == verb.tag]
    return found


def _forbids(tree: Tree, verb: Word) -> bool:
    """Return True for "I don't want you to ...", "you must not ..."."""
    helpers = tree.list_children(verb.place, "aux", "advmod")
    question = any(w.text in _ASKING or w.text == "why" for w in helpers)
    own = any(tree.list_children(verb.place, "neg")) and not question
    above, word = False, verb
    while word.head != word.place:
        word = tree.words[word.head]
        above = above or (word.lemma in _WILLING and _has_negation(tree, word))
    return own != above


def _has_negation(tree: Tree, word: Word) -> bool:
    return any(tree.list_children(word.place, "neg"))


# --- what asks for nothing


def _is_question(segment: Segment) -> bool:
    """Return True for a question of fact: "who opened it?", "should it be open?"."""
    tree = segment.tree
    said = [word for word in tree.words if not word.is_inserted]
    while said and (
        said[0].role in ("intj", "punct", "cc") or said[0].text in ("so", "and", "then")
    ):
        said = said[1:]
    if not said or segment.piece.imperative:
        return False
    if said[0].text in _QUESTION_WORDS:
        return segment.piece.end == "?"
    if said[0].text not in _FACTUAL or segment.piece.end != "?":
        return False
    if said[0].text in BEING:
        return True  # its subject may hang elsewhere: "is everything off?", "is dock 3 open?"
    subject = tree.find_child(tree.root.place, *SUBJECTS)
    return subject is not None and subject.place > said[0].place


def _is_check(segment: Segment) -> bool:
    """Return True for "check whether it is closed", not for "see if you can close it"."""
    tree, root = segment.tree, segment.tree.root
    if not segment.piece.imperative or root.lemma not in CHECKING:
        return False
    for verb in tree.list_children(root.place, "ccomp", "advcl"):
        below = (tree.words[place] for place in tree.list_subtree(verb.place))
        subject = next((word.text for word in below if word.role in SUBJECTS), "it")
        if asks_whether(tree, verb) and subject not in ("you", "it"):
            return True
    return False


def asks_whether(tree: Tree, verb: Word) -> bool:
    """Return True for the clause in "check | whether it is closed"."""
    return any(tree.words[p].text in ("if", "whether") for p in tree.list_subtree(verb.place))


def _list_weighty(tree: Tree) -> list[int]:
    """List the tokens of a clause, without numbers of things that are counted."""
    counted = [w.place for w in tree.words if w.role == "nummod" and tree.words[w.head].is_noun]
    units = {place for place in counted if tree.words[tree.words[place].head].text in UNITS}
    return _list_tokens(tree, [p for p in range(len(tree.words)) if p not in set(counted) - units])


def _asks_nothing(segment: Segment, joined: bool) -> bool:
    """Return True for "my back hurts", "be a dear and", "don't tell my mum", "snack time!"."""
    tree, root = segment.tree, segment.tree.root
    negated = any(tree.list_children(root.place, "neg"))
    if segment.piece.imperative:
        told = any(is_person(word) for word in tree.list_children(root.place, "dobj", "dative"))
        leads = joined and root.lemma in _SPEECH
        return (negated and told) or leads or root.lemma in _ATTENTION
    if tell(tree, max(word.token for word in tree.words) + 1) is not None:
        return True
    if _is_tag(tree, range(len(tree.words))):
        return True
    if joined and root.tag == "VB" and any(w.text == "to" for w in tree.words[: root.place]):
        return True  # "just to test your wheels: ..."
    limited = any(word.text in _LIMITING or word.tag == "DT" for word in tree.words)
    bare = root.is_noun or root.tag in ("JJ", "UH")
    clause = any(tree.list_children(root.place, *SUBJECTS)) or segment.piece.links
    return bare and not (limited or clause or negated) and segment.piece.end in (".", "!")


def is_person(word: Word) -> bool:
    """Return True for a noun that often stands for somebody."""
    return word.is_noun and names_person(word.lemma)


def _list_polite(segment: Segment, concerns: Concerns) -> Iterator[int]:
    """Yield the tokens of what is only polite: "when you have time", "thanks a million"."""
    tree = segment.tree
    for word in tree.words:
        if word.text in _POLITE or (word.role == "intj" and word.tag == "UH"):
            below = tree.list_subtree(word.place)
            tokens = _list_tokens(tree, below)
            short = all(tree.words[p].role in ("intj", "advmod", "prep", "pobj") for p in below)
            if word.role == "ROOT" or word.text in _MEANINGFUL:
                continue
            thanks = short or word.text in _POLITE  # "thanks a million"
            whole = thanks and word.text != "please" and not concerns(tokens)
            yield from tokens if whole else _list_pleas(tree, word)
        elif word.role == "advcl" and word.place != tree.root.place:
            places = tree.list_subtree(word.place)
            tokens = _list_tokens(tree, places)
            if not concerns(tokens) and _is_polite_clause(tree, word, places):
                yield from tokens
        elif word.text == "point" and segment.piece.end == "?":
            places = tree.list_subtree(word.head)
            if [tree.words[p].text for p in places] == ["at", "some", "point"]:
                yield from _list_tokens(tree, places)


def _list_pleas(tree: Tree, word: Word) -> Iterator[int]:
    """Yield "(pretty) please"."""
    before = word.place - 1
    if before >= 0 and tree.words[before].text == "pretty":
        yield tree.words[before].token
    yield word.token


def _is_polite_clause(tree: Tree, verb: Word, places: Sequence[int]) -> bool:
    """Return True for a subordinate clause that sets no condition in the world."""
    subject = tree.find_child(verb.place, *SUBJECTS)
    who = subject.text if subject is not None else ""
    opening = tree.words[places[0]].text
    if any(tree.words[p].text in _WISHING for p in places):
        return False
    if opening == "if":
        words = {tree.words[p].lemma for p in places}
        return (who in ("you", "it", "that", "") and bool(words & _CONVENIENT)) or (
            who == "you" and verb.lemma in _LEISURE
        )
    if opening in ("when", "once", "whenever"):
        return who == "you" and verb.lemma in _LEISURE
    return opening == "before" and who in ("i", "we") and verb.lemma == "forget"
