# SPDX-License-Identifier: Apache-2.0
"""A scene file as readers see it: bytes, parsed document, limits."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from fcp_ros.foundation.bounded_file import FileError, read_bytes
from fcp_ros.foundation.wording import list_names
from fcp_ros.foundation.yaml_text import NOT_YAML, TextError, load_yaml
from fcp_ros.scene.formats.xml_text import XmlError, parse_xml
from fcp_ros.scene.graph.elements import SceneError

YAML_SUFFIXES = (".yaml", ".yml")

_LISP = re.compile(r"(?:\s*;[^\n]*\n)*\s*\(\s*define\b", re.IGNORECASE)
"""The beginning of a PDDL file, after comments."""


@dataclass(frozen=True)
class SceneLimits:
    """Limits of a file, so that a monster file is refused before it is processed."""

    max_nodes: int = 200_000  # Greatest number of nodes, whatever their layer
    max_bytes: int = 512 * 1024 * 1024  # Greatest size of the file (bytes)
    max_relations: int = 2_000_000  # Greatest number of relations that a scene states
    # Folders with files that a scene may refer to; its own folder is always one
    asset_folders: tuple[Path, ...] = ()

    def check_nodes(self, count: int, source: str) -> None:
        """Raise SceneError if a scene has more nodes than allowed."""
        if count > self.max_nodes:
            raise SceneError(
                f"the scene has {count} nodes, more than the limit of {self.max_nodes}",
                source=source,
                advice="Raise max_nodes if the file is really meant to be that large.",
            )

    def check_relations(self, count: int, source: str) -> None:
        """Raise SceneError if a scene states more relations than allowed."""
        if count > self.max_relations:
            raise SceneError(
                f"the scene has {count} relations, more than the limit of {self.max_relations}",
                source=source,
                advice="Raise max_relations if the scene is really meant to be that large.",
            )

    def check_bytes(self, count: int, source: str, name: str = "max_bytes") -> None:
        """Raise SceneError if a file or message is larger than allowed; `name` is the limit's."""
        if count > self.max_bytes:
            raise SceneError(
                f"it has {count} bytes, more than the limit of {self.max_bytes}",
                source=source,
                advice=f"Raise {name} if it is really meant to be that large.",
            )


def describe_folders(folders: Collection[str]) -> str:
    """Say how to allow files in these folders, as advice; one above all of them if there is."""
    above = os.path.commonpath(folders)
    named = [above] if len(Path(above).parts) > 2 or len(set(folders)) == 1 else sorted(folders)
    options = " ".join(f"--assets {folder}" for folder in named)
    return (
        f"Allow them with {options} (of the node scene_graph: scene_folders), or put the files "
        "that belong together into one folder."
    )


def missing_package(task: str, package: str, source: str) -> SceneError:
    """Return the error about an optional package that is not installed."""
    return SceneError(
        f"{task} needs the package {package}",
        source=source,
        advice=f"Install it with: pip install {package}.",
    )


class Syntax(Enum):
    """The syntax of a file's content."""

    JSON = "JSON"
    YAML = "YAML"
    XML = "XML"
    TEXT = "other text"
    BINARY = "binary"
    FOLDER = "folder"


@dataclass(frozen=True)
class SceneFile:
    """One scene file, read once."""

    path: Path
    fragment: str  # The part of the address after ``#``: one entry of a file that holds many
    content: bytes  # The bytes; empty for a folder
    syntax: Syntax
    # The parsed JSON or YAML value, or the root element of XML; None for other content
    document: Any
    problem: str  # The reason why text could not be parsed
    limits: SceneLimits

    @property
    def name(self) -> str:
        """The address as the user wrote it, for messages and ``SceneGraph.source``."""
        return f"{self.path}#{self.fragment}" if self.fragment else str(self.path)

    def has_keys(self, *keys: str) -> bool:
        """Return True for a JSON object with all of these keys."""
        return (
            self.syntax is Syntax.JSON
            and isinstance(self.document, dict)
            and self.document.keys() >= set(keys)
        )

    def has_root(self, name: str) -> bool:
        """Return True for XML whose root element has this name."""
        return self.syntax is Syntax.XML and self.document is not None and self.document.tag == name

    def check_counts(self, *sections: str) -> None:
        """Raise SceneError, before validating, if sections have more entries than nodes may be."""
        entries = (self.document.get(section) for section in sections)
        count = sum(len(entry) for entry in entries if isinstance(entry, list))
        self.limits.check_nodes(count, self.name)

    def choose_entry(self, names: Collection[str], kind: str) -> str:
        """Return the entry that the address names (the only one needs no name); else SceneError."""
        if self.fragment in names:
            return self.fragment
        if not self.fragment and len(names) == 1:
            return next(iter(names))
        raise SceneError(
            f"there is no {kind} {self.fragment!r}"
            if self.fragment
            else f"it holds {len(names)} {kind}s",
            source=str(self.path),
            advice=f"Name one of {list_names(names)}, for example: {self.path}#{next(iter(names))}."
            if names
            else "Give a file that has one.",
        )

    def resolve_beside(self, name: str) -> Path:
        """Return the path of a file named relative to this one, in allowed folders (SceneError).

        Those are the folder of this one, the limits' `asset_folders`, and all below.
        """
        folder = self.path if self.syntax is Syntax.FOLDER else self.path.parent
        target = folder / name
        real = target.resolve()
        allowed = (folder, *(one.expanduser() for one in self.limits.asset_folders))
        if not any(real.is_relative_to(one.resolve()) for one in allowed):
            raise SceneError(
                f"it refers to {name!r}, which is outside of its folder",
                source=self.name,
                advice=describe_folders([str(real.parent)]),
            )
        return target

    def open_beside(self, name: str) -> SceneFile:
        """Open the file at `resolve_beside`; also SceneError as `open_scene_file`, or unparsed."""
        file = open_scene_file(self.resolve_beside(name), self.limits)
        if file.problem:
            raise SceneError(file.problem, source=file.name)
        return file


