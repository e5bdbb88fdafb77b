# SPDX-License-Identifier: Apache-2.0
"""Values of the model to messages and back; the only place where the two meet.

One file for each kind: `scene`, `judgement`, `plan`, `planning` (requests and results), `outcome`;
`common` has times, ids and attributes. ``x_to_ros`` writes a value of the model, and fails only for
what no message can carry; ``x_from_ros`` reads a message and checks what came over the network.
Both raise `common.ConversionError`.
"""
