# SPDX-License-Identifier: Apache-2.0
"""The oracle of a language model on a server with the OpenAI protocol.

- `oracle`: batches of questions, several in flight at a time, by log-probabilities or by samples.
- `model_server`: HTTP with bounds, retries and errors that say what to do.
- `completion`: requests to a server that may lack a part of the protocol, and checked answers.
"""
