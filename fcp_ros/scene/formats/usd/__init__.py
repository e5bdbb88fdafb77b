# SPDX-License-Identifier: Apache-2.0
"""USD stages, as Isaac Sim exports them.

`stage` opens a stage in the sandbox, where `stage_decoder` lists its labelled prims and geometry;
`reader` makes a graph of these with the boxes and surfaces of `geometry`. `writer` writes stages.
"""
