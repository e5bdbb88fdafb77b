# SPDX-License-Identifier: Apache-2.0
"""Measurements, a folder for each topic: ``python -m benchmark.planning --quick``.

What all share is here: the table of results and the goals (`tables`), intervals (`intervals`), and
other planners (`rivals`).
"""
