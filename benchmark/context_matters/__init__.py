# SPDX-License-Identifier: Apache-2.0
"""What people say in houses, read, relaxed and planned: Context Matters, and sentences."""
