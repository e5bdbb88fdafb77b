# SPDX-License-Identifier: Apache-2.0
"""Settings of the grounding layer, checked on construction."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from fcp_ros.grounding.judgement import (
    HIGHEST_SCORE,
    SCORE_COUNT,
    GroundingCode,
    GroundingError,
    Membership,
    check_degree,
)


class Estimate(str, Enum):
    """The number that stands for a distribution or for several judgements."""

    MEAN = "mean"
    MEDIAN = "median"


ROUNDING = 1e-9
DEGREES = tuple(score / HIGHEST_SCORE for score in range(SCORE_COUNT))


def check_sample_count(count: int) -> int:
    """Return ``count`` if it is odd and positive, so that the median is one of the judgements."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1 or count % 2 == 0:
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            f"the number of samples is {count!r}; use an odd number such as 1, 3, 5 or 7, so that "
            "the median is one of the judgements",
        )
    return count


def build_exact_membership(
    scores: Sequence[float], least_mass: float, estimate: Estimate, source: str, model: str
) -> Membership | str:
    """Build the membership of a distribution over the scores, or say why there is none.

    `scores`: probability of each score 0 .. 100; the remainder to 1 is "no score". `least_mass`:
    least probability required on all scores together.
    """
    mass = math.fsum(scores)
    if mass < least_mass or mass <= 0.0:
        return f"the scores have {mass:.2%} of its probability; {least_mass:.0%} are needed"
    given = tuple(float(chance) / mass for chance in scores)
    median, spread = compute_distribution_median(DEGREES, given)
    mean = min(1.0, math.fsum(d * w for d, w in zip(DEGREES, given, strict=True)))
    degree = mean if estimate == Estimate.MEAN else median
    other = f"median {median:.2f}" if estimate == Estimate.MEAN else f"mean {mean:.2f}"
    note = (
        f"{Estimate(estimate).value} of the exact distribution ({other}), {mass:.0%} of the "
        "probability on scores"
    )
    return Membership(degree, degree, (), spread, source, model, note=note, distribution=given)


def build_sampled_membership(
    answers: Sequence[float | None],
    temperature: float,
    least_mass: float,
    estimate: Estimate,
    source: str,
    model: str,
) -> Membership | str:
    """Build the membership of sampled answers (None: no score), or say why there is none.

    `least_mass`: least share of the answers that must have a score.
    """
    samples = tuple(answer for answer in answers if answer is not None)
    if not samples or len(samples) < least_mass * len(answers):
        missing = len(answers) - len(samples)
        return (
            f"{missing} of {len(answers)} sampled answers have none; {least_mass:.0%} must have one"
        )
    median, spread = compute_median(samples)
    degree = math.fsum(samples) / len(samples) if estimate == Estimate.MEAN else median
    note = f"{Estimate(estimate).value} of {len(samples)} samples at temperature {temperature:g}"
    if len(samples) < len(answers):
        note += f"; {len(answers) - len(samples)} answers without a score"
    return Membership(degree, degree, samples, spread, source, model, note=note)


def compute_median(values: Sequence[float]) -> tuple[float, float]:
    """Compute the median and the interquartile range of at least one finite number."""
    if not values or not all(math.isfinite(value) for value in values):
        raise GroundingError(
            GroundingCode.INVALID_DEGREE,
            f"no median of the judgements {list(values)}: there must be at least one number and "
            "all must be finite",
        )
    if len(values) == 1:
        return float(values[0]), 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return float(statistics.median(values)), float(high - low)


def find_quantile(values: Sequence[float], weights: Sequence[float], fraction: float) -> float:
    """Find the least value at which the cumulative weight reaches a fraction, in (0, 1]."""
    total = math.fsum(weights)
    if not math.isfinite(total) or total <= 0.0 or any(weight < 0.0 for weight in weights):
        raise GroundingError(
            GroundingCode.NO_ANSWER,
            f"no quantile of the weights {list(weights)}: they must be finite, not negative and "
            "not all zero",
        )
    cumulative = 0.0
    ordered = sorted(zip(values, weights, strict=True))
    for value, weight in ordered:
        cumulative += weight
        if cumulative >= fraction * total * (1.0 - ROUNDING):
            return float(value)
    return float(ordered[-1][0])


