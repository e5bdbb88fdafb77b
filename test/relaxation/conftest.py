# SPDX-License-Identifier: Apache-2.0
"""Tests of relaxation share a small domain."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
