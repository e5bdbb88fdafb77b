# SPDX-License-Identifier: Apache-2.0
"""Application conditions: what must, or must not, surround a match, and how often."""
