# SPDX-License-Identifier: Apache-2.0
"""People's instructions that others collected: ALFRED, GPSR, and polite frames."""
