# SPDX-License-Identifier: Apache-2.0
"""Does this model honour the tree mask? One answer of a packed pass against a pass of its own.

Architectures that bias attention by the place in the sequence (ALiBi), look back over a window
that they don't declare, or carry a state along don't, and some of them don't say so: they would
give wrong degrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fcp_ros.grounding.language_model.agreement import relative_difference, tolerance
from fcp_ros.grounding.language_model.loading import LanguageModel
from fcp_ros.grounding.language_model.plain_pass import PlainPass
from fcp_ros.grounding.language_model.score_reading import NextTokens
from fcp_ros.grounding.language_model.trie_logits import TrieLogits


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
        alone = replace(loaded, trie=small)
        self._plain = PlainPass(alone, TrieLogits(small, loaded.device), may_branch=False)
        self.tolerance = tolerance(loaded.precision)

    def difference(self, prompt: Sequence[int], packed: NextTokens, index: int) -> float:
        """How far an answer of a packed pass is from a pass of its own; compare with `tolerance`.

        Args:
            prompt: all tokens of the prompt.
            packed: what the packed pass says of its prompts, at temperature 1.
            index: of the prompt in the packed pass.
        """
        alone = self._plain.run(prompt, 1, 1.0)
        return relative_difference(packed.edges[index, list(self._edges)], alone.edges[0])
