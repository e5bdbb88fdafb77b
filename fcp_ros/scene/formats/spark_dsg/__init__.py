# SPDX-License-Identifier: Apache-2.0
"""Spark-DSG, the format of Hydra: JSON, binary files and messages, decoded without the library.

Content goes through the JSON decoder of `reader`, the entrance, or `binary` (made of `tokens`) into
columns (`raw`), and from there to a graph (`assembly`); `writer` uses the library.
"""
