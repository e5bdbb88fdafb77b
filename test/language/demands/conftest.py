# SPDX-License-Identifier: Apache-2.0
"""Rows of two small domains, parsed."""

import pytest
from tiny_demands import ROWS

from fcp_ros.domain import load_domain
from fcp_ros.language.demands.parsed_clauses import split_clauses
from fcp_ros.language.demands.rows import read_rows
from fcp_ros.package_files import find_domain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Keep vectors of the tests apart from those of the user; the folder of the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "fcp_ros" / "phrases"


@pytest.fixture(scope="session")
def household():
    return load_domain(find_domain("household"))


@pytest.fixture(scope="session")
def rows_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("rows") / "rows.yaml"
    file.write_text(ROWS)
    return file


@pytest.fixture(scope="session")
def training_rows(rows_file):
    return read_rows([rows_file], split_clauses)