def compute_distribution_median(
    values: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Compute the weighted median and interquartile range of a distribution over scores."""
    low = find_quantile(values, weights, 0.25)
    high = find_quantile(values, weights, 0.75)
    return find_quantile(values, weights, 0.5), high - low


# --- settings of the grounding layer, checked on construction ---


class ScoringMode(str, Enum):
    """Way of asking a language model: read its distribution over scores, or draw samples."""

    EXACT = "exact"
    SAMPLE = "sample"


class Device(str, Enum):
    """Device of a model; AUTO is a CUDA device if there is one, else the CPU."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class Precision(str, Enum):
    """Number format of a language model; AUTO is the most exact one that the device is fast in."""

    AUTO = "auto"
    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"


PACKAGED = "packaged"
"""The setting `tuned` that takes the package's encoder."""


@dataclass(frozen=True, slots=True)
class LanguageModelOptions:
    """Settings for asking a language model, on this machine or on a server."""

    # the model on this machine; "" takes `GroundingOptions.model`. Required if predicates name
    # "causal_lm" and the default oracle is another one.
    folder: str | Path = ""
    mode: ScoringMode = ScoringMode.EXACT  # "exact" or "sample"
    samples: int = 5  # judgements a membership in sample mode, odd
    seed: int = 0
    temperature: float = 0.7  # of the samples, > 0
    # in both modes, answers with less probability on valid scores (of drawn answers, with a smaller
    # share of scores) are refused, in [0, 1]
    least_mass: float = 0.5
    estimate: Estimate = Estimate.MEAN  # "mean" or "median" of the distribution or of the samples
    precision: Precision = Precision.AUTO
    token_budget: int = 4096  # tokens that one forward pass may hold, >= 64

    def __post_init__(self) -> None:
        check_sample_count(self.samples)
        _check_positive("temperature", self.temperature)
        check_degree(self.least_mass, "the grounding option least_mass")
        if self.token_budget < 64:
            raise build_range_error("token_budget", self.token_budget, "64 or more")
        _check_choice("mode", self.mode, tuple(mode.value for mode in ScoringMode))
        _check_choice("estimate", self.estimate, tuple(item.value for item in Estimate))
        _check_choice("precision", self.precision, tuple(item.value for item in Precision))


KEY_PREFIX = "FCP_KEY_"
"""Environment variables of keys begin so: no other secret of a process is sent to a server."""
DEFAULT_KEY_VARIABLE = f"{KEY_PREFIX}ENDPOINT"


def check_key_variable(name: str) -> None:
    """Refuse an environment variable without `KEY_PREFIX`: its value is not sent to a server."""
    if not name.startswith(KEY_PREFIX):
        wanted = f"a name that begins with {KEY_PREFIX}, such as {DEFAULT_KEY_VARIABLE}"
        raise build_range_error("endpoint key_variable", name, wanted)


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """A model server with the OpenAI protocol."""

    url: str = ""  # of the server, such as "http://localhost:8000/v1"; "" means there is none
    model: str = ""  # the name that the server knows the model by; "" takes the first it lists
    # environment variable that holds the key, if the server requires one; its name begins with
    # `KEY_PREFIX`. "" sends none.
    key_variable: str = DEFAULT_KEY_VARIABLE
    concurrency: int = 8  # requests in flight at a time, 1 to 256
    timeout: float = 30.0  # seconds for one request, > 0
    retries: int = 3  # further tries after a transient failure, 0 to 10

    def __post_init__(self) -> None:
        if self.key_variable:
            check_key_variable(self.key_variable)
        _check_positive("timeout", self.timeout)
        if not 1 <= self.concurrency <= 256:
            raise build_range_error("concurrency", self.concurrency, "a number from 1 to 256")
        if not 0 <= self.retries <= 10:
            raise build_range_error("retries", self.retries, "a number from 0 to 10")


class EvidenceWorld(str, Enum):
    """The world that outcomes come from."""

    REAL = "real"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class EvidenceOrigin:
    """The robot and the world that the evidence of a store comes from."""

    robot: str = ""  # namespace of the robot without its first slash; "" for a robot without one
    world: EvidenceWorld = EvidenceWorld.REAL  # the real world, or a simulated one

    def __str__(self) -> str:
        """Name both, as messages do."""
        return f"{self.robot or 'the robot without a namespace'} in the {self.world.value} world"


@dataclass(frozen=True, slots=True)
class CalibrationOptions:
    """Settings for moving degrees by observed outcomes."""

    # SQLite file of the evidence; None keeps evidence in memory only
    path: str | Path | None = None
    # whose evidence the file holds; another's file is refused. None takes any file.
    origin: EvidenceOrigin | None = None
    # only look at the evidence of an existing file; `origin` must be None then
    read_only: bool = False
    strength: float = 4.0  # number of outcomes that the oracle's degree is worth, > 0
    # the largest shift by outcomes of other contexts, in [0, 1]; a context's own outcomes widen it
    cap: float = 0.6
    # number of later outcomes of a context after which an outcome counts half; 0 or infinity: never
    half_life: float = 100.0
    # age relative to the predicate's newest outcome after which an outcome counts half, in days; 0
    # or infinity: never
    half_life_days: float = 0.0
    # like `half_life`, counted over all outcomes of a predicate and model, for what is learnt about
    # the model
    pooled_half_life: float = 1000.0
    pooled: bool = True  # recalibrate the model's degrees with all outcomes of a predicate together
    # prior trust in contexts that differ in attributes only, in [0, 1]; 0: outcomes count for their
    # own context alone
    neighbours: float = 0.25
    # evidence that raises an alarm, > 0; h means at most one false alarm in exp(h) outcomes per
    # direction
    drift_threshold: float = 6.2
    # factor on the weight of outcomes from before a change that raised an alarm, in [0, 1]; 1 keeps
    # all of it
    kept_after_change: float = 0.1

    def __post_init__(self) -> None:
        _check_positive("strength", self.strength)
        check_degree(self.cap, "the cap of the calibration shift")
        for name in ("half_life", "half_life_days", "pooled_half_life"):
            value = getattr(self, name)
            if not value >= 0.0:
                raise build_range_error(name, value, "0 (never) or more")
        check_degree(self.neighbours, "the grounding option neighbours")
        _check_positive("drift_threshold", self.drift_threshold)
        check_degree(self.kept_after_change, "the grounding option kept_after_change")


@dataclass(frozen=True, slots=True)
class GroundingOptions:
    """Settings of `make_grounder`."""

    oracle: str = "embedding"  # the default oracle, a name in `registry.ORACLES`
    # the default oracle's model: a registered name or a folder; "" means the default sentence model
    # ("embedding", "head"): mpnet where it was fetched, else minilm
    model: str | Path = ""
    # oracle that answers if the intended one can't; "" means none, so that the error is raised
    fallback: str = ""
    heads: str | Path = ""  # file of the model's trained heads; "" means the packaged one
    # file of a tuned encoder, which answers again what a plan or an answer rests on
    # (`Grounder.confirm`); "packaged" means the package's, which helps mpnet's heads, "" none
    tuned: str | Path = PACKAGED
    device: Device = Device.AUTO  # "auto", "cpu" or "cuda"
    # SQLite file of the judgement cache; None keeps answers in memory only
    cache_path: str | Path | None = None
    language_model: LanguageModelOptions = field(default_factory=LanguageModelOptions)
    endpoint: EndpointOptions = field(default_factory=EndpointOptions)
    # settings for moving degrees by outcomes
    calibration: CalibrationOptions = field(default_factory=CalibrationOptions)

    def __post_init__(self) -> None:
        _check_choice("device", self.device, tuple(device.value for device in Device))


def build_range_error(name: str, value: object, wanted: str) -> GroundingError:
    """Build the error for an option with an invalid value."""
    return GroundingError(
        GroundingCode.INVALID_OPTION,
        f"the grounding option {name} is {value!r}; it must be {wanted}",
    )


def _check_positive(name: str, value: float) -> None:
    if not math.isfinite(value) or value <= 0.0:
        raise build_range_error(name, value, "a number above 0")


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise build_range_error(name, value, f"one of {', '.join(allowed)}")
