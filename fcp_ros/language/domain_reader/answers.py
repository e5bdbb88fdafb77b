# SPDX-License-Identifier: Apache-2.0
"""Answers: the status, question and message of the readings that were found.

"Which mug: the blue one on counter_1, or the one in the sink?" A description is the shortest
combination of features that no other element in question has: attributes, category, states, place,
room, who holds it. Elements without such a combination are called by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from fcp_ros.cset import Instance
from fcp_ros.cset.schema import AttributeKind
from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.expressions.syntax import Atom, Constant, Term
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.labels import label_forms, normalise_label
from fcp_ros.foundation.wording import join_words, shorten_words, to_printable
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.domain_reader.terms.referents import Ambiguity
from fcp_ros.language.english.function_words import ENGLISH, FILLERS, FOREIGN, PREPOSITIONS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.turning_words import CONTRARY, NOTHINGS
from fcp_ros.language.nouns import name_element, quote_words, write_label
from fcp_ros.language.parsing.clauses.hedges import Asides
from fcp_ros.language.reading import (
    Interpretation,
    Reading,
    ReadingStatus,
    Refusal,
    WordRole,
    WordUse,
)
from fcp_ros.language.statement_table import StatementTable

MOST_FEATURES = 2
"""A description combines this many features at most; a longer one is worse than a name."""
_LONGEST_VALUE = 30
"""Longer values of attributes (characters) are no adjectives."""
_FARTHEST_ROOM = 4
"""Number of relations that lead from a thing to its room at most."""
_WORDS_OF_KINDS = (AttributeKind.STRING, AttributeKind.ENUM)


@dataclass(frozen=True, slots=True)
class _Feature:
    """Something that is true of an element, and how it is said of "the ... one ..."."""

    key: tuple[str, ...]  # equal for elements that share it
    before: str = ""
    noun: str = ""  # said instead of "one"
    after: str = ""


def describe_among(element: str, others: Sequence[str], domain: Domain, instance: Instance) -> str:
    """Describe an element so that it is told from others.

    Args:
        others: names of the elements that it could be confused with; it may be among them.

    Returns:
        A noun phrase, such as "the blue one", "the one on counter_1", or the element's name.
    """
    return _Describer(domain, instance).describe(element, others)


def describe_choices(
    elements: Sequence[str], domain: Domain, instance: Instance
) -> tuple[str, ...]:
    """Describe each of some elements so that it is told from the rest; all are different."""
    describer = _Describer(domain, instance)
    return tuple(describer.describe(element, elements) for element in elements)


def ask_which(noun: str, choices: Sequence[str]) -> str:
    """Write the question which of some things is meant.

    Args:
        noun: what they have in common, such as "mug".
        choices: their descriptions, two or more.
    """
    return f"Which {noun}: {join_words(choices, 'or')}?"


class _Describer:
    def __init__(self, domain: Domain, instance: Instance) -> None:
        self._domain = domain
        self._instance = instance
        self._statements = StatementTable(domain)
        self._features: dict[str, list[_Feature]] = {}
        room = domain.mapping.layer_types.get("room", "room")
        self._room = room if instance.schema.has_type(room) else ""

    def describe(self, element: str, others: Sequence[str]) -> str:
        taken = [self._list_keys(other) for other in others if other != element]
        for number in range(1, MOST_FEATURES + 1):
            for chosen in combinations(self._list_features(element), number):
                keys = {feature.key for feature in chosen}
                if taken and not any(keys <= other for other in taken):
                    return _write(chosen)
        return name_element(element, self._instance)

    def _list_keys(self, element: str) -> set[tuple[str, ...]]:
        """List what is true of an element; a "coffee mug" is a "mug", too."""
        keys = {feature.key for feature in self._list_features(element)}
        labels = [key[1] for key in keys if key[0] == CATEGORY]
        return keys | {(CATEGORY, form) for label in labels for form in label_forms(label)}

    def _list_features(self, element: str) -> list[_Feature]:
        if element not in self._features:
            known = self._instance.has(element)
            found = list(self._find_features(self._instance.id_of(element))) if known else []
            self._features[element] = list({feature.key: feature for feature in found}.values())
        return self._features[element]

    def _find_features(self, id_: int) -> Iterator[_Feature]:
        yield from self._find_attributes(id_)
        category = self._instance.attribute(id_, CATEGORY)
        if isinstance(category, str) and normalise_label(category):
            label = normalise_label(category)
            yield _Feature((CATEGORY, label), noun=write_label(label))
        yield from self._find_states(id_)
        own, passive = self._find_facts(id_)
        yield from own
        room = self._find_room(id_)
        if room is not None:
            yield _Feature(("room", room), after=f"in {self._name_place(room)}")
        yield from passive

    def _find_attributes(self, id_: int) -> Iterator[_Feature]:
        schema = self._instance.schema
        for name, value in sorted(self._instance.attributes(id_).items()):
            if name == CATEGORY or not isinstance(value, str):
                continue
            kind = schema.attribute(self._instance.type_of(id_), name).kind
            if kind in _WORDS_OF_KINDS and 0 < len(value.strip()) <= _LONGEST_VALUE:
                said = value.strip().lower()
                yield _Feature((name, said), before=quote_words(said))

    def _find_states(self, id_: int) -> Iterator[_Feature]:
        """Find the relations of one leg that hold, and those that could but do not."""
        schema = self._instance.schema
        name = Constant(self._instance.name_of(id_))
        for relation in schema.relations:
            if len(relation.legs) != 1:
                continue
            leg, type_ = relation.legs[0]
            if not schema.is_subtype(self._instance.type_of(id_), type_):
                continue
            holds = len(self._instance.tuples_at(relation.name, leg, id_)) > 0
            atom = Atom(relation.name, (name,))
            clause, _ = self._statements.write(atom, lambda _: "it", negated=not holds)
            adjective = clause.verb == "is" and not clause.negated and " " not in clause.rest
            key = (relation.name, str(holds))
            if adjective:
                yield _Feature(key, before=clause.rest)
            else:
                yield _Feature(key, after=f"that {clause.write_predicate()}")

    def _find_facts(self, id_: int) -> tuple[list[_Feature], list[_Feature]]:
        """Find the relations of two legs to another element: with it as the subject, and others."""
        schema = self._instance.schema
        own: list[_Feature] = []
        passive: list[_Feature] = []
        for relation in sorted(schema.relations, key=lambda one: not one.functional):
            if len(relation.legs) != 2:
                continue
            for leg, _ in relation.legs:
                for number in self._instance.tuples_at(relation.name, leg, id_):
                    legs = self._instance.tuples(relation.name)[number]
                    self._describe_fact(relation.name, legs, id_, own, passive)
        return own, passive

    def _describe_fact(
        self,
        relation: str,
        legs: tuple[int, ...],
        subject: int,
        own: list[_Feature],
        passive: list[_Feature],
    ) -> None:
        names = tuple(Constant(self._instance.name_of(id_)) for id_ in legs)
        name = self._instance.name_of(subject)

        def refer(term: Term) -> str:
            other = term.name if isinstance(term, Constant) else ""
            return "it" if other == name else self._name_place(other)

        clause, about = self._statements.write(Atom(relation, names), refer)
        key = (relation, *("" if one.name == name else one.name for one in names))
        if about == Constant(name):
            after = clause.rest if clause.verb == "is" else f"that {clause.write_predicate()}"
            own.append(_Feature(key, after=after))
            return
        said = clause.write()
        if said.endswith(" it"):
            passive.append(_Feature(key, after=f"that {said[:-3]}"))

    def _find_room(self, id_: int) -> str | None:
        """Follow relations that an element has one of at most to the room that it is in."""
        instance = self._instance
        current = id_
        for _ in range(_FARTHEST_ROOM):
            upper = self._find_upper(current)
            if upper is None:
                return None
            current = upper
            if self._room and instance.schema.is_subtype(instance.type_of(current), self._room):
                return instance.name_of(current)
        return None

    def _find_upper(self, id_: int) -> int | None:
        """Find what an element is in or on: the other leg of a relation, the room first."""
        found = []
        for relation in self._instance.schema.relations:
            names = [leg for leg, _ in relation.legs]
            if len(names) != 2 or len(relation.functional) != 1:
                continue
            own = names.index(relation.functional[0])
            for number in self._instance.tuples_at(relation.name, names[own], id_):
                other = self._instance.tuples(relation.name)[number][1 - own]
                is_room = self._room and self._instance.schema.is_subtype(
                    self._instance.type_of(other), self._room
                )
                found.append((not is_room, other))
        return min(found)[1] if found else None

    def _name_place(self, name: str) -> str:
        """Name a place: "the sink" if there is only one, otherwise its own name."""
        instance = self._instance
        category = instance.attribute(instance.id_of(name), CATEGORY)
        label = normalise_label(category) if isinstance(category, str) else ""
        if label:
            alike = (instance.attribute(id_, CATEGORY) for id_ in instance.all_elements())
            number = sum(isinstance(c, str) and normalise_label(c) == label for c in alike)
            if number == 1 and quote_words(label) == label:
                return f"the {label}"
        return name_element(name, instance)


def _write(features: Sequence[_Feature]) -> str:
    nouns = [feature.noun for feature in features if feature.noun]
    before = [feature.before for feature in features if feature.before]
    after = [feature.after for feature in features if feature.after]
    return " ".join(["the", *before, *(nouns or ["one"]), *after])


READER = "domain"
MARGIN = 0.05
"""The best reading counts if no other one comes as near as this."""
LEAST_REST = 0.5
"""Least degree of a reading without words that ask for nothing, as if these had been read."""
RIVAL = 0.85
"""Share of the best degree from which on another reading with words missing is a rival."""
LEAST_DEGREE = Confidence.DOUBTFUL.least
"""A reading below is shown, and not taken."""
_POINTERS = frozenset(("it", "them", "they", "this", "that", "these", "those", "there", "ones"))
MOST_SHOWN = 5
"""Readings that are given at most."""


@dataclass(frozen=True)
class ReadingCandidate:
    """A reading, and the choice that it makes where a phrase could be several elements."""

    reading: Reading
    ambiguity: Ambiguity | None = None
    choice: str = ""
    lacks_nothing: bool = False  # words that it lacks probably ask for nothing


def refuse(instruction: str, reason: Refusal, message: str) -> Interpretation:
    """Answer what isn't obeyed."""
    status = ReadingStatus.REFUSED
    return Interpretation(instruction, status, message, reader=READER, refusal=reason)