def open_scene_file(address: str | Path, limits: SceneLimits) -> SceneFile:
    """Read a scene file into memory and parse it if it is JSON, XML or YAML.

    ``path#id`` names one entry of a file that holds many. Raises SceneError for a file that is
    missing, empty, unreadable or too large.
    """
    path, fragment = _split_address(address)
    if path.is_dir():
        return SceneFile(path, fragment, b"", Syntax.FOLDER, None, "", limits)
    content = _read_bytes(path, limits)
    syntax, document, problem = _parse(path, content)
    return SceneFile(path, fragment, content, syntax, document, problem, limits)


def _split_address(address: str | Path) -> tuple[Path, str]:
    path = Path(address).expanduser()
    if path.exists() or "#" not in str(path):
        return path, ""
    head, _, fragment = str(path).partition("#")
    return Path(head), fragment


def _read_bytes(path: Path, limits: SceneLimits) -> bytes:
    source = str(path)
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):  # reading a pipe would wait, a device have no end
            raise SceneError(
                "it is no file but a pipe, a socket or a device",
                source=source,
                advice="Give a regular file.",
            )
        name = "max_bytes (of the node scene_graph: max_file_bytes)"
        limits.check_bytes(state.st_size, source, name)
        content = read_bytes(path, limits.max_bytes)
    except FileError as error:  # it has become another one since
        raise SceneError(error.what, source=source, advice=f"{error.fix}.".capitalize()) from None
    except FileNotFoundError:
        raise SceneError(
            "there is no such file",
            source=source,
            advice=f"Check the path (the current folder is {Path.cwd()}).",
        ) from None
    except OSError as error:
        raise SceneError(
            f"the file cannot be read ({error.strerror or error})",
            source=source,
            advice="Check its permissions and the disk.",
        ) from None
    if not content.strip():
        raise SceneError(
            "the file is empty", source=source, advice="Write or export the scene again."
        )
    return content


def _parse(path: Path, content: bytes) -> tuple[Syntax, Any, str]:
    """Find the syntax by content, and parse JSON, XML and YAML.

    JSON starts with a bracket, XML with a less-than sign, USD and PDDL in their own ways; other
    text is YAML, the rest binary.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Syntax.BINARY, None, f"it is no UTF-8 text (byte {error.start})"
    if "\x00" in text:
        return Syntax.BINARY, None, "it is no text (it holds zero bytes)"
    if text.lstrip()[:1] in ("{", "[") and path.suffix.lower() not in YAML_SUFFIXES:
        document, problem = _parse_json(content)
        return Syntax.JSON, document, problem
    if text.lstrip().startswith("<"):
        try:
            return Syntax.XML, parse_xml(content.removeprefix(codecs.BOM_UTF8).strip()), ""
        except XmlError as error:
            return Syntax.XML, None, str(error)
    if text.startswith("#usda") or _LISP.match(text):
        return Syntax.TEXT, None, ""
    document, problem = _parse_yaml(text)
    return Syntax.YAML, document, problem


def _parse_json(content: bytes) -> tuple[Any, str]:
    """Parse by pydantic's parser, which takes two thirds of the time of Python's own."""
    from pydantic_core import from_json

    try:
        return from_json(content.removeprefix(codecs.BOM_UTF8)), ""
    except ValueError as error:
        reason, _, place = str(error).rpartition(" at line ")
        return None, f"its JSON breaks off or is wrong at line {place}: {reason}"


def _parse_yaml(text: str) -> tuple[Any, str]:
    try:
        return load_yaml(text), ""
    except TextError as error:
        where = f" at line {error.line}" if error.line is not None else ""
        return None, f"its YAML is wrong{where}: {error.what.removeprefix(NOT_YAML)}"
