# SPDX-License-Identifier: Apache-2.0
"""The oracle that asks a causal language model on this machine."""
