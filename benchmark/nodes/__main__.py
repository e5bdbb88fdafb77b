# SPDX-License-Identifier: Apache-2.0
"""The nodes as a robot runs them: ``python -m benchmark.nodes``.

Five processes, one node each: start until all are active, the first requests, latency of trivial
requests, 500 requests at once, CPU while nothing happens, memory. Then the same start, rest and
memory of one ``fcp up``. Bytecode and kernels are compiled before, as an installation does.

Times on the wall count only if nothing else computes: other processes' share of the cores is
measured with each, and where it is more than a tenth of a core, CPU seconds alone are judged.
Memory is PSS (`/proc/PID/smaps_rollup`): pages that processes share are divided among them.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import rclpy
import typer
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile

from benchmark.nodes.node_processes import (
    MODULES,
    SCENE,
    Interval,
    NodeProcess,
    Watch,
    compile_all,
    read_own_cpu,
    single_commands,
    start,
)
from benchmark.tables import Part, Verdict, finish, open_console
from fcp_ros.action import MakePlan
from fcp_ros.client import Element, predicate_query
from fcp_ros.msg import PlanRequest
from fcp_ros.srv import JudgePredicates, PlanGoal

GOAL = "at(robot_1, living_room_1)"
CALLS, QUICK_CALLS = 500, 150
AT_ONCE = 500
IDLE_SECONDS, QUICK_IDLE_SECONDS = 60.0, 20.0
START_WAIT, ANSWER_WAIT, CALL_WAIT = 120.0, 90.0, 30.0
"""Time limits (s) of a start, of all answers to requests at once, and of one call."""
DEEP = QoSProfile(depth=1000)
"""Of the client, which by default would keep 10 of its own requests and answers."""
KNOWN_AFTER = 0.2
"""Seconds until a server that is known knows its client, too."""
SETTLE = 5.0
"""Seconds after the last request before CPU and memory at rest are measured."""

ACTIVE_WITHIN = 5.0  # s, on CORES cores
CORES = 2
IDLE_SHARE = 0.5  # % of a core, a node
ALL_MEMORY, UP_MEMORY = 700.0, 500.0  # MB
PLAN_MEDIAN, PLAN_LATE = 0.050, 0.200  # s
JUDGE_MEDIAN, JUDGE_LATE = 0.010, 0.050  # s
FIRST_PLAN, FIRST_JUDGE = 0.5, 1.0  # s


# --- requests -----------------------------------------------------------------------------------


class Peer:
    """A client of the nodes, in a context of its own."""

    def __init__(self, domain: int) -> None:
        self._context = Context()
        rclpy.init(args=[], context=self._context, domain_id=domain)
        self.node = rclpy.create_node("benchmark", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self.plan = self.node.create_client(PlanGoal, "plan", qos_profile=DEEP)
        self.judge = self.node.create_client(JudgePredicates, "judge", qos_profile=DEEP)
        self.make_plan = ActionClient(
            self.node,
            MakePlan,
            "make_plan",
            goal_service_qos_profile=DEEP,
            result_service_qos_profile=DEEP,
        )

    def spin_until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Spin until something is true; return False if it takes too long."""
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                return False
            self._executor.spin_once(timeout_sec=0.05)
        return True

    def find_servers(self) -> None:
        """Wait until all servers are known, and know this client."""
        servers = (
            self.plan.service_is_ready,
            self.judge.service_is_ready,
            self.make_plan.server_is_ready,
        )
        if not self.spin_until(lambda: all(ready() for ready in servers), START_WAIT):
            raise TimeoutError("the nodes' services did not appear")
        self.spin_until(lambda: False, KNOWN_AFTER)

    def call(self, client: Any, request: Any) -> Any:
        """Call a service and return the response."""
        future = client.call_async(request)
        if not self.spin_until(future.done, CALL_WAIT):
            raise TimeoutError(f"no answer from {client.srv_name} within {CALL_WAIT:g} s")
        return future.result()

    def close(self) -> None:
        """End the client."""
        self._executor.shutdown(5.0)
        self._context.try_shutdown()


def plan_request() -> PlanGoal.Request:
    """Make a request that needs no judgement and hardly any search."""
    return PlanGoal.Request(request=PlanRequest(goal=GOAL))


def judge_request() -> JudgePredicates.Request:
    """Make a request that the cache answers."""
    mug = Element("mug_1", "mug", {"name": "mug_1"})
    query = predicate_query("can_grasp", robot=Element("robot_1", "robot"), item=mug)
    return JudgePredicates.Request(queries=[query])


