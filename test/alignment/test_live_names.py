# SPDX-License-Identifier: Apache-2.0
"""Effects that arrive under another name: noticed, weighed, settled, remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcp_ros.alignment.name_book import (
    MOST_PROPOSALS,
    NameAnswer,
    NameBook,
    NoSuchPair,
    StepView,
    find_notices,
)
from fcp_ros.alignment.synonyms import Standing, Synonym
from fcp_ros.cset import Fact
from fcp_ros.foundation.sqlite_file import HEADER
from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

HOLDING = Fact("holding", ("robot", "mug"))
GRASPED = Synonym("grasped", "holding", (0, 1))
KNOWN = frozenset({"holding", "on"})


def graph(*relations: tuple[str, ...]) -> SceneGraph:
    nodes = [SceneNode(name, Layer.OBJECT, name) for name in ("robot", "mug", "cup", "table")]
    return SceneGraph.of(
        nodes, [SceneRelation(name, ids) for name, *ids_ in relations for ids in [tuple(ids_)]]
    )


def view(
    *after: tuple[str, ...], expected=(HOLDING,), before=(("on", "mug", "table"),), missing=None
):
    wanted = frozenset(expected)
    return StepView(
        "pick(robot, mug)", wanted, wanted if missing is None else frozenset(missing),
        graph(*before), graph(*after), KNOWN,
    )  # fmt: skip


def test_a_new_relation_of_the_same_elements_is_noticed_with_its_order():
    found = list(find_notices(view(("grasped", "robot", "mug"))))
    assert [one.synonym for one in found] == [GRASPED]
    assert str(found[0]) == (
        "after pick(robot, mug) the scene has grasped(robot, mug), and not holding(robot, mug)"
    )
    turned = list(find_notices(view(("held_by", "mug", "robot"))))
    assert [one.synonym for one in turned] == [Synonym("held_by", "holding", (1, 0))]


@pytest.mark.parametrize(
    "seen",
    [
        view(("grasped", "robot", "cup")),
        view(("on", "mug", "robot")),
        view(("grasped", "mug")),
        view(("grasped", "robot", "mug"), before=[("grasped", "robot", "mug")]),
        view(("grasped", "robot", "mug"), missing=[]),
        view(("like", "mug", "mug"), expected=[Fact("beside", ("mug", "mug"))]),
    ],
    ids=["other elements", "a known name", "another arity", "old", "nothing missing", "no order"],
)
def test_what_says_nothing_is_not_noticed(seen):
    assert not list(find_notices(seen))


def test_evidence_counts_for_and_against():
    book = NameBook(None)
    assert book.learn(view(("grasped", "robot", "mug"))) == (GRASPED,)
    first = book.open[0].confidence
    book.learn(view(("grasped", "robot", "mug")))
    assert first < book.open[0].confidence < 1.0
    book.learn(view(("grasped", "robot", "cup")))
    book.learn(view(("grasped", "robot"), missing=[]))
    assert (book.open[0].succeeded, book.open[0].failed) == (2, 2)


def test_a_name_that_may_mean_two_things_has_rivals():
    book = NameBook(None)
    book.learn(view(("grasped", "robot", "mug")))
    book.learn(view(("grasped", "mug", "robot")))
    assert {str(one.rivals[0]) for one in book.open} == {
        str(one.proposal.synonym) for one in book.open
    }
    with pytest.raises(NoSuchPair, match="Several orders"):
        book.settle("grasped", "holding", NameAnswer.KEEP)
    book.settle("grasped", "holding", NameAnswer.KEEP, (0, 1))
    assert [one.standing for one in book.pairs] == [Standing.KEPT, Standing.REFUTED]


def test_answers_survive_a_restart(tmp_path: Path):
    path = tmp_path / "names.sqlite"
    book = NameBook(path)
    for name in ("grasped", "touched", "seen"):
        book.learn(view((name, "robot", "mug")))
    assert book.settle("grasped", "holding", NameAnswer.KEEP) == GRASPED
    book.settle("touched", "holding", NameAnswer.REFUSE)
    book.settle("seen", "holding", NameAnswer.FORGET)
    before = book.pairs
    book.close()
    book = NameBook(path)
    assert book.pairs == before
    assert {one.proposal.synonym.source: one.standing for one in before} == {
        "grasped": Standing.KEPT,
        "touched": Standing.REFUTED,
    }
    assert not book.learn(view(("touched", "robot", "mug"))), "it is never proposed again"
    assert book.learn(view(("seen", "robot", "mug"))), "what is forgotten may come again"
    book.close()


def test_a_damaged_file_is_set_aside_and_said(tmp_path: Path):
    path = tmp_path / "names.sqlite"
    path.write_bytes(HEADER + b"no sound database" * 500)
    book = NameBook(path)
    assert book.note
    assert not book.pairs
    book.close()


def test_a_disk_that_refuses_costs_no_plan(tmp_path: Path):
    book = NameBook(tmp_path / "names.sqlite")
    book.close()
    assert book.learn(view(("grasped", "robot", "mug"))) == (GRASPED,)
    assert "can't be stored" in book.note


def test_an_answer_to_what_was_not_asked_names_what_was():
    book = NameBook(None)
    book.learn(view(("grasped", "robot", "mug")))
    with pytest.raises(NoSuchPair, match=r"proposed are: \(grasped \?1 \?2\)"):
        book.settle("held", "holding", NameAnswer.KEEP)


def test_proposals_are_bounded():
    book = NameBook(None)
    for number in range(MOST_PROPOSALS + 5):
        book.learn(view((f"name_{number}", "robot", "mug")))
    assert len(book.open) == MOST_PROPOSALS
