# SPDX-License-Identifier: Apache-2.0
"""Generalized plans: ``python -m benchmark.abstraction``.

The seven published domains: what a policy costs to learn, and what it solves. They are looked for
in ../shared/bench/genplan. The program ends with a table and the exit code 1 if a goal is missed.
It takes half a minute, so it has no quick form.
"""

from __future__ import annotations

import typer

from benchmark.abstraction.domains import measure_domains
from benchmark.tables import Part, finish, open_console


def main() -> None:
    """Measure and print the table."""
    finish([Part("domains", (), list(measure_domains()))], open_console())


if __name__ == "__main__":
    typer.run(main)
