# SPDX-License-Identifier: Apache-2.0
"""The file of a policy: YAML that people can read and edit; every fault is named with its line."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from fcp_ros.abstraction.policy.abstraction_data import (
    build_abstraction,
    write_abstraction,
    write_list,
    write_text,
    write_word,
)
from fcp_ros.abstraction.policy.general_policy import (
    ConditionReader,
    GeneralPolicy,
    PolicyError,
    PolicyFault,
    PolicyProvenance,
    write_condition,
)
from fcp_ros.abstraction.qnp.problem import Condition, Qnp, QState, decode_state
from fcp_ros.domain.diagnostics import Diagnostics, DomainError
from fcp_ros.domain.yaml.domain_files import parse_lines, read_text
from fcp_ros.foundation.array_file import write_whole
from fcp_ros.foundation.wording import suggest_name

FORMAT = "fcp_ros general policy"
VERSION = 1
MOST_STATES = 1 << 14
"""A row of `policy` may stand for at most so many qstates."""


def read_policy(path: str | PathLike[str]) -> GeneralPolicy:
    """Read the file of a policy. Raises PolicyError with UNREADABLE, MALFORMED or OTHER_FORMAT."""
    file = Path(path)
    try:
        text = read_text(file)
    except DomainError as error:
        raise PolicyError(PolicyFault.UNREADABLE, str(error)) from None
    return parse_policy(text, str(file))


def parse_policy(text: str, source: str = "policy") -> GeneralPolicy:
    """Read a policy from a text; `source` is its name in messages.

    Raises PolicyError with MALFORMED or OTHER_FORMAT.
    """
    try:
        parsed = parse_lines(text, source)
        _check_format(parsed.data, source)
        return _build_policy(parsed.data, Diagnostics(source, parsed.lines))
    except DomainError as error:
        raise PolicyError(PolicyFault.MALFORMED, str(error)) from None


def write_policy(policy: GeneralPolicy) -> str:
    """Write the text that `parse_policy` reads."""
    origin, qnp = policy.provenance, policy.qnp
    identity = write_text(policy.domain_hash)
    head = [
        f"format: {FORMAT}",
        f"version: {VERSION}",
        f"name: {write_word(policy.name)}",
        f"domain: {{name: {write_word(policy.domain_name)}, hash: {identity}}}",
        f"goals: {write_list(policy.goal_relations)}",
    ]
    rows = [
        f"  - {{when: {write_list(write_condition(qnp, decode_state(qnp, state)))}, "
        f"do: {write_list(actions)}}}"
        for state, actions in policy.policy.items()
    ]
    tail = [
        "provenance:",
        f"  proposer: {write_text(origin.proposer)}",
        f"  training: {write_list(origin.training)}",
        f"  seconds: {origin.seconds!r}",
        "  remarks:",
        *(f"    - {write_text(remark)}" for remark in origin.remarks),
    ]
    body = write_abstraction(qnp, policy.refinement).rstrip()
    return "\n".join([*head, body, "policy:" if rows else "policy: []", *rows, *tail, ""])


def save_policy(policy: GeneralPolicy, path: str | PathLike[str]) -> None:
    """Write the file of a policy, or replace it; whoever reads it meanwhile gets a whole one.

    Raises OSError if it can't be written; what was there before is still there.
    """
    write_whole(Path(path), write_policy(policy).encode())


def _check_format(data: Any, source: str) -> None:
    """Refuse other formats and versions before the keys, which may differ there."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PolicyError(
            PolicyFault.OTHER_FORMAT, f"{source} is no policy: its key `format` is not {FORMAT!r}."
        )
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        raise PolicyError(
            PolicyFault.OTHER_FORMAT,
            f"{source} has version {version!r} of the format; this program reads version "
            f"{VERSION}: learn the policy again, or use the program that wrote it.",
        )


def _build_policy(data: Any, report: Diagnostics) -> GeneralPolicy:
    # Imported here because pydantic is slow to load.
    from fcp_ros.abstraction.policy.abstraction_data import PolicyFileEntry
    from fcp_ros.domain.yaml.sections import check_shape

    entry = check_shape(PolicyFileEntry, data, report)
    qnp, refinement = build_abstraction(entry, report, "policy")
    conditions = ConditionReader(report, refinement.features, refinement.features)
    rows: list[tuple[Condition, tuple[str, ...]]] = []
    known = {action.name for action in qnp.actions}
    for number, row in enumerate(entry.policy):
        place = ("policy", number)
        when = conditions.read_condition(row.when, (*place, "when"))
        for name in row.do:
            if name not in known:
                hint = suggest_name(name, known)
                report.add((*place, "do"), f"there is no action {name}", hint)
        if 1 << (len(qnp.variables) - len(when)) > MOST_STATES:
            fix = "name the values of more features"
            report.add(place, f"this stands for more than {MOST_STATES:,} states", fix)
            continue
        rows.append((when, tuple(row.do)))
    report.raise_if_any()
    found = _expand_rows(qnp, rows)
    origin = entry.provenance
    return GeneralPolicy(
        entry.name,
        entry.domain.name,
        entry.domain.hash,
        tuple(entry.goals),
        qnp,
        found,
        refinement,
        PolicyProvenance(
            origin.proposer, tuple(origin.training), float(origin.seconds), tuple(origin.remarks)
        ),
    )


def _expand_rows(
    qnp: Qnp, rows: Sequence[tuple[Condition, tuple[str, ...]]]
) -> dict[QState, tuple[str, ...]]:
    """Find the actions of each qstate: of the first row that fits, those that apply there."""
    bits = {name: 1 << bit for bit, name in enumerate(qnp.variables)}
    whens = {action.name: action.when for action in qnp.actions}
    found: dict[QState, tuple[str, ...]] = {}
    for when, names in rows:
        for state in _list_states(qnp, when):
            actions = tuple(
                name
                for name in names
                if all(bool(state & bits[v]) == value for v, value in whens[name].items())
            )
            if actions or not names:
                found.setdefault(state, actions)
    return found


def _list_states(qnp: Qnp, condition: Condition) -> Sequence[QState]:
    choices = [
        (int(condition[name]) << bit,) if name in condition else (0, 1 << bit)
        for bit, name in enumerate(qnp.variables)
    ]
    return [sum(bits) for bits in itertools.product(*choices)]


def list_policy_files(folder: str | PathLike[str]) -> tuple[Path, ...]:
    """List the files of a folder that may be policies, by name.

    Raises PolicyError if UNREADABLE: there is no such folder.
    """
    try:
        return tuple(sorted(p for p in Path(folder).iterdir() if p.suffix in (".yaml", ".yml")))
    except OSError as error:
        reason = error.strerror or str(error)
        sentence = f"{folder} can't be read ({reason}): give a folder of policy files."
        raise PolicyError(PolicyFault.UNREADABLE, sentence) from None