def answer_unread(
    instruction: str, message: str, readings: Sequence[Reading] = ()
) -> Interpretation:
    """Answer what was not understood."""
    return Interpretation(
        instruction,
        ReadingStatus.NOT_UNDERSTOOD,
        message,
        tuple(readings[:MOST_SHOWN]),
        reader=READER,
    )


def answer(
    instruction: str, candidates: Sequence[ReadingCandidate], domain: Domain, instance: Instance
) -> Interpretation:
    """Choose the answer from the readings that were found, best first.

    Args:
        candidates: at least one; each goal once.
        domain: its phrases tell elements apart.
    """
    readings = [candidate.reading for candidate in candidates]
    best = candidates[0]
    unread = best.reading.unread
    if unread and _lacks_nothing(candidates):
        return _answer_without(instruction, best.reading, readings[1:MOST_SHOWN])
    if unread:
        words = [f'"{instruction[use.start : use.end]}"' for use in unread[:8]]
        said = f"Not understood: {to_printable(join_words(words))}. Say it in other words."
        if _stands_alone(instruction, best.reading):
            said += f" The rest would be: {best.reading.paraphrase}"
        return answer_unread(instruction, shorten_words(said), readings)
    if best.reading.degree < LEAST_DEGREE:
        message = (
            "This may be meant, but it is far from clear: "
            f"{best.reading.paraphrase} Say it in other words."
        )
        return answer_unread(instruction, message, readings)
    rivals = [
        candidate
        for candidate in candidates
        if candidate.reading.degree > best.reading.degree - MARGIN and not candidate.reading.unread
    ]
    if len(rivals) > 1:
        return _ask(instruction, rivals[:MOST_SHOWN], domain, instance)
    return Interpretation(
        instruction,
        ReadingStatus.READ,
        f"Understood: {best.reading.paraphrase}",
        tuple(readings[:MOST_SHOWN]),
        reader=READER,
    )


