# SPDX-License-Identifier: Apache-2.0
"""A robot at work for days of simulated time while everything around it fails at random."""
