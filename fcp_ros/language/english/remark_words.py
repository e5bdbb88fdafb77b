# SPDX-License-Identifier: Apache-2.0
"""Words of what is said beside a request: hedges, concessions, greetings, statements of facts."""

from __future__ import annotations

from fcp_ros.language.english.word_lists import PhraseSet, gather_words

_MOMENT = "(moment|minute|second|chance|while|time)"
_TROUBLE = "(trouble|bother|hassle)"

HEDGES = PhraseSet(
    "if you do not mind [me asking]",
    "if you would not mind",
    "if (i|we) may [ask]",
    "if you ask me",
    "if (that|it|this) is (ok|okay|alright|fine|all right) [(with|by|for) you]",
    f"if it is not [too much|too much of a|much|any] {_TROUBLE}",
    f"if you (get|find|have) (a|the) {_MOMENT}",
    f"(when|once|whenever) you (get|find|have) (a|some) [free] {_MOMENT}",
    f"(when|once|whenever) you have the {_MOMENT}",
    "(when|once|whenever) you (can|get to it|get around to it|get round to it)",
    "(when|whenever) it (suits|is convenient for) you",
    "as (soon|quickly|fast) as (you|you possibly) can",
    "as (soon|quickly|fast) as possible",
    "as far as (i am|we are) concerned",
    "as (you|you may|you might|you can|i|we|i already) (know|see|said|mentioned)",
    "as (usual|always|ever|discussed|agreed|promised)",
    "(i|we) (think|guess|suppose|believe|reckon|hope|am afraid|fear) so",
    "(i am|we are) afraid",
    "(whatever|whichever) (you do|it takes|happens|it is|they are|that is|it may be|they may be)",
    "(whatever|come what) may [happen]",
    "(wherever|whoever|however|whenever) (it is|they are|it may be|they may be|that is)",
    "to be (honest|frank|precise|exact|clear|fair|safe|sure|on the safe side)",
    "(frankly|honestly|seriously|obviously|clearly|basically|of course|naturally|hopefully)",
    "(luckily|unfortunately|sadly|by the way|for a change|just in case|in any case|by all means)",
    "for what it is worth",
    "though [it is] not (essential|necessary|urgent|important|required|crucial)",
    "(there is no|no) (hurry|rush)",
    "no (worries|problem) [if not]",
    "take your time",
    "(believe|trust) me",
    "you (know|see)",
    "(i am|we are) (sorry|sorry to bother you|sorry to trouble you)",
    "sorry (to bother|to trouble|to disturb|for bothering|for disturbing) you",
    "(either|either one|any of them|anything|both) (is|are) (fine|ok|okay|good) [(by|with|for) me]",
    "(either|either one|any of them|anything|both) (will|would) be (fine|ok|okay|good)",
    "(either|either one|any one|any|anything) (will|would) do [for me|just fine]",
    "(the|their|its) (order|colour|color|size) does not matter",
    "(am|do|did|can|could|shall|should|will|would|have) [not] (i|we) [not]",
    "(are|do|did|can|could|will|would|have) [not] (you|they) [not]",
    "(is|does|did|can|could|will|would|has|was) [not] (it|he|she) [not]",
    "(do|would) you mind",
    "(can|could|would) you believe it",
)
"""Words in parentheses that ask for nothing."""

CONCESSIONS = PhraseSet(
    "no matter",
    "(it|that) does not [really] matter [to (me|us)]",
    "(i|we) do not [really] (care|mind)",
    "it makes no difference [to (me|us)]",
    "(regardless|irrespective) of",
    "never mind",
    "it is (all the same|all one) to (me|us)",
    "it is [entirely|all|completely] up to you",
)
"""Words before something that is left open: "no matter if ..."."""

OPEN_QUESTIONS = gather_words(
    "if whether which what where who whose when how why whichever wherever whatever"
)
"""Words that what is left open begins with."""

GREETINGS = PhraseSet(
    "(hi|hello|hey|howdy|yo) [there|again|you|everyone|all] [robot|friend|buddy]",
    "good (morning|evening|afternoon|day|night|grief|news) [to you|there|everyone] [robot]",
    "(thank you|thanks) [again|kindly] [so much|very much|a lot|a bunch|a million] [in advance]",
    "(many|much|big) thanks [in advance]",
    "(cheers|ta|bye|goodbye|see you|see you later|see you soon|all right|alright|okay|ok)",
    "(great|perfect|excellent|wonderful|lovely|nice|super|right|ugh|wow|ouch|yes|yeah|yep)",
    "(oh|ah) (dear|well|my|boy|man|god|my god|great)",
    "(dear|hey|ok|okay|listen|well|so|now) (robot|friend|buddy|darling|honey|mate|pal|sweetie)",
    "(buddy|darling|honey|mate|pal|sweetie|dear|love|sir|madam|folks|guys|everyone|listen)",
    "(well|great|good) (done|job|work)",
    "(nice|good|great) to (see|meet) you [again]",
    "how are you [doing] [today]",
    "(i|we) (appreciate it|owe you one)",
    "you are (great|the best|a star|an angel|very kind|so kind|a treasure)",
    "that (is|will be|would be) (all|it) [for] [now|today]",
)
"""Sentences by which one begins or ends."""

JOINING = gather_words("and but so then therefore thus hence")
"""Words between a statement and what comes next."""
ANNOUNCING = gather_words(
    "following here this these list tasks things plan do need want job jobs instructions wish "
    "wishes request requests task steps errands chores"
)
"""Words of an introduction to a list."""
