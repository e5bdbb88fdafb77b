# SPDX-License-Identifier: Apache-2.0
"""What calibration learns from outcomes that a physics engine decides."""
