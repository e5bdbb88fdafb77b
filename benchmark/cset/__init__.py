# SPDX-License-Identifier: Apache-2.0
"""The C-set engine: searches, rewriting, memory."""
