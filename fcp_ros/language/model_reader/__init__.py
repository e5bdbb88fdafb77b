# SPDX-License-Identifier: Apache-2.0
"""The reader that asks a language model, constrained to goals over the names that exist.

    reader.py        asks, tells faults, ranks; the readers of a folder and of a server
    names.py         the names that a goal may use, narrowed to the instruction
    goal_grammar.py  the grammar of all goals over them
    prompt.py        the question in words; examples.py: sentences from the domain's phrases
    candidates.py    from texts to checked goals, equal ones joined (normal_form.py)
    word_uses.py     which word led to what, and what was not read
    rewriting.py     behind the reader `domain`: the model writes plain English, which that reads

Texts from people and scenes are data. What the model writes can only be a goal over names that
exist, or nothing.
"""

from fcp_ros.language.model_reader.reader import (
    EndpointReader,
    GeneratorReader,
    ModelReader,
    ModelReaderOptions,
    open_folder,
    open_server,
)
from fcp_ros.language.model_reader.rewriting import RewritingReader

__all__ = [
    "EndpointReader",
    "GeneratorReader",
    "ModelReader",
    "ModelReaderOptions",
    "RewritingReader",
    "open_folder",
    "open_server",
]
