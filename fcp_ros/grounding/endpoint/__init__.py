# SPDX-License-Identifier: Apache-2.0
"""The oracle that asks a model server with the OpenAI protocol."""
