# SPDX-License-Identifier: Apache-2.0
"""USD stages, as Isaac Sim exports them.

`stage` opens a stage in the sandbox, where `stage_decoder` lists its labelled prims and geometry,
and says which of these are things; `usd_reader` makes a graph of them.
"""
