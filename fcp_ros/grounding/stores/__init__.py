# SPDX-License-Identifier: Apache-2.0
"""The cache of judgements, in a SQLite file that processes share."""
