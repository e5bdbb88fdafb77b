# SPDX-License-Identifier: Apache-2.0
"""Relations from geometry: what rests on, is in, under, near, beside what, and in which room."""
