# SPDX-License-Identifier: Apache-2.0
"""Characters that a terminal obeys come in by no file and no goal, and go out in no message."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import ExpressionError
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.task_reader import read_texts
from fcp_ros.domain.yaml.domain_files import parse_domain, parse_lines
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import find_control, hide_controls
from fcp_ros.foundation.yaml_text import dump_yaml
from fcp_ros.package_files import find_domain
from fcp_ros.scene import Layer, SceneDelta, SceneError, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.formats.canonical import to_document
from fcp_ros.scene.graph.delta import apply_delta
from fcp_ros.scene.loading import read_scene

ESCAPE = "\x1b[31m"
NAMES = [f"a{ESCAPE}", "a\x07b", "a\nb", "a\x9b31m", "a\x7f", "a\u202eb", "a\u2028b"]
"""Escape sequences of both kinds, a bell, a line break, a turned direction of writing."""

PDDL_DOMAIN = """(define (domain d) (:requirements :typing) (:types thing)
 (:predicates (p ?x - thing)) (:action a :parameters (?x - thing) :effect (p ?x)))"""
PDDL_PROBLEM = "(define (problem q) (:domain d) (:objects o - thing) (:init) (:goal (p o)))"


def is_harmless(text: str) -> bool:
    return not find_control(text, multiline=True)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_found(name: str) -> None:
    assert find_control(name).startswith("U+")
    assert is_harmless(hide_controls(name))
    assert not find_control("Küche 1: größer als 5 m², naïve 杯子 🙂‍↔️")


@pytest.mark.parametrize("text", ["two\nlines", "a\ttab", "\u202bא\u202c"])
def test_texts_may_have_lines_and_directions(text: str) -> None:
    assert find_control(text)
    assert not find_control(text, multiline=True)


@pytest.mark.parametrize("name", NAMES)
def test_no_graph_has_them_in_a_name(name: str) -> None:
    thing = SceneNode(name, Layer.OBJECT, "cup")
    cup = SceneNode("cup_1", Layer.OBJECT, "cup")
    marked = SceneNode("cup_1", Layer.OBJECT, "cup", attributes={name: 1})
    graph = SceneGraph.of([cup])
    relation = SceneRelation(name, ("cup_1",))
    for make in (
        lambda: SceneGraph.of([thing]),
        lambda: SceneGraph.of([marked]),
        lambda: SceneGraph.of([cup], [relation]),
        lambda: apply_delta(graph, SceneDelta(1, upserted=(thing,))),
        lambda: apply_delta(graph, SceneDelta(1, added=(relation,))),
    ):
        with pytest.raises(SceneError, match="control character") as caught:
            make()
        assert is_harmless(str(caught.value))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_an_unknown_name_is_harmless(name: str) -> None:
    graph = SceneGraph.of([SceneNode("cup_1", Layer.OBJECT, "cup")])
    with pytest.raises(SceneError) as caught:
        apply_delta(graph, SceneDelta(1, removed=(name,)))
    assert is_harmless(str(caught.value))


def test_every_format_of_scenes_refuses_them(tmp_path: Path) -> None:
    """The check is the graph's, so a format has it without doing anything for it."""
    path = tmp_path / "house.json"
    house: dict[str, Any] = to_document(SceneGraph.of([SceneNode("c", Layer.OBJECT, "cup")]))
    path.write_text(json.dumps(house).replace('"c"', json.dumps(f"c{ESCAPE}")))
    with pytest.raises(SceneError, match="control character"):
        read_scene(path)
    room = {"polygon": [[0, 0], [0, 1], [1, 1]], "id": f"r{ESCAPE}", "label": "kitchen"}
    path.write_text(json.dumps({"format": "fcp_ros/house", "version": 1, "rooms": [room]}))
    with pytest.raises(SceneError):
        read_scene(path)


def list_places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the paths of all strings of a document; a key is named by a tuple at the end."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield (*path, (key,))
            yield from list_places(value, (*path, key))
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from list_places(value, (*path, at))
    elif isinstance(node, str):
        yield path


def spoil(document: Any, path: tuple[Any, ...]) -> Any:
    changed = copy.deepcopy(document)
    node = changed
    for part in path[:-1]:
        node = node[part]
    last = path[-1]
    if isinstance(last, tuple):
        node[f"{last[0]}{ESCAPE}"] = node.pop(last[0])
    else:
        node[last] += ESCAPE
    return changed


def test_no_part_of_a_domain_may_hold_them() -> None:
    document = parse_lines(find_domain("tiny").read_text(), "tiny").data
    parse_domain(dump_yaml(document))
    places = list(list_places(document))
    assert len(places) > 100
    for path in places:
        with pytest.raises(DomainError, match=r"the control character U\+001B") as caught:
            parse_domain(dump_yaml(spoil(document, path)))
        assert is_harmless(str(caught.value))
        assert all(is_harmless(str(one)) for one in caught.value.diagnostics)


@pytest.mark.parametrize("word", ["d", "q", "thing", "p", "a", "o", "?x", ":typing"])
def test_no_name_of_pddl_may_hold_them(word: str, tmp_path: Path) -> None:
    texts = [f"{text} " for text in (PDDL_DOMAIN, PDDL_PROBLEM)]
    for end in (" ", ")"):
        texts = [text.replace(f" {word}{end}", f" {word}{ESCAPE}{end}") for text in texts]
        texts = [text.replace(f"({word}{end}", f"({word}{ESCAPE}{end}") for text in texts]
    assert any(ESCAPE in text for text in texts)
    files = [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    with pytest.raises(DomainError) as caught:
        read_texts(*map(read_source, files))
    assert is_harmless(str(caught.value))


@pytest.mark.parametrize(
    "goal", [f'on("a{ESCAPE}", table_1)', f"on(a{ESCAPE}, b)", f'serves_as(?x, "drink{ESCAPE}")']
)
def test_no_goal_may_hold_them(goal: str) -> None:
    with pytest.raises(ExpressionError, match=r"control character U\+001B") as caught:
        parse_expression(goal)
    assert is_harmless(str(caught.value))
    assert parse_expression("on(a, b)\n  and\ton(b, c)")


def test_every_message_about_input_is_harmless() -> None:
    assert str(InputError(f"the file {ESCAPE} is odd\nline 2")) == (
        "the file \N{REPLACEMENT CHARACTER}[31m is odd\nline 2"
    )
