# SPDX-License-Identifier: Apache-2.0
"""Measurements, a folder for each topic: ``python -m benchmark.planning --quick``.

What all share is here: the table of results and the goals (`tables`), intervals (`intervals`), what
Linux says of processes (`processes`), other planners and ours as processes (`rivals`).
"""
