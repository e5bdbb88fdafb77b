# SPDX-License-Identifier: Apache-2.0
"""The bridge follows a simulator over DDS, whatever that lacks and whatever happens to it."""

from __future__ import annotations

from fcp_ros.nodes.runtime.lifecycle import NodeState
from fcp_ros.nodes.simulation.calls import ENTITY
from fcp_ros.scene.graph.elements import Layer, Pose

from .conftest import HIGH

STATES_ONLY = ("ENTITY_STATE_GETTING",)


def test_an_empty_graph_becomes_the_world_of_the_simulator(simulate, follow, until):
    """Things, rooms, categories and sizes come from the services; relations from geometry."""
    here = follow(simulate())
    until(lambda: here.has("on apple_1 counter_1", "at robot_1 kitchen_1"), "the world")
    graph = here.graph()
    mug, robot, kitchen = (graph.nodes[id_] for id_ in ("mug_1", "robot_1", "kitchen_1"))
    assert (mug.category, mug.size, mug.layer) == ("mug", (0.08, 0.08, 0.1), Layer.OBJECT)
    assert (robot.category, robot.layer) == ("robot", Layer.AGENT)
    assert graph.nodes["person_1"].layer is Layer.AGENT
    assert (kitchen.layer, kitchen.category, kitchen.height) == (Layer.ROOM, "kitchen", 2.5)
    assert {(4.0, 3.0), (0.0, 0.0)} < set(kitchen.polygon)
    assert here.has("connected kitchen_1 living_room_1 door_1")
    until(lambda: here.bridge.diagnose().values["simulation_state"] == "playing", "the state")
    assert here.bridge.diagnose().message == ""


def test_the_graph_follows_moves_new_things_and_what_is_gone(simulate, follow, until):
    simulator = simulate()
    here = follow(simulator, scene="twin_house_furnished")
    until(lambda: ENTITY in here.graph().nodes["mug_1"].attributes, "the bridge")
    simulator.world.set_pose("mug_1", Pose.at(2.0, 0.35, 0.95))
    until(lambda: here.has("on mug_1 counter_1"), "the moved mug")
    assert not here.has("on mug_1 table_1")
    simulator.world.spawn("cup_7", "cup", Pose.at(6.5, 2.0, 0.8))
    until(lambda: here.has("on cup_7 table_1"), "the new cup")
    simulator.world.delete("apple_1")
    until(lambda: "apple_1" not in here.graph().nodes, "the apple's end")


def test_a_renamed_entity_stays_the_same_thing(simulate, follow, until):
    simulator = simulate()
    here = follow(simulator)
    until(lambda: here.where("mug_1"), "the mug")
    simulator.world.rename("mug_1", "SM_Mug_12")
    until(lambda: here.graph().nodes["mug_1"].attributes[ENTITY] == "SM_Mug_12", "the name")
    simulator.world.set_pose("SM_Mug_12", Pose.at(2.0, 0.35, 0.95))
    until(lambda: here.has("on mug_1 counter_1"), "the moved mug")


def test_names_of_prims_are_found_in_the_scene(simulate, follow, until):
    """Isaac Sim lists each prim by its path: only what the scene has is followed."""
    simulator = simulate()
    simulator.world.rename("mug_1", "/World/Living/mug_1")
    simulator.world.rename("vase_1", "/World/Looks/Material_3")
    here = follow(simulator, scene="twin_house_furnished", only_known=True)
    until(lambda: ENTITY in here.graph().nodes["mug_1"].attributes, "the bridge")
    simulator.world.set_pose("/World/Living/mug_1", HIGH)
    until(lambda: here.where("mug_1") == (6.5, 2.0, 2.0), "the moved mug")
    vase = here.graph().nodes["vase_1"]
    assert vase.pose is not None
    assert ENTITY not in vase.attributes
    assert not any("Material" in id_ for id_ in here.graph().nodes)


def test_missing_services_are_said_and_done_without(simulate, follow, until):
    here = follow(simulate(STATES_ONLY))
    until(lambda: here.where("mug_1"), "the mug")
    mug = here.graph().nodes["mug_1"]
    assert (mug.category, mug.size) == ("mug", None)
    said = here.bridge.diagnose().values["does_without"]
    for kind in ("GetEntityInfo", "GetEntityBounds", "GetNamedPoses"):
        assert f"it has no {kind}: " in said
    assert "GetEntitiesStates" not in said


def test_a_simulator_that_tells_no_states_can_t_be_followed(simulate, follow, until):
    here = follow(simulate(("ENTITY_BOUNDS",)))
    until(lambda: "neither" in here.bridge.diagnose().message, "the reason")
    assert "neither GetEntitiesStates nor GetEntityState" in here.bridge.diagnose().message


def test_a_simulator_that_vanishes_is_said_and_followed_again(simulate, follow, until):
    simulator = simulate()
    here = follow(simulator)
    until(lambda: here.where("mug_1"), "the mug")
    simulator.vanish()
    until(lambda: "no simulator offers" in here.bridge.diagnose().message, "the loss")
    simulator.world.set_pose("mug_1", HIGH)
    simulator.appear(STATES_ONLY)  # another one, which can do less
    until(lambda: here.where("mug_1") == (6.5, 2.0, 2.0), "the moved mug")
    until(lambda: "GetEntityInfo" in here.bridge.diagnose().values["does_without"], "the notes")


def test_without_a_world_the_graph_stays(simulate, follow, until):
    simulator = simulate()
    here = follow(simulator)
    until(lambda: here.where("mug_1"), "the mug")
    for state in ("NO_WORLD", "LOADING_WORLD", "QUITTING"):
        simulator.set_state(state)
        said = state.lower().replace("_", " ")
        until(lambda said=said: said in here.bridge.diagnose().message, "the state")
    simulator.world.set_pose("mug_1", HIGH)
    assert here.where("mug_1") == (6.4, 2.05, 0.8)
    simulator.set_state("PAUSED")  # what stands still can be looked at
    until(lambda: here.where("mug_1") == (6.5, 2.0, 2.0), "the moved mug")


def test_it_begins_again_after_a_clean_up(simulate, follow, until):
    simulator = simulate()
    here = follow(simulator)
    until(lambda: here.where("mug_1"), "the mug")
    bridge = here.bridge
    for transition in ("deactivate", "cleanup", "configure", "activate"):
        assert here.probe.change_state(f"/{here.space}/simulation_bridge", TRANSITIONS[transition])
    assert bridge.state is NodeState.ACTIVE
    simulator.world.set_pose("mug_1", HIGH)
    until(lambda: here.where("mug_1") == (6.5, 2.0, 2.0), "the moved mug")


TRANSITIONS = {"configure": 1, "cleanup": 2, "activate": 3, "deactivate": 4}
