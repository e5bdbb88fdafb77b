# SPDX-License-Identifier: Apache-2.0
"""From a sequence to a schedule: causal order, simple temporal network."""
