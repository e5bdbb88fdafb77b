# SPDX-License-Identifier: Apache-2.0
"""The independent verifier: replays plans by rewriting, believes nothing."""
