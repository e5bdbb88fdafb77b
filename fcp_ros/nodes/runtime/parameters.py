# SPDX-License-Identifier: Apache-2.0
"""Parameters as a table: purpose, range, and the moment when a change takes effect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from fcp_ros.package_files import config_folder, find_domain, find_scene

# --- files that may be named over the network: only those in the folders ---


class FileRefusedError(ValueError):
    """The file must not, or can't, be read; one sentence why, and what to do."""


@dataclass(frozen=True)
class FileRule:
    """The files that requests, and values of a parameter, may name while a node runs."""

    folders: str  # Name of the node's parameter with the folders, which is set at the start only
    default: Callable[[], Path]  # Returns the folder that counts without any
    # Returns the path of a file of this package, given its bare name
    find: Callable[[str], Path] = Path
    with_folders: bool = False  # True if a folder may be named, too

    def list_folders(self, texts: Sequence[str]) -> tuple[Path, ...]:
        return tuple(Path(text) for text in texts if text) or (self.default(),)

    def resolve(self, address: str, texts: Sequence[str]) -> str:
        """Return the real address of a file that is named.

        `address`: absolute, relative to one of the folders, or a name that `find` knows; ``#id`` at
        its end names an entry of the file and is kept. `texts`: the value of the parameter
        `folders`. Links are followed before it is checked. Raises FileRefusedError if it is empty,
        missing, or outside the folders.
        """
        text, mark, fragment = address.partition("#")
        if not text.strip():
            raise FileRefusedError("The path is empty: name a file.")
        if "\0" in text:
            raise FileRefusedError("The path holds a zero character: name a file.")
        roots = [folder.expanduser().resolve() for folder in self.list_folders(texts)]
        for candidate in _candidates(text, roots, self.find):
            try:
                real = candidate.resolve()
            except (OSError, RuntimeError) as error:
                raise FileRefusedError(
                    f"{text} leads nowhere ({error}): a link that names itself? Give the file "
                    "itself."
                ) from error
            if not real.is_file() and real.exists() and not real.is_dir():
                raise FileRefusedError(
                    f"{text} is no file but a pipe, a socket or a device: give a regular file."
                )
            is_right = real.is_file() or (self.with_folders and real.is_dir())
            if is_right and any(real.is_relative_to(root) for root in roots):
                return f"{real}{mark}{fragment}"
        places = ", ".join(str(root) for root in roots)
        raise FileRefusedError(
            f"{text} is no file in {places}: give a file there, or add its folder to the parameter "
            f"{self.folders} when you start the node."
        )


def _candidates(text: str, roots: Sequence[Path], find: Callable[[str], Path]) -> list[Path]:
    path = Path(text)
    if path.is_absolute():
        return [path]
    return [*(root / path for root in roots), find(text)]


# --- parameters as a table: purpose ---

Settings = TypeVar("Settings")

ParameterValue = bool | int | float | str | list[str]


class TakesEffect(str, Enum):
    """The moments when a new value of a parameter may take effect."""

    AT_START = "when the node starts"
    AT_CONFIGURE = "when the node is configured"
    AT_ONCE = "with the next request"


@dataclass(frozen=True)
class ParameterSpec:
    """One parameter of a node."""

    name: str
    # Its default value, whose type is that of the parameter. A list must not be empty (ROS can't
    # tell the type of an empty list): use ``[""]`` for "nothing".
    default: ParameterValue
    description: str  # One sentence, with the unit if there is one
    minimum: float | None = None  # Least value of a number (inclusive)
    maximum: float | None = None  # Largest value of a number (inclusive)
    # Allowed values of a string, or of each entry of a list; empty: any
    choices: tuple[str, ...] = ()
    # Raises a `ValueError` for an unacceptable string; None accepts any. In a list it is called for
    # each entry that is not empty.
    check: Callable[[str], object] | None = None
    takes_effect: TakesEffect = TakesEffect.AT_CONFIGURE
    # Rule for a string that names a file. Whoever starts the node may name any file; values that
    # are set later, by anybody on the network, obey it.
    files: FileRule | None = None

    def descriptor(self) -> ParameterDescriptor:
        descriptor = ParameterDescriptor(
            name=self.name,
            description=f"{self.description} Takes effect {self.takes_effect.value}.",
            read_only=self.takes_effect is TakesEffect.AT_START,
        )
        if self.choices:
            descriptor.additional_constraints = f"One of {', '.join(map(repr, self.choices))}."
        if self.files is not None:
            descriptor.additional_constraints = (
                f"While the node runs: a file that {self.files.folders} allows, or what the node "
                "was started with."
            )
        if self.minimum is not None or self.maximum is not None:
            low = -math.inf if self.minimum is None else self.minimum
            high = math.inf if self.maximum is None else self.maximum
            if isinstance(self.default, float):
                limits = FloatingPointRange(from_value=float(low), to_value=float(high), step=0.0)
                descriptor.floating_point_range = [limits]
            else:
                whole = IntegerRange(from_value=int(low), to_value=int(high), step=1)
                descriptor.integer_range = [whole]
        return descriptor

    def find_problem(self, value: object) -> str:
        """Return why `value` is unacceptable beyond the descriptor's limits; "" if it is not."""
        if isinstance(value, float) and not math.isfinite(value):
            return f"{self.name} is {value}: give a finite number"
        items = [item for item in value if item] if isinstance(value, list | tuple) else [value]
        for item in items:
            if self.choices and item not in self.choices:
                return f"{self.name} is {item!r}: choose one of {', '.join(self.choices)}"
            if self.check is not None and isinstance(item, str):
                try:
                    self.check(item)
                except ValueError as error:
                    return f"{self.name}: {error}"
        return ""


