# SPDX-License-Identifier: Apache-2.0
"""States of a flat task as the packed words of the kernels, and back."""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.search.kernel.packing import Packing, Words


def pack_state(packing: Packing, state: Ints) -> Words:
    """Pack a state, int32[n], into words, uint64[W]."""
    words = np.zeros(len(packing.factor), np.uint64)
    np.bitwise_or.at(words, packing.word, state.astype(np.uint64) << packing.shift)
    return words


def unpack_state(packing: Packing, words: Words) -> Ints:
    """Unpack words, uint64[W], into the value of each variable, int32[n]."""
    return ((words[packing.word] >> packing.shift) & packing.mask).astype(np.int32)
