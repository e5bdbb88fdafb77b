# SPDX-License-Identifier: Apache-2.0
"""Spark-DSG, the format of Hydra: JSON, binary files and messages, decoded without the library.

Content goes through `json_syntax` or `binary` (made of `tokens`) into columns (`raw`), and from
there to a graph (`assembly`). `reader` is the entrance; `writer` uses the library.
"""
