# SPDX-License-Identifier: Apache-2.0
"""Spark-DSG, as Hydra writes it: JSON and binary, decoded without the library."""
