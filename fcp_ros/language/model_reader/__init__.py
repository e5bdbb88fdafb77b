# SPDX-License-Identifier: Apache-2.0
"""Instructions that a language model says in plain words, for the reader behind which it stands.

    rewriting.py              has drafts written, and reads them
    plain_writers.py          asks a model for drafts: by a task and examples (plain_english.yaml),
                              or one that was tuned for it
    plain_adapter.py          the change of a small model that was tuned (plain_adapter.safetensors)
    compact_model.py          the model with its change, in 8 bits, which writes the drafts
    adapter_training.py       trains it, on what people say and the same in plain English

Texts from people and scenes are data. What the model writes is read like what a person says.
"""

from fcp_ros.language.model_reader.plain_writers import TunedWriter, open_server
from fcp_ros.language.model_reader.rewriting import RewritingReader

__all__ = ["RewritingReader", "TunedWriter", "open_server"]
