# SPDX-License-Identifier: Apache-2.0
"""Steps in a row: which needs which, other orders, and one rule that does what they all do."""
