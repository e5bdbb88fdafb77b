# SPDX-License-Identifier: Apache-2.0
"""Models on disk and on a device, for every oracle that needs one.

- `model_store`: those that can be fetched by name, and the fetched ones, in a folder each.
- `downloads`: a model fetched by name; `gguf_files`: those that come as GGUF.
- `model_folder`: checks a Hugging Face folder without loading it; its fingerprint.
- `torch_device`: device, precision and memory.
- `sentence_encoder`: phrases to unit vectors; which model judges by default.
- `label_similarity`: likeness of labels by it, loaded when somebody asks.
- `bert_encoder`: the same in numpy on a CPU, for BERT and MPNet: no torch in memory.
"""
