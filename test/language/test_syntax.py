# SPDX-License-Identifier: Apache-2.0
"""Clauses of instructions: imperatives as verbs, arguments, mood, and places of words."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading

import pytest

from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.registry import ReaderOptions, make_reader
from fcp_ros.language.syntax import parse_clauses, pipeline


def describe(text: str) -> list[tuple[str, str, list[str]]]:
    """Write the clauses of a text: verb with particle, mood, arguments."""
    return [
        (
            " ".join(filter(None, (clause.lemma, clause.particle))),
            ("not " if clause.negated else "") + clause.mood.value,
            [f"{one.marker} {one.head}" for one in clause.arguments],
        )
        for clause in parse_clauses(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # without normalisation: nouns
            "Place mug on counter, and then pick up the red apple and slice it.",
            [
                ("place", "imperative", ["dobj mug", "prep:on counter"]),
                ("pick up", "imperative", ["dobj apple"]),
                ("slice", "imperative", ["dobj it"]),
            ],
        ),
        ("heat potato", [("heat", "imperative", ["dobj potato"])]),
        (
            "put the knife and fork in the sink",
            [("put", "imperative", ["dobj knife", "prep:in sink"])],
        ),
        (
            "Go and get the mug, then don't open the fridge.",
            [("get", "imperative", ["dobj mug"]), ("open", "not imperative", ["dobj fridge"])],
        ),
        (
            "could you put the mug on the table and water the plant?",
            [
                ("put", "imperative", ["dobj mug", "prep:on table"]),
                ("water", "imperative", ["dobj plant"]),
            ],
        ),
        ("Who opened the fridge?", [("open", "question", ["dobj fridge"])]),
        ("The book should be on the table.", [("be", "statement", ["prep:on table"])]),
        ("put the soap in the trash can", [("put", "imperative", ["dobj soap", "prep:in can"])]),
        (
            "close the window without opening the door",
            [("close", "imperative", ["dobj window"]), ("open", "not imperative", ["dobj door"])],
        ),
        ("", []),
        ("?!", []),
    ],
)
def test_clauses(text: str, expected: object) -> None:
    assert describe(text) == expected


def test_words_keep_their_place() -> None:
    text = "Please go and get  the mug, then PUT it on table_1!"
    said = [text[one.start : one.end] for c in parse_clauses(text) for one in c.arguments]
    assert said == ["the mug", "it", "table_1"]
    for clause in parse_clauses(text):
        for word in clause.tree.words:
            assert word.is_inserted or text[word.start : word.end].lower() == word.text


def test_without_spacy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline._load_pipeline.cache_clear()
    for name in pipeline.PIPELINES:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match="pip install"):
        parse_clauses("open the door")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install"):
        make_reader(ReaderOptions())
    pipeline._load_pipeline.cache_clear()


def test_threads_parse_alike() -> None:
    texts = ["put the mug on the table", "open the door and close the window"] * 5
    expected = [describe(text) for text in texts]
    found: dict[int, object] = {}

    def parse(number: int) -> None:
        found[number] = describe(texts[number])

    threads = [threading.Thread(target=parse, args=(number,)) for number in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(len(texts))] == expected


def test_parsing_imports_no_torch() -> None:
    program = (
        "import sys, importlib.util\n"
        "from fcp_ros.language.syntax import load_pipeline_ahead, parse_clauses\n"
        "load_pipeline_ahead()\n"
        "print(parse_clauses('open the door')[0].lemma, 'torch' in sys.modules)\n"
        "print(importlib.util.find_spec('torch') is not None)\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    installed = importlib.util.find_spec("torch") is not None
    assert answer.stdout == f"open False\n{installed}\n", answer.stderr


@pytest.mark.parametrize("sentence", ["Give it to Robin.", "Go to the stove and give it to Jamie"])
def test_a_name_behind_to_is_no_infinitive(sentence):
    *_, giving = parse_clauses(sentence)
    assert giving.lemma == "give"
    assert [(one.marker, one.head) for one in giving.arguments][1:] == [
        ("prep:to", sentence.rstrip(".").split()[-1].lower())
    ]