AUTOSTART = ParameterSpec(
    "autostart",
    True,
    "Configure and activate the node by itself; false for an external lifecycle manager.",
    takes_effect=TakesEffect.AT_START,
)

BOND_PERIOD = ParameterSpec(
    "bond_period",
    1.0,
    "Time between two beats of the bond with nav2's lifecycle manager [s], which exists while the "
    "node is active, autostart is false and the package bond is installed; 0: none.",
    minimum=0.0,
    maximum=60.0,
    takes_effect=TakesEffect.AT_START,
)

COMMON_PARAMETERS = (AUTOSTART, BOND_PERIOD)
"""Parameters of every node."""


class ParameterTable:
    """The parameters of one node, declared from their specifications.

    `specs`: the parameters to declare; names must be different. Raises
    rclpy.exceptions.InvalidParameterValueException if an override is out of its range. Raises
    rclpy.exceptions.InvalidParameterTypeException if an override has the wrong type. Raises
    ValueError if an override is none of the choices, fails its check, or is not finite.
    """

    def __init__(self, node: Node, specs: Iterable[ParameterSpec]) -> None:
        self._node = node
        self._specs: Mapping[str, ParameterSpec] = {spec.name: spec for spec in specs}
        for spec in self._specs.values():
            value = node.declare_parameter(spec.name, spec.default, spec.descriptor()).value
            if problem := spec.find_problem(value):
                raise ValueError(f"{node.get_name()}: {problem}")
        self._at_start = {name: self[name] for name, spec in self._specs.items() if spec.files}

    def __getitem__(self, name: str) -> ParameterValue:
        value: ParameterValue = self._node.get_parameter(name).value
        return value

    def text(self, name: str) -> str:
        return str(self[name])

    def number(self, name: str) -> float:
        return float(self[name])  # type: ignore[arg-type]

    def integer(self, name: str) -> int:
        return int(self[name])  # type: ignore[arg-type]

    def flag(self, name: str) -> bool:
        return bool(self[name])

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the present value of a list of strings, without empty ones."""
        value = self[name]
        assert isinstance(value, list), f"{name} is declared as a list of strings"
        return tuple(item for item in value if item)

    def fill(self, kind: type[Settings], prefix: str = "", **others: Any) -> Settings:
        """Make a dataclass whose fields are parameters by the same names; enums by their values.

        `kind`: the dataclass; fields that are no parameters keep their defaults.
        """
        types = get_type_hints(kind)
        for name in (field.name for field in fields(kind)):  # type: ignore[arg-type]
            if name not in others and prefix + name in self._specs:
                value, type_ = self[prefix + name], types[name]
                is_enum = isinstance(type_, type) and issubclass(type_, Enum)
                others[name] = type_(value) if is_enum else value
        return kind(**others)

    def file(self, name: str) -> str:
        """Return the file that a parameter names, as it may be read now; "" for none.

        Raises FileRefusedError if it was named while the node runs, and is not allowed.
        """
        return self._resolve(self._specs[name], self.text(name))

    def resolve(self, rule: FileRule, address: str) -> str:
        return rule.resolve(address, self.texts(rule.folders))

    def folders(self, rule: FileRule) -> tuple[Path, ...]:
        return rule.list_folders(self.texts(rule.folders))

    def _resolve(self, spec: ParameterSpec, value: str) -> str:
        if spec.files is None or not value or value == self._at_start[spec.name]:
            return value
        try:
            return self.resolve(spec.files, value)
        except FileRefusedError as error:
            raise FileRefusedError(f"{spec.name}: {error}") from error

    def check_change(
        self, parameters: Iterable[Parameter], *, configured: bool
    ) -> SetParametersResult:
        """Return if all of these new values may be set now; none is set otherwise."""
        for parameter in parameters:
            spec = self._specs.get(parameter.name)
            if spec is None:
                continue
            try:
                problem = spec.find_problem(parameter.value)
                if not problem and isinstance(parameter.value, str):
                    self._resolve(spec, parameter.value)
            except FileRefusedError as error:
                problem = str(error)
            if problem:
                return SetParametersResult(successful=False, reason=problem)
            if configured and spec.takes_effect is TakesEffect.AT_CONFIGURE:
                reason = (
                    f"{spec.name} takes effect {spec.takes_effect.value}: clean the node up "
                    "(lifecycle transition cleanup), set it, and configure the node again"
                )
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)


# --- the parameters with the folders of files ---


def make_folders(rule: FileRule, description: str) -> ParameterSpec:
    """Make the parameter with the folders of a rule, which is read only when a node starts."""
    return ParameterSpec(rule.folders, [""], description, takes_effect=TakesEffect.AT_START)


DOMAIN_FILES = FileRule("domain_folders", lambda: config_folder() / "domains", find_domain)
SCENE_FILES = FileRule("scene_folders", lambda: config_folder() / "scenes", find_scene)

DOMAIN_FOLDERS = make_folders(
    DOMAIN_FILES,
    "Folders that a domain may be read from that is named while the node runs (load_domain, or the "
    "parameter domain); without any, the package's own domains.",
)
