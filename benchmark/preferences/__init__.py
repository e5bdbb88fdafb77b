# SPDX-License-Identifier: Apache-2.0
"""Plans with preferences, beside Kairos."""
