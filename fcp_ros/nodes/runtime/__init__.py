# SPDX-License-Identifier: Apache-2.0
"""The node framework: lifecycle, parameters, worker threads, spinning, and repairs of rclpy.

- `managed_node`: the base of all nodes: services, actions and topics of one behaviour.
- `lifecycle`: its transitions, autostart and diagnostics.
- `parameters`: parameters as tables, and the files that they may name; `domain_parameter`: the
  domain of several nodes.
- `request_checks`: what a request may hold, and one code and one sentence where it is refused.
- `optional_packages`: interfaces that not every robot has.
- `qos`: quality of service, with the depth of requests.
- `goal_jobs`: the goals of an action server, and jobs that are cancelled with them.
- `worker`: one thread for the long work of a node.
- `spin`: a thread for each node, signals, and an orderly end.
- `action_call`: a goal at an action server, from its sending to its end; a request at a service,
  sent again where its answer was lost; servers that appear and disappear, seen by discovery.
- `server_life`: which process a node is, a beat for those who can't look there; servers whose
  process was killed, which discovery notices only 20 s later.
- `rclpy_repairs`: all that touches the insides of rclpy.
"""
