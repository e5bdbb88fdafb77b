# SPDX-License-Identifier: Apache-2.0
"""What the grounder says of itself on ``/diagnostics``: who judges, how busy, how much memory."""

from __future__ import annotations

from fcp_ros.grounding import Grounder, GroundingError
from fcp_ros.grounding.models.torch_device import measure_device_memory
from fcp_ros.msg import GroundingInfo
from fcp_ros.nodes.grounder.judge_batches import BatchStatistics


def diagnostic_values(
    info: GroundingInfo, requests: int, batch: BatchStatistics
) -> dict[str, object]:
    """The values of the diagnostic status.

    Arguments:
        info: who judges, and how often the cache knew the answer.
        requests: jobs that run or wait.
        batch: what was judged together last, and which callers wait.
    """
    asked = info.judged + info.from_cache
    return {
        "domain": info.domain,
        "oracle": info.default_oracle,
        "model": info.model,
        "judged": info.judged,
        "from_cache": info.from_cache,
        "cache_hit_rate": f"{info.from_cache / asked:.3f}" if asked else "",
        "evidence": info.evidence_count,
        "requests": requests,
        "queue_length": batch.waiting,
        "batches": batch.batches,
        "batch_questions": batch.questions,
        "batch_callers": batch.callers,
        **_memory_values(),
    }


def concerns(grounder: Grounder) -> list[str]:
    """What a person should look at: stores, oracles that can't answer, degrees that miss."""
    found = list(grounder.notes)
    try:
        found += [str(drift) for drift in grounder.drifts()]
        found += [str(score) for score in grounder.reliabilities() if score.is_poor]
    except GroundingError as error:
        found.append(str(error))
    return found


def _memory_values() -> dict[str, object]:
    """GPU memory in MiB, where a model uses one."""
    memory = measure_device_memory()
    if memory is None:
        return {}
    return {
        "gpu": memory.device,
        "gpu_memory_own_mib": round(memory.own),
        "gpu_memory_used_mib": round(memory.used),
        "gpu_memory_total_mib": round(memory.total),
    }
