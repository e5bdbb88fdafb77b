# SPDX-License-Identifier: Apache-2.0
"""Spark-DSG, the format of Hydra: JSON, binary files and messages, decoded without the library.

Content goes through the JSON decoder of `dsg_reader`, the entrance, or `binary` (of `tokens`) into
columns (`raw`), and from there to a graph (`assembly`).
"""