def _stands_alone(instruction: str, reading: Reading) -> bool:
    """Return True if what was read means the same without the rest ("*nobody* opens it")."""
    unread = (instruction[use.start : use.end].lower() for use in reading.unread)
    turned = not (CONTRARY | NOTHINGS).isdisjoint(unread)
    said = (instruction[u.start : u.end] for u in reading.words if u.role is WordRole.ACTION)
    acts = any((word.lower(),) not in PREPOSITIONS for word in said)
    first = next((u.role for u in reading.words if u.role is not WordRole.FILLER), None)
    opened = first is WordRole.UNREAD and not acts  # "*water* the plant" doesn't ask to hold it
    sure = _rate_rest(reading) >= LEAST_REST
    return sure and not (turned or opened) and not _points_at_unread(instruction, reading)


def _points_at_unread(instruction: str, reading: Reading) -> bool:
    """Return True if a pronoun comes behind words that weren't read: it may stand for them."""
    last = WordRole.FILLER
    for use in reading.words:
        is_pronoun = instruction[use.start : use.end].lower() in _POINTERS
        if is_pronoun and last is WordRole.UNREAD:
            return True
        if use.role in (WordRole.THING, WordRole.UNREAD) and not is_pronoun:
            last = use.role
    return False


def _lacks_nothing(candidates: Sequence[ReadingCandidate]) -> bool:
    """Return True if the first reading may be meant but for words that ask for nothing."""
    best, *others = candidates
    if not best.lacks_nothing or _rate_rest(best.reading) < LEAST_REST:
        return False
    return all(_rate_rest(o.reading) < RIVAL * _rate_rest(best.reading) for o in others)


