# SPDX-License-Identifier: Apache-2.0
"""Oracles and calibration: quality and speed."""
