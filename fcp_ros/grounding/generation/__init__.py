# SPDX-License-Identifier: Apache-2.0
"""Texts written by language models, constrained by a grammar if one is given.

- `generator`: what is asked for and comes back, the interface of a generator, grammars.
- `beam_search`: the likeliest texts of a model in memory that a grammar allows.
- `model_generator`: a model in a folder, in a thread of its own.
- `server_generator`: a model on a server with the OpenAI protocol.

Libraries (torch, transformers, llguidance, httpx2) are imported at the first request.
"""
