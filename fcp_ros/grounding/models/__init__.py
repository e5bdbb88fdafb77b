# SPDX-License-Identifier: Apache-2.0
"""Models on disk and on a device, for every oracle that needs one.

- `model_folder`: checks a Hugging Face folder without loading it, and its compute_fingerprint.
- `torch_device`: device, precision and memory.
- `sentence_encoder`: phrases to unit vectors; which model judges by default; likeness of labels.
- `bert_encoder`: the same in numpy on a CPU, for BERT and MPNet: no torch in
  memory.
"""
