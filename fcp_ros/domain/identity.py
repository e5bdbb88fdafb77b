# SPDX-License-Identifier: Apache-2.0
"""The identity of a domain: a hash of what there is and what actions do, not of a file's bytes.

Two files with one identity describe the same states and the same steps between them. Comments, the
order of entries, wording, degrees, durations and costs take no part. Of PDDL, the domain file alone
counts, although the rules that are made of it depend on the problem, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from fcp_ros.domain.expressions.syntax import Atom, to_text
from fcp_ros.domain.model import ActionRule, Domain, Effect, Literal, Parameter


def identify_domain(domain: Domain) -> str:
    """Return the identity of a domain: 64 hexadecimal digits."""
    return domain.identity or hash_data(_describe(domain))


def hash_data(data: Any) -> str:
    """Return the SHA-256 of plain data; the order of keys does not matter."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _describe(domain: Domain) -> dict[str, Any]:
    schema = domain.schema
    return {
        "types": {name: sorted(parents) for name, parents in schema.types.items()},
        "functions": [],
        "relations": {
            r.name: [[list(leg) for leg in r.legs], sorted(r.functional)] for r in schema.relations
        },
        "attributes": sorted([a.owner, a.name, a.kind.value, *a.values] for a in schema.attributes),
        "equations": [],
        "rules": {name: _describe_rule(rule) for name, rule in domain.rules.items()},
        "constraints": sorted(
            [sorted([v.name, v.type] for v in c.variables), _write_atoms(c.never)]
            for c in domain.constraints
        ),
        "resources": {n: [r.initial, r.minimum, r.maximum] for n, r in domain.resources.items()},
    }


def _describe_rule(rule: ActionRule) -> dict[str, Any]:
    return {
        "parameters": _list_parameters(rule.parameters),
        "when": _write_literals(rule.when),
        "formulas": sorted(map(to_text, rule.formulas)),
        "add": _write_atoms(rule.add),
        "delete": _write_atoms(rule.delete),
        "effects": sorted(map(_describe_effect, rule.effects)),
        "uses": dict(rule.uses),
    }


def _describe_effect(effect: Effect) -> list[Any]:
    return [
        _list_parameters(effect.variables),
        _write_literals(effect.when),
        sorted(map(to_text, effect.formulas)),
        _write_atoms(effect.add),
        _write_atoms(effect.delete),
    ]


def _list_parameters(parameters: Iterable[Parameter]) -> list[list[str]]:
    return [[parameter.name, parameter.type] for parameter in parameters]


def _write_atoms(atoms: Iterable[Atom]) -> list[str]:
    return sorted(map(to_text, atoms))


def _write_literals(literals: Iterable[Literal]) -> list[str]:
    return sorted(f"{'not ' * one.negated}{to_text(one.atom)}" for one in literals)
