# SPDX-License-Identifier: Apache-2.0
"""Known words: those of the judgements, and the whole words of the packaged model's tokenizer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from fcp_ros.foundation.wording import gather_words
from fcp_ros.grounding.judged_pairs import list_pair_files, load_pairs
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.grounding.judgement_set import to_singular
from fcp_ros.grounding.models.sentence_encoder import find_packaged_model

ORDERS = gather_words("""
    ignore ignoring disregard disregarding forget override overrule overriding bypass answer answers
    answered respond response reply say says said tell give gives score scores scored scoring rating
    ratings rates rated pretend pretending act acts assume consider considered important instruction
    instructions instruct prompt prompts rubric rubrics previous prior following you your yours we
    our ours us i me my must should shall would could will may might please thanks thank because
    therefore hence thus always never everything anything everyone treat graded grades judged
    judgement judgments evaluate evaluation return returns write json null admin administrator
    developer sudo jailbreak command execute sys degree membership percentage maximum max highest
    this these those what why how when there am was were been being does did had if else unless
    kindly request requests requested attention urgent dear sincerely actually really very certainly
    absolutely definitely truly simply deserves deserve ought let lets ensure guarantee guaranteed
    claim now whatever whichever which oh ok okay yes stop begin hundred marks works useful good
    trust promise promises question questions rules purposes any every count counts correct
    correctly believe know knows want wants need needs means values usable versatile according
    thinks deemed deem everybody anybody nobody someone anyone suits serves clearly obviously
    surely indeed exactly totally completely also either neither however although though since again
    """)
"""Words of orders, of speech, and of the judging itself."""
PRAISE = gather_words("""
    perfect perfectly best ideal ideally excellent excellently optimal flawless superb suitable
    suited recommended approved certified awesome wonderful amazing fantastic unrivalled unbeatable
    ultimate ever supreme premium verified favourite greatest finest superior popular winning
    genuine proven official legendary famous magical outstanding exceptional matchless peerless sure
    trusted endorsed authorised authorized accepted preferred valid proper wanted desired requested
    """)
"""Claims about how good a thing is: what is to be judged."""
CLAIMS = gather_words("made meant designed built intended fit fine great ready")
PURPOSES = gather_words("for to as")
"""One of `CLAIMS` before one of `PURPOSES` begins a claim: "made for everything"."""
OWNERS = gather_words("my our your his her this that these those")
"""Words before a name that say nothing about the thing."""
ROLES = gather_words(
    "system user assistant human developer tool score answer note output result degree end label "
    "name item object category class type"
)
"""Words that only name who speaks, or what follows, before a colon or within markup."""
LOOSE_ENDS = gather_words("""
    and or of with without for to as that which the a an in on is are be not no but so at by from
    like it its into than then all only other another same each used made
    """)
"""Words that can't end a name from which something was cut."""
CLAUSES = gather_words("that which who whose it is are be do does was were has have than")
"""Words that begin a clause behind the name of a thing: "a mug that can do anything"."""
LINKS = gather_words("""
    a an the and or of with without for to as in on at by from into over under beside near next
    behind above below between inside outside against around through off out up down per no not its
    full like
    """)
"""Words that link the parts of a name; a word before one of them is the head of a phrase."""
ARTICLES = gather_words("a an the")
PARTS = gather_words("of full")
"""Words behind which it is said what a thing holds, or what it is of."""
ATTRIBUTED = gather_words("with without")  # Words behind which it is said what belongs to a thing
STATE = "ed"  # The ending of a state, which names of assets have behind the kind: "lettuce sliced"
NO_NOUNS = ("ed", "ing", "ly", "able", "ible", "ful", "ous", "ive", "ior", "est", "less", "ish")
"""Endings of adjectives, adverbs and verbs, in English."""
JOINTS = gather_words("of with without for in on under from beside full")
"""Words before which the head of a phrase stands: a "bottle of water" is a bottle."""
WHICH = gather_words("""
    double single large small big little left right open closed round square old new white black red
    green blue brown grey yellow wooden metal extendable extended folded foldable adjustable
    upholstered stainless empty full broken
    """)
