# SPDX-License-Identifier: Apache-2.0
"""Grammars: both notations, faults, and that llguidance allows exactly the texts they derive."""

from __future__ import annotations

import pytest
from grammar_twin import derive_all
from tiny_language_models import make_tokenizer

from fcp_ros.grounding.generation import Grammar, Nonterminal


def test_both_notations_say_the_same() -> None:
    grammar = Grammar(
        {
            "start": ((Nonterminal("word"),), ("not ", Nonterminal("word"))),
            "word": (("a",), ('b "c" \\d',)),
        }
    )
    assert grammar.lark == 'start: WORD | "not " WORD\nWORD: "a" | "b \\"c\\" \\\\d"\n'
    assert grammar.gbnf == 'root ::= word | "not " word\nword ::= "a" | "b \\"c\\" \\\\d"\n'


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"goal": (("a",),)}, "begins with the rule 'start'"),
        ({"start": ((Nonterminal("other"),),)}, "refers to 'other'"),
        ({"start": ()}, "alternatives"),
        ({"start": (("",),)}, "empty literal"),
        ({"start": (("a",),), "Big_Name": (("a",),)}, "'Big_Name'"),
    ],
)
def test_faults_are_named(rules: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Grammar(rules)


def test_llguidance_allows_exactly_what_is_derived() -> None:
    llguidance = pytest.importorskip("llguidance")
    from llguidance.hf import from_tokenizer

    grammar = Grammar(
        {
            "start": (
                (Nonterminal("atom"),),
                ("not ", Nonterminal("atom")),
                (Nonterminal("atom"), " and ", Nonterminal("atom")),
            ),
            "atom": (
                ("on(", Nonterminal("thing"), ", ", Nonterminal("place"), ")"),
                ("open(", Nonterminal("place"), ")"),
            ),
            # One name begins another, and each stands in both rules.
            "thing": (("mug_1",), ("mug_10",), ("tray_1",)),
            "place": (("table_1",), ("tray_1",), ('"odd ä name"',)),
        }
    )
    texts = derive_all(grammar)
    assert len(texts) == 2 * 12 + 12 * 12
    vocabulary = from_tokenizer(make_tokenizer(sorted(texts), "digits"))
    matcher = llguidance.LLMatcher(vocabulary, llguidance.LLMatcher.grammar_from_lark(grammar.lark))

    def is_allowed(text: str) -> bool:
        one = matcher.deep_copy()
        return one.consume_tokens(vocabulary.tokenize_str(text)) and one.is_accepting()

    for text in texts:
        assert is_allowed(text), text
        for wrong in (text[:-1], f"{text} ", f"{text}{text}", text.replace("1", "2"), f" {text}"):
            assert is_allowed(wrong) == (wrong in texts), wrong
