# SPDX-License-Identifier: Apache-2.0
"""Linear layers in 8-bit integers with torch alone, to measure what they would bring.

*Weights*: rounded, with one scale a row, and converted to the inputs' format in each pass: half the
memory, about the same degrees. *Products*: inputs are rounded, too, with one scale a token, and the
products are summed in 32 bits (`torch._int_mm`): twice the operations a second, but a few inputs
much larger than the others cost exactness. The difference of the degrees stands beside the speed.
"""

from __future__ import annotations

from typing import Any

import torch

LARGEST = 127.0
LEAST_ROWS = 32
"""CUDA's product wants more than 16 rows; fewer are padded."""
MULTIPLE = 8
"""CUDA's product wants sides that are multiples of it."""


class Int8Linear(torch.nn.Module):
    """Stands in for a linear layer.

    Args:
        linear: the layer, on its device.
        rounds_inputs: compute products of integers.
    """

    def __init__(self, linear: torch.nn.Linear, *, rounds_inputs: bool) -> None:
        super().__init__()
        self.rounds_inputs = rounds_inputs
        weight, scale = to_int8(linear.weight.detach())
        self.register_buffer("weight", weight)
        self.register_buffer("scale", scale)
        self.bias = linear.bias

    def forward(self, given: Any) -> Any:
        """Compute the layer."""
        if not self.rounds_inputs:
            product = torch.nn.functional.linear(given, self.weight.to(given.dtype))
            found = (product * self.scale.t()).to(given.dtype)
            return found if self.bias is None else found + self.bias
        rows = given.reshape(-1, given.shape[-1])
        count = len(rows)
        small, scale = to_int8(rows)
        if count < LEAST_ROWS:
            small = torch.nn.functional.pad(small, (0, 0, 0, LEAST_ROWS - count))
        summed = torch._int_mm(small, self.weight.t())[:count]
        found = (summed.float() * scale * self.scale.t()).to(given.dtype)
        if self.bias is not None:
            found = found + self.bias
        return found.reshape(*given.shape[:-1], -1)


def to_int8(values: Any) -> tuple[Any, Any]:
    """Round each row to 8-bit integers; returns them and the rows' scales."""
    scale = values.abs().amax(dim=-1, keepdim=True).float().clamp_min(1e-8) / LARGEST
    return (values / scale).round().clamp(-LARGEST, LARGEST).to(torch.int8), scale


def convert_to_int8(model: Any) -> list[Int8Linear]:
    """Replace the linear layers of a model, except its output; returns the new ones."""
    output = model.get_output_embeddings()
    found = [
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if isinstance(child, torch.nn.Linear)
        and child is not output
        and not (child.in_features % MULTIPLE or child.out_features % MULTIPLE)
    ]
    made = [Int8Linear(child, rounds_inputs=False) for _, _, child in found]
    for (parent, name, _), layer in zip(found, made, strict=True):
        setattr(parent, name, layer)
    return made
