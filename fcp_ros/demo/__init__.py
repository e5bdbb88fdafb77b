# SPDX-License-Identifier: Apache-2.0
"""The demonstration: seven episodes on live nodes, chosen from what a scene contains.

run: the whole demonstration with its prologue, its output on the console, and the report. stories:
goals chosen for a scene. spoken_stories: an instruction in words for more than the scene has.
two_robots: work for a second robot. player: one story played on live nodes through the client.
film: a sentence carried out in the physics world, as an animation.
"""
