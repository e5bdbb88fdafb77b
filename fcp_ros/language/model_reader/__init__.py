# SPDX-License-Identifier: Apache-2.0
"""Instructions that a language model says in plain words, for the reader behind which it stands.

    rewriting.py  asks the model (plain_english.yaml: the task and the examples), reads its text
    word_uses.py  which word of the instruction led to what in the goal
    names.py      words, and names that may be shown to a model

Texts from people and scenes are data. What the model writes is read like what a person says.
"""

from fcp_ros.language.model_reader.rewriting import (
    RewritingReader,
    open_folder,
    open_server,
    read_examples_ahead,
)

__all__ = ["RewritingReader", "open_folder", "open_server", "read_examples_ahead"]
