# SPDX-License-Identifier: Apache-2.0
"""Failures of actions with negative conditions: an unread name may be to blame."""

from __future__ import annotations

from fcp_ros.alignment.ontology.claims import NameHypothesis, NameKind, NameUse
from fcp_ros.alignment.ontology.experiments import NameExperiment, TrialLog
from fcp_ros.alignment.ontology.vocabulary import collect_names
from fcp_ros.alignment.simulator import Observation
from fcp_ros.domain import load_domain
from fcp_ros.domain.scene_names import RelationReading, SceneNames
from fcp_ros.package_files import find_domain
from fcp_ros.scene import SceneGraph
from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation

FAILURE = Observation(0, False, "no")
TYPE = NameUse(NameKind.LABEL, "gribble", "item")
UNREAD = NameUse(NameKind.RELATION, "wub", "")
NEAR = RelationReading("near", (0, 1))
READ = NameUse(NameKind.RELATION, "wub", NEAR)


def make_log() -> TrialLog:
    return TrialLog(lambda _use: False)


def fail(uses: set[NameUse], doubts: set[NameUse]) -> NameExperiment:
    return NameExperiment((("pick", ("n1",)),), (frozenset(uses),), (frozenset(doubts),))


def test_nothing_is_refuted_while_a_name_may_deny_the_condition() -> None:
    log = make_log()
    log.add(fail({TYPE}, {UNREAD}), FAILURE)
    assert not log.refuted
    assert log.is_suspected(TYPE)
    sure = make_log()
    sure.add(fail({TYPE}, set()), FAILURE)
    assert sure.refuted == {TYPE}


def test_name_whose_meaning_was_confirmed_raises_no_doubt() -> None:
    log = make_log()
    log.add(fail({TYPE}, {READ}), FAILURE)
    assert not log.refuted
    confirming = NameExperiment((("go", ()),), (frozenset((READ,)),), (frozenset(),))
    log.add(confirming, Observation(1, True))
    assert log.refuted == {TYPE}


def test_doubts_are_names_that_tell_of_the_same_elements() -> None:
    household = load_domain(find_domain("household"))
    nodes = [
        SceneNode("k", Layer.ROOM, "kitchen"),
        SceneNode("slab", Layer.OBJECT, "counter"),
        SceneNode("low", Layer.OBJECT, "plate"),
        SceneNode("high", Layer.OBJECT, "mug"),
        SceneNode("a", Layer.AGENT, "robot"),
    ]
    relations = [SceneRelation("wub", ("high", "low")), SceneRelation("on", ("low", "slab"))]
    graph = SceneGraph.of(nodes, relations)
    hypothesis = NameHypothesis(collect_names(graph), household, SceneNames())
    rule = household.rules["pick"]
    bound = {"robot": "a", "item": "low", "support": "slab", "room": "k"}
    assert hypothesis.find_doubts(rule, bound) == {UNREAD}, "something may be on the item"
    assert not hypothesis.find_doubts(rule, {**bound, "item": "slab"})
    read = NameHypothesis(collect_names(graph), household, SceneNames(relations={"wub": (NEAR,)}))
    assert read.find_doubts(rule, bound) == {READ}