"""Words that say which one, behind the kind in names of assets: "chair black"."""

SAME_WORDS = {
    "aluminum": "aluminium",
    "armoire": "wardrobe",
    "biro": "ballpoint pen",
    "color": "colour",
    "davenport": "sofa",
    "divan": "sofa",
    "drier": "dryer",
    "eiderdown": "duvet",
    "faucet": "tap",
    "gray": "grey",
    "handbasin": "sink",
    "hassock": "footstool",
    "hob": "stove",
    "icebox": "refrigerator",
    "jotter": "notebook",
    "larder": "pantry",
    "molded": "moulded",
    "pajamas": "pyjamas",
    "pouffe": "footstool",
    "scallion": "spring onion",
    "sellotape": "adhesive tape",
    "skillet": "frying pan",
    "spigot": "tap",
    "tankard": "beer mug",
    "tire": "tyre",
    "waistcoat": "vest",
    "washbowl": "sink",
    "wastepaper": "waste paper",
}
"""British and American doubles, and rare words; used only for a word that nobody judged."""


# --- English words that nobody judged, and words of other languages ---
#
# Of a word that it reads in pieces the model still knows much: things of kinds that it was not
# trained on are judged nearly as well by rare words as by common ones (docs/grounding.md). Of a
# word of another language it knows next to nothing; and letters alone don't tell which of the two
# it is.

ENGLISH_THINGS = gather_words("""
    anorak bagpipes balustrade bannister bassoon beehive bellows blotter bobbin bodice bollard
    bongo bonsai boomerang brazier brochure bugle bulldozer cabinetry caddy cagoule campervan
    camshaft candelabrum castanets chafing chaise chalice checkers chiffonier chronometer cloche
    cornet coverlet credenza crockpot cruet cubicle culottes cummerbund cymbal dehydrator
    demitasse didgeridoo dinghy doily dominoes dongle drapery dreidel dulcimer escalator
    escritoire ewer fedora firepit foosball galoshes gasket gauntlet gazebo gilet gimlet
    glockenspiel gramophone grommet hasp hookah hovel humidor hydrant hygrometer invoice jacuzzi
    jardiniere jodhpurs jukebox kaftan kazoo kennel kerb kiln knapsack kumquat lectern loom
    louver lute lychee lyre macbook mainframe manhole marimba mezzanine moccasin molcajete moped
    muffler mulch negligee oar ocarina pannier peephole percolator pergola pinafore plotter
    pruners pumice puncher pylon racquet rosebush salamander sconce scourer scullery sextant
    shuttlecock sitar skein skylight sleigh smock snifter snuffer sombrero spindle spinet
    spokeshave sprocket ssd stationery statuette strimmer tagine tajine tallboy tambourine
    terracotta thimble timpani toque torchiere tuner turban turnstile tuxedo ukulele urn valance
    valise veranda vestibule vibraphone vivarium voltmeter votive wainscoting whatnot xylophone
    yoyo zither
    """)
"""Things about the house, in one word, that are rare in text."""
OTHER_LANGUAGES = gather_words(
    "arbol casa copa copas dom glas huis luz maison mesa plato porte regal sal teller vin"
)
"""Words that the tokenizer has whole, but mostly from other languages or from names."""

# --- known words ---

LEAST_LETTERS = 3  # Shorter words of a tokenizer are pieces of words
CLOSING = 0.8  # The share of its phrases in which a closing word is the head