def _rate_rest(reading: Reading) -> float:
    """Return the degree of a reading as if the words that it lacks had been read."""
    return min(1.0, reading.degree / Confidence.NOT.degree ** len(reading.unread))


def _answer_without(
    instruction: str, reading: Reading, others: Sequence[Reading]
) -> Interpretation:
    """Answer with a reading that lacks words: it is asked about, and they are named."""
    degree = min(_rate_rest(reading), Confidence.LIKELY.degree)
    words = [f'"{instruction[use.start : use.end]}"' for use in reading.unread[:8]]
    said = shorten_words(
        f"Understood without {to_printable(join_words(words))}: {reading.paraphrase}"
    )
    found = (replace(reading, degree=degree), *others)
    return Interpretation(instruction, ReadingStatus.READ, said, found, reader=READER)


def _ask(
    instruction: str, rivals: Sequence[ReadingCandidate], domain: Domain, instance: Instance
) -> Interpretation:
    first = rivals[0].ambiguity
    same = first is not None and all(c.ambiguity == first for c in rivals)
    if same and first is not None:
        choices = describe_choices([c.choice for c in rivals], domain, instance)
        question = ask_which(first.said, choices)
    else:
        choices = tuple(c.reading.paraphrase.rstrip(".") for c in rivals)
        question = f"Which is meant: {join_words(choices, 'or')}?"
    question = shorten_words(to_printable(question))
    return Interpretation(
        instruction,
        ReadingStatus.AMBIGUOUS,
        question,
        tuple(candidate.reading for candidate in rivals),
        question,
        choices,
        READER,
    )


def list_words(
    instruction: str, asides: Asides, uses: Sequence[WordUse], unread: Sequence[int]
) -> tuple[WordUse, ...]:
    """List the use of every token, from left to right; each character has one use at most.

    Args:
        asides: its tokens, and the uses of those that were set aside.
        uses: those of a reading; where they overlap, the shortest that has a meaning counts.
        unread: places of tokens that were skipped.
    """
    tokens, places = asides.tokens, dict[int, WordUse]()
    ranked = sorted(uses, key=lambda u: (u.role is WordRole.FILLER, u.end - u.start))
    for number, token in enumerate(tokens):
        if number in unread:
            continue
        for use in ranked:
            if use.start <= token.start and token.end <= use.end:
                places[number] = use
                break
    found: list[WordUse] = []
    for number, token in enumerate(tokens):
        known = places.get(number)
        if known is None:
            plain = token.text in FILLERS or token.kind in (TokenKind.MARK, TokenKind.SYMBOL)
            role = WordRole.FILLER if plain and number not in unread else WordRole.UNREAD
            known = WordUse(token.start, token.end, role, "", 1.0 if plain else 0.0)
        start = max(token.start, known.start)
        end = min(token.end, known.end) if known.end >= token.end else token.end
        if found and found[-1].role is known.role and found[-1].meaning == known.meaning:
            last = found[-1]
            between = any(last.end <= aside.start < start for aside in asides.uses)
            if known.meaning and known.start <= last.start and known.end >= end and not between:
                found[-1] = WordUse(last.start, end, known.role, known.meaning, known.degree)
                continue
        found.append(WordUse(start, end, known.role, known.meaning, known.degree))
    return tuple(sorted((*found, *asides.uses), key=lambda use: use.start))


def name_language(tokens: Sequence[Token]) -> str:
    """Name the language of a sentence if its function words are not English; else empty."""
    words = [token.text for token in tokens if token.kind is TokenKind.WORD]
    if not words:
        return ""
    letters = [word for word in words if not word.isascii()]
    english = sum(word in ENGLISH for word in words)
    best, most = "", 0
    for language, listed in FOREIGN.items():
        known = frozenset(listed.split()) - ENGLISH
        count = sum(word in known for word in words)
        if count > most:
            best, most = language, count
    if most >= 2 and most > english:
        return best
    return "another" if len(letters) * 2 > len(words) and english == 0 else ""
