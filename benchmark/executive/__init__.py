# SPDX-License-Identifier: Apache-2.0
"""The executive: robots that work side by side, many goals at once, and how soon it reacts."""
