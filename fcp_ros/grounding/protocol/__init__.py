# SPDX-License-Identifier: Apache-2.0
"""What is asked and what comes back: requests, memberships, options, errors, the protocol."""
