# SPDX-License-Identifier: Apache-2.0
"""Words in a label that forbid a use, by the purpose; labels that are of the kind of their head."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.foundation import labels, vetoes
from fcp_ros.foundation.labels import label_forms
from fcp_ros.foundation.vetoes import DEFECTS, find_veto, is_about_state


@pytest.mark.parametrize(
    ("label", "purpose"),
    [
        ("broken glass", "drinking"),
        ("Broken_Glass_2", "cup"),
        ("mug which is broken", "drinking"),
        ("toy knife", "cutting bread"),
        ("fake bread", "bread"),
        ("dog bowl", "soup"),
        ("cat food", "eating"),
        ("dirty mug", "drinking"),
        ("used tissue", "tissue"),
        ("empty bottle", "drinking"),
        ("empty milk carton", "milk"),
        ("empty lighter", "lighting a candle"),
        ("expired milk", "drinking"),
        ("mug holder", "mug"),
        ("picture of a bottle", "bottle"),
        ("perfect_substitute_for_medicine", "medicine"),
        ("holder for mugs", "mug"),
    ],
)
def test_what_a_word_rules_out(label, purpose):
    assert find_veto(label, purpose)


@pytest.mark.parametrize(
    ("label", "purpose"),
    [
        ("empty glass", "drinking"),
        ("dirty mug", "washing"),
        ("broken glass", "throwing away"),
        ("toy knife", "toy knife"),
        ("toy box", "box"),
        ("dog bowl", "keeping keys"),
        ("used book", "reading"),
        ("hot dog", "eating"),
        ("bottle of water", "water"),
        ("bottle of water", "bottle"),
        ("mug", "drinking"),
        ("", "drinking"),
        ("mug", ""),
    ],
)
def test_what_it_does_not_rule_out(label, purpose):
    assert not find_veto(label, purpose)


@pytest.mark.parametrize(
    ("label", "is_one", "is_none"),
    [
        ("perfect_substitute_for_medicine", "substitute", "medicine"),
        ("dog toy", "toy", "dog"),
        ("bottle of water", "bottle", "holder"),
        ("slice of bread", "bread", "loaf"),
        ("picture of dogs", "picture", "dog"),
        ("toy knife", "toy", "knife"),
        ("fake plastic knife", "fake plastic knife", "knife"),
        ("hot dog", "dog", "cat"),
    ],
)
def test_a_label_is_of_the_kind_of_its_head(label, is_one, is_none):
    assert is_one in label_forms(label)
    assert is_none not in label_forms(label)


def test_without_wordnet(monkeypatch):
    for module in (labels, vetoes):
        monkeypatch.setattr(module, "find_wordnet", lambda: None)
    find_veto.cache_clear()
    try:
        assert find_veto("dirty mug", "glass")
        assert find_veto("empty bottle", "drinking")
        assert not find_veto("empty glass", "drinking")
        assert find_veto("mug holder", "mug")
    finally:
        find_veto.cache_clear()


@given(label=st.text(max_size=30), purpose=st.text(max_size=20), word=st.sampled_from([*DEFECTS]))
def test_any_text_has_an_answer(label, purpose, word):
    assert isinstance(find_veto(label, purpose), str)
    assert isinstance(find_veto(f"{word} {label}", purpose), str)


@given(st.sampled_from(["broken", "toy", "expired"]), st.sampled_from(["mug", "chair", "phone"]))
def test_what_is_no_good_for_itself(word, noun):
    assert find_veto(f"{word} {noun}", noun)
    assert not find_veto(noun, noun)


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("wash the mug", True),
        ("clean up the kitchen", True),
        ("do the washing up", True),
        ("throw the empty bottles away", True),
        ("bring me a clean mug", False),
        ("put the washed plate on the table", False),
        ("clean a clean mug", True),
        ("bring me a mug", False),
    ],
)
def test_a_state_that_is_said_of_a_thing_is_no_cleaning(said, about):
    assert is_about_state(said) is about
