# SPDX-License-Identifier: Apache-2.0
"""Measure how many of N clients with one request each get an answer, by the depth of their history.

The answers of a service go to all of its clients, and each client keeps the last few (its depth) of
everybody's until it reads them. All clients ask at the same moment: nodes of one process, or
processes.

    python benchmark/many_clients.py [--clients 20] [--processes 1] [--depths 10 1000]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

import rclpy
from lifecycle_msgs.srv import GetState
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile

from fcp_ros.nodes.runtime.qos import request_qos

SERVICE = "many_clients"
ANSWER_WAIT = 10.0
"""Seconds to wait for answers."""


def serve() -> None:
    """Answer until the process is killed."""
    rclpy.init()
    node = rclpy.create_node("server")
    node.create_service(
        GetState, SERVICE, lambda _request, response: response, qos_profile=request_qos()
    )
    print("ready", flush=True)
    rclpy.spin(node)


def ask(clients: int, depth: int) -> None:
    """Say "ready", ask with all clients once a line comes in, and print how many were answered."""
    rclpy.init()
    executor = SingleThreadedExecutor()
    nodes = [rclpy.create_node(f"asker_{os.getpid()}_{number}") for number in range(clients)]
    made = [
        node.create_client(GetState, SERVICE, qos_profile=QoSProfile(depth=depth)) for node in nodes
    ]
    for node in nodes:
        executor.add_node(node)
    while not all(client.service_is_ready() for client in made):
        executor.spin_once(0.05)
    print("ready", flush=True)
    sys.stdin.readline()
    futures = [client.call_async(GetState.Request()) for client in made]
    end = time.monotonic() + ANSWER_WAIT
    while not all(future.done() for future in futures) and time.monotonic() < end:
        executor.spin_once(0.05)
    print(sum(future.done() for future in futures), flush=True)
    os._exit(0)


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start this file as a part of the measurement, and wait until it is ready."""
    process = subprocess.Popen(
        [sys.executable, __file__, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def measure(clients: int, processes: int, depth: int) -> int:
    """Return the number of clients that got an answer."""
    server = start("--serve")
    try:
        askers = [start("--ask", clients // processes, "--depths", depth) for _ in range(processes)]
        for asker in askers:
            assert asker.stdin is not None
            asker.stdin.write("\n")
            asker.stdin.flush()
        return sum(int(asker.communicate()[0]) for asker in askers)
    finally:
        server.kill()
        server.communicate()


def main() -> None:
    """Measure, or be one of the processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--depths", type=int, nargs="+", default=[10, request_qos().depth])
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--ask", type=int, default=0)
    asked = parser.parse_args()
    if asked.serve:
        serve()
    elif asked.ask:
        ask(asked.ask, asked.depths[0])
    else:
        for depth in asked.depths:
            answered = measure(asked.clients, asked.processes, depth)
            print(
                f"{asked.clients} clients in {asked.processes} processes with depth {depth}: "
                f"{answered} answered",
                flush=True,
            )


if __name__ == "__main__":
    main()