def measure_latency(peer: Peer, client: Any, make: Callable[[], Any], calls: int) -> np.ndarray:
    """Return the seconds of calls one after the other."""
    seconds = []
    for number in range(calls + 5):
        began = time.perf_counter()
        peer.call(client, make())
        if number >= 5:  # the first ones find cold caches
            seconds.append(time.perf_counter() - began)
    return np.array(seconds)


def ask_at_once(peer: Peer, send: Callable[[], Any]) -> tuple[list[Any], float]:
    """Send many requests at once; return the answers that came, and the seconds until the last."""
    began = time.monotonic()
    futures = [send() for _ in range(AT_ONCE)]
    peer.spin_until(lambda: all(future.done() for future in futures), ANSWER_WAIT)
    return [future.result() for future in futures if future.done()], time.monotonic() - began


# --- the parts ----------------------------------------------------------------------------------


def measure_five(quick: bool, domain: int) -> Iterator[Verdict]:
    """Measure five processes, one node each."""
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(domain)  # before the nodes: they know it when they are active
        began = time.monotonic()
        with start(single_commands(Path(folder)), 1, domain) as nodes:
            try:
                yield from judge_start("five processes", nodes, began)
                peer.find_servers()
                yield from judge_first_calls(peer, nodes)
                yield from judge_latency(peer, nodes, QUICK_CALLS if quick else CALLS)
                yield from judge_answers(peer)
            finally:
                peer.close()
            time.sleep(SETTLE)
            yield from judge_rest("five processes", nodes, quick)
            for one in nodes:
                yield Verdict(f"memory of {one.name} (PSS)", f"{one.memory:.0f} MB")
            total = sum(one.memory for one in nodes)
            yield Verdict(
                "memory of the five together (PSS)",
                f"{total:.0f} MB",
                f"at most {ALL_MEMORY:.0f} MB",
                total <= ALL_MEMORY,
            )


