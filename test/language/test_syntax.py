# SPDX-License-Identifier: Apache-2.0
"""Clauses of instructions: imperatives as verbs, arguments, mood, and places of words."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading

import pytest

from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.syntax import parse_clauses, pipeline


def describe(text: str) -> list[tuple[str, list[str]]]:
    """Write the clauses of a text: the verb, and the objects below it."""
    found = []
    for clause in parse_clauses(text):
        tree = clause.tree
        below = tree.list_children(clause.verb, "dobj")
        said = "" if clause.has_subject else "you "
        verb = f"{said}{'not ' * clause.negated}{tree.words[clause.verb].lemma}"
        found.append((verb, [word.lemma for word in below]))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # without normalisation: nouns
            "Place mug on counter, and then pick up the red apple and slice it.",
            [("you place", ["mug"]), ("you pick", ["apple"]), ("you slice", ["it"])],
        ),
        ("heat potato", [("you heat", ["potato"])]),
        ("put the knife and fork in the sink", [("you put", ["knife"])]),
        (
            "Go and get the mug, then don't open the fridge.",
            [("you get", ["mug"]), ("you not open", ["fridge"])],
        ),
        ("Who opened the fridge?", [("open", ["fridge"])]),
        ("The book should be on the table.", [("be", [])]),
        (
            "close the window without opening the door",
            [("you close", ["window"]), ("you not open", ["door"])],
        ),
        ("", []),
        ("?!", []),
    ],
)
def test_clauses(text: str, expected: object) -> None:
    assert describe(text) == expected


def test_words_keep_their_place() -> None:
    text = "Please go and get  the mug, then PUT it on table_1!"
    for clause in parse_clauses(text):
        for word in clause.tree.words:
            assert word.is_inserted or text[word.start : word.end].lower() == word.text


def test_without_spacy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline._load_pipeline.cache_clear()
    for name in pipeline.PIPELINES:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match="pip install"):
        list(parse_clauses("open the door"))
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
        "(one,) = parse_clauses('open the door')\n"
        "print(one.tree.words[one.verb].lemma, 'torch' in sys.modules)\n"
        "print(importlib.util.find_spec('torch') is not None)\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    installed = importlib.util.find_spec("torch") is not None
    assert answer.stdout == f"open False\n{installed}\n", answer.stderr


@pytest.mark.parametrize("sentence", ["Give it to Robin.", "Go to the stove and give it to Jamie"])
def test_a_name_behind_to_is_no_infinitive(sentence):
    *_, giving = parse_clauses(sentence)
    tree = giving.tree
    assert tree.words[giving.verb].lemma == "give"
    named = next(
        word for word in tree.words if word.text == sentence.rstrip(".").split()[-1].lower()
    )
    assert named.role == "pobj"
    assert tree.words[named.head].text == "to"
