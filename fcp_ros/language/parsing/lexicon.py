# SPDX-License-Identifier: Apache-2.0
"""The nouns and names that may be said of a state, each with what it stands for.

Labels are data: a label is compared as a whole, or by its last words if it is short. A long one,
such as a sentence that somebody wrote on an object, is known by its whole text only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY, is_a
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.labels import label_forms, match_label, normalise_label
from fcp_ros.foundation.wording import join_words
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.function_words import COMMON, ENGLISH, FILLERS, PREPOSITIONS
from fcp_ros.language.english.inflection import find_misspelt, list_singulars
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.wholes import OPENING_PARTS, PART_NOUNS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.english.wordnet_nouns import SYNONYMS, list_kinds, list_synonyms, says_sort
from fcp_ros.language.parsing.trees import ElementName, Noun

LONGEST_LABEL = 4
"""Labels of more words are known by their whole text only."""
MOST_REMEMBERED = 10_000
"""Unknown words that are remembered."""
LONGEST_NOUN = 7
"""Most words of a noun that is looked up."""
_KIND_DEGREE = 0.9
"""Degree of the things that WordNet calls kinds of what was said."""
_SORT_DEGREE = 0.9
"""Degree of a mug for a "coffee mug"."""
_TYPO_DEGREE = 0.85
_MASS = gather_words(
    "rubbish trash garbage waste litter laundry cutlery silverware furniture clothing stuff "
    "equipment tableware dishware recycling underwear food underclothing crockery glassware "
    "crockery kitchenware cookware dinnerware glassware drinkware hardware luggage bedding "
    "footwear washing stationery"
)
"""Nouns without a plural that stand for several things."""
_CLOSED = (ENGLISH | FILLERS | {words[0] for words in PREPOSITIONS}) - {
    *("of", "one", "s", "up", "can", "clean", "open", "close", "down", "off")
}
"""Words that are no part of a label, unless in quotes: a label such as "put all of it ..." is data,
and never changes how a sentence is read."""
_NUMBER_WORDS = {str(number): word for word, number in reversed(NUMBERS.items())}
"""The first word for each number: "two", not "couple"."""
_PLURALE_TANTUM = gather_words(
    "pants trousers jeans scissors glasses headphones clothes socks underwear shorts"
)


@dataclass(frozen=True, slots=True)
class NounMatch:
    """Tokens that were taken for a noun or name."""

    end: int
    head: Noun | ElementName
    plural: bool
    degree: float = 1.0
    note: str = ""  # how it was found, such as `spelled "rubbish"`; empty if it was said so


class Lexicon:
    """The nouns and names of a domain and a state.

    Args:
        domain: its labels, types, synonyms and kinds.
        phrase_words: words of phrases; they are no misspelt nouns.
    """

    def __init__(self, domain: Domain, instance: Instance, phrase_words: Iterable[str]) -> None:
        self._domain = domain
        self._instance = instance
        self._schema = domain.schema
        words = domain.words
        self._kinds = words.kinds
        self._members: dict[str, list[str]] = {}
        self._labels: dict[str, dict[str, None]] = {}
        self._names: dict[str, str] = {}
        self._categories: set[str] = set()
        self._attributes: dict[str, dict[str, set[str]]] = {}
        self._of_type: dict[str, list[str]] = {}
        self._index_elements()
        self._types = {
            type_.replace("_", " ").replace("-", " ").lower(): type_ for type_ in self._schema.types
        }
        self._known = {
            *self._members,
            *self._types,
            *domain.mapping.labels,
            *domain.mapping.synonyms,
            *self._kinds,
        }
        self._synonyms = _index_synonyms()
        self._nouns: dict[str, Noun | None] = {}
        self._by_kind: set[str] = set()
        short = (label for label in self._known if len(label.split()) <= LONGEST_LABEL)
        self.words = {word for label in short for word in label.split() if word.isalpha()}
        self._phrase_words = set(phrase_words)
        self._spelt: dict[str, tuple[tuple[str, int], ...]] = {}
        self._near: dict[str, str] = {}

    # --- the state

    def _index_elements(self) -> None:
        instance, forms_of = self._instance, dict[tuple[str, str], tuple[list[str], str]]()
        for id_ in instance.all_elements():
            name, type_ = instance.name_of(id_), instance.type_of(id_)
            category = instance.attribute(id_, CATEGORY)
            label = category if isinstance(category, str) else ""
            key = (label, type_)
            if label and len(label.split()) <= LONGEST_LABEL:
                self._categories.add(normalise_label(label))
            if key not in forms_of:
                forms_of[key] = self._list_forms(label, type_)
            forms, plain = forms_of[key]
            for form in forms:
                self._members.setdefault(form, []).append(name)
                if plain:
                    self._labels.setdefault(form, {})[plain] = None
            self._of_type.setdefault(type_, []).append(name)
            for written in _write_name(name), _spell_number(_write_name(name)):
                self._names.setdefault(written, name)
            for attribute, value in instance.attributes(id_).items():
                if isinstance(value, str) and attribute not in (CATEGORY, "name"):
                    self._attributes.setdefault(value.lower(), {}).setdefault(attribute, set()).add(
                        name
                    )

    def _list_forms(self, label: str, type_: str) -> tuple[list[str], str]:
        """List the nouns that an element goes by, and its label if that is needed to say so."""
        forms = dict.fromkeys(
            normalise_label(above) for above in (type_, *sorted(self._schema.ancestors(type_)))
        )
        if not label:
            return list(forms), ""
        words = normalise_label(label).split()
        at = next((i for i, word in enumerate(words) if word in _CLOSED), len(words))
        if at < len(words):  # "book into the shelf" is a book
            head = words[:at][-LONGEST_LABEL:]
            tails = [" ".join(head[i:]) for i in range(len(head))]
            return [*forms, " ".join(words), *tails], " ".join(words)
        if len(words) > LONGEST_LABEL:
            return [*forms, " ".join(words)], ""
        return list(dict.fromkeys([*forms, *label_forms(label)])), ""

    def list_members(self, type_: str) -> tuple[str, ...]:
        """List the names of the elements of a type, in order of creation."""
        if not type_ or not self._schema.has_type(type_):
            return tuple(self._instance.names())
        instance = self._instance
        return tuple(instance.name_of(id_) for id_ in instance.elements(type_))

    def has_type(self, name: str) -> bool:
        """Return True if the domain has a type of this name."""
        return self._schema.has_type(name)

    @property
    def has_attributes(self) -> bool:
        """True if it is known of some things which colour, or the like, they have."""
        return bool(self._attributes)

    def find_attribute(self, word: str) -> frozenset[str]:
        """Return the names of the elements that have an attribute of this value, such as "red"."""
        found = self._attributes.get(word, {})
        return frozenset(name for names in found.values() for name in names)

    # --- nouns

    def find_nouns(self, tokens: Sequence[Token], start: int) -> list[NounMatch]:
        """Find what the tokens from `start` on may name, the longest first."""
        token = tokens[start]
        if token.kind is TokenKind.QUOTED:
            return self._find_quoted(token, start)
        found: list[NounMatch] = []
        words: list[str] = []
        for end in range(start, min(len(tokens), start + LONGEST_NOUN)):
            if tokens[end].kind not in (TokenKind.WORD, TokenKind.NUMBER):
                break
            words.append(tokens[end].text)
            if words[-1] in _CLOSED:
                break  # names and labels with such words are named in quotes only
            found.extend(self._look_up(words, end + 1) or self._drop_sorts(words, end + 1))
        found.reverse()
        if not found:
            found.extend(self._guess(tokens, start))
        return found

    def _find_quoted(self, token: Token, start: int) -> list[NounMatch]:
        text = token.text
        if self._instance.has(text):
            return [NounMatch(start + 1, ElementName(text), False)]
        name = self._names.get(_write_name(text))
        if name is not None:
            return [NounMatch(start + 1, ElementName(name), False)]
        noun = self.find_noun(normalise_label(text))
        return [NounMatch(start + 1, noun, False)] if noun is not None else []

    def _drop_sorts(self, words: list[str], end: int) -> Iterator[NounMatch]:
        """Yield a known noun behind nouns that only say what sort of it: "coffee mug"."""
        *sorts, head = words
        if not sorts or not all(map(self._may_say_sort, sorts)):
            return
        single = next(iter(list_singulars(head)), head)
        if single in PART_NOUNS:  # those of a whole: "the bicycle pieces"
            return
        wholes = self._look_up(sorts, end) if single in OPENING_PARTS else []
        if wholes:
            note = f'"{" ".join(words)}" is part of it'
            yield from (replace(m, degree=m.degree * _SORT_DEGREE, note=note) for m in wholes)
            return
        single = next(iter(list_known(head, self._known)), head)
        if not all(says_sort(sort, single) for sort in sorts):
            return
        for match in self._look_up([head], end):
            if not isinstance(match.head, Noun):
                continue
            said = " ".join(words)
            # What is labelled as another sort may be meant, or not: it is asked about.
            alike = all(self.find_label(name) == single for name in match.head.members)
            degree = _SORT_DEGREE if alike else Confidence.LIKELY.degree
            note = f'"{said}" is a {single}'
            yield replace(match, degree=match.degree * degree, note=note)

    def find_label(self, name: str) -> str:
        """Return the label of an element in lower case; empty for one that has none."""
        category = self._instance.attribute(self._instance.id_of(name), CATEGORY)
        return normalise_label(category) if isinstance(category, str) else ""

    def _may_say_sort(self, word: str) -> bool:
        """Return True for a word that English, the phrases and attributes have no other use for.

        A room says where a thing is: the bedroom table is not just any table.
        """
        if word in COMMON or word in self._phrase_words or word in self._attributes:
            return False
        return not self.has_room(self._members.get(word, ()))

    def has_room(self, names: Iterable[str]) -> bool:
        """Return True if an element is a room."""
        room = self._types.get("room", "")
        types = {self._instance.type_of(self._instance.id_of(name)) for name in names}
        return bool(room) and any(self._schema.is_subtype(type_, room) for type_ in types)

    def _look_up(self, words: list[str], end: int) -> list[NounMatch]:
        return list(self._list_matches(words, end))

    def _list_matches(self, words: list[str], end: int) -> Iterator[NounMatch]:
        said = " ".join(words)
        name = self._names.get(said.replace("_", " ").replace("-", " "))
        if name is not None and (self._instance.has(said) or said not in self._known):
            yield NounMatch(end, ElementName(name), False)
            return
        if len(words) == 1 and "_" in said:
            said = said.replace("_", " ")
        noun = self.find_noun(said)
        last = said.split()[-1]
        if noun is not None:
            # a domain that lists "keys" for "key chain" means one
            single = said in self._domain.mapping.synonyms or noun.said.endswith("ss")
            plural = last in _PLURALE_TANTUM | _MASS or (bool(list_singulars(last)) and not single)
            yield self._rate(NounMatch(end, noun, plural), said)
        for singular in list_singulars(last):
            other = self.find_noun(" ".join([*said.split()[:-1], singular]))
            if other is not None and other != noun:
                better = noun is None or (other.members and not noun.members)
                match = NounMatch(end, other, True, 1.0 if better else 0.9)
                yield self._rate(match, other.said)
                break

    def _rate(self, match: NounMatch, said: str) -> NounMatch:
        """Say where a noun is one of WordNet's for several things here."""
        if said not in self._by_kind or not isinstance(match.head, Noun):
            return match
        note = f"{said}: {join_words(match.head.labels)}"
        return replace(match, degree=match.degree * _KIND_DEGREE, note=note)

    def find_noun(self, said: str) -> Noun | None:
        """Return what a noun in the singular stands for; None if it is not known."""
        if said not in self._nouns:
            self._nouns[said] = self._make_noun(said)
        return self._nouns[said]

    def _make_noun(self, said: str) -> Noun | None:
        if said not in self._known:
            if said == "floor" and self._schema.has_type("room"):  # that of a room
                return self.find_noun("room")
            others = list(self._find_synonym(said))
            here = next((noun for noun in others if noun.members), None)
            kind = None if here else next(self._find_kind(said), None)
            return here or kind or (others[0] if others else None)
        members = self._members.get(said, [])
        if said in self._kinds:
            labels = self._cover(tuple(dict.fromkeys((*self._kinds[said], said))))
            every = [n for label in labels for n in self._members.get(label, ())]
            return Noun(said, labels, self.find_common_type(labels), tuple(dict.fromkeys(every)))
        if not members:
            label = self._domain.mapping.synonyms.get(said)
            if label is not None and self._members.get(label):
                return Noun(
                    said, (label,), self.find_common_type((label,)), tuple(self._members[label])
                )
            stand_in = next((n for n in self._find_synonym(said) if n.members), None)
            if stand_in is not None:
                return Noun(said, stand_in.labels, stand_in.type, stand_in.members)
            fuller = self._list_fuller(said.split())
            if fuller:
                members = [name for label in fuller for name in self._members[label]]
                return Noun(said, fuller, self.find_common_type(fuller), tuple(members))
        extra = tuple(self._labels.get(said, ()))
        labels = (said, *extra) if said not in extra and (extra or not members) else (said,)
        if extra and members:
            named = [self._goes_by(said, member) for member in members]
            labels = (said,) if all(named) else (said, *extra) if any(named) else extra
        return Noun(said, labels, self.find_common_type((said,)), tuple(dict.fromkeys(members)))

    def _list_fuller(self, words: Sequence[str]) -> tuple[str, ...]:
        """List the labels that say more than a noun: "full glass bottle" is a "full bottle"."""
        if len(words) < 2:
            return ()
        found = [
            label
            for label in sorted(self._categories)
            if (own := label.split())[-1] == words[-1] and {*words} < {*own}
        ]
        return tuple(label for label in found if label in self._members)

    def _cover(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """Return the type that names all of these things alone, if one of the labels is one."""
        every = {name for label in labels for name in self._members.get(label, ())}
        for label in labels:
            if label in self._types and every and set(self._members.get(label, ())) == every:
                return (label,)
        return labels

    def _goes_by(self, said: str, member: str) -> bool:
        """Return True if `is_a(member, said)` holds in the goal language."""
        return is_a(self._instance, self._instance.id_of(member), said)

    def _find_kind(self, said: str) -> Iterator[Noun]:
        """Yield the things here that WordNet calls kinds of what was said: guitars, instruments."""
        if said in COMMON or said in self._phrase_words or said in PART_NOUNS:
            return
        short = (label for label in self._members if len(label.split()) <= LONGEST_LABEL)
        labels = self._keep_widest(list_kinds(said, short))
        members = [name for label in labels for name in self._members[label]]
        if members:
            type_ = self.find_common_type(labels)
            self._by_kind.add(said)
            yield Noun(said, labels, type_, tuple(dict.fromkeys(members)))

    def _keep_widest(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Leave out labels whose things all have another one of them, such as "grand piano"."""
        kept: list[str] = []
        for label in sorted(labels, key=lambda one: (-len(self._members[one]), len(one), one)):
            mine = set(self._members[label])
            if not any(mine <= set(self._members[other]) for other in kept):
                kept.append(label)
        return tuple(kept)

    def _find_synonym(self, said: str) -> Iterable[Noun]:
        others = dict.fromkeys((*self._synonyms.get(said, ()), *list_synonyms(said)))
        for other in others:
            if other in self._known and other != said:
                members = tuple(dict.fromkeys(self._members.get(other, ())))
                extra = tuple(self._labels.get(other, ()))
                yield Noun(said, (other, *extra), self.find_common_type((other,)), members)

    def find_common_type(self, labels: Sequence[str]) -> str:
        """Find a type that all labels have; empty if there is none."""
        types = {self._type_of_label(label) for label in labels}
        types.discard("")
        if len(types) == 1:
            return types.pop()
        if not types:
            return ""
        above = [self._schema.ancestors(type_) | {type_} for type_ in types]
        common = set.intersection(*map(set, above))
        lowest = [
            t for t in common if not any(t != o and self._schema.is_subtype(o, t) for o in common)
        ]
        return min(lowest) if lowest else ""

    def _type_of_label(self, label: str) -> str:
        if label in self._types:
            return self._types[label]
        found = match_label(label, self._domain.mapping.labels)
        members = self._members.get(label)
        if found is not None and not members:
            return found
        if members:
            types = {self._instance.type_of(self._instance.id_of(name)) for name in members}
            if found is not None and all(self._schema.is_subtype(t, found) for t in types):
                return found
            return types.pop() if len(types) == 1 else ""
        return ""

    # --- unknown words

    def _guess(self, tokens: Sequence[Token], start: int) -> Iterable[NounMatch]:
        token = tokens[start]
        if token.kind is not TokenKind.WORD or len(token.text) < 3 or token.text in COMMON:
            return
        for end in (start + 2, start + 1):
            if end > len(tokens) or any(t.kind is not TokenKind.WORD for t in tokens[start:end]):
                continue
            words = [t.text for t in tokens[start:end]]
            for spelling, distance in self._respell(words):
                for match in self._look_up(spelling.split(), end):
                    degree = _TYPO_DEGREE**distance
                    yield NounMatch(end, match.head, match.plural, degree, f'spelled "{spelling}"')
                    return

    def _respell(self, words: list[str]) -> Iterable[tuple[str, int]]:
        """Yield the words with one of them spelled as a known one."""
        for place, word in enumerate(words):
            if word in COMMON or word in self.words or word in self._phrase_words:
                continue
            if list_known(word, self.words):
                continue
            if len(self._spelt) > MOST_REMEMBERED:
                self._spelt.clear()
            if word not in self._spelt:
                plurals = {f"{w}s" for w in self.words if not w.endswith("s")}
                self._spelt[word] = tuple(find_misspelt(word, self.words | plurals)[:4])
            for other, distance in self._spelt[word]:
                yield " ".join([*words[:place], other, *words[place + 1 :]]), distance

    def is_near_phrase_word(self, word: str) -> str:
        """Return the word of a phrase that a word may be a misspelling of; empty for none."""
        if word not in self._near:
            known = word in self._phrase_words or word in self.words or word in FILLERS | ENGLISH
            found = [] if known else find_misspelt(word, self._phrase_words)
            if len(self._near) > MOST_REMEMBERED:
                self._near.clear()
            self._near[word] = found[0][0] if found else ""
        return self._near[word]


def list_known(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """List the singulars of a word that are known."""
    table = known if isinstance(known, (set, frozenset)) else set(known)
    return tuple(singular for singular in list_singulars(word) if singular in table)


def _write_name(name: str) -> str:
    """Write the name of an element as it is said: `Mug_1` as "mug 1"."""
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def _spell_number(name: str) -> str:
    """Write the number at the end of a name as a word: "room 6" as "room six"."""
    head, _, last = name.rpartition(" ")
    return f"{head} {_NUMBER_WORDS[last]}" if head and last in _NUMBER_WORDS else name


def _index_synonyms() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for group in SYNONYMS:
        for word in group:
            found.setdefault(word, []).extend(other for other in group if other != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in found.items()}