def measure_up(quick: bool, domain: int) -> Iterator[Verdict]:
    """Measure ``fcp up``: all nodes in one process."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "fcp_ros.cli.main", "up", "--scene", SCENE]
        environment = {"HOME": home}
        os.environ.update(environment)
        peer = Peer(domain)
        began = time.monotonic()
        with start({"fcp up": command}, len(MODULES), domain) as nodes:
            try:
                yield from judge_start("fcp up", nodes, began)
                peer.find_servers()
                for _ in range(5):
                    peer.call(peer.plan, plan_request())
                    peer.call(peer.judge, judge_request())
            finally:
                peer.close()
            time.sleep(SETTLE)
            yield from judge_rest("fcp up", nodes, quick)
            memory = nodes[0].memory
            yield Verdict(
                "memory of one fcp up (PSS)",
                f"{memory:.0f} MB",
                f"at most {UP_MEMORY:.0f} MB",
                memory <= UP_MEMORY,
            )


def judge_start(name: str, nodes: list[NodeProcess], began: float) -> Iterator[Verdict]:
    """Judge the time until all nodes are active."""
    watch = Watch(lambda: sum(one.cpu for one in nodes) + read_own_cpu())
    for one in nodes:
        if not one.ready.wait(START_WAIT):
            raise TimeoutError(f"{one.name} was not active within {START_WAIT:g} s")
    interval = watch.stop()
    cpu = sum(one.cpu for one in nodes)
    wall = max(one.active_at or 0.0 for one in nodes) - began
    goal = f"at most {ACTIVE_WITHIN:g} s"
    quiet = interval.is_quiet
    said = _describe(f"{wall:.1f} s", interval)
    yield Verdict(f"{name}: launch to active", said, goal, wall <= ACTIVE_WITHIN if quiet else None)
    yield Verdict(
        f"{name}: CPU until active",
        f"{cpu:.1f} s",
        f"at most {ACTIVE_WITHIN * CORES:g} s (two cores)",
        cpu <= ACTIVE_WITHIN * CORES,
    )


def judge_first_calls(peer: Peer, nodes: list[NodeProcess]) -> Iterator[Verdict]:
    """Judge the first call of each service: what a start left for later, the caller waits for."""
    parts = (
        ("plan", peer.plan, plan_request, FIRST_PLAN),
        ("judge", peer.judge, judge_request, FIRST_JUDGE),
    )
    for name, client, make, goal in parts:
        watch = Watch(lambda: sum(one.cpu for one in nodes) + read_own_cpu())
        peer.call(client, make())
        interval = watch.stop()
        seconds, quiet = interval.seconds, interval.is_quiet
        yield Verdict(
            f"the first {name} after the start",
            _describe(f"{seconds:.2f} s", interval),
            f"at most {goal:g} s",
            seconds <= goal if quiet else None,
        )


def _describe(measured: str, interval: Interval) -> str:
    """Add what others used of the cores, if a time on the wall does not count for it."""
    return measured if interval.is_quiet else f"{measured}, others used {interval.others:.1f} cores"


def judge_latency(peer: Peer, nodes: list[NodeProcess], calls: int) -> Iterator[Verdict]:
    """Judge the latency of trivial calls."""
    parts = (
        ("plan", peer.plan, plan_request, (PLAN_MEDIAN, PLAN_LATE)),
        ("judge", peer.judge, judge_request, (JUDGE_MEDIAN, JUDGE_LATE)),
    )
    for name, client, make, goals in parts:
        watch = Watch(lambda: sum(one.cpu for one in nodes) + read_own_cpu())
        seconds = measure_latency(peer, client, make, calls)
        interval = watch.stop()
        found = np.percentile(seconds, (50, 99))
        for what, measured, goal in zip(("median", "99 %"), found, goals, strict=True):
            said = _describe(f"{1e3 * measured:.1f} ms", interval)
            verdict = measured <= goal if interval.is_quiet else None
            yield Verdict(
                f"a trivial {name}: {what}", said, f"at most {1e3 * goal:.0f} ms", verdict
            )


def judge_answers(peer: Peer) -> Iterator[Verdict]:
    """Judge requests at once: each must be answered."""

    def send_goal() -> Any:
        return peer.make_plan.send_goal_async(MakePlan.Goal(request=PlanRequest(goal=GOAL)))

    goal = f"{AT_ONCE} of {AT_ONCE}"
    answers, seconds = ask_at_once(peer, lambda: peer.plan.call_async(plan_request()))
    codes = Counter(answer.result.status.code for answer in answers)
    said = ", ".join(f"{count} with status {code}" for code, count in sorted(codes.items()))
    yield _judge_count("plan calls answered", answers, f"{seconds:.1f} s: {said}", goal)
    answers, seconds = ask_at_once(peer, lambda: peer.judge.call_async(judge_request()))
    served = sum(answer.success for answer in answers)
    yield _judge_count("judge calls answered", answers, f"{seconds:.1f} s: {served} served", goal)
    handles, seconds = ask_at_once(peer, send_goal)
    yield _judge_count("make_plan goals accepted", handles, f"{seconds:.1f} s", goal)
    ends = [handle.get_result_async() for handle in handles if handle.accepted]
    peer.spin_until(lambda: all(end.done() for end in ends), ANSWER_WAIT)
    done = [end.result() for end in ends if end.done()]
    codes = Counter(one.result.result.status.code for one in done)
    said = ", ".join(f"{count} with status {code}" for code, count in sorted(codes.items()))
    yield _judge_count("make_plan goals ended", done, said, goal)


def _judge_count(what: str, found: list[Any], said: str, goal: str) -> Verdict:
    return Verdict(
        f"{AT_ONCE} at once: {what}", f"{len(found)} in {said}", goal, len(found) == AT_ONCE
    )


def judge_rest(name: str, nodes: list[NodeProcess], quick: bool) -> Iterator[Verdict]:
    """Judge the CPU while nothing happens."""
    seconds = QUICK_IDLE_SECONDS if quick else IDLE_SECONDS
    before = [one.cpu for one in nodes]
    time.sleep(seconds)
    for one, cpu in zip(nodes, before, strict=True):
        share = 100.0 * (one.cpu - cpu) / seconds
        allowed = IDLE_SHARE * one.wanted
        what = f"idle CPU of {one.name}" if len(nodes) > 1 else f"{name}: idle CPU"
        yield Verdict(what, f"{share:.2f} %", f"at most {allowed:g} %", share <= allowed + 1e-9)


PARTS: Mapping[str, Callable[[bool, int], Iterator[Verdict]]] = {
    "five processes, one node each": measure_five,
    "fcp up: all nodes in one process": measure_up,
}


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer calls, less waiting.")] = False,
) -> None:
    """Measure, and exit with 1 if a goal is missed."""
    domain = 1 + os.getpid() % 90
    console = open_console()
    compile_all()
    found = []
    for number, (title, measure) in enumerate(PARTS.items()):
        console.print(f"{title} ...")
        found.append(Part(title, (), list(measure(quick, domain + number))))
    finish(found, console)


if __name__ == "__main__":
    typer.run(main)
