# SPDX-License-Identifier: Apache-2.0
"""The service ``align``: from a request message and files to an answer.

Everything here runs in a worker thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fcp_ros.alignment.answer import AlignmentOptions
from fcp_ros.alignment.comparison import compare_vocabularies, read_task
from fcp_ros.alignment.ontology.scene_alignment import SceneAlignmentOptions, align_scene
from fcp_ros.alignment.pairing import OtherWorld, open_domain, open_problem
from fcp_ros.alignment.proposals import NameLikeness
from fcp_ros.alignment.simulator import DomainSimulator
from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import Check
from fcp_ros.nodes.conversions.alignment import (
    AlignmentOrigin,
    alignment_to_ros,
    scene_alignment_to_ros,
)
from fcp_ros.nodes.conversions.common import ConversionError, duration_from_ros
from fcp_ros.nodes.planner.parameters import ALIGNMENT_FILES
from fcp_ros.nodes.runtime.parameters import FileRefusedError, ParameterTable
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefused
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning.model.watch import RequestStart, measure_memory
from fcp_ros.scene.loading import read_scene

MOST_TRIALS = 200
"""Plans that a request tries if it does not say."""
PDDL = ".pddl"


class AlignmentService:
    """Answers requests of ``align`` beside one domain and scene."""

    def __init__(
        self,
        domain: Domain,  # that the planner plans with
        scene: SceneFollower,
        parameters: ParameterTable,
        now: Callable[[], Any],  # returns the ROS time as a message
    ) -> None:
        self._domain = domain
        self._scene = scene
        self._parameters = parameters
        self._now = now

    def align(self, request: Any, asked: float, token: CancelToken) -> Any:
        """Answer a request of ``align`` with an Alignment message.

        `asked`: time of its arrival (s, of `time.monotonic`): waiting for its turn counts. Raises
        RequestRefused if a file, or what is in it, can't be used; the sentence says why.
        """
        try:
            limit = duration_from_ros(request.time_limit)
            options = AlignmentOptions(
                time_limit=limit or self._parameters.number("alignment_time_limit"),
                most_trials=int(request.trials) or MOST_TRIALS,
                settling=int(request.settle),
                seed=int(request.seed),
            )
            start = RequestStart(asked, measure_memory())
            if request.scene:
                return self._align_scene(request, options, start, token)
            return self._align_domains(request, options, start, token)
        except (FileRefusedError, ConversionError, InputError, NoSceneError, OSError) as error:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error

    def _align_domains(
        self, request: Any, options: AlignmentOptions, start: RequestStart, token: CancelToken
    ) -> Any:
        domain = self._resolve(request.domain, find_domain)
        problem = self._resolve(request.problem, Path)
        found = compare_vocabularies(
            lambda check: read_task(domain, problem, check),
            lambda check: self._open_other(request, problem, token, check),
            options,
            NameLikeness(self._scene.similarity),
            declared=[str(line) for line in request.same],
            cancelled=lambda: token.cancelled,
            start=start,
        )
        origin = AlignmentOrigin(found.own, found.other, found.goal)
        return alignment_to_ros(found.result, origin, self._now())

    def _align_scene(
        self, request: Any, options: AlignmentOptions, start: RequestStart, token: CancelToken
    ) -> Any:
        if request.domain or request.problem:
            sentence = "Give a scene, or a domain with its problem; not both."
            raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence)
        domain = self._find_other_domain(request.other)
        graph = read_scene(self._resolve(request.scene, find_scene))
        simulator = None
        if request.world or self._scene.sequence is not None:
            state = self._read_state(request.world, domain, token)
            if not graph.nodes.keys().isdisjoint(state.names()):
                simulator = DomainSimulator(domain, state)
        found = align_scene(
            graph,
            domain,
            simulator,
            self._scene.similarity,
            SceneAlignmentOptions(options.time_limit, options.most_trials, options.seed),
            cancelled=lambda: token.cancelled,
            start=start,
        )
        origin = AlignmentOrigin(Path(request.scene).name, domain.name)
        return scene_alignment_to_ros(found, origin, self._now())

    def _find_other_domain(self, other: str) -> Domain:
        """Return the domain of a request; that which is planned with if it names none."""
        return load_domain(self._resolve(other, find_domain)) if other else self._domain

    def _open_other(
        self, request: Any, problem: str, token: CancelToken, check: Check
    ) -> OtherWorld:
        if request.other.lower().endswith(PDDL):
            other = self._resolve(request.other, find_domain)
            world = self._resolve(request.world, Path) if request.world else problem
            return open_problem(read_task(other, world, check), check)
        domain = self._find_other_domain(request.other)
        return open_domain(domain, self._read_state(request.world, domain, token), check)

    def _read_state(self, scene: str, domain: Domain, token: CancelToken) -> Instance:
        if not scene:
            self._scene.wait_for_first(self._parameters.number("scene_wait"), token)
            state = self._scene.state(self._domain)
            if domain is self._domain:
                return state.instance
            return scene_to_instance(state.graph, domain.schema, domain.mapping).instance
        graph = load_scene_for(self._resolve(scene, find_scene), domain.schema, domain.mapping)
        return scene_to_instance(graph, domain.schema, domain.mapping).instance

    def _resolve(self, address: str, find: Callable[[str], Path]) -> str:
        return self._parameters.resolve(replace(ALIGNMENT_FILES, find=find), address)
