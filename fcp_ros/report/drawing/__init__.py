# SPDX-License-Identifier: Apache-2.0
"""Pictures as inline SVG: the scene from above, a plan over time, relaxed goals.

figure: size, style, colours, and SVG that can stand in a page. floor_plan: the scene with the route
of a plan. label_placement: names that do not cover one another, and names inside rooms.
timeline: steps as bars, with the membership falling against alpha. relaxation_lattice: the relaxed
goals that were looked at. policy_graph: what a policy on qstates may lead to.
feature_paths: the features of a policy along its plan. svg: elements that those three are made of.
"""
