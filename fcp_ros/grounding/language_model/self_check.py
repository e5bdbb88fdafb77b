# SPDX-License-Identifier: Apache-2.0
"""Does this model honour the tree mask? One answer of a packed pass against a pass of its own.

Architectures that bias attention by the place in the sequence (ALiBi), look back over a window
only, or carry a state along don't, and some of them don't say so: they would give wrong degrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.plain_pass import PlainPass
from fcp_ros.grounding.language_model.score_reading import Floats, NextTokens
from fcp_ros.grounding.language_model.trie_logits import TrieLogits
from fcp_ros.grounding.protocol.options import Precision

LEAST_PROBABILITY = 1e-30
WHOLE_PRECISION_TOLERANCE = 2e-3
HALF_PRECISION_TOLERANCE = 0.1
"""Differences are measured in units of how much the log-probabilities of a row vary. Rounding
makes about 1e-5 of that in float32 and 1e-2 in bfloat16; a wrong mask makes 1e-2 to 1."""


class SelfCheck:
    """Compares single answers of packed passes with the plain way, on the deepest path only.

    Args:
        loaded: the model.
    """

    def __init__(self, loaded: LanguageModel) -> None:
        trie = loaded.trie
        # The last of the deepest nodes: the most branches that it must not see stand before it.
        deepest = max(range(len(trie.nodes)), key=lambda n: (trie.nodes[n].depth, n))
        small, self._edges = trie.chain(deepest)
        self._plain = PlainPass(replace(loaded, trie=small), TrieLogits(small, loaded.device))
        exact = loaded.precision is Precision.FLOAT32
        self.tolerance = WHOLE_PRECISION_TOLERANCE if exact else HALF_PRECISION_TOLERANCE

    def difference(self, prompt: Sequence[int], packed: NextTokens, index: int) -> float:
        """How far an answer of a packed pass is from a pass of its own; compare with `tolerance`.

        Args:
            prompt: all tokens of the prompt.
            packed: what the packed pass says of its prompts, at temperature 1.
            index: of the prompt in the packed pass.
        """
        alone = self._plain.run(prompt, 1, 1.0)
        return relative_difference(packed.edges[index, list(self._edges)], alone.edges[0])


def relative_difference(a: Floats, b: Floats) -> float:
    """Root mean square difference of log-probabilities, in units of their variation; 0 for NaN.

    What is not a number shows in the answers, and must not be taken for a wrong mask.
    """
    logs = [np.log(np.maximum(values, LEAST_PROBABILITY)) for values in (a, b)]
    variation = float(np.std(logs[1])) or 1.0
    difference = float(np.sqrt(np.mean((logs[0] - logs[1]) ** 2))) / variation
    return 0.0 if np.isnan(difference) else difference
