# SPDX-License-Identifier: Apache-2.0
"""A small sound domain file, without words, for tests that put words or faults into it."""

from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
BASE = (DATA / "base_domain.yaml").read_text(encoding="utf-8")
