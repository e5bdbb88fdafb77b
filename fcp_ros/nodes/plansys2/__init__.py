# SPDX-License-Identifier: Apache-2.0
"""The node ``plansys2_bridge``: PlanSys2's services, answered by this planner.

- `knowledge`: the domain, and what is known of the world; `planning`: plans. Both without ROS.
- `trees`: conditions and effects as messages of plansys2_msgs, and back.
- `domain_expert`, `problem_expert`: the answers to their services.
"""
