# SPDX-License-Identifier: Apache-2.0
"""What a caller says and gets: requests, plans, results, statuses, memberships, limits."""
