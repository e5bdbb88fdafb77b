# SPDX-License-Identifier: Apache-2.0
"""The sections `rules`, `constraints` and `resources`, and whether a rule can ever apply.

Parameters bind distinct elements (docs/design.md: matches are monic), so two atoms over
different parameters are different tuples. All checks below follow from that alone.

The numbers of a rule (`duration`, `window`, `cost`) are read at the end of this file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.syntax import Atom, TypedVariable, Variable, atoms, list_variables
from fcp_ros.domain.model import (
    ActionRule,
    Constraint,
    Cost,
    CostTerm,
    Duration,
    Effect,
    Resource,
    Window,
    to_exact,
)
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.atoms import (
    AtomReader,
    PredicateKind,
    covers,
    find_functional_conflict,
    write_bare,
)
from fcp_ros.domain.yaml.entries import (
    ConstraintEntry,
    CostEntry,
    CostTermEntry,
    DomainFile,
    DurationEntry,
    EffectEntry,
    RelationEntry,
    RuleEntry,
    WindowEntry,
)
from fcp_ros.domain.yaml.types import build_parameters, check_declarations, check_name
from fcp_ros.foundation.wording import suggest_name


def check_sense(
    rule: ActionRule, relations: Mapping[str, RelationEntry], path: Path, report: Diagnostics
) -> None:
    """Report a rule that can never apply, changes nothing, or changes a static relation."""
    if not rule.add and not rule.delete and not rule.effects:
        report.add(path, f"{rule.name} changes nothing", "say what it adds or deletes")
    asked = rule.positive()
    _check_changes(rule, rule.name, asked, "`when:`", relations, path, report)
    for position, effect in enumerate(rule.effects):
        _check_effect(rule, effect, relations, (*path, "effects", position), report)
    for literal in rule.when:
        if literal.negated:
            against = [(literal.atom, a) for a in asked]
            _check_contradictions(
                against, rule.parameter_names, literal.line, rule.name, "apply", report
            )
    _check_parameters(rule, path, report)
    if _check_functional(asked, relations, (*path, "when"), report, f"{rule.name} asks for"):
        return
    kept = [atom for atom in asked if atom not in rule.delete]
    left = [*kept, *(atom for atom in rule.add if atom not in kept)]
    _check_functional(left, relations, (*path, "add"), report, f"{rule.name} leaves")


def _check_effect(
    rule: ActionRule,
    effect: Effect,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    owner = f"an effect of {rule.name}"
    if not effect.add and not effect.delete:
        report.add(path, f"{owner} changes nothing", "say what it adds or deletes")
    if not effect.variables and not effect.when:
        message = f"{owner} has neither variables nor a condition"
        report.add(path, message, "put what it does under `add:` and `delete:` of the rule")
    asked = (*rule.positive(), *effect.positive())
    _check_changes(effect, owner, asked, "its `when:`", relations, path, report)
    for position, atom in enumerate(effect.delete):
        if atom in rule.add:
            message = f"{owner} deletes {write_bare(atom)}, which the rule adds"
            report.add(
                (*path, "delete", position), message, "what is added stays: drop one of them"
            )
    names = {*rule.parameter_names, *(variable.name for variable in effect.variables)}
    for literal in effect.when:
        against = [(absent, literal.atom) for absent in rule.negative()]
        if literal.negated:
            against = [(literal.atom, atom) for atom in asked]
        known = names if literal.negated else rule.parameter_names
        _check_contradictions(against, known, literal.line, owner, "happen", report)
    _check_effect_functional(rule, effect, relations, (*path, "add"), report)
    used = {name for atom in _list_atoms(effect) for name in list_variables(atom)}
    for variable in effect.variables:
        if variable.name not in used:
            message = f"variable {variable.name} of {owner} is used nowhere"
            report.add((*path, "variables", variable.name), message, "use it or drop it")


def _check_changes(
    part: ActionRule | Effect,
    owner: str,
    asked: Collection[Atom],
    key_of_conditions: str,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    for key, changed in (("add", part.add), ("delete", part.delete)):
        for position, atom in enumerate(changed):
            here = (*path, key, position)
            text = write_bare(atom)
            if relations[atom.predicate].static:
                message = f"{owner} changes {text}, but {atom.predicate} is static"
                report.add(here, message, f"drop it, or drop `static` of {atom.predicate}")
            if key == "delete" and atom not in asked:
                message = f"{owner} deletes {text}, which it does not ask for"
                report.add(here, message, f"put the same atom under {key_of_conditions} too")
            if key == "add" and atom in part.delete:
                report.add(here, f"{owner} adds and deletes {text}", "keep one of them")


def _check_contradictions(
    pairs: Iterable[tuple[Atom, Atom]],
    names: Collection[str],
    line: int,
    owner: str,
    verb: str,
    report: Diagnostics,
) -> None:
    """Report the first pair of an absence and an atom that it rules out."""
    for absent, atom in pairs:
        if covers(absent, atom, names):
            message = (
                f"{owner} asks for {write_bare(atom)} and for not {write_bare(absent)}: "
                f"it can never {verb}"
            )
            report.add_at(line, message, "drop one of them")
            return


def _check_parameters(rule: ActionRule, path: Path, report: Diagnostics) -> None:
    inside = (atom for effect in rule.effects for atom in _list_atoms(effect))
    used = {
        name
        for atom in (*_list_atoms(rule), *rule.graded, *inside)
        for name in list_variables(atom)
    }
    for name in rule.parameter_names:
        if name not in used:
            message = f"parameter {name} of {rule.name} is used nowhere"
            report.add((*path, "parameters", name), message, "use it or drop it")


def _list_atoms(part: ActionRule | Effect) -> Iterator[Atom]:
    yield from (literal.atom for literal in part.when)
    yield from part.add
    yield from part.delete
    for formula in part.formulas:
        yield from atoms(formula)


def _check_functional(
    atoms: Iterable[Atom],
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
    start: str,
) -> bool:
    """Report two atoms of which at most one holds; return True if there are any."""
    found = find_functional_conflict(atoms, relations)
    if found is None:
        return False
    one, other, leg = found
    message = (
        f"{start} both {write_bare(one)} and {write_bare(other)}, but {one.predicate} is "
        f"functional in {leg} (at most one each)"
    )
    fix = "drop one of them" if path[-1] == "when" else "delete the old one, or add only one"
    report.add(path, message, fix)
    return True


def _check_effect_functional(
    rule: ActionRule,
    effect: Effect,
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    """Check the atoms over parameters alone: variables are bound in a state only."""
    parameters = set(rule.parameter_names)

    def certain(atom: Atom) -> bool:
        return all(isinstance(t, Variable) and t.name in parameters for t in atom.arguments)

    gone = {*rule.delete, *effect.delete}
    there = [a for a in (*rule.positive(), *effect.positive()) if certain(a) and a not in gone]
    left = dict.fromkeys([*there, *rule.add, *(a for a in effect.add if certain(a))])
    if find_functional_conflict([*there, *rule.add], relations) is not None:
        return  # not this effect's fault
    _check_functional(left, relations, path, report, f"an effect of {rule.name} leaves")


_ACTION_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*\Z")


def build_rules(
    file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> dict[str, ActionRule]:
    """Build the rules; report their faults."""
    if not file.rules:
        report.add(("rules",), "the file has no rule", "describe at least one action")
    return {
        name: _build_rule(name, entry, file, vocabulary, report)
        for name, entry in file.rules.items()
    }


def _build_rule(
    name: str, entry: RuleEntry, file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> ActionRule:
    path: Path = ("rules", name)
    check_name(name, "rule", path, report)
    declared = (*path, "parameters")
    check_declarations(entry.parameters, "parameter", name, declared, vocabulary, report)
    reader = AtomReader(vocabulary, report, entry.parameters, f"rule {name}")
    duration = build_duration(entry, (*path, "duration"), report)
    when, formulas = reader.read_conditions(entry.when, (*path, "when"))
    rule = ActionRule(
        name=name,
        parameters=build_parameters(entry.parameters),
        when=when,
        add=reader.read_atoms(entry.add, PredicateKind.RELATION, (*path, "add")),
        delete=reader.read_atoms(entry.delete, PredicateKind.RELATION, (*path, "delete")),
        graded=reader.read_atoms(entry.graded, PredicateKind.GRADED, (*path, "graded")),
        duration=duration,
        uses=dict(entry.uses),
        executor=entry.executor,
        effects=build_effects(name, entry, vocabulary, path, report),
        cost=build_cost(name, entry, (*path, "cost"), report),
        window=build_window(name, entry.window, duration, (*path, "window"), report),
        formulas=formulas,
    )
    _check_uses(entry, file, path, report)
    if not _ACTION_NAME.match(entry.executor):
        message = f"executor {entry.executor!r} of {name} is not a relative action name"
        report.add((*path, "executor"), message, f"write a name without leading /, such as {name}")
    if _is_readable(rule, entry):
        check_sense(rule, file.relations, path, report)
    return rule


def _is_readable(rule: ActionRule, entry: RuleEntry) -> bool:
    """Return True if every atom of the entry could be read."""
    parts = [(rule.graded, entry.graded), *_pair_atoms(rule, entry)]
    for effect, given in zip(rule.effects, entry.effects, strict=True):
        parts.extend(_pair_atoms(effect, given))
    return all(len(read) == len(texts) for read, texts in parts)


def _pair_atoms(
    read: ActionRule | Effect, entry: RuleEntry | EffectEntry
) -> list[tuple[Sequence[object], Sequence[str]]]:
    conditions = (*read.when, *read.formulas)
    return [(conditions, entry.when), (read.add, entry.add), (read.delete, entry.delete)]


def _check_uses(entry: RuleEntry, file: DomainFile, path: Path, report: Diagnostics) -> None:
    for resource, amount in entry.uses.items():
        here = (*path, "uses", resource)
        if resource not in file.resources:
            report.add(here, f"unknown resource {resource}", suggest_name(resource, file.resources))
        if not math.isfinite(amount):
            report.add(here, f"the use of {resource} is {amount}", "give a finite number")


def build_effects(
    rule: str, entry: RuleEntry, vocabulary: Vocabulary, path: Path, report: Diagnostics
) -> tuple[Effect, ...]:
    """Build the effects of a rule; report their faults."""
    return tuple(
        _build_effect(rule, effect, entry, vocabulary, (*path, "effects", position), report)
        for position, effect in enumerate(entry.effects)
    )


def _build_effect(
    rule: str,
    effect: EffectEntry,
    entry: RuleEntry,
    vocabulary: Vocabulary,
    path: Path,
    report: Diagnostics,
) -> Effect:
    owner, declared = f"an effect of {rule}", (*path, "variables")
    check_declarations(effect.variables, "variable", owner, declared, vocabulary, report)
    for variable in effect.variables.keys() & entry.parameters.keys():
        message = f"{variable} is a parameter of {rule} and a variable of its effect"
        report.add((*declared, variable), message, "rename the variable")
    reader = AtomReader(vocabulary, report, {**entry.parameters, **effect.variables}, owner)
    when, formulas = reader.read_conditions(effect.when, (*path, "when"))
    return Effect(
        variables=build_parameters(effect.variables),
        when=when,
        add=reader.read_atoms(effect.add, PredicateKind.RELATION, (*path, "add")),
        delete=reader.read_atoms(effect.delete, PredicateKind.RELATION, (*path, "delete")),
        formulas=formulas,
    )


def build_constraints(
    file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> tuple[Constraint, ...]:
    """Build the constraints; report their faults."""
    return tuple(
        _build_constraint(name, entry, vocabulary, report)
        for name, entry in file.constraints.items()
    )


def _build_constraint(
    name: str, entry: ConstraintEntry, vocabulary: Vocabulary, report: Diagnostics
) -> Constraint:
    path: Path = ("constraints", name)
    check_name(name, "constraint", path, report)
    declared = (*path, "variables")
    check_declarations(entry.variables, "variable", name, declared, vocabulary, report)
    if not entry.never:
        report.add(path, f"{name} forbids nothing", "write at least one atom under `never:`")
    reader = AtomReader(vocabulary, report, entry.variables, f"constraint {name}")
    read = [
        reader.read_atom(text, PredicateKind.RELATION, (*path, "never", position))
        for position, text in enumerate(entry.never)
    ]
    never = tuple(atom for atom in read if atom is not None)
    used = {t.name for atom in never for t in atom.arguments if isinstance(t, Variable)}
    for variable in entry.variables:
        if variable not in used and len(never) == len(read):
            message = f"variable {variable} of {name} is used nowhere"
            report.add((*declared, variable), message, "use it or drop it")
    variables = tuple(TypedVariable(v, t) for v, t in entry.variables.items())
    return Constraint(name, variables, never, entry.because)


# --- numbers


def build_duration(entry: RuleEntry, path: Path, report: Diagnostics) -> Duration:
    """Build the duration of a rule; report its faults."""
    given = entry.duration
    if not isinstance(given, DurationEntry):
        given = DurationEntry(base=given)
    for key, seconds in (("base", given.base), ("per_metre", given.per_metre)):
        if not math.isfinite(seconds) or seconds < 0:
            fix = "give a finite number of seconds, 0 or more"
            report.add((*path, key), f"duration {key} is {seconds}", fix)
    if given.base == 0 and given.per_metre == 0:
        report.add(path, "the duration is always 0", "give the expected seconds")
    between = tuple(given.between) if given.between is not None else None
    if (between is None) != (given.per_metre == 0):
        fix = "give both, such as {base: 2, per_metre: 2, between: [from, to]}"
        report.add(path, "per_metre and between belong together", fix)
    for parameter in between or ():
        if parameter not in entry.parameters:
            fix = suggest_name(parameter, entry.parameters)
            report.add((*path, "between"), f"unknown parameter {parameter} in the duration", fix)
    if between is not None and len(between) != 2:
        report.add((*path, "between"), "between takes two parameters", "name exactly two")
    pair = (between[0], between[1]) if between is not None and len(between) == 2 else None
    return Duration(given.base, given.per_metre, pair)


def build_window(
    rule: str, entry: WindowEntry, duration: Duration, path: Path, report: Diagnostics
) -> Window:
    """Build the window of a rule; report its faults."""
    opens, closes = entry.opens, entry.closes
    fix = "give seconds from the start of the plan, such as {opens: 0, closes: 600}"
    if not math.isfinite(opens) or opens < 0:
        report.add((*path, "opens"), f"the window of {rule} opens at {opens}", fix)
    elif math.isnan(closes) or closes < 0:
        report.add((*path, "closes"), f"the window of {rule} closes at {closes}", fix)
    elif closes <= opens:
        message = f"the window of {rule} closes at {closes:g} s and opens at {opens:g} s"
        report.add(path, message, "let it close after it opens")
    elif closes - opens < duration.base:
        message = (
            f"{rule} takes at least {duration.base:g} s, but its window is open for "
            f"{closes - opens:g} s: it can never run"
        )
        report.add(path, message, "let it close later, or shorten the duration")
    return Window(opens, closes)


def build_cost(rule: str, entry: RuleEntry, path: Path, report: Diagnostics) -> Cost:
    """Build the cost of a rule; report its faults."""
    given = entry.cost
    if not isinstance(given, CostEntry):
        given = CostEntry(base=given)
        _check_cost(given.base, path, rule, report)
        return Cost(_to_exact(given.base))
    _check_cost(given.base, (*path, "base"), rule, report)
    terms = tuple(
        _build_cost_term(rule, term, entry, (*path, "terms", position), report)
        for position, term in enumerate(given.terms)
    )
    return Cost(_to_exact(given.base), terms)


def _build_cost_term(
    rule: str, given: CostTermEntry, entry: RuleEntry, path: Path, report: Diagnostics
) -> CostTerm:
    if not given.parameters:
        fix = "name the parameters that it depends on, or add it to `base:`"
        report.add((*path, "parameters"), f"a cost term of {rule} depends on nothing", fix)
    for position, name in enumerate(given.parameters):
        here = (*path, "parameters", position)
        if name not in entry.parameters:
            message = f"unknown parameter {name} in the cost of {rule}"
            report.add(here, message, suggest_name(name, entry.parameters))
        elif name in given.parameters[:position]:
            message = f"a cost term of {rule} names {name} twice"
            report.add(here, message, "name it once")
    table: dict[tuple[str, ...], Fraction] = {}
    for number, row in enumerate(given.table):
        here = (*path, "table", number)
        elements = tuple(row.elements)
        if len(elements) != len(given.parameters):
            message = (
                f"a cost row of {rule} names {len(elements)} elements for "
                f"{len(given.parameters)} parameters"
            )
            report.add(here, message, f"write one for each of [{', '.join(given.parameters)}]")
        elif elements in table:
            message = f"the cost of {rule} for ({', '.join(elements)}) stands here twice"
            report.add(here, message, "keep one of them")
        _check_cost(row.cost, (*here, "cost"), rule, report)
        table.setdefault(elements, _to_exact(row.cost))
    return CostTerm(tuple(given.parameters), table)


def _to_exact(cost: float) -> Fraction:
    # Infinite costs have been reported.
    return to_exact(cost) if math.isfinite(cost) else Fraction(0)


def _check_cost(cost: float, path: Path, rule: str, report: Diagnostics) -> None:
    if not math.isfinite(cost) or cost < 0:
        report.add(path, f"a cost of {rule} is {cost}", "give a finite number, 0 or more")


def build_resources(file: DomainFile, report: Diagnostics) -> dict[str, Resource]:
    """Build the resources; report their faults."""
    for name, entry in file.resources.items():
        path: Path = ("resources", name)
        check_name(name, "resource", path, report)
        if not all(math.isfinite(x) for x in (entry.initial, entry.minimum, entry.maximum)):
            report.add(path, f"a number of {name} is not finite", "give finite numbers")
        elif not entry.minimum <= entry.initial <= entry.maximum:
            message = (
                f"{name} starts at {entry.initial:g}, outside "
                f"[{entry.minimum:g}, {entry.maximum:g}]"
            )
            report.add((*path, "initial"), message, "keep minimum <= initial <= maximum")
    return {
        name: Resource(name, entry.initial, entry.minimum, entry.maximum, entry.unit)
        for name, entry in file.resources.items()
    }
