# SPDX-License-Identifier: Apache-2.0
"""What outcomes teach: evidence, and how it moves the degrees."""
