# SPDX-License-Identifier: Apache-2.0
"""Fixtures that every layer's tests share, and how property tests draw their examples.

`--hypothesis-profile` chooses among three ways, of which the first is the default:

- ``ci``: an eighth of the examples that each property states, the same ones in every run, so that a
  run says something about the change at hand; without the tests marked ``thorough``;
- ``new``: all of them, drawn afresh, to look for what nobody has met yet;
- ``nightly``: four times as many, drawn afresh.
"""

import gc
import os
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

import pytest
from effort import is_thorough, scaled
from hypothesis import is_hypothesis_test, settings
from time_limits import TimeLimits

REPOSITORY = Path(__file__).resolve().parents[1]

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.register_profile("nightly", deadline=None, print_blob=True)
settings.load_profile("ci")

LONGEST = (
    "test/ros/test_demo.py",
    "test/ros/executive/",
    "test/ros/",
    "test/planning/goal/test_random_",
    "test/planning/search/test_portfolio.py",
    "test/grounding/",
    "test/test_structure.py",
    "test/benchmark/",
    "test/language/",
    "test/abstraction/",
    "test/alignment/",
)
"""What is run first, longest first: paths begin with these.

Live nodes wait for real time; and a long file that begins last keeps one process busy to the end.
"""

TORCH = (
    "test/grounding/asking/test_fallback.py",
    "test/grounding/endpoint/test_real_model.py",
    "test/grounding/generation/",
    "test/grounding/heads/",
    "test/grounding/language_model/",
    "test/grounding/model_files/",
    "test/grounding/models/",
    "test/grounding/tuning/",
    "test/abstraction/proposers/test_language_model.py",
    "test/language/model_reader/",
)
"""Files (paths begin with these) that one process runs: torch and transformers take nine seconds to
import."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Deal out file by file, but those of `TORCH` together."""
    from file_scheduling import FileScheduling

    return FileScheduling(config, log, TORCH) if config.getoption("dist") == "loadfile" else None


def pytest_configure(config: pytest.Config) -> None:
    """Hold time limits to the end; let each of several processes begin in another folder.

    Side by side each would rewrite and compile all modules of a fresh checkout; so it loads what
    the others have written when it gets there.
    """
    config.pluginmanager.register(TimeLimits(config))
    name = os.environ.get("PYTEST_XDIST_WORKER")
    if name and config.args == config.getini("testpaths"):
        parts = [path for path in (REPOSITORY / "test").iterdir() if path.is_dir()]
        parts += (REPOSITORY / "test").glob("test_*.py")
        parts = sorted(path for path in parts if any(path.rglob("test_*.py")) or path.is_file())
        first = (
            int(name.removeprefix("gw"))
            * len(parts)
            // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        )
        config.args[:] = map(str, parts[first:] + parts[:first])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from what collection makes: all of it stays to the end.

    It would go through a million objects again and again, in each process.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Scale the examples of properties, and begin with the tests that take longest."""
    scale_examples(items)
    if not is_thorough():
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(pytest.mark.skip(reason="thorough: not in the profile ci"))
        repeat_live_tests(items)
    # The same order in all processes, wherever each began.
    items.sort(key=lambda item: (rank(item), item.path))


def repeat_live_tests(items: Iterable[pytest.Item]) -> None:
    """Run a test of live nodes that failed once more; the summary lists it as RERUN.

    What such a test sees depends on the order in which discovery, DDS and the scheduler of a busy
    machine get to it. That is worth a search (the nightly profile repeats nothing), but not a whole
    run of ten thousand tests in which two of them met.
    """
    for item in items:
        if item.nodeid.startswith("test/ros/"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def rank(item: pytest.Item) -> int:
    """The place of a test's file among the longest, which is behind them for all others."""
    places = (place for place, path in enumerate(LONGEST) if item.nodeid.startswith(path))
    return next(places, len(LONGEST))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile missing kernels before the time limit of the first test that plans would count it.

    It takes a minute, and several on a busy machine.
    """
    if not session.config.option.collectonly:
        from fcp_ros.planning.warm_up import compile_missing_kernels

        compile_missing_kernels(lambda _sentence: None)


def scale_examples(items: Iterable[pytest.Item]) -> None:
    """Give each property the profile's share of its examples."""
    # Parametrized tests have one function in common.
    functions = {getattr(item, "obj", None) for item in items}
    for function in filter(is_hypothesis_test, functions):
        # A method's function holds the settings; hypothesis has no public way to change them.
        function = getattr(function, "__func__", function)
        stated = getattr(function, "_hypothesis_internal_use_settings", settings.default)
        function._hypothesis_internal_use_settings = settings(
            stated, max_examples=scaled(stated.max_examples)
        )


@pytest.fixture(scope="session", autouse=True)
def fetched_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Hide the models that were fetched on this machine: tests judge by minilm everywhere.

    Yields:
        Their folder, which may not exist, for tests of the models themselves.
    """
    from fcp_ros.grounding.models.model_store import FOLDER_VARIABLE, locate_models

    folder = locate_models()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(tmp_path_factory.mktemp("models")))
        yield folder


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root folder of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared benchmark data; tests that need it are skipped where it is absent."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"needs the benchmark data in {folder}, which this checkout does not have")
    return folder
