# SPDX-License-Identifier: Apache-2.0
"""Phrases: every way to say one, compared with a direct definition; faults of phrases."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from fcp_ros.domain.phrases import (
    MAX_VARIANTS,
    PhraseChoice,
    PhraseError,
    PhraseOption,
    PhraseWord,
    list_slots,
    parse_phrase,
    split_words,
    write_variant,
)


def say(text):
    return [write_variant(variant) for variant in parse_phrase(text).variants]


def test_options_and_alternatives_are_said_in_every_way():
    assert say("put {item} [down] (on|on top of) {support}") == [
        "put {item} down on top of {support}",
        "put {item} on top of {support}",
        "put {item} down on {support}",
        "put {item} on {support}",
    ]
    assert say("Set the table [for {n} [people]]") == [
        "set the table for {n} people",
        "set the table for {n}",
        "set the table",
    ]
    assert say("tidy [up|away] {item}") == ["tidy up {item}", "tidy away {item}", "tidy {item}"]
    assert parse_phrase("[please] wipe {x}", 7).line == 7
    assert parse_phrase("[please] wipe {x}").slots == {"x"}


def test_words_are_split_alike_in_phrases_and_sentences():
    assert split_words("We\u2019ll have SOUP, washing-up & 3 Mugs!") == (
        ["we'll", "have", "soup", "washing", "up", "3", "mugs"]
    )
    assert say("We\u2019ll do the Washing-up") == ["we'll do the washing up"]
    assert split_words("it's the children's \u00fcbermug_2") == (
        ["it's", "the", "children's", "\u00fcbermug", "2"]
    )
    assert split_words("") == split_words("?!, -") == []


parts = st.recursive(
    st.sampled_from(["put", "on", "the", "table"]).map(PhraseWord),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda some: PhraseOption(tuple(some)))
        | st.lists(st.lists(inner, min_size=1, max_size=2).map(tuple), min_size=1, max_size=2).map(
            lambda some: PhraseChoice(tuple(some))
        )
    ),
    max_leaves=5,
)


def write(part):
    if isinstance(part, PhraseWord):
        return part.text
    if isinstance(part, PhraseOption):
        return f"[{' '.join(map(write, part.parts))}]"
    return f"({' | '.join(' '.join(map(write, option)) for option in part.options)})"


def holds(words, sequence):
    """Decide by definition whether a sequence of parts can be said as these words."""
    if not sequence:
        return not words
    first, *rest = sequence
    if isinstance(first, PhraseOption):
        return holds(words, [*first.parts, *rest]) or holds(words, rest)
    if isinstance(first, PhraseChoice):
        return any(holds(words, [*option, *rest]) for option in first.options)
    return bool(words) and words[0] == first.text and holds(words[1:], rest)


@given(
    st.lists(parts, min_size=1, max_size=3), st.lists(st.sampled_from(["put", "on"]), max_size=4)
)
def test_variants_are_the_sequences_that_the_phrase_allows(sequence, other):
    text = " ".join(map(write, [PhraseWord("please"), *sequence]))
    try:
        phrase = parse_phrase(text)
    except PhraseError:
        event("too many ways to say it")
        return
    spoken = [[part.text for part in variant] for variant in phrase.variants]
    assert len(phrase.variants) == len(set(phrase.variants)) <= MAX_VARIANTS
    assert sorted(spoken, key=len, reverse=True) == spoken
    whole = [PhraseWord("please"), *sequence]
    assert all(holds(words, whole) for words in spoken)
    words = ["please", *other]
    assert (words in spoken) == holds(words, whole)


@given(st.text(alphabet="ab {}[]()|,-'\u2019_1", max_size=30))
def test_any_text_is_read_or_refused_with_a_fix(text):
    try:
        phrase = parse_phrase(text)
    except PhraseError:
        return
    for variant in phrase.variants:
        assert any(isinstance(part, PhraseWord) for part in variant)
        assert len(set(list_slots(variant))) == len(list_slots(variant))
        assert parse_phrase(write_variant(variant)).variants == (variant,)
    assert all(isinstance(name, str) for name in phrase.slots)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no word"),
        ("{item} [down]", "no word once its options are left out"),
        ("put {item} on {item}", "{item} stands in it twice"),
        ("put {item", "unexpected `{`"),
        ("put {an item}", "can't be called"),
        ("put [down", "never closed"),
        ("put on) it", "unexpected `)`"),
        ("put (on|) it", "empty alternative"),
        ("put, please", "unexpected `,` at character 4"),
        ("a " + "[b] " * 10, "more than 512 ways"),
        ("a" * 301, "characters"),
    ],
)
def test_faults_are_named(text, fault):
    with pytest.raises(PhraseError) as caught:
        parse_phrase(text)
    assert fault in caught.value.message
