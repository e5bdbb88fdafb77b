# SPDX-License-Identifier: Apache-2.0
"""The demonstration: seven episodes on live nodes, chosen from what a scene contains.

run: the whole demonstration, its output on the console, and the report. naming: the prologue, names
of another perception. stories: goals chosen for a scene. spoken_stories: an instruction in words
for more than the scene has. policy_stories: things that a general policy can bring. player: one
story played on live nodes through the client. understanding: an instruction as it was understood,
for the report. film: a sentence carried out in the physics world, as an animation.
"""
