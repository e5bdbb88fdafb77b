# SPDX-License-Identifier: Apache-2.0
"""Clauses that tell something and ask for nothing: a subject, a finite verb, no demand."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from fcp_ros.language.english.turning_words import NOT_STATED
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word
from fcp_ros.language.syntax.units import Unit

SPEAKERS = frozenset(["i", "we"])
_FINITE = frozenset(["VBZ", "VBP", "VBD", "MD"])
_PRESENT = frozenset(["VBZ", "VBP"])
_PLACING = frozenset(["belong", "go", "stay", "remain"])
"""Verbs that say in the present where something shall be."""
_WANTING = gather_words(
    "want need wish expect require demand insist prefer like love ask order hate dislike request "
    "desire suggest hope deserve mean"
)
_ALLOWING = frozenset(["allow", "permit", "forbid", "suppose"])
_POSSESSING = frozenset(["be", "see", "have", "get"])
_COPULAS = frozenset(["be", "look", "seem"])
_EXPLAINING = gather_words("where why when how because what")
_WEIGHING = frozenset(["important", "urgent", "necessary", "essential", "optional"])
_CHOOSING = gather_words("one any anything either both all none nothing everything other rest")
"""Subjects that may say which things are meant: "a second one is fine"."""
_TIMES = gather_words("when whenever once after")
_ALSO = frozenset(["too", "also", "well", "likewise"])
_DUTIES = frozenset(["have", "be", "get", "need"])


class Telling(Enum):
    """The form of a statement."""

    SPEAKER = "speaker"
    """Of who speaks."""
    STATE = "state"
    """How something is."""
    EVENT = "event"
    """What somebody or something does."""
    EXPLANATION = "explanation"
    """That is where, why, how ..."""


def list_endings(unit: Unit) -> Iterator[tuple[int, Telling]]:
    """Yield where the statement of a clause may end, at its commas and its end, and its form."""
    commas = [word.token for word in unit.tree.words if word.text == ","]
    for stop in (*commas, unit.end):
        form = tell(unit.tree, stop)
        if form is not None:
            yield stop, form


def tell(tree: Tree, stop: int) -> Telling | None:
    """Return the form of the statement that the tokens before `stop` make; None for a demand."""
    words = [word for word in tree.words if not word.is_inserted and word.token < stop]
    asked = any(w.is_inserted and w.text == "should" for w in tree.words)
    if len(words) < 2 or tree.root not in words or asked:
        return None
    root, subject = tree.root, tree.find_child(tree.root.place, *SUBJECTS)
    if subject not in words or subject is None or not _is_finite(tree, root):
        return None
    if subject.lemma in _CHOOSING and not any(tree.list_children(subject.place, "poss")):
        return None
    if subject.place > root.place and subject.role != "expl":
        return None
    if words[0].text == "no" or any(demands(tree, word) for word in words):
        return None
    if _is_time(tree, root):
        return None
    if subject.text in SPEAKERS:
        return Telling.SPEAKER
    explained = any(w.token == root.token + 1 and w.text in _EXPLAINING for w in words)
    if explained and root.lemma == "be" and subject.text in ("that", "this", "it"):
        return Telling.EXPLANATION
    return Telling.STATE if root.lemma in _COPULAS or root.tag == "JJ" else Telling.EVENT


def _is_time(tree: Tree, verb: Word) -> bool:
    """Return True for "when it is clean, ...": that says when it shall be done."""
    helpers = tree.list_children(verb.place, "aux", "auxpass")
    if not any(word.tag in _PRESENT for word in (verb, *helpers)):
        return False
    return any(w.text in _TIMES for w in tree.list_children(verb.place, "advmod", "mark"))


def _is_finite(tree: Tree, verb: Word) -> bool:
    """Return True for a verb with a subject, and for "hands full"."""
    helpers = list(tree.list_children(verb.place, "aux", "auxpass"))
    if any(word.tag in _FINITE for word in (*helpers, verb)):
        return True
    return not helpers and verb.tag in ("VBN", "JJ")


def demands(tree: Tree, word: Word) -> bool:
    """Return True for a word that a mere statement lacks: of a wish, a ban, a condition."""
    if word.text in NOT_STATED or (word.lemma in _ALLOWING and word.is_verb):
        return True
    above = tree.words[word.head]
    if word.tag == "MD" and any(w.tag == "WP" for w in tree.list_children(above.place, *SUBJECTS)):
        return True  # "who could feed it?"
    if word.text in ("not", "n't", "only"):
        return not (above.is_verb or above.tag == "JJ") or word.role not in ("neg", "advmod")
    if word.text in ("you", "your", "yourself"):
        return not _is_past_or_state(tree, word, above)
    if word.text in ("would", "may", "do", "does", "can") and word.role == "aux":
        return not _is_told(tree, word, above)
    if not word.is_verb:
        return word.text == "time" and any(tree.list_children(word.place, "relcl", "acl"))
    return (
        _is_wish(tree, word)
        or _is_duty(tree, word)
        or _asks_the_same(tree, word)
        or (word.lemma in _PLACING and word.tag in _PRESENT and not _is_of_speaker(tree, word))
        or (word.role == "auxpass" and word.lemma == "get" and word.tag in _PRESENT)
    )


def _asks_the_same(tree: Tree, verb: Word) -> bool:
    """Return True for "(the mug goes there,) the bowl does, too"."""
    stands_for_verb = verb.lemma == "do" and verb.role != "aux" and verb.tag in _PRESENT
    has_object = any(tree.list_children(verb.place, "dobj"))
    behind = {word.text for word in tree.list_children(verb.place, "advmod")}
    return stands_for_verb and not has_object and not behind.isdisjoint(_ALSO)


def _is_of_speaker(tree: Tree, verb: Word) -> bool:
    subject = tree.find_child(verb.place, *SUBJECTS)
    return subject is not None and subject.text in SPEAKERS


def _is_past_or_state(tree: Tree, you: Word, verb: Word) -> bool:
    """Return True where "you" asks for nothing: "you mopped it", "you're busy", "scared of you"."""
    if you.role not in SUBJECTS:
        return you.role == "pobj"
    helpers = list(tree.list_children(verb.place, "aux"))
    below = verb.place != tree.root.place or any(tree.list_children(verb.place, "mark"))
    state = below and verb.lemma == "be" and not any(tree.list_children(verb.place, "xcomp"))
    return (verb.tag == "VBD" or state) and not helpers


def _is_told(tree: Tree, helper: Word, verb: Word) -> bool:
    """Return True for "I can't", "she doesn't", "I would love to"; not for "it would look nice"."""
    if any(tree.list_children(verb.place, "neg")):
        return True
    if helper.text == "would" and tree.words[verb.head].tag == "VBD" and verb.role == "ccomp":
        return True
    if helper.text in ("do", "can"):
        return _is_of_speaker(tree, verb)
    return verb.lemma in ("like", "love") and any(tree.list_children(verb.place, "xcomp"))


def _is_wish(tree: Tree, verb: Word) -> bool:
    """Return True unless somebody only wants to do something, or hopes that something was."""
    if verb.lemma not in _WANTING or verb.role == "pcomp":
        return False
    below = tree.find_child(verb.place, "xcomp", "ccomp")
    if below is None:
        return True
    if below.tag == "VBG" and not any(tree.list_children(below.place, *SUBJECTS)):
        return False
    if below.tag == "VBD":
        return False
    to = any(word.text == "to" for word in tree.list_children(below.place, "aux"))
    own = not any(tree.list_children(below.place, *SUBJECTS))
    return not (to and own) or (not _is_of_speaker(tree, verb) and below.lemma in _POSSESSING)


def _is_duty(tree: Tree, verb: Word) -> bool:
    """Return True for "has to", "is to", "it is important to"."""
    below = tree.find_child(verb.place, "xcomp")
    if verb.lemma == "be":
        said = tree.find_child(verb.place, "acomp", "attr")
        subject = tree.find_child(verb.place, *SUBJECTS)
        if said is not None and said.text in _WEIGHING:
            return True
        if said is not None and subject is not None and subject.text == "it":
            inner = (*tree.list_children(said.place), *tree.list_children(verb.place))
            return any(w.role in ("xcomp", "ccomp", "acl", "advcl") for w in inner if w.is_verb)
        if said is not None:
            return False
    if below is None or verb.lemma not in _DUTIES:
        return False
    to = any(word.text == "to" for word in tree.list_children(below.place, "aux"))
    return to and not (verb.lemma in ("have", "get") and _is_of_speaker(tree, verb))
