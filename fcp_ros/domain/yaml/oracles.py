# SPDX-License-Identifier: Apache-2.0
"""The judge of a graded predicate (`oracle`), and the check that it has what it needs."""

from __future__ import annotations

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.oracles import (
    DEFAULT_T_NORM,
    ORACLES,
    RULE,
    STATED,
    TABLE,
    Combination,
    OracleChoice,
    oracle_names,
)
from fcp_ros.domain.yaml.entries import GradedEntry, OracleEntry
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.fuzzy import TNORM_CHOICES, tnorm_by_name

Oracle = str | OracleChoice


def build_oracle(name: str, entry: GradedEntry, path: Path, report: Diagnostics) -> Oracle:
    """The oracle or the choice of several; what is wrong goes into the report."""
    here = (*path, "oracle")
    if isinstance(entry.oracle, str):
        oracle: Oracle = entry.oracle
        _check_names(name, (entry.oracle,), here, report)
    else:
        oracle = _choice(name, entry.oracle, here, report)
    names = oracle_names(oracle)
    if set(names) <= set(ORACLES):  # who an unknown name was meant to be decides what is needed
        _check_needs(name, entry, names, path, report)
    return oracle


def check_t_norm(name: str, t_norm: str | None, path: Path, report: Diagnostics) -> str:
    """The t-norm's name if there is one like that."""
    if t_norm is not None:
        try:
            tnorm_by_name(t_norm)
        except ValueError:
            report.add(path, f"{name} has the unknown t-norm {t_norm}", f"use {TNORM_CHOICES}")
    return t_norm or DEFAULT_T_NORM


def _choice(name: str, entry: OracleEntry, path: Path, report: Diagnostics) -> OracleChoice:
    if bool(entry.first_of) == bool(entry.all_of):
        message = f"the oracle of {name} must say either first_of or all_of"
        report.add(path, message, "write `oracle: {first_of: [table, embedding]}`")
    combination = Combination.FIRST_OF if entry.first_of else Combination.ALL_OF
    here = (*path, combination.value)
    names = tuple(entry.first_of or entry.all_of)
    _check_names(name, names, here, report)
    if len(set(names)) < len(names):
        message = f"the oracle of {name} names one oracle twice"
        report.add(here, message, "name each once")
    elif len(names) == 1:
        message = f"the oracle of {name} has nothing to choose from"
        report.add(here, message, f"name a second one, or write `oracle: {names[0]}`")
    if combination is Combination.FIRST_OF and entry.t_norm is not None:
        message = f"the first oracle of {name} that can answer does, so nothing is composed"
        report.add((*path, "t_norm"), message, "drop t_norm, or write all_of")
    t_norm = check_t_norm(name, entry.t_norm, (*path, "t_norm"), report)
    return OracleChoice(names, combination, t_norm)


def _check_names(name: str, names: tuple[str, ...], path: Path, report: Diagnostics) -> None:
    for position, oracle in enumerate(names):
        if oracle not in ORACLES:
            here = (*path, position) if len(names) > 1 else path
            report.add(
                here, f"{name} names the unknown oracle {oracle}", suggest_name(oracle, ORACLES)
            )


def _check_needs(
    name: str, entry: GradedEntry, names: tuple[str, ...], path: Path, report: Diagnostics
) -> None:
    """Check that each oracle has what it reads, and that everything written has a reader."""
    if not set(names) <= set(STATED) and not entry.rubric:
        message = f"{name} is judged by a model and has no rubric"
        report.add(path, message, "write `rubric:` with a question and the anchors 0, 50, 100")
    if TABLE in names:
        # Beside other oracles the default degree comes after all of them: it is no table.
        if not entry.table and len(names) > 1:
            message = f"{name} is judged by a table among others and has no entries"
            report.add(path, message, "write `table:`, or take it out of the oracles")
        elif not entry.table and entry.default_degree is None:
            message = f"{name} is judged by a table and has neither entries nor a default"
            report.add(path, message, "write `table:` or `default_degree:`")
    elif entry.table:
        message = f"{name} has a table that its oracle {' or '.join(names)} does not read"
        report.add((*path, "table"), message, "set `oracle: table`, or drop the table")
    if RULE in names:
        if not entry.rule:
            message = f"{name} is judged by a rule and has none"
            report.add(path, message, "write `rule:` with a list of values and how they fit")
    elif entry.rule:
        message = f"{name} has a rule that its oracle {' or '.join(names)} does not read"
        report.add((*path, "rule"), message, "set `oracle: rule`, or drop the rule")
    if entry.t_norm is not None and not entry.rule:
        message = f"{name} has a t_norm and no rule whose lines it would compose"
        report.add((*path, "t_norm"), message, "drop it; that of all_of stands beside all_of")
