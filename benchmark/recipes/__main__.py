# SPDX-License-Identifier: Apache-2.0
"""Recipes with something missing: success and rewriting (docs/recipes.md).

    python -m benchmark.recipes [--quick] [--held-out] [--part NAME] [--json FILE]

The data is looked for in ../shared/bench/recipes (or FCP_RECIPES). The development half is run
unless `--held-out` is given, which is for the end only. Exit status 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from benchmark.recipes.part_rewriting import measure_rewriting
from benchmark.recipes.part_success import measure_success
from benchmark.recipes.setting import Setting
from benchmark.tables import (
    Part,
    describe_machine,
    open_console,
    show_part,
    show_verdicts,
    write_json,
)

PARTS: dict[str, Callable[[Setting], Part]] = {
    "success": measure_success,
    "rewriting": measure_rewriting,
}


def main() -> int:
    """Measure all parts, and print one table of the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few tasks, one and three missing")
    parser.add_argument("--held-out", action="store_true", help="the half that is set aside")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    setting = Setting(arguments.quick, arguments.held_out)
    console: Console = open_console()
    parts = []
    for name in arguments.part or PARTS:
        parts.append(PARTS[name](setting))
        show_part(parts[-1], console)
    show_verdicts(parts, console)
    if arguments.json:
        write_json(parts, describe_machine(), arguments.json, held_out=arguments.held_out)
    return 1 if any(v.met is False for part in parts for v in part.verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
