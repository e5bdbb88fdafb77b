# SPDX-License-Identifier: Apache-2.0
"""Faults of a domain file as values, all reported at once; warnings about a sound one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fcp_ros.domain.model import Domain, GradedPredicate
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import choose_article, hide_controls

OPTIMISTIC = 0.5
"""A default degree above it says that what nobody judged is good."""


def list_warnings(domain: Domain) -> list[str]:
    return [
        f"{one.name} has the default degree {one.default_degree:g}: what its table doesn't list "
        "counts as good, though nobody judged it; write `hazard: true` if somebody or something "
        "can come to harm (then what is unlisted is judged, and what can't be judged counts as 0), "
        "or `hazard: false` if not"
        for one in domain.graded.values()
        if is_optimistic(one)
    ]


def is_optimistic(predicate: GradedPredicate) -> bool:
    """Return True if the domain takes what it doesn't list for good, and doesn't say why it may."""
    default = predicate.default_degree
    return predicate.hazard is None and default is not None and default > OPTIMISTIC


Path = tuple[str | int, ...]
"""A place in a YAML document: keys and list positions from the top."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault of a domain file, or a remark on it.

    `line` and `column` are 1-based; 0 if the file (or the line) as a whole is meant.
    """

    file: str
    line: int
    message: str
    fix: str
    column: int = 0

    def __str__(self) -> str:
        place = ":".join([self.file, *(str(n) for n in (self.line, self.column) if n)])
        end = "" if self.fix.endswith("?") else "."
        return hide_controls(f"{place}: {self.message}. Fix: {self.fix}{end}")


class DomainError(InputError):
    """A domain file that can't be used; `diagnostics` lists everything wrong with it."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))


@dataclass
class Diagnostics:
    """The faults found while a file is checked, and the lines of its paths.

    `lines` gives the 1-based line of every path of the document; a path that is not in it (a
    missing key) gets the line of its nearest ancestor.
    """

    file: str
    lines: dict[Path, int] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """Return the line of the path, or of its nearest ancestor in the file."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return 1

    def add(self, path: Path, message: str, fix: str) -> None:
        """Record a fault at a path. Message and fix are clauses without a final full stop."""
        self.add_at(self.line(path), message, fix)

    def add_at(self, line: int, message: str, fix: str) -> None:
        """Record a fault at a line; see `add`."""
        diagnostic = Diagnostic(self.file, line, message.removesuffix("."), fix.removesuffix("."))
        if diagnostic not in self.diagnostics:
            self.diagnostics.append(diagnostic)

    def raise_if_any(self) -> None:
        """Raise everything found so far, in the order of the file."""
        if self.diagnostics:
            raise DomainError(sorted(self.diagnostics, key=lambda diagnostic: diagnostic.line))


def article(noun: str) -> str:
    return f"{choose_article(noun)} {noun}"
