# SPDX-License-Identifier: Apache-2.0
"""Calls of other nodes' services and actions, with answers that get lost and servers that die.

- `service_call`: a request at a service, sent again where its answer was lost; servers that appear
  and disappear, seen by discovery.
- `action_call`: a goal at an action server, from its sending to its end.
- `server_life`: servers whose process was killed, which discovery notices only 20 s later.
"""