@dataclass(frozen=True, slots=True)
class WordOrder:
    """The order of words in judged phrases, in the singular."""

    # words that stand one behind the other, neither of them a link
    pairs: frozenset[tuple[str, str]] = frozenset()
    # words that are the head of a phrase: its last word, or that before a link
    heads: frozenset[str] = frozenset()
    # those that hardly ever stand before another word: "mug", but not "tin"
    closing: frozenset[str] = frozenset()
    # words that stand before the head of a phrase: "tin" of "tin mug"
    modifiers: frozenset[str] = frozenset()
    measures: frozenset[str] = frozenset()  # words that stand before "of": "bottle", "piece"


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Known words and phrases, in plain spelling."""

    phrases: frozenset[str]
    judged_words: frozenset[str]
    words: frozenset[str]  # all known words, those too
    order: WordOrder = field(default_factory=WordOrder)

    def knows(self, word: str) -> bool:
        """Return True for a known word, its singular or plural, or a number."""
        forms = (word, to_singular(word), f"{word}s")
        return any(form in self.words for form in forms) or word.isdecimal()

    def is_judged(self, word: str) -> bool:
        """Return True for a word that stands in a judgement, its plural, or a number."""
        judged = self.judged_words
        return word in judged or to_singular(word) in judged or word.isdecimal()

    def is_new_name(self, word: str, following: str) -> bool:
        """Return True if the following word is no part of the name that the word is in.

        As a rule the word is the last of a name, and nobody put it before this one.
        """
        pair = to_singular(word), to_singular(following)
        return self.is_closing(word) and following not in LINKS and pair not in self.order.pairs

    def is_closing(self, word: str) -> bool:
        """Return True for a word that is the last of a name as a rule."""
        return to_singular(word) in self.order.closing

    def is_head(self, word: str) -> bool:
        return to_singular(word) in self.order.heads

    def may_stand_before(self, word: str, following: str) -> bool:
        """Return True if people put a word before another, or before the head of some phrase."""
        own = to_singular(word)
        return own in self.order.modifiers or (own, to_singular(following)) in self.order.pairs

    def is_measure(self, word: str) -> bool:
        """Return True for a word before "of" that says how much, or in what: "bottle", "piece"."""
        return to_singular(word) in self.order.measures

    def ends_as_judged(self, words: Sequence[str]) -> bool:
        """Return True if words end in a phrase that people judged as it stands, or its plural."""
        forms = {words[-1], to_singular(words[-1])} if words else ()
        return any(
            " ".join([*words[begin:-1], last]) in self.phrases
            for last in forms
            for begin in range(len(words))
        )


def make_known_words(phrases: Iterable[str], more: Iterable[str] = ()) -> KnownWords:
    kept = frozenset(phrases)
    judged = frozenset(word for phrase in kept for word in phrase.split())
    words = judged.union(more)
    return KnownWords(kept, judged, words, find_word_order(kept))


def find_word_order(phrases: Iterable[str]) -> WordOrder:
    seen: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    pairs = set()
    modifiers: set[str] = set()
    measures = set()
    for phrase in phrases:
        words = [to_singular(word) for word in phrase.split()]
        seen.update(words)
        modifiers.update(_list_modifiers(words))
        for word, following in pairwise([*words, ""]):
            if following == "of":
                measures.add(word)
            if following and following not in LINKS:
                pairs.add((word, following))
            elif word not in LINKS:
                ends[word] += 1
    closing = frozenset(word for word, count in ends.items() if CLOSING * seen[word] <= count)
    return WordOrder(
        frozenset(pairs), frozenset(ends), closing, frozenset(modifiers), frozenset(measures)
    )


def _list_modifiers(words: Sequence[str]) -> Sequence[str]:
    """List the words before the head of a phrase, which is the last word or that before a link."""
    links = [place for place, word in enumerate(words) if word in LINKS]
    return words[: max((links or [len(words)])[0] - 1, 0)]


def load_known_words(own: Path | None = None) -> KnownWords:
    """Load the known words of the package and of the user's training.

    A file that can't be read counts as empty; the oracle that needs its heads reports it.
    """
    phrases: set[str] = set()
    for file in list_pair_files(own):
        try:
            for pairs in load_pairs(file).values():
                phrases |= pairs.phrases
        except GroundingError:
            continue
    more = ENGLISH_THINGS.union(read_model_words()) - OTHER_LANGUAGES
    return make_known_words(phrases, more)


def read_model_words() -> list[str]:
    """Read the whole words of the packaged model's tokenizer; none if they can't be read."""
    try:
        lines = (find_packaged_model() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    except (GroundingError, OSError, UnicodeDecodeError):
        return []
    return [w for w in lines if len(w) >= LEAST_LETTERS and w.isascii() and w.isalpha()]
